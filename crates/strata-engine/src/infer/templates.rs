//! Texts that were filled from state, as the template they were filled from.

use strata_model::app::Instruction;
use strata_model::{Json, Object, Str, python};

use super::most_frequent::most_frequent;
use crate::template::{Piece, Template};

/// A value that never changes is a placeholder's only where it is too long to stand there by chance.
const LONG_BYTES: usize = 24;
/// Shorter values stand in any text.
const SHORT_BYTES: usize = 3;

/// The instruction behind texts, each with the state it was filled from. A state value in them becomes its `{key}` where
/// it stands once in every text, no other key has it, and its changes are the text's. `None` without any text.
pub(super) fn template(texts: &[(Str, Object)]) -> Option<Instruction> {
    let mut templates: Vec<Str> = texts.iter().map(|(text, _)| text.clone()).collect();
    for key in keys(texts) {
        let values: Vec<Option<String>> = texts.iter().map(|(_, state)| value(state, &key)).collect();
        if let Some(with_key) = replaced(&templates, &values, &key) {
            templates = with_key;
        }
    }
    let text = most_frequent(templates.into_iter())?;
    let fills = |(was, state): &(Str, Object)| filled(&text, state).as_deref() == Some(&**was);
    // What fills none of the texts was none of their templates, and its braces are the text's own.
    if texts.iter().any(fills) {
        return Some(Instruction::Template(text));
    }
    let text = most_frequent(texts.iter().map(|(text, _)| text.clone()))?;
    Some(Instruction::Provider { text, name: None })
}

/// Keys whose values can be told apart from all others, the longest values first.
fn keys(texts: &[(Str, Object)]) -> Vec<Str> {
    let Some((_, state)) = texts.last() else { return Vec::new() };
    let mut keys: Vec<(usize, Str)> = Vec::new();
    for key in state.keys() {
        let Some(own) = value(state, key) else { continue };
        let is_alone = state.keys().filter(|other| value(state, other).as_ref() == Some(&own)).count() == 1;
        if is_alone && own.len() >= SHORT_BYTES {
            keys.push((own.len(), key.clone()));
        }
    }
    keys.sort_by(|(a, _), (b, _)| b.cmp(a));
    keys.into_iter().map(|(_, key)| key).collect()
}

fn value(state: &Object, key: &str) -> Option<String> {
    state.get(key).filter(|value| !value.is_null()).map(python::str)
}

/// The texts with `{key}` in the place of its values. `None` where that is not certain.
fn replaced(texts: &[Str], values: &[Option<String>], key: &Str) -> Option<Vec<Str>> {
    let placeholder = format!("{{{key}}}");
    let mut all = Vec::with_capacity(texts.len());
    for (text, value) in texts.iter().zip(values) {
        let value = value.as_deref().filter(|value| text.matches(*value).count() == 1)?;
        all.push(Str::from(text.replacen(value, &placeholder, 1)));
    }
    let varies = values.iter().any(|value| value != &values[0]);
    let n_kinds = |texts: &[Str]| {
        let mut kinds: Vec<&Str> = texts.iter().collect();
        kinds.sort();
        kinds.dedup();
        kinds.len()
    };
    let is_explained = varies && n_kinds(&all) < n_kinds(texts);
    let is_long = values.iter().flatten().all(|value| value.len() >= LONG_BYTES);
    (is_explained || is_long).then_some(all)
}

/// A template filled from a state; `None` where it asks for what that does not have.
fn filled(text: &str, state: &Object) -> Option<String> {
    let pieces = Template::parse(text).pieces.into_iter().map(|piece| match piece {
        Piece::Literal(text) => Some(text.to_string()),
        Piece::State { key, .. } => match state.get(&key) {
            Some(Json::Null) => Some(String::new()),
            Some(value) => Some(python::str(value)),
            None => None,
        },
        Piece::Artifact { .. } => None,
    });
    pieces.collect()
}
