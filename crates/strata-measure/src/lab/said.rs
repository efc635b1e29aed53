//! What answers say.

use strata_engine::{Call, Experiment};
use strata_model::{Part, Str};

use super::words::each_leaf;

/// Tells `each` of the texts of an answer, thoughts aside, with the tool whose arguments they are.
pub(super) fn each_said(experiment: &Experiment, call: &Call, each: &mut dyn FnMut(&str, Option<&Str>)) {
    let Some(logged) = experiment.log().get(call.answer).filter(|_| call.is_answered) else { return };
    for part in logged.event.parts() {
        let Part { text, function_call, .. } = &**part;
        if let Some(text) = text.as_deref().filter(|_| !part.is_thought()) {
            each(text, None);
        }
        let Some(called) = function_call else { continue };
        for value in called.args.iter().flat_map(|args| args.values()) {
            each_leaf(value, false, &mut |text| each(text, called.name.as_ref()));
        }
    }
}
