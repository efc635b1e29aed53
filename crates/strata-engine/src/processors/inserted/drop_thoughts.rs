//! Takes out what models thought in earlier turns.

use std::sync::Arc;

use strata_model::{Contents, RequestContent};

use super::results::before_turns;
use super::rule::{ByContent, Change, ContentRule, PartChange, RuleContext, change_parts};
use crate::processors::{
    kind::ProcessorKind,
    params::{ParamKind, ParamSpec},
};

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "drop_thoughts",
    title: "Drop old thoughts",
    summary: "Takes out thoughts of models, those of the last turns excepted.",
    params: &[ParamSpec {
        name: "keep_turns",
        kind: ParamKind::Integer { min: 0, max: 1000 },
        default: "1",
        unit: Some("turns"),
        doc: "Turns of the user at the end whose thoughts stay. 0 takes out all but those of a call that is being answered: providers refuse the call without its thought.",
    }],
    place: "model_call",
    build: |name, params, _| {
        Ok(ByContent::boxed(name, DropThoughts { keep_turns: params.size("keep_turns") }))
    },
};

#[derive(Hash)]
struct DropThoughts {
    keep_turns: usize,
}

impl ContentRule for DropThoughts {
    fn change(&self, content: &Arc<RequestContent>, pen: &RuleContext<'_>) -> Change {
        change_parts(content, pen, |part| {
            // A call or result that is marked as thought still belongs to its other half.
            let is_alone = part.part.function_call.is_none() && part.part.function_response.is_none();
            if part.part.is_thought() && is_alone { PartChange::Drop } else { PartChange::Keep }
        })
    }

    fn reach(&self, contents: &Contents) -> usize {
        let is_answering = contents
            .len()
            .checked_sub(1)
            .and_then(|last| contents.get(last))
            .is_some_and(|last| last.has_function_response());
        before_turns(contents, self.keep_turns.max(usize::from(is_answering)))
    }

    fn note(&self, n: usize) -> String {
        format!("thoughts taken out of {n} contents")
    }
}
