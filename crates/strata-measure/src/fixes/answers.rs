//! What would make answers that are JSON smaller.

use std::collections::HashMap;
use std::sync::Arc;

use strata_engine::{AppEdit, Edit, EventsEdit, Experiment};
use strata_model::{Content, EventIndex, FromJson as _, Json, Object, Part, json};

use super::candidate::{Candidate, words};
use super::contents::result;
use super::seen::{FixEvidence, event};
use crate::agent_answers::{AgentAnswers, WrappedObject};
use crate::analysis::is_quoted;
use crate::answer_fields::{AnswerFields, is_spaced_json};
use crate::names::names_in;
use crate::phrases::distinct;
use crate::schema_of::schema_of_objects;

/// Bytes of an agent's answers on average from which on they are long: a record of a few fields takes fewer.
const LONG_ANSWER: usize = 400;
/// Characters of a first sentence that are taken.
const LONG_SENTENCE: usize = 160;

pub(super) fn candidates(seen: &FixEvidence<'_>) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = without_space(seen).into_iter().chain(used_fields(seen)).collect();
    for answers in AgentAnswers::of(seen.experiment) {
        found.extend(by_schema(seen, &answers));
        found.extend(by_short_schema(seen, &answers));
    }
    found
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

/// A schema of a sentence and some values for an agent whose long answers only agents read, and each answer as its first
/// sentence and the names and numbers of it that a later answer says again. An agent with tools is left out as above: what
/// answering by a call takes is more than such answers are long.
fn by_short_schema(seen: &FixEvidence<'_>, answers: &AgentAnswers) -> Option<Candidate> {
    if !answers.are_for_agents || answers.objects.is_some() || answers.has_tools {
        return None;
    }
    let texts: Vec<String> = answers.events.iter().map(|event| said(seen.experiment, *event)).collect();
    if texts.iter().map(String::len).sum::<usize>() < LONG_ANSWER * texts.len() {
        return None;
    }
    let last_said = last_said(seen.experiment);
    let mut edits: Vec<Edit> =
        vec![AppEdit::OutputSchema { agent: answers.agent.clone(), schema: Some(short_schema()) }.into()];
    let mut n_values = 0;
    for (event, text) in answers.events.iter().zip(&texts) {
        let is_used = |name: &&str| last_said.get(*name).is_some_and(|last| last > event);
        let values: Vec<&str> = distinct(names_in(text).filter(is_used));
        n_values += values.len();
        let mut short = Object::new();
        short.push("summary", first_sentence(text));
        short.push("values", words(values));
        let short = json::to_compact(&Json::Object(short));
        if short.len() < text.len() {
            let content = Content::new("model", [Part::from_text(short)]);
            edits.push(EventsEdit::Replace { event: event.number(), content: content.to_json() }.into());
        }
    }
    let title = format!("Have {} answer by a short schema: a sentence and values", answers.agent);
    let mut candidate = Candidate::new(title, edits)
        .answering(&["long-answers-for-agents"])
        .about(answers.events.iter().copied());
    candidate.assumptions.push(format!(
        "What {} will answer by a schema is not known: each answer is taken to be its first sentence and what of its \
         names and numbers a later answer says again ({n_values} in all). All else that it said stands in no later prompt.",
        answers.agent,
    ));
    Some(candidate)
}

fn short_schema() -> Json {
    const SCHEMA: &str = r#"{"type":"object","properties":{"summary":{"type":"string"},"values":{"type":"array","items":{"type":"string"}}},"required":["summary","values"]}"#;
    json::parse(SCHEMA.as_bytes()).unwrap_or_default()
}

/// Where names and numbers are said last in an answer or in the arguments of a call.
fn last_said(experiment: &Experiment) -> HashMap<String, EventIndex> {
    let mut last = HashMap::new();
    for call in experiment.calls() {
        let Some(event) = experiment.session().events.get(call.answer.as_usize()) else { continue };
        for part in event.parts().iter().filter(|part| !part.is_thought()) {
            let text = json::to_compact(&part.to_json());
            last.extend(names_in(&text).map(|name| (name.to_owned(), call.answer)));
        }
    }
    last
}

/// What an answer says.
fn said(experiment: &Experiment, event: EventIndex) -> String {
    let parts = experiment.session().events.get(event.as_usize()).map_or(&[][..], |event| event.parts());
    let texts = parts.iter().filter(|part| !part.is_thought()).filter_map(|part| part.text.as_deref());
    texts.collect::<Vec<_>>().join("\n")
}

/// The beginning of a text, up to the end of its first sentence or line.
fn first_sentence(text: &str) -> String {
    let text = text.trim();
    let ends = [". ", ".\n", "\n", "! ", "? "];
    let end = ends.iter().filter_map(|end| text.find(end).map(|at| at + 1)).min().unwrap_or(text.len());
    text[..end].trim().chars().take(LONG_SENTENCE).collect()
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
