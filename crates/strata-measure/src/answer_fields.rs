//! Answers that are JSON: which of their fields something later names.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use strata_engine::Experiment;
use strata_model::{Event, EventIndex, FromJson as _, Json, Object, Str, json, python};

use crate::names::names_in;

/// The field in which the answer of an agent that was called as a tool stands.
const RESULT: &str = "result";

/// Fields of a session's JSON answers.
pub(crate) struct AnswerFields {
    /// Those that something later names, or of which that cannot be told. Never empty.
    pub kept: Vec<Str>,
    /// Those that nothing later names. Never empty.
    pub unused: Vec<Str>,
    /// Of each answer that has some of them: their characters, and those of the whole.
    pub answers: BTreeMap<EventIndex, (usize, usize)>,
}

/// What is known of a field.
#[derive(Default)]
struct Known {
    is_used: bool,
    /// An answer gave it a value by whose names it would be known again.
    is_recognisable: bool,
}

impl AnswerFields {
    /// `None` where every field is used, or none.
    pub(crate) fn of(experiment: &Experiment) -> Option<Self> {
        let events = &experiment.session().events;
        let answers: Vec<(EventIndex, Json)> =
            (0..events.len()).filter_map(|at| Some((EventIndex(at as u32), answer(&events[at])?))).collect();
        if answers.is_empty() {
            return None;
        }
        let texts: Vec<String> = events.iter().map(|event| text(event)).collect();
        let mut named_last: HashMap<&str, usize> = HashMap::new();
        for (at, text) in texts.iter().enumerate() {
            for name in names_in(text) {
                named_last.insert(name, at);
            }
        }
        let mut order: Vec<Str> = Vec::new();
        let mut known: BTreeMap<Str, Known> = BTreeMap::new();
        for (at, answer) in &answers {
            // Nothing came behind the last words that could use them.
            let is_last = at.as_usize() + 1 == events.len();
            for (name, value) in objects(answer).flat_map(Object::iter) {
                if !order.contains(name) {
                    order.push(name.clone());
                }
                let written = json::to_compact(value);
                let mut names = names_in(&written).peekable();
                let field = known.entry(name.clone()).or_default();
                field.is_recognisable |= names.peek().is_some() && !is_last;
                field.is_used |=
                    names.any(|name| named_last.get(name).is_some_and(|last| *last > at.as_usize()));
            }
        }
        let is_unused =
            |name: &Str| known.get(name).is_some_and(|field| field.is_recognisable && !field.is_used);
        let (unused, kept): (Vec<Str>, Vec<Str>) = order.into_iter().partition(is_unused);
        if unused.is_empty() || kept.is_empty() {
            return None;
        }
        let names: BTreeSet<&Str> = unused.iter().collect();
        let sizes = answers.iter().filter_map(|(at, answer)| {
            let of_unused = objects(answer).flat_map(Object::iter).filter(|(name, _)| names.contains(name));
            let size: usize = of_unused.map(|(name, value)| length(value) + python::len(name)).sum();
            (size > 0).then(|| (*at, (size, length(answer))))
        });
        Some(Self { answers: sizes.collect(), kept, unused })
    }
}

/// JSON that takes a tenth more characters than it needs.
pub(crate) fn is_spaced_json(text: &str) -> bool {
    compact_of_spaced(text).is_some()
}

/// The same JSON without white space between its values, where that is a tenth of it.
pub(crate) fn compact_of_spaced(text: &str) -> Option<String> {
    let value = text.trim_start().starts_with(['{', '[']).then(|| json::parse(text.as_bytes()).ok())??;
    let compact = json::to_compact_python(&value);
    (python::len(&compact) * 11 < python::len(text) * 10).then_some(compact)
}

fn length(value: &Json) -> usize {
    python::len(&json::to_compact_python(value))
}

/// The answer an event holds, if it is an object or a list of objects: a model's text, or what an agent returned that
/// was called as a tool.
fn answer(event: &Event) -> Option<Json> {
    let said = event.parts().iter().filter(|part| !part.is_thought() && !event.is_from_user());
    let said = said.filter_map(|part| part.text.as_deref());
    let returned =
        event.function_responses().filter_map(|response| response.response.as_deref()?.get(RESULT)?.as_str());
    said.chain(returned).find_map(|text| {
        let value =
            text.trim_start().starts_with(['{', '[']).then(|| json::parse(text.as_bytes()).ok())??;
        let has_fields = objects(&value).next().is_some();
        has_fields.then_some(value)
    })
}

fn objects(value: &Json) -> impl Iterator<Item = &Object> {
    let items = match value {
        Json::Array(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    };
    items.iter().filter_map(Json::as_object)
}

fn text(event: &Event) -> String {
    let parts = event.parts().iter().map(|part| match &part.text {
        Some(text) => text.to_string(),
        None => json::to_compact(&part.to_json()),
    });
    parts.collect::<Vec<_>>().join("\n")
}
