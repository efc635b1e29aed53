//! Who wrote each line of a chat history.
//!
//! Aider ends what was typed, and everything the program says, with two spaces: a Markdown line break. What it says may
//! be many lines, of which the first alone is quoted. An answer is written as the model gave it, behind an empty line.

/// How the program begins to tell what an answer took.
const REPORT: &str = "> Tokens:";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    Person,
    Program,
    Model,
}

/// The lines of a history, and what each of them says.
pub(super) struct Lines<'t> {
    texts: Vec<&'t str>,
    /// Whether lines end with a break; an editor may have cut all of them.
    has_breaks: bool,
    /// Of each line, whether something else that the program says ends, or begins, before an unquoted line with a break.
    ends_quoted: Vec<bool>,
}

/// What was said last.
#[derive(Default)]
pub(super) struct PreviousLine {
    voice: Option<Voice>,
    is_blank: bool,
    /// What the program says goes on until a line that ends with a break.
    is_open: bool,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let has_breaks = lines.iter().any(|line| has_break(line) && (is_typed(line) || is_quoted(line)));
        let mut is_quoted_end = false;
        let before_line = |line: &&str| {
            let after_line = is_quoted_end;
            if has_break(line) {
                is_quoted_end = is_quoted(line);
            } else if line.starts_with(REPORT) {
                is_quoted_end = true;
            }
            after_line
        };
        let mut ends_quoted: Vec<bool> = lines.iter().rev().map(before_line).collect();
        ends_quoted.reverse();
        Self { texts: lines, has_breaks, ends_quoted }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &'t str)> + '_ {
        self.texts.iter().copied().enumerate()
    }

    /// Who wrote a line. An empty line goes with what is above it, except that it ends what was typed: `None`.
    pub(super) fn voice(&self, at: usize, before: &mut PreviousLine) -> Option<Voice> {
        let line = self.texts[at];
        let voice = self.voice_after(at, before);
        let is_blank = line.trim().is_empty();
        if voice == Some(Voice::Program) && !is_blank {
            before.is_open = self.has_breaks && !has_break(line);
        } else if voice != Some(Voice::Program) {
            before.is_open = false;
        }
        before.is_blank = is_blank;
        before.voice = voice;
        voice
    }

    fn voice_after(&self, at: usize, before: &PreviousLine) -> Option<Voice> {
        let line = self.texts[at];
        let is_answering = before.voice == Some(Voice::Model);
        let is_ended = has_break(line) || !self.has_breaks;
        // Inside an answer these are headings and quotations of the model's own.
        if is_typed(line) && (!(is_answering || before.is_open) || before.is_blank && is_ended) {
            return Some(Voice::Person);
        }
        if is_quoted(line) && (!is_answering || before.is_blank && (is_ended || !self.ends_quoted[at])) {
            return Some(Voice::Program);
        }
        if line.trim().is_empty() {
            return before.voice.filter(|voice| *voice != Voice::Person);
        }
        let goes_on = before.is_open || !before.is_blank && before.voice != Some(Voice::Person);
        let is_of_program = before.voice != Some(Voice::Model) && goes_on;
        Some(if is_of_program { Voice::Program } else { Voice::Model })
    }
}

fn is_typed(line: &str) -> bool {
    line.starts_with("####")
}

fn is_quoted(line: &str) -> bool {
    line.strip_prefix('>').is_some_and(|said| said.is_empty() || said.starts_with([' ', '\r', '\n']))
}

fn has_break(line: &str) -> bool {
    let line = line.trim_end_matches(['\r', '\n']);
    line.ends_with("  ") && !line.trim().is_empty()
}
