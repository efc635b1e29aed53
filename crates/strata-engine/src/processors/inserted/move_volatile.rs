//! Sends lines of the instruction that change from call to call behind the history, so that the prefix stays.

use std::sync::Arc;

use strata_model::{LlmRequest, Origin, RequestContent, Str};

use super::behind_history::moved_behind;
use super::by_request::{ByRequest, RequestRule};
use super::rule::RuleContext;
use crate::processor::StageOutput;
use crate::processors::{
    kind::ProcessorKind,
    params::{ParamKind, ParamSpec},
};
use crate::sections::Sections;

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "move_volatile",
    title: "Move volatile text behind the history",
    summary: "Sends the lines of the instruction that show values of state as the last message, so that the instruction and the history stay a cached prefix.",
    params: &[ParamSpec {
        name: "keys",
        kind: ParamKind::Words,
        default: "[]",
        unit: None,
        doc: "State keys whose lines move; all where the list is empty.",
    }],
    place: "model_call",
    build: |name, params, _| Ok(ByRequest::boxed(name, MoveVolatile { keys: params.words("keys") })),
};

#[derive(Hash)]
struct MoveVolatile {
    keys: Vec<Str>,
}

impl RequestRule for MoveVolatile {
    const READS: Sections = Sections::CONTENTS.union(Sections::SYSTEM);
    const AFTER: &'static [&'static str] = &["instructions", "contents"];

    fn apply(&self, request: &mut LlmRequest, pen: &RuleContext<'_>, output: &mut StageOutput) {
        let is_volatile = |origin: &Origin| matches!(origin, Origin::State { key } if self.keys.is_empty() || self.keys.contains(key));
        let moved = moved_behind(request, &is_volatile);
        let Some(tail) = moved.tail else {
            output.note("no such text in the instruction");
            return;
        };
        let lines = tail.to_text().lines().count();
        *request = moved.request;
        request.contents.push(Arc::new(RequestContent::user_text(&tail, pen.own_words())));
        output.note(format!("{lines} lines sent behind the history"));
    }
}
