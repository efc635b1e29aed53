//! Shows instructions a shorter form of a state value.

use std::sync::Arc;

use strata_model::{Json, LlmRequest, Object, Str, json, python};

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Processor, StageOutput};
use crate::processors::{
    kind::ProcessorKind,
    params::{ParamKind, ParamSpec},
};
use crate::sections::Sections;

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "compact_state",
    title: "Compact state",
    summary: "Shows instructions only some fields of the entries of a state value. The session’s state itself stays.",
    params: &[
        ParamSpec { name: "key", kind: ParamKind::Text, default: "\"\"", unit: None, doc: "The state key." },
        ParamSpec {
            name: "fields",
            kind: ParamKind::Words,
            default: "[]",
            unit: None,
            doc: "Fields that are kept of each entry, or of the value where it has no entries.",
        },
        ParamSpec {
            name: "dest",
            kind: ParamKind::Text,
            default: "null",
            unit: None,
            doc: "Another key for the short form; left empty, it takes the place of the value.",
        },
    ],
    place: "instructions",
    build: |name, params, _| {
        let key = params.text("key");
        if key.is_empty() {
            return Err("`key` of `compact_state` is empty: it names the state key.".to_owned());
        }
        let dest = Some(params.text("dest")).filter(|dest| !dest.is_empty()).unwrap_or_else(|| key.clone());
        Ok(Arc::new(CompactState { name, key, dest, fields: params.words("fields") }))
    },
};

struct CompactState {
    name: Str,
    key: Str,
    dest: Str,
    fields: Vec<Str>,
}

#[derive(Hash)]
struct Inputs<'c> {
    key: Str,
    dest: Str,
    fields: Vec<Str>,
    value: Option<&'c Json>,
}

impl Processor for CompactState {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &str {
        &self.name
    }

    fn reads(&self) -> Sections {
        Sections::empty()
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        Inputs {
            key: self.key.clone(),
            dest: self.dest.clone(),
            fields: self.fields.clone(),
            value: context.state.get(&self.key).known(),
        }
    }

    fn process(inputs: Inputs<'_>, _: &mut LlmRequest, output: &mut StageOutput) -> Result<(), CompileError> {
        let Some(value) = inputs.value else {
            output.note(format!("state.{} is not known at this call", inputs.key));
            return Ok(());
        };
        output.state_delta.insert(inputs.dest.clone(), compacted(value, &inputs.fields));
        output.note(format!("state.{} shown with {}", inputs.dest, inputs.fields.join(", ")));
        Ok(())
    }
}

/// A field of the entries of a state value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateField {
    pub name: Str,
    /// Entries that have it.
    pub entries: u32,
    /// Of its values in all entries, as instructions print them.
    pub characters: usize,
}

/// What a state map of a value can keep: how many entries it has, and their fields in the order in which they come.
/// Nothing for a value without fields.
pub fn state_fields(value: &Json) -> (u32, Vec<StateField>) {
    let entries: Vec<&Object> = match value {
        Json::Array(entries) => entries.iter().filter_map(Json::as_object).collect(),
        Json::Object(object) if has_entries(object) => object.values().filter_map(Json::as_object).collect(),
        Json::Object(object) => vec![object],
        _ => Vec::new(),
    };
    let mut fields: Vec<StateField> = Vec::new();
    for (name, value) in entries.iter().flat_map(|entry| entry.iter()) {
        let characters = python::len(&json::to_compact_python(value));
        match fields.iter_mut().find(|field| field.name == *name) {
            Some(field) => {
                field.entries += 1;
                field.characters += characters;
            }
            None => fields.push(StateField { name: name.clone(), entries: 1, characters }),
        }
    }
    (entries.len() as u32, fields)
}

fn has_entries(object: &Object) -> bool {
    !object.is_empty() && object.values().all(|value| value.as_object().is_some())
}

/// Entries, of a list or of an object of objects, with some of their fields; else the value with some of its own.
pub(crate) fn compacted(value: &Json, fields: &[Str]) -> Json {
    let kept = |object: &Object| -> Json {
        let members = fields.iter().filter_map(|field| Some((field.clone(), object.get(field)?.clone())));
        Json::Object(members.collect())
    };
    let entry = |entry: &Json| entry.as_object().map_or_else(|| entry.clone(), kept);
    match value {
        Json::Array(entries) => Json::Array(entries.iter().map(entry).collect()),
        Json::Object(object) if has_entries(object) => {
            Json::Object(object.iter().map(|(key, value)| (key.clone(), entry(value))).collect())
        }
        Json::Object(object) => kept(object),
        other => other.clone(),
    }
}
