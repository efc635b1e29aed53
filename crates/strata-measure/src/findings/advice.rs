//! What to change, where the session is not google-adk's: rules speak of its settings.

use super::finding::Finding;
use crate::remedies::{Aim, Remedy, Writer, remedy};

/// Advice of rules that other sessions are looked at by, too, in words that hold everywhere. What is said of settings that
/// google-adk alone has is of no use to others.
const ELSEWHERE: &[(&str, &str)] = &[
    ("thoughts-resent", "Ask for thoughts only where they help, or leave those of earlier turns out."),
    (
        "compaction-does-not-pay",
        "Compact less often: when a part of the task is done, not in the middle of it.",
    ),
    ("call-without-result", "Look at what stopped the work there: the result of the call never came."),
    ("question-summarised", "Compact between tasks: a summary in the middle of one takes the question away."),
    ("turn-is-a-summary", "Compact between tasks: a summary in the middle of one takes the question away."),
    ("history-begins-with-model", "Let the summary be a message of the user: providers expect one first."),
    ("structured-answer-thrice", "Ask for the answer once: in a schema or in a tool, not in both."),
    ("media-attached-forever", "Show a picture once, and say what is in it from then on."),
    (
        "quotation-frames",
        "Hand an agent what it needs of the others' work instead of all that they said, or call it as a tool.",
    ),
    (
        "quoted-tool-results",
        "Cap rows where the tool returns them, or hand on a summary of what other agents' tools gave.",
    ),
    (
        "parallel-branches-joined",
        "Hand the agent behind the branches the result of each instead of all that they said.",
    ),
    (
        "turn-begins-with-an-agent",
        "Put the user's request into what an agent is told where it sees one turn only.",
    ),
    ("input-shown-twice", "Give the agent its input alone, or as a message of the history, and not both."),
    (
        "transfer-instructions",
        "Keep descriptions of agents short, and give the means to hand over only to those that do.",
    ),
    ("parent-is-no-target", "Name as targets only agents that can be handed over to."),
    ("unexplained-transfer-tool", "Give the means to hand over only to agents that are told when to."),
    ("agent-tool-out-of-sight", "Add its usage when you compare with a bill."),
    ("loaded-file-not-shown", "Put the file where the request still has it when it is sent."),
    (
        "artifact-list-changes",
        "Name files in the newest message, and keep the system text the same for all calls.",
    ),
    (
        "state-in-instruction",
        "Say what changes in the newest message, and keep the system text the same for all calls.",
    ),
    (
        "instruction-in-tool-loop",
        "Keep what changes short and in the newest message, and the system text the same.",
    ),
    ("instruction-before-history", "Keep the system text to text, and give files in the first message."),
    (
        "cache-never-made",
        "Move documentation into the system text, or rely on what the provider caches by itself.",
    ),
    ("memories-preloaded-each-call", "Let the agent look memories up where it needs them."),
    ("summaries-pile-up", "Keep one summary that is written anew, or compact less often."),
    ("summaries-by-main-model", "Have a small model write the summaries."),
    ("compaction-overdue", "Look for an error of the summary in the log of that time."),
    (
        "threshold-without-usage",
        "Have usage reported, or compact at a size that counts tools and instructions.",
    ),
    ("no-summarizer-for-workflow", "Say which model writes the summaries."),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::rules;

    #[test]
    fn advice_for_others_is_of_rules_that_there_are_and_names_no_setting() {
        for (code, advice) in ELSEWHERE {
            assert!(rules().any(|rule| rule.code == *code), "{code}");
            assert!(advice.ends_with('.') && !advice.contains('`'), "{code}: {advice}");
        }
    }
}
