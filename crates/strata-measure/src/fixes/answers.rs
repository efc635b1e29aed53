//! What would make answers that are JSON smaller.

use std::sync::Arc;

use strata_engine::{AppEdit, Edit, EventsEdit, Experiment};
use strata_model::{EventIndex, FromJson as _, Json, Object};

use super::candidate::{Candidate, words};
use super::contents::result;
use super::seen::{FixEvidence, event};
use crate::agent_answers::{AgentAnswers, WrappedObject};
use crate::analysis::is_quoted;
use crate::answer_fields::{AnswerFields, is_spaced_json};
use crate::schema_of::schema_of_objects;

pub(super) fn candidates(seen: &FixEvidence<'_>) -> Vec<Candidate> {
    let by_schema = AgentAnswers::of(seen.experiment).into_iter().filter_map(|it| by_schema(seen, &it));
    without_space(seen).into_iter().chain(used_fields(seen)).chain(by_schema).collect()
}

/// The schema of the JSON that all answers of an agent hold, and each answer as that JSON alone. An agent with tools would
/// answer by a call of `set_model_response` that nobody has seen, so nothing is proposed for it.
fn by_schema(seen: &FixEvidence<'_>, answers: &AgentAnswers) -> Option<Candidate> {
    let objects = answers.objects.as_ref().filter(|_| !answers.has_tools)?;
    let fields: Vec<&Object> = objects.iter().map(|wrapped| &wrapped.object).collect();
    let schema = Some(Json::Object(schema_of_objects(&fields)?));
    let mut edits: Vec<Edit> = vec![AppEdit::OutputSchema { agent: answers.agent.clone(), schema }.into()];
    for (event, wrapped) in answers.events.iter().zip(objects) {
        edits.push(without_words(seen.experiment, *event, wrapped)?.into());
    }
    let title = format!("Have {} answer by a schema, without words around the JSON", answers.agent);
    let mut candidate = Candidate::new(title, edits).about(answers.events.iter().copied());
    candidate.assumptions.push(format!(
        "What {} will answer by a schema is not known: each answer is taken to be the JSON that it held.",
        answers.agent
    ));
    Some(candidate)
}

fn without_words(experiment: &Experiment, event: EventIndex, wrapped: &WrappedObject) -> Option<EventsEdit> {
    let mut content = experiment.session().events.get(event.as_usize())?.content.as_deref()?.clone();
    let part = content.parts.as_mut()?.get_mut(wrapped.part)?;
    Arc::make_mut(part).text = Some(wrapped.text.as_str().into());
    Some(EventsEdit::Replace { event: event.number(), content: content.to_json() })
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
