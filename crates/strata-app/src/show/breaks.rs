//! Prefix breaks in words.

use strata_engine::Experiment;
use strata_measure::analysis::{CallCache, Cause, ChangeKind, Difference, Loss, Nature, TextChange};

use crate::api::cache::{BreakNature, BreakRow};
use crate::api::call::PrefixBreak;
use crate::show::words;

/// What a call lost, as the views of sessions and calls say it.
pub(crate) fn prefix_break(experiment: &Experiment, call: &CallCache) -> Option<PrefixBreak> {
    let loss = call.broken()?;
    Some(PrefixBreak {
        is_avoidable: loss.cause.is_avoidable(),
        at_token: loss.at_token,
        rebilled_tokens: loss.tokens,
        cost_usd: loss.cost_usd,
        cause: loss.cause.sentence(experiment),
        address: if loss.path.is_empty() {
            format!("C{}", call.call)
        } else {
            format!("C{}/{}", call.call, loss.path)
        },
        previous_call: loss.against,
    })
}

/// A loss as a row, the same in every view.
pub(crate) fn row(experiment: &Experiment, call: &CallCache, loss: &Loss) -> BreakRow {
    BreakRow {
        call: call.call,
        agent: call.agent.to_string(),
        cause: loss.cause.code().to_owned(),
        title: title(&loss.cause, &call.agent),
        detail: detail(&loss.cause, experiment),
        nature: nature(loss.cause.nature()),
        at_token: loss.at_token,
        rebilled_tokens: loss.tokens,
        is_reported: loss.is_reported,
        predicted_tokens: loss.predicted_tokens,
        cost_usd: loss.cost_usd,
        previous_call: loss.against,
    }
}

/// Characters of a state value in a sentence.
const VALUE: usize = 40;

/// A state value: whole numbers as people write them, all else cut.
pub(crate) fn value(text: &str) -> String {
    text.parse::<i64>().map_or_else(|_| words::cut(text, VALUE), words::whole)
}

pub(crate) fn nature(nature: Nature) -> BreakNature {
    match nature {
        Nature::Avoidable => BreakNature::Avoidable,
        Nature::Structural => BreakNature::Structural,
        Nature::Provider => BreakNature::Provider,
    }
}

/// A change in a few words, by its kind, of an instruction or of the history.
struct ChangedWords {
    time: &'static str,
    id: &'static str,
    number: &'static str,
    list: &'static str,
    shortened: &'static str,
    other: &'static str,
}

const IN_INSTRUCTION: ChangedWords = ChangedWords {
    time: "time in the instruction",
    id: "random id in the instruction",
    number: "number in the instruction",
    list: "list in the instruction",
    shortened: "instruction shortened",
    other: "instruction changed",
};
const IN_HISTORY: ChangedWords = ChangedWords {
    time: "time in the history",
    id: "random id in the history",
    number: "number in the history",
    list: "list in the history",
    shortened: "history shortened",
    other: "history rewritten",
};

fn changed(change: &TextChange, words: &ChangedWords) -> &'static str {
    match change.kind {
        ChangeKind::Time => words.time,
        ChangeKind::Id => words.id,
        ChangeKind::Counter | ChangeKind::Number => words.number,
        ChangeKind::Order | ChangeKind::Grown | ChangeKind::Shrunk => words.list,
        ChangeKind::Shortened => words.shortened,
        ChangeKind::Space | ChangeKind::Media | ChangeKind::Words => words.other,
    }
}

/// A cause in a few words.
pub(crate) fn kind(cause: &Cause) -> &'static str {
    match cause {
        Cause::State { .. } => "state in the instruction",
        Cause::Instruction { change, .. } => changed(change, &IN_INSTRUCTION),
        Cause::ClientBlock { .. } => "block of the client",
        Cause::Rewritten { change, .. } => changed(change, &IN_HISTORY),
        Cause::LeftOut { .. } => "left out of the history",
        Cause::PutIn { .. } => "put into the history",
        Cause::OtherConversation => "another conversation",
        Cause::Definitions { added, removed, changed, .. }
            if added.is_empty() && removed.is_empty() && changed.is_empty() =>
        {
            "tools in another order"
        }
        cause @ Cause::Definitions { .. } if cause.is_of_schema() => "answer schema changed",
        Cause::Definitions { .. } => "tools changed",
        Cause::HandOff { .. } => "hand-off",
        Cause::Scope { .. } => "history scope changed",
        Cause::Compacted { .. } => "history compacted",
        Cause::Rewound { .. } => "history rewound",
        Cause::Window { .. } => "filter window moved",
        Cause::Truncated { .. } => "history truncated",
        Cause::LateResponse { .. } => "late tool response",
        Cause::Artifacts { .. } => "list of artifacts",
        Cause::Memory => "memories looked up",
        Cause::Placement { .. } => "moving instruction",
        Cause::Script { .. } => "code of the app",
        Cause::Inserted { .. } => "inserted processor",
        Cause::Model { .. } => "model changed",
        Cause::Parameters { .. } => "settings changed",
        Cause::Expired { .. } => "expired",
        Cause::Missed { .. } => "missed by the provider",
        Cause::Evicted => "evicted",
        Cause::BelowMinimum { .. } => "below the minimum",
        Cause::NoBreakpoint { .. } => "no breakpoint near enough",
        Cause::Unknown { .. } => "conversation changed",
    }
}

/// The same, with the agent where it says more.
pub(crate) fn title(cause: &Cause, agent: &str) -> String {
    match cause {
        Cause::HandOff { .. } => format!("hand-off to {agent}"),
        cause => kind(cause).to_owned(),
    }
}

/// What of it happened here, in the second line of a row.
pub(crate) fn detail(cause: &Cause, experiment: &Experiment) -> String {
    match cause {
        Cause::State { key, change } => {
            format!("{key} {} → {}", value(&change.before), value(&change.after))
        }
        Cause::Instruction { change, .. } | Cause::ClientBlock { change } if !change.label.is_empty() => {
            format!("{} {}", change.label, change.arrow())
        }
        Cause::Instruction { change, .. } | Cause::ClientBlock { change } => change.arrow(),
        Cause::HandOff { .. } => "another history".to_owned(),
        Cause::Scope { .. } => "last turn only".to_owned(),
        Cause::Compacted { by: Some(by) } => format!("E{} is the summary", by.number()),
        Cause::Window { .. } => "the history begins later".to_owned(),
        Cause::BelowMinimum { minimum_tokens } => {
            format!("{} tokens at least", words::whole(*minimum_tokens))
        }
        Cause::Missed { why } => why.sentence().to_owned(),
        Cause::Expired { idle_s, lifetime_s, .. } => {
            format!("{} idle, kept {}", words::duration(*idle_s), words::duration(*lifetime_s))
        }
        Cause::Model { before, after, .. } => format!("{before} → {after}"),
        cause => cause.sentence(experiment),
    }
}

pub(crate) fn is_explained(difference: Difference) -> bool {
    difference != Difference::Unexplained
}
