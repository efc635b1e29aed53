//! Files of edits: what experiments look like outside of the store.

use std::path::Path;

use serde::{Deserialize, Serialize};
use strata_engine::{Edit, FlowKind};
use strata_model::{Json, Object, json};

use crate::error::AppError;

/// Of files that are written.
const VERSION: u32 = 1;
/// Where an edit of a file is too long for a message.
const MAX_REASON: usize = 400;

/// A document of edits, as JSON or YAML: `{version: 1, name, edits: […]}`, or the list alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditFile {
    #[serde(default = "version")]
    pub version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub edits: Vec<Edit>,
}

fn version() -> u32 {
    VERSION
}

impl EditFile {
    pub(crate) fn new(name: &str, edits: &[Edit]) -> Self {
        Self { version: VERSION, name: Some(name.to_owned()), edits: edits.to_vec() }
    }

    /// Reads a file. An error says what does not fit and which edits there are.
    pub(crate) fn read(path: &Path) -> Result<Self, AppError> {
        let unreadable = |reason: String| {
            AppError::unreadable(format!("{} cannot be used as a file of edits: {reason}.", path.display()))
        };
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        let file = Self::parse(&text).map_err(unreadable)?;
        if file.version > VERSION {
            let newer = format!("it is of version {}, and this Strata knows version {VERSION}", file.version);
            return Err(unreadable(newer));
        }
        Ok(file)
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let value: Json = if text.trim_start().starts_with(['{', '[']) {
            json::parse(text.as_bytes()).map_err(|error| error.to_string())?
        } else {
            serde_saphyr::from_str(text).map_err(|error| cut(&error.to_string()))?
        };
        let document = match value {
            Json::Array(_) => Json::Object(Object::from_iter([("edits", value)])),
            other => other,
        };
        Self::deserialize(document).map_err(|error| cut(&error.to_string()))
    }

    /// Whether the document of edits is what a file holds, rather than a session.
    pub(crate) fn is_one(path: &Path) -> bool {
        let name = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        matches!(name, "json" | "yaml" | "yml") && Self::read(path).is_ok()
    }

    pub(crate) fn to_json(&self) -> Result<String, AppError> {
        let text =
            serde_json::to_string_pretty(self).map_err(|error| AppError::internal(error.to_string()))?;
        Ok(text + "\n")
    }

    pub(crate) fn to_yaml(&self) -> Result<String, AppError> {
        let text = serde_json::to_string(self).map_err(|error| AppError::internal(error.to_string()))?;
        let value = json::parse(text.as_bytes()).map_err(|error| AppError::internal(error.to_string()))?;
        let mut out = String::new();
        write_yaml(&value, 0, &mut out);
        Ok(out)
    }
}

fn cut(reason: &str) -> String {
    match reason.char_indices().nth(MAX_REASON) {
        Some((end, _)) => format!("{}…", &reason[..end]),
        None => reason.trim_end_matches('.').to_owned(),
    }
}

/// Members and items a line each, texts of several lines as blocks, everything else as JSON, which YAML is, too.
fn write_yaml(value: &Json, indent: usize, out: &mut String) {
    let margin = " ".repeat(indent);
    match value {
        Json::Object(object) if !object.is_empty() => {
            for (key, value) in object.iter() {
                *out += &format!("{margin}{}:", key_text(key));
                write_value(value, indent + 2, out);
            }
        }
        Json::Array(items) if !items.is_empty() => {
            for item in items {
                match item {
                    Json::Object(object) if !object.is_empty() => {
                        let mut block = String::new();
                        write_yaml(item, indent + 2, &mut block);
                        // The first member stands beside the dash.
                        *out += &format!("{margin}- {}", &block[indent + 2..]);
                    }
                    other => {
                        *out += &format!("{margin}-");
                        write_value(other, indent + 2, out);
                    }
                }
            }
        }
        other => *out += &format!("{margin}{}\n", json::to_compact(other)),
    }
}

fn write_value(value: &Json, indent: usize, out: &mut String) {
    match value {
        Json::String(text) if is_block(text) => {
            *out += if text.ends_with('\n') { " |\n" } else { " |-\n" };
            for line in text.lines() {
                *out += &if line.is_empty() {
                    "\n".to_owned()
                } else {
                    format!("{}{line}\n", " ".repeat(indent))
                };
            }
        }
        Json::Object(object) if !object.is_empty() => {
            out.push('\n');
            write_yaml(value, indent, out);
        }
        Json::Array(items) if !items.is_empty() => {
            out.push('\n');
            write_yaml(value, indent, out);
        }
        other => *out += &format!(" {}\n", json::to_compact(other)),
    }
}

fn key_text(key: &str) -> String {
    let is_plain = !key.is_empty()
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && key.starts_with(|c: char| c.is_ascii_alphabetic());
    if is_plain { key.to_owned() } else { json::to_compact(&Json::from(key)) }
}

/// A text that a block says as it is: lines of printable characters, none of them ending or beginning in space that
/// would not be seen.
fn is_block(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with("\n\n")
        && text.lines().all(|line| line.trim_end() == line)
        && text.chars().all(|c| {
            c == '\n' || !(c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}'))
        })
}

/// How sessions of other programs are called where only ADK's can be exported.
pub(crate) fn is_adk(kind: FlowKind) -> bool {
    kind == FlowKind::Adk
}

#[cfg(test)]
mod tests {
    use strata_engine::{AppEdit, EventsEdit, FlowEdit};

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let source =
            "export function process(request) {\n  // colons: and \"quotes\"\n\n  return request\n}\n";
        let edits = vec![
            EventsEdit::Drop { event: 3 }.into(),
            AppEdit::Instruction { agent: "bot".into(), text: Some("One: two\n  three\nno end".into()) }
                .into(),
            AppEdit::Instruction { agent: "bot".into(), text: Some(" begins in space\n".into()) }.into(),
            AppEdit::Instruction { agent: "bot".into(), text: None }.into(),
            FlowEdit::Insert {
                kind: "script".into(),
                name: Some("yes".into()),
                before: None,
                params: Object::from_iter([
                    ("source", Json::from(source)),
                    ("tools", Json::Array(vec!["a: b".into(), Json::Array(Vec::new())])),
                ]),
                agent: None,
            }
            .into(),
        ];
        let file = EditFile::new("Try: \"this\"", &edits);
        assert_eq!(EditFile::parse(&file.to_json().unwrap()), Ok(file.clone()));
        let yaml = file.to_yaml().unwrap();
        assert_eq!(EditFile::parse(&yaml), Ok(file), "{yaml}");
    }

    #[test]
    fn a_list_alone_is_a_file_and_a_misfit_names_what_there_is() {
        let file = EditFile::parse("- edit: drop_event\n  event: 3\n").unwrap();
        assert_eq!(file.edits, [EventsEdit::Drop { event: 3 }.into()]);
        let error = EditFile::parse("- edit: drop_events\n  event: 3\n").unwrap_err();
        assert!(error.contains("drop_events") && error.contains("`drop_event`"), "{error}");
        assert!(EditFile::parse("edits:\n- edit: drop_event\n  events: 3\n").unwrap_err().contains("events"));
    }
}
