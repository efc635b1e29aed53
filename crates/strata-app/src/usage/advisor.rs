//! Calls within a call: a model that advises the one that answers, as Claude Code has it asked.

use strata_import::marks;
use strata_measure::analysis::ReportedCounts;
use strata_measure::prices::ChargedTokens;
use strata_model::marks::CACHE_WRITE;
use strata_model::{Event, Json, Object, Str, Usage};
use strata_wire::usage::read_messages;

/// The steps of an answer in which another model was asked, whose tokens are not those of the answer: the model, and what
/// it used.
pub(super) fn advice(answer: &Event) -> impl Iterator<Item = (Option<Str>, ChargedTokens)> {
    let source = strata_model::marks::of(answer, marks::SOURCE);
    let steps = source.and_then(|source| source.get("iterations")?.as_array()).into_iter().flatten();
    let is_advice = |step: &&Object| step.get("type").and_then(Json::as_str) == Some("advisor_message");
    steps.filter_map(Json::as_object).filter(is_advice).map(|step| {
        let model = step.get("model").and_then(Json::as_str).map(Str::from);
        let report = read_messages(step.clone(), "", &mut ());
        let written = report.cache_write.map(|write| Object::from_iter([(CACHE_WRITE, write)]));
        let counts = ReportedCounts::of_answer(Some(&report.usage), written.as_ref());
        let output = Usage::output_tokens(&report.usage).unwrap_or(0);
        (model, ChargedTokens { output, ..counts.map(|counts| counts.charged()).unwrap_or_default() })
    })
}
