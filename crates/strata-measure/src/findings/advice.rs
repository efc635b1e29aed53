//! What to change, where the session is not google-adk's: rules speak of its settings.

use super::finding::Finding;
use crate::remedies::{Aim, Remedy, Writer, remedy};

/// Advice of rules that other sessions are looked at by, too, in words that hold everywhere.
const ELSEWHERE: &[(&str, &str)] = &[
    ("thoughts-resent", "Ask for thoughts only where they help, or leave those of earlier turns out."),
    (
        "compaction-does-not-pay",
        "Compact less often: when a part of the task is done, not in the middle of it.",
    ),
    ("call-without-result", "Look at what stopped the work there: the result of the call never came."),
    ("question-summarised", "Compact between tasks: a summary in the middle of one takes the question away."),
    ("history-begins-with-model", "Let the summary be a message of the user: providers expect one first."),
    ("structured-answer-thrice", "Ask for the answer once: in a schema or in a tool, not in both."),
    ("media-attached-forever", "Show a picture once, and say what is in it from then on."),
];

impl Finding {
    /// What to change, for a session of this writer.
    pub fn advice_for(&self, writer: Writer) -> &'static str {
        let elsewhere =
            ELSEWHERE.iter().find(|(code, _)| *code == self.code).filter(|_| writer != Writer::Adk);
        elsewhere.map_or(self.advice, |(_, advice)| advice)
    }

    /// The same as one writes it in the tool, where it has a setting for it.
    pub fn remedy_in(&self, writer: Writer) -> Option<Remedy> {
        remedy(writer, &self.aim.clone().or_else(|| Aim::of_finding(self.code))?)
    }
}
