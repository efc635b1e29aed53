//! What is injected, one kind a row, and what has to be said about it.

mod definitions;
mod harmless;
mod history;
mod instruction;

use super::conversation::Request;
pub(super) use harmless::harmless;

/// One kind of cause.
pub(super) struct Kind {
    pub name: &'static str,
    /// Done to the call in question and to all behind it.
    pub inject: fn(&mut Request),
    /// Done to the calls before.
    pub prepare: Option<fn(&mut Request)>,
    /// The cause's code.
    pub cause: &'static str,
    /// The value that changes, where a text does.
    pub change: Option<Change>,
    /// What the sentence has to name besides.
    pub says: &'static [&'static str],
    /// What the path of the place begins with.
    pub place: &'static str,
    /// What a record has to hold for it to be seen.
    pub needs: Needs,
    /// Later calls have it again.
    pub is_repeated: bool,
}

/// What kind of value changes, and how: `…` at an end stands for more.
pub(super) struct Change {
    pub kind: &'static str,
    pub before: &'static str,
    pub after: &'static str,
}

/// What not every writer records, or sends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Instruction,
    /// The block that a client puts before the system text.
    ClientBlock,
    ToolNames,
    Declarations,
    /// Declarations as they were sent, with their keys in that order.
    KeyOrder,
    Model,
    /// Settings that empty the cache, and times after which it is empty.
    AnthropicCache,
    History,
    /// Images with their bytes.
    MediaBytes,
    Thoughts,
    /// That there was a summary, in a transcript or in requests.
    Summaries,
}

/// All kinds.
pub(super) fn kinds() -> Vec<Kind> {
    let mut kinds = instruction::kinds();
    kinds.extend(definitions::kinds());
    kinds.extend(history::kinds());
    kinds
}

impl Kind {
    const fn new(name: &'static str, needs: Needs, inject: fn(&mut Request), cause: &'static str) -> Self {
        Self {
            name,
            inject,
            prepare: None,
            cause,
            change: None,
            says: &[],
            place: "",
            needs,
            is_repeated: false,
        }
    }

    fn prepared(self, prepare: fn(&mut Request)) -> Self {
        Self { prepare: Some(prepare), ..self }
    }

    fn changes(self, kind: &'static str, before: &'static str, after: &'static str) -> Self {
        Self { change: Some(Change { kind, before, after }), ..self }
    }

    fn says(self, says: &'static [&'static str]) -> Self {
        Self { says, ..self }
    }

    fn at(self, place: &'static str) -> Self {
        Self { place, ..self }
    }

    /// The code of the finding about it. What belongs to a session or to its provider has none of this family.
    pub(super) fn finding(&self) -> Option<&'static str> {
        match self.cause {
            "instruction_changed" | "client_block" => Some("changing-system-text"),
            "tools_changed" | "tools_reordered" => Some("tools-change"),
            "parameters_changed" | "model_changed" => Some("settings-change"),
            "history_left_out" if self.needs == Needs::Thoughts => None,
            "history_rewritten" | "history_put_in" | "history_left_out" | "truncated_history" => {
                Some("history-rewritten")
            }
            _ => None,
        }
    }
}

impl Change {
    pub(super) fn is(&self, kind: &str, before: &str, after: &str) -> bool {
        let fits = |expected: &str, found: &str| match expected.strip_suffix('…') {
            Some(beginning) => found.starts_with(beginning),
            None => found == expected,
        };
        self.kind == kind && fits(self.before, before) && fits(self.after, after)
    }
}
