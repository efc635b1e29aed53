//! Prefix breaks in words.

use strata_engine::EventLog;
use strata_measure::analysis::{CallCache, Cause, Difference, Nature};
use strata_model::Origin;

use crate::api::cache::BreakNature;
use crate::api::call::PrefixBreak;
use crate::words;

/// Characters of a state value in a sentence.
const VALUE: usize = 40;

/// What a call lost, as the views of sessions and calls say it.
pub(crate) fn prefix_break(log: &EventLog, call: &CallCache) -> Option<PrefixBreak> {
    let loss = call.broken()?;
    Some(PrefixBreak {
        is_avoidable: loss.cause.is_avoidable(),
        at_token: loss.at_token,
        rebilled_tokens: loss.tokens,
        cost_usd: loss.cost_usd,
        cause: sentence(&loss.cause, log),
        address: if loss.path.is_empty() {
            format!("C{}", call.call)
        } else {
            format!("C{}/{}", call.call, loss.path)
        },
        previous_call: loss.against,
    })
}

/// What happened, inside of a sentence.
pub(crate) fn sentence(cause: &Cause, log: &EventLog) -> String {
    let event = |event: &strata_model::EventIndex| format!("E{}", event.number());
    match cause {
        Cause::State { key, before, after } => {
            format!("state.{key} changed {} → {} inside the instruction", value(before), value(after))
        }
        Cause::Instruction { origin: Origin::Processor { name } } => {
            format!("{name} wrote other text into the instruction")
        }
        Cause::Instruction { origin } => format!("{} is not the same text", words::source(origin, log)),
        Cause::Definitions { added, removed, changed } => definitions(added, removed, changed),
        Cause::Compacted { by } => format!("{} summarised the history", event(by)),
        Cause::Rewound { by } => format!("{} took a part of the history back", event(by)),
        Cause::HandOff { .. } => {
            "the agent sees its current turn only, and another agent has spoken since".to_owned()
        }
        Cause::Scope { .. } => "the agent sees its current turn only, and a new one began".to_owned(),
        Cause::Window { .. } => "the filter's window moved on, so the history begins later".to_owned(),
        Cause::Truncated { .. } => "the beginning of the history was cut off at another place".to_owned(),
        Cause::LateResponse { event: at } => {
            format!("{} came late and stands at its call, before what was already sent", event(at))
        }
        Cause::Artifacts { .. } => "another list of artifacts is shown".to_owned(),
        Cause::Memory => "other memories were looked up, or they stand at another place".to_owned(),
        Cause::Placement { origin } => {
            format!("{} moves with what the user said last", words::source(origin, log))
        }
        Cause::Script { stage } | Cause::Inserted { stage, .. } => format!("{stage} changed it"),
        Cause::Model { before, after } => format!("the model changed {before} → {after}"),
        Cause::Parameters { changed } => format!("settings changed: {}", words::listed(changed)),
        Cause::Expired { idle_s, lifetime_s, .. } => {
            let (idle, lifetime) = (words::duration(*idle_s), words::duration(*lifetime_s));
            format!("nothing was sent for {idle}, and the provider keeps a prefix for {lifetime}")
        }
        Cause::Missed { why } => {
            format!("the provider reports that it did not find it: {}", lowered(difference(*why)))
        }
        Cause::Evicted => "other prompts took its place in the server".to_owned(),
        Cause::BelowMinimum { minimum_tokens } => {
            format!("the prompt is shorter than the {minimum_tokens} tokens that are cached at least")
        }
        Cause::NoBreakpoint { lookback_blocks } => {
            format!("no breakpoint within {lookback_blocks} blocks of what was sent before")
        }
        Cause::Unknown { origin: Some(origin) } => {
            format!("{} changed in the conversation", words::source(origin, log))
        }
        Cause::Unknown { origin: None } => "the conversation changed".to_owned(),
    }
}

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

/// A cause in a few words.
pub(crate) fn kind(cause: &Cause) -> &'static str {
    match cause {
        Cause::State { .. } => "state in the instruction",
        Cause::Instruction { .. } => "instruction changed",
        Cause::Definitions { added, removed, changed }
            if added.is_empty() && removed.is_empty() && changed.is_empty() =>
        {
            "tools in another order"
        }
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
pub(crate) fn detail(cause: &Cause, log: &EventLog) -> String {
    match cause {
        Cause::State { key, before, after } => format!("{key} {} → {}", value(before), value(after)),
        Cause::HandOff { .. } => "another history".to_owned(),
        Cause::Scope { .. } => "last turn only".to_owned(),
        Cause::Compacted { by } => format!("E{} is the summary", by.number()),
        Cause::Window { .. } => "the history begins later".to_owned(),
        Cause::BelowMinimum { minimum_tokens } => {
            format!("{} tokens at least", words::whole(*minimum_tokens))
        }
        Cause::Missed { why } => difference(*why).to_owned(),
        Cause::Expired { idle_s, lifetime_s, .. } => {
            format!("{} idle, kept {}", words::duration(*idle_s), words::duration(*lifetime_s))
        }
        Cause::Model { before, after } => format!("{before} → {after}"),
        cause => sentence(cause, log),
    }
}

/// Why a report is not what was predicted.
pub(crate) fn difference(difference: Difference) -> &'static str {
    match difference {
        Difference::AnotherClient => {
            "More was found than this session ever sent: another session or client begins the same way."
        }
        Difference::KeptLonger => "It was kept for longer than the provider promises.",
        Difference::Expired => "Nothing was sent for a while, and the provider promises no lifetime.",
        Difference::NearMinimum => "The prompt is about as short as the shortest that is cached.",
        Difference::OlderPrompt => "What was found ends where an earlier prompt did.",
        Difference::InFlight => {
            "The request before was still being answered: what it writes can be read once its answer begins."
        }
        Difference::HeadOnly => {
            "Only what this client sends before every conversation was found: something changed behind it that is not recorded."
        }
        Difference::Unused => {
            "This client does not ask for the cache: nothing of the session was ever found or written."
        }
        Difference::KeepsLess => "The provider keeps what it likes and promises nothing.",
        Difference::Unexplained => "Nothing that is known of this provider explains it.",
    }
}

/// Inside a sentence.
fn lowered(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

pub(crate) fn is_explained(difference: Difference) -> bool {
    difference != Difference::Unexplained
}

fn definitions(added: &[String], removed: &[String], changed: &[String]) -> String {
    let what = |names: &[String], verb: &str| {
        (!names.is_empty()).then(|| format!("{} {verb}", words::listed(names)))
    };
    let said: Vec<String> = [what(added, "came in"), what(removed, "went"), what(changed, "changed")]
        .into_iter()
        .flatten()
        .collect();
    if said.is_empty() {
        "tools are in another order".to_owned()
    } else {
        format!("tools: {}", said.join(", "))
    }
}
