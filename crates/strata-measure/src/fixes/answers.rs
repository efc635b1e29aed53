//! What would make answers that are JSON smaller.

use super::candidate::{Candidate, words};
use super::contents::result;
use super::seen::{FixEvidence, event};
use crate::analysis::is_quoted;
use crate::answer_fields::{AnswerFields, is_spaced_json};

pub(super) fn candidates(seen: &FixEvidence<'_>) -> Vec<Candidate> {
    without_space(seen).into_iter().chain(used_fields(seen)).collect()
}

/// The fields that something later names, and no others.
fn used_fields(seen: &FixEvidence<'_>) -> Option<Candidate> {
    let fields = AnswerFields::of(seen.experiment)?;
    let kept: Vec<&str> = fields.kept.iter().map(|name| &**name).collect();
    let title = format!("Keep only {} of JSON answers", kept.join(", "));
    let candidate = Candidate::insert(title, "compact_output", &[("fields", words(kept))]);
    Some(candidate.answering(&["unused-answer-fields"]).about(fields.answers.keys().copied()))
}

fn without_space(seen: &FixEvidence<'_>) -> Option<Candidate> {
    let mut events = Vec::new();
    for (content, part) in &seen.parts {
        let own = (!content.is_user()).then_some(part.part.text.as_deref()).flatten();
        let quoted = is_quoted(part).then(|| part.rich_text()).and_then(|text| {
            let spans = text.spans();
            (spans.len() == 3).then(|| spans[1].text.clone())
        });
        let returned = result(part).and_then(|(_, result)| result.get("result")?.as_str());
        let texts = own.into_iter().chain(quoted.as_deref()).chain(returned);
        if texts.into_iter().any(is_spaced_json) {
            events.extend(event(part));
        }
    }
    (!events.is_empty()).then(|| {
        Candidate::insert("Write JSON answers without white space", "compact_output", &[])
            .answering(&["spaced-answers"])
            .about(events)
    })
}
