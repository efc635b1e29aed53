//! The baseline file: figures of a run, to be kept beside the code and compared with later ones.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strata_measure::before_after::CauseKind;

use super::figures::SessionFigures;
use crate::error::AppError;

/// Of the file's shape, and the field that says it.
const BASELINE_VERSION: u64 = 1;
const MARK: &str = "strataBaseline";
/// The version of this program.
pub(super) const STRATA: &str = env!("CARGO_PKG_VERSION");
/// Characters of a list or an object that stands on one line.
const MAX_LINE: usize = 200;

/// A run as it was kept.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Baseline {
    pub sessions: Vec<SessionFigures>,
    /// The version of Strata that wrote it.
    pub written_by: String,
    /// The line in which each session begins, where the file is laid out as it was written.
    lines: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stored {
    strata_baseline: u64,
    written_by: String,
    sessions: Vec<SessionFigures>,
}

impl Baseline {
    pub(super) fn read(path: &Path) -> Result<Self, AppError> {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| {
            AppError::unreadable(format!(
                "{name} could not be read: {error}. `--write-baseline {name}` writes a baseline."
            ))
        })?;
        Self::parse(&text).map_err(|why| AppError::bad_input(format!("{name}{why} Nothing was compared.")))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let at = |error: &serde_json::Error| format!(":{}:{}", error.line(), error.column());
        let why = |error: &serde_json::Error| {
            let said = error.to_string();
            said.rsplit_once(" at line ").map_or(said.clone(), |(why, _)| why.to_owned())
        };
        let value: Value = serde_json::from_str(text)
            .map_err(|error| format!("{}: this is not JSON: {}.", at(&error), why(&error)))?;
        match value.get(MARK).map(Value::as_u64) {
            None => return Err(": this is no baseline. `--write-baseline` writes one.".to_owned()),
            Some(Some(BASELINE_VERSION)) => {}
            Some(_) => {
                return Err(format!(
                    ": this baseline has the version {}, and this Strata compares with version {BASELINE_VERSION}. Write \
                     it anew with `--write-baseline`.",
                    value[MARK]
                ));
            }
        }
        let stored: Stored = serde_json::from_str(text).map_err(|error| {
            format!("{}: this is not what a baseline holds: {}.", at(&error), why(&error))
        })?;
        for session in &stored.sessions {
            let mut parts = session.agents.values().flat_map(|agent| agent.parts.keys());
            let is_unknown =
                |part: &&String| CauseKind::from_code(part.split(' ').next().unwrap_or_default()).is_none();
            if let Some(part) = parts.find(is_unknown) {
                return Err(format!(": `{part}` is no part of prompts that is known here."));
            }
        }
        let Stored { written_by, sessions, .. } = stored;
        Ok(Self { lines: lines_of_sessions(text), written_by, sessions })
    }

    /// Where a session stands in the file.
    pub(super) fn line(&self, at: usize) -> Option<u32> {
        if self.lines.len() == self.sessions.len() { self.lines.get(at).copied() } else { None }
    }

    /// Writes the figures of a run, whole or not at all.
    pub(super) fn write(path: &Path, sessions: Vec<SessionFigures>) -> Result<(), AppError> {
        let failed = |why: String| {
            AppError::unreadable(format!(
                "The baseline could not be written to {}: {why}. What was there is as it was.",
                path.display()
            ))
        };
        let stored = Stored { strata_baseline: BASELINE_VERSION, written_by: STRATA.to_owned(), sessions };
        let value = serde_json::to_value(stored).map_err(|error| failed(error.to_string()))?;
        let mut text = String::new();
        print(&value, 0, &mut text);
        text.push('\n');
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let write = || -> std::io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
            std::io::Write::write_all(&mut file, text.as_bytes())?;
            readable_by_all(file.as_file())?;
            file.persist(path).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(|error| failed(error.to_string()))
    }
}

