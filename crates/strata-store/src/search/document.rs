//! What of an event can be found.

use std::fmt::Write as _;

use strata_model::{Content, Event, Json, Object, Part};

/// Stands on both sides of each name, so that a whole name can be asked for. It is a letter to the tokenizer, and
/// texts do not hold it.
pub(super) const NAME_MARK: char = '\u{E000}';

/// Parts words where writing does not, which lets a part of a sentence be found. The tokenizer drops it.
const BREAK: char = '\u{200B}';

/// Longer runs of nothing but its letters are encoded bytes, and nobody looks for words in them.
const LONGEST_WORD: usize = 256;

/// Bytes of a column that are indexed. FTS5 holds the words of a row in memory until it has all of them, in several times
/// the room of their text.
const MOST_BYTES: usize = 8 << 20;

/// The columns of the index for one row.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// What was said, thought, asked of tools and answered by them, the state that changed.
    pub text: String,
    pub tools: String,
    pub agents: String,
    /// Names and addresses of files and artifacts.
    pub files: String,
}

impl Document {
    /// Writes over what is there.
    pub(super) fn fill(&mut self, event: &Event) {
        for column in [&mut self.text, &mut self.tools, &mut self.agents, &mut self.files] {
            column.clear();
        }
        name(&mut self.agents, &event.author);
        for part in event.parts() {
            self.part(part);
        }
        let actions = &event.actions;
        if let Some(summary) = actions.compaction.as_ref().and_then(|it| it.compacted_content.as_ref()) {
            self.content(summary);
        }
        if let Some(agent) = &actions.transfer_to_agent {
            name(&mut self.agents, agent);
        }
        object(&mut self.text, &actions.state_delta);
        for file in actions.artifact_delta.keys() {
            text(&mut self.files, file);
        }
        for said in [&event.error_code, &event.error_message].into_iter().flatten() {
            text(&mut self.text, said);
        }
        let spoken = [&event.input_transcription, &event.output_transcription];
        for said in spoken.into_iter().flatten().filter_map(|it| it.text.as_deref()) {
            text(&mut self.text, said);
        }
        if let Some(output) = &event.output {
            json(&mut self.text, output);
        }
    }

    /// What finds a session as a whole.
    pub(super) fn of_session(title: &str, location: &str, names: [&str; 3]) -> Self {
        let mut document = Self::default();
        text(&mut document.text, title);
        for name in names {
            text(&mut document.text, name);
        }
        text(&mut document.files, location);
        document
    }

    /// In the order of the columns, without the marks of names.
    pub(super) fn shown(&self) -> [String; 4] {
        [&self.text, &self.tools, &self.agents, &self.files]
            .map(|column| column.replace(NAME_MARK, "").trim().to_owned())
    }

    fn content(&mut self, content: &Content) {
        for part in content.parts() {
            self.part(part);
        }
    }

    fn part(&mut self, part: &Part) {
        let (call, answer) = (part.function_call.as_deref(), part.function_response.as_deref());
        let called = call.and_then(|it| it.name.as_ref());
        for tool in called.into_iter().chain(answer.and_then(|it| it.name.as_ref())) {
            name(&mut self.tools, tool);
        }
        let asked = call.and_then(|it| it.args.as_ref());
        for values in asked.into_iter().chain(answer.and_then(|it| it.response.as_ref())) {
            object(&mut self.text, values);
        }
        if let Some(parts) = answer.and_then(|it| it.other.get("parts")) {
            json(&mut self.text, parts);
        }
        let code = part.executable_code.as_deref().and_then(|it| it.code.as_deref());
        let output = part.code_execution_result.as_deref().and_then(|it| it.output.as_deref());
        for said in [part.text.as_deref(), code, output].into_iter().flatten() {
            text(&mut self.text, said);
        }
        let file = part.file_data.as_deref();
        let named = file.and_then(|it| it.display_name.as_deref());
        for file in named.into_iter().chain(file.and_then(|it| it.file_uri.as_deref())) {
            text(&mut self.files, file);
        }
        if let Some(name) = part.inline_data.as_deref().and_then(|it| it.display_name.as_deref()) {
            text(&mut self.files, name);
        }
        let passed = ["toolCall", "toolResponse", "audioTranscription"];
        for value in passed.into_iter().filter_map(|key| part.other.get(key)) {
            json(&mut self.text, value);
        }
    }
}

/// A name as its column holds it: `mark name mark`. Neighbours share a mark.
fn name(column: &mut String, name: &str) {
    if column.is_empty() {
        column.push(NAME_MARK);
    }
    column.push(' ');
    text(column, name);
    column.push(NAME_MARK);
}

fn object(column: &mut String, object: &Object) {
    for (key, value) in object.iter() {
        text(column, key);
        json(column, value);
    }
}

fn json(column: &mut String, value: &Json) {
    match value {
        Json::String(it) => text(column, it),
        Json::Int(number) => {
            let _ = writeln!(column, "{number}");
        }
        Json::BigInt(digits) => text(column, digits),
        Json::Array(items) => {
            for item in items {
                json(column, item);
            }
        }
        Json::Object(it) => object(column, it),
        Json::Null | Json::Bool(_) | Json::Float(_) => {}
    }
}

/// Appends a text as a line of its own, without encoded bytes.
fn text(column: &mut String, text: &str) {
    let room = MOST_BYTES.saturating_sub(column.len());
    let mut rest = &text[..text.floor_char_boundary(room)];
    while let Some((before, encoded)) = next_encoded(rest) {
        parted(column, before);
        column.push('…');
        rest = &rest[before.len() + encoded..];
    }
    parted(column, rest);
    column.push('\n');
}

/// What stands before the next run of encoded bytes, and how long that is.
fn next_encoded(text: &str) -> Option<(&str, usize)> {
    if text.len() <= LONGEST_WORD {
        return None;
    }
    let bytes = text.as_bytes();
    let is_code = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_');
    // Only places that are a run's length apart need looking at: each run covers at least one of them.
    let mut at = LONGEST_WORD;
    while at < bytes.len() {
        if is_code(bytes[at]) {
            let start = bytes[..at].iter().rposition(|byte| !is_code(*byte)).map_or(0, |last| last + 1);
            let end = bytes[at..].iter().position(|byte| !is_code(*byte)).map_or(bytes.len(), |n| at + n);
            if end - start > LONGEST_WORD {
                return Some((&text[..start], end - start));
            }
            at = end;
        }
        at += LONGEST_WORD;
    }
    None
}

/// Appends a text with a break behind every letter of a script that is written without spaces.
pub(super) fn parted(column: &mut String, text: &str) {
    // Bytes of all these scripts begin with 0xE0 or more.
    if text.bytes().all(|byte| byte < 0xE0) {
        return column.push_str(text);
    }
    for letter in text.chars().filter(|letter| *letter != NAME_MARK) {
        column.push(letter);
        if is_unspaced(letter) {
            column.push(BREAK);
        }
    }
}

/// A text of a column as it was before [`parted`].
pub(super) fn joined(text: &str) -> String {
    text.replace(BREAK, "")
}

fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0E00}'..='\u{0EFF}' // Thai, Lao
        | '\u{1000}'..='\u{109F}' // Burmese
        | '\u{1780}'..='\u{17FF}' // Khmer
        | '\u{3040}'..='\u{30FF}' // Japanese kana
        | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' // Han
    )
}
