//! Finding things in a line that may hold JSON.

use strata_model::{Json, Object, json};

/// Where `wanted` first stands outside of quotes and brackets, in bytes.
pub(super) fn find(text: &str, wanted: char) -> Option<usize> {
    let mut depth = 0usize;
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if is_quoted {
            is_quoted = c != '"' || is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        if c == wanted && depth == 0 {
            return Some(at);
        }
        match c {
            '"' => is_quoted = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The pieces between separators that stand outside of quotes and brackets, trimmed; empty ones are left out.
pub(super) fn split(text: &str, separator: char) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = find(rest, separator) {
        pieces.push(rest[..at].trim());
        rest = &rest[at + separator.len_utf8()..];
    }
    pieces.push(rest.trim());
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// JSON, or a bare word as text.
pub(super) fn value(text: &str) -> Result<Json, String> {
    let is_bare = |c: char| c.is_alphanumeric() || "_-./:@".contains(c);
    match json::parse(text.as_bytes()) {
        Ok(value) => Ok(value),
        Err(_) if text.chars().all(is_bare) => Ok(text.into()),
        Err(error) => Err(format!("{text} is neither JSON nor a single word: {error}")),
    }
}

/// `key=value` pairs, separated by `separator`.
pub(super) fn pairs(text: &str, separator: char) -> Result<Object, String> {
    let mut object = Object::new();
    for pair in split(text, separator) {
        let (key, written) =
            pair.split_once('=').ok_or_else(|| format!("expected key=value, found {pair}"))?;
        let (key, written) = (key.trim(), written.trim());
        if written.is_empty() {
            return Err(format!("{key} has no value"));
        }
        object.insert(key, value(written)?);
    }
    Ok(object)
}
