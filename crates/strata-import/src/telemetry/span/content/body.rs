//! A body, and the exchange it stands for.

use strata_model::{Json, Object};
use strata_wire::Answer;
use strata_wire::message::Turn;

use crate::draft::Draft;
use crate::exchange::Exchange;
use crate::telemetry::span::recorded::Span;

/// Stands where content was left out.
pub(super) const ELIDED: &str = "<elided>";
pub(super) fn bare(span: &Span, body: Json, turns: Vec<Turn>, answer: Option<Answer>) -> Exchange {
    Exchange::new(span.source.clone(), body, turns, answer)
}

pub(super) fn given(value: &Json) -> bool {
    value.is_truthy() && !matches!(value.as_str(), Some("{}" | "[]" | "null" | ELIDED))
}

pub(super) fn of_body(span: &Span, body: Object, output: Option<Json>, draft: &mut Draft) -> Exchange {
    let turns = draft.reader().turns_of(&body);
    let answer = output.map(|output| draft.reader().answer(output));
    bare(span, Json::Object(body), turns, answer)
}
