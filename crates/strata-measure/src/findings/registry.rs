//! All rules, and what no rule can find.

use super::rule::{Family, Rule};
use super::{
    agents, answers, artifacts, changes, compaction, delegation, filter, framing, history, instruction,
    losses, prefix, repeated, state, summaries, tools, triggers,
};

/// All rules, by what they are about.
pub fn families() -> &'static [Family] {
    FAMILIES
}

/// All rules.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|family| family.rules)
}

const FAMILIES: &[Family] = &[
    prefix::FAMILY,
    changes::FAMILY,
    filter::FAMILY,
    framing::FAMILY,
    agents::FAMILY,
    delegation::FAMILY,
    repeated::FAMILY,
    summaries::FAMILY,
    compaction::FAMILY,
    triggers::FAMILY,
    losses::FAMILY,
    history::FAMILY,
    instruction::FAMILY,
    state::FAMILY,
    artifacts::FAMILY,
    tools::FAMILY,
    answers::FAMILY,
];

/// A surprise of google-adk that a stored session cannot show.
#[derive(Debug, Clone, Copy)]
pub struct Undetectable {
    /// Of `ADK.md` section 10.
    pub surprise: &'static str,
    pub what: &'static str,
    pub why: &'static str,
}

/// Surprises without a rule, and the reason.
pub const NOT_DETECTABLE: &[Undetectable] = &[
    Undetectable {
        surprise: "S27",
        what: "`get_session_config.num_recent_events` loads a part of the session, cut at any place",
        why: "It belongs to a run's configuration, which no session stores, and the stored session is whole. Results \
              that lose their call by it are found as `call-without-result` in recordings of what was loaded.",
    },
    Undetectable {
        surprise: "S46",
        what: "AI Studio is not sent labels and the names of files",
        why: "A session does not say which backend its calls went to. Neither changes what the model reads.",
    },
    Undetectable {
        surprise: "S47",
        what: "Telemetry shows requests without instruction and tools, or without thoughts and code",
        why: "It concerns files that are imported, not sessions: the importer of traces says what its format leaves \
              out.",
    },
];