/// It is committed, so it has the rights of any file, and not those of a temporary one.
#[cfg(unix)]
fn readable_by_all(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

/// The lines with the titles of sessions; nothing else in the file has one.
fn lines_of_sessions(text: &str) -> Vec<u32> {
    let lines = (1..).zip(text.lines());
    lines.filter(|(_, line)| line.trim_start().starts_with("\"title\":")).map(|(line, _)| line).collect()
}

/// JSON with one thing on a line, so that a change of a figure is a change of its line: what has no lists or objects in
/// it is not broken.
fn print(value: &Value, depth: usize, text: &mut String) {
    let children: Vec<(Option<&String>, &Value)> = match value {
        Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
        Value::Object(fields) => fields.iter().map(|(name, field)| (Some(name), field)).collect(),
        value => return text.push_str(&value.to_string()),
    };
    let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
    let is_flat = children.iter().all(|(_, child)| !child.is_array() && !child.is_object());
    let one_line = || {
        let named = |(name, child): &(Option<&String>, &Value)| match name {
            Some(name) => format!("{}: {child}", Value::from(name.as_str())),
            None => child.to_string(),
        };
        format!("{open}{}{close}", children.iter().map(named).collect::<Vec<_>>().join(", "))
    };
    // Names that are words of people stand on lines of their own.
    let is_short = |line: &String| children.is_empty() || line.len() <= MAX_LINE && depth > 2;
    if is_flat && let Some(line) = Some(one_line()).filter(is_short) {
        text.push_str(&line);
        return;
    }
    text.push(open);
    for (at, (name, child)) in children.iter().enumerate() {
        text.push_str(if at == 0 { "\n" } else { ",\n" });
        text.push_str(&"  ".repeat(depth + 1));
        if let Some(name) = name {
            text.push_str(&format!("{}: ", Value::from(name.as_str())));
        }
        print(child, depth + 1, text);
    }
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
    text.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let why = Baseline::parse(text).unwrap_err();
        assert!(why.contains(expected), "{why}");
    }

    #[test]
    fn what_is_no_baseline_is_refused_with_the_place() {
        refused("{", ":1:1: this is not JSON");
        refused("{\"version\": 1}", "this is no baseline");
        refused("[]", "this is no baseline");
        refused("{\"strataBaseline\": 2, \"sessions\": []}", "has the version 2");
        refused("{\"strataBaseline\": \"1\", \"sessions\": []}", "has the version \"1\"");
        refused("{\"strataBaseline\": 1,\n \"session\": []}", ":2:");
        refused("{\"strataBaseline\": 1, \"writtenBy\": \"0.1.0\"}", "missing field `sessions`");
        let session = "{\"title\": \"a\", \"app\": \"\", \"counting\": {}, \"agents\": {\"b\": {\"figures\": {\"calls\": 1, \
                       \"promptTokens\": 1, \"peakPromptTokens\": 1, \"cachedTokens\": 0, \"freshTokens\": 1, \
                       \"basis\": \"exact\", \"cache\": \"predicted\"}, \"parts\": {\"words\": {\"tokens\": 1, \
                       \"largest\": 1}}}}}";
        let file = format!("{{\"strataBaseline\": 1, \"writtenBy\": \"0.1.0\", \"sessions\": [{session}]}}");
        refused(&file, "`words` is no part of prompts");
        assert_eq!(Baseline::parse(&file.replace("words", "framing")).unwrap().sessions.len(), 1);
    }

    #[test]
    fn a_figure_is_a_line() {
        let mut text = String::new();
        let value = serde_json::json!({"sessions": [{"agents": {"a": {"b": {"x": 1, "y": [1, 2]}, "c": {}, "d": {"z": 2}}}}]});
        print(&value, 0, &mut text);
        assert!(text.contains("\"y\": [1, 2]"), "{text}");
        assert!(text.contains("          \"d\": {\"z\": 2}"), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
