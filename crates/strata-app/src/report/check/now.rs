//! What of a session of the run is kept until all are read, to be compared with a baseline.

use serde::Serialize;
use strata_measure::before_after::Composition;
use strata_measure::findings::Finding;
use strata_measure::remedies::Writer;

use super::super::origin;
use super::figures::{SessionFigures, break_name, composition_of};
use super::measure::MeasuredSession;

/// A session of the run.
pub(super) struct SessionNow {
    /// As reports name it.
    pub name: String,
    pub figures: SessionFigures,
    /// With the calls that carry most.
    pub composition: Composition,
    /// By what baselines call them, the dearest first. How often is said once they are compared.
    pub losses: Vec<(String, NewBreak)>,
    pub found: Vec<Finding>,
    /// Whom advice is for.
    pub writer: Writer,
}

/// Calls that lose something for a reason that the baseline does not have, or not as often.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewBreak {
    pub agent: String,
    /// How often, before and after.
    pub before: u32,
    pub after: u32,
    /// The call that lost most.
    pub call: u32,
    /// Why, in a sentence.
    pub cause: String,
    pub stage: Option<String>,
    pub origin: Option<String>,
    /// Of that call.
    pub tokens: u32,
    /// US dollars.
    pub cost: Option<f64>,
}

impl SessionNow {
    pub(super) fn of(name: String, measured: MeasuredSession<'_>) -> Self {
        let losses = measured.losses().map(|(call, loss)| {
            let lost = NewBreak {
                agent: call.agent.to_string(),
                before: 0,
                after: 0,
                call: call.call,
                cause: loss.cause.sentence(&measured.subject.experiment),
                stage: loss.stage.as_ref().map(ToString::to_string),
                origin: loss.origin.as_ref().map(origin::text),
                tokens: loss.tokens,
                cost: loss.cost_usd,
            };
            (break_name(call, loss), lost)
        });
        let losses = losses.collect();
        let composition = composition_of(&measured);
        Self {
            name,
            figures: SessionFigures::of(&measured, &composition),
            losses,
            composition,
            writer: measured.writer(),
            found: measured.found,
        }
    }
}
