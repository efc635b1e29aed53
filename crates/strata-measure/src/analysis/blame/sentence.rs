//! A cause in words: the one sentence that every view says about it.

use strata_engine::{Experiment, FlowKind};
use strata_model::{EventIndex, Origin};

use super::cause::{Cause, PartsKind, is_schema};
use crate::analysis::difference::Difference;
use crate::analysis::setting_change::SettingChange;
use crate::analysis::text_change::{ChangeKind, TextChange};
use crate::phrases::{self, count, duration, event_name, listed};

impl Cause {
    /// What happened, inside of a sentence.
    pub fn sentence(&self, experiment: &Experiment) -> String {
        let source = |origin: &Origin| source(origin, experiment);
        match self {
            Self::State { key, change } => {
                format!("state.{key} changed {} inside the instruction", whole_numbers(change))
            }
            Self::Instruction { origin: Origin::Processor { name } | Origin::Extension { name }, change } => {
                format!("{name} wrote other text into the instruction: {}", labelled(change))
            }
            Self::Instruction { origin, change } => words(&source(origin), change),
            Self::ClientBlock { change } => {
                let what = "the block that the client puts before the system prompt";
                format!("{what} is another one in every call: {}", labelled(change))
            }
            Self::Definitions { added, removed, changed, change, system } => {
                let (of_tools, it) = if self.is_of_schema() { ("", "it") } else { ("tools: ", "them") };
                let said = definitions(of_tools, [added, removed, changed], change.as_ref());
                let behind = |change| format!(", and behind {it} {}", words("the system text", change));
                said + &system.as_ref().map_or_else(String::new, behind)
            }
            Self::Compacted { by: Some(by) } => format!("{} summarised the history", event_name(*by)),
            Self::Compacted { by: None } => "a summary stands in the place of older messages".to_owned(),
            Self::Rewound { by: Some(by) } => format!("{} took a part of the history back", event_name(*by)),
            Self::Rewound { by: None } => {
                "the conversation was taken back to an earlier place and goes on otherwise".to_owned()
            }
            Self::HandOff { .. } => {
                "the agent sees its current turn only, and another agent has spoken since".to_owned()
            }
            Self::Scope { .. } => "the agent sees its current turn only, and a new one began".to_owned(),
            Self::Window { .. } => "the filter’s window moved on, so the history begins later".to_owned(),
            Self::Truncated { n_messages: 0, .. } => {
                "the beginning of the history was cut off at another place".to_owned()
            }
            Self::Truncated { n_messages, n_kept: n_kept @ 1.., .. } => {
                let kept = if *n_kept == 1 { "one".to_owned() } else { n_kept.to_string() };
                format!("the oldest {} left out behind the first {kept}", were(*n_messages, "message"))
            }
            Self::Truncated { n_messages, first, .. } => {
                let begins = first.map_or(String::new(), |first: EventIndex| {
                    format!(", and the history begins at {}", event_name(first))
                });
                format!("the oldest {} left out{begins}", were(*n_messages, "message"))
            }
            Self::Rewritten { origin, change } => words(&source(origin), change),
            Self::LeftOut { what, n_parts, origin, text } => {
                let from =
                    origin.event().map_or(String::new(), |event| format!(", from {} on", event_name(event)));
                format!("{} left out of the history{from}{}", were(*n_parts, noun(*what)), quoted(text))
            }
            Self::PutIn { what, n_parts, text, .. } => {
                let quoted = quoted(text);
                format!("{} put in before what was already sent{quoted}", were(*n_parts, noun(*what)))
            }
            Self::OtherConversation => "it is another conversation".to_owned(),
            Self::LateResponse { event } => {
                format!(
                    "{} came late and stands at its call, before what was already sent",
                    event_name(*event)
                )
            }
            Self::Artifacts { .. } => "another list of artifacts is shown".to_owned(),
            Self::Memory => "other memories were looked up, or they stand at another place".to_owned(),
            Self::Placement { origin, is_same } => {
                let what = match origin {
                    Origin::Processor { .. } => "the instruction".to_owned(),
                    origin => source(origin),
                };
                let why = if *is_same { ", though it never changes" } else { ", as it changes" };
                format!(
                    "{what} is put before the newest message{why}: in every call it stands at another place"
                )
            }
            Self::Script { stage } | Self::Inserted { stage, .. } => format!("{stage} changed it"),
            Self::Model { before, after, staying_micros } => {
                let cheaper = staying_micros.filter(|micros| *micros > 0).map_or(String::new(), |micros| {
                    let dollars = micros as f64 / 1e6;
                    format!(", and staying with {before} would have cost ${dollars:.4} more")
                });
                format!("the model changed {before} → {after}{cheaper}")
            }
            Self::Parameters { changed } => {
                let changed: Vec<String> = changed.iter().map(setting).collect();
                format!("settings changed: {}", listed(&changed))
            }
            Self::Expired { idle_s, lifetime_s, .. } => {
                let (idle, lifetime) = (duration(*idle_s), duration(*lifetime_s));
                format!("nothing was sent for {idle}, and the provider keeps a prefix for {lifetime}")
            }
            Self::Missed { why } => {
                format!("the provider reports that it did not find it: {}", lowered(why.sentence()))
            }
            Self::Evicted => "other prompts took its place in the server".to_owned(),
            Self::BelowMinimum { minimum_tokens } => {
                format!(
                    "what was sent before is shorter than the {minimum_tokens} tokens that are cached at least"
                )
            }
            Self::NoBreakpoint { lookback_blocks: 0, .. } => {
                "no breakpoint stands where what was sent before ends, and the provider looks nowhere else"
                    .to_owned()
            }
            Self::NoBreakpoint { n_blocks, lookback_blocks } => format!(
                "{n_blocks} blocks came in at once, and from a breakpoint the provider looks back over {lookback_blocks}"
            ),
            Self::Unknown { origin: Some(origin) } => {
                format!("{} changed in the conversation", source(origin))
            }
            Self::Unknown { origin: None } => "the conversation changed".to_owned(),
        }
    }
}

impl Difference {
    /// A sentence of its own.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::AnotherClient => {
                "More was found than this session ever sent: another session or client begins the same way."
            }
            Self::MoreThanRule => {
                "More was found than the rule that is assumed here allows: the provider caches by another one."
            }
            Self::KeptLonger => "It was kept for longer than the provider promises.",
            Self::Expired => "Nothing was sent for a while, and the provider promises no lifetime.",
            Self::NearMinimum => "The prompt is about as short as the shortest that is cached.",
            Self::OlderPrompt => "What was found ends where an earlier prompt did.",
            Self::InFlight => {
                "The request before was still being answered: what it writes can be read once its answer begins."
            }
            Self::HeadOnly => {
                "Only what this client sends before every conversation was found: something changed behind it that is not recorded."
            }
            Self::Unused => {
                "This client does not ask for the cache: nothing of the session was ever found or written."
            }
            Self::NeverKept => {
                "Nothing of the session was ever found or written, though nothing more has to be asked for: what answers keeps nothing."
            }
            Self::KeepsLess => "The provider keeps what it likes and promises nothing.",
            Self::Unexplained => "Nothing that is known of this provider explains it.",
        }
    }
}

/// `the time in the instruction of desk changed: Current time 10:12 → 10:13`.
fn words(place: &str, change: &TextChange) -> String {
    let what = match change.kind {
        kind @ (ChangeKind::Time | ChangeKind::Id | ChangeKind::Counter | ChangeKind::Number) => value(kind),
        ChangeKind::Order => return format!("a list in {place} is in another order: {}", labelled(change)),
        ChangeKind::Grown => return format!("{place} has grown: {}", labelled(change)),
        ChangeKind::Shrunk => return format!("{place} has lost something: {}", labelled(change)),
        ChangeKind::Shortened => {
            let (before, after) =
                (phrases::number(change.chars.0 as u64), phrases::number(change.chars.1 as u64));
            return format!("{place} was shortened from {before} to {after} characters");
        }
        ChangeKind::Space => return format!("only white space in {place} changed: {}", labelled(change)),
        ChangeKind::Media => return format!("{place} shows another image or file: {}", labelled(change)),
        ChangeKind::Words => return format!("{place} is not the same text: {}", labelled(change)),
    };
    format!("{what} in {place} changed: {}", labelled(change))
}

/// A kind of value with its article.
fn value(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Time => "a time",
        ChangeKind::Id => "a random id",
        ChangeKind::Counter => "a counter",
        _ => "a number",
    }
}

/// `Current time 10:12 → 10:13, and behind it a random id: Session 8f3a2c91 → 07bc1e44`.
fn labelled(change: &TextChange) -> String {
    let one = |change: &TextChange| match &*change.label {
        "" => change.arrow(),
        label => format!("{label} {}", change.arrow()),
    };
    let mut said = one(change);
    for next in &change.further {
        said += &format!(", and behind it {}: {}", value(next.kind), one(next));
    }
    said
}

/// `: Remember the shop is closed.`
fn quoted(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

/// `tool_choice auto → tool search`.
fn setting(SettingChange { name, before, after }: &SettingChange) -> String {
    format!("{name} {before} → {after}")
}

/// `2,318` for whole numbers.
fn whole_numbers(change: &TextChange) -> String {
    let value = |text: &str| text.parse::<i64>().map_or_else(|_| text.to_owned(), phrases::signed);
    TextChange { before: value(&change.before), after: value(&change.after), ..change.clone() }.arrow()
}

fn were(n: u32, noun: &str) -> String {
    format!("{} {}", count(n.into(), noun), if n == 1 { "was" } else { "were" })
}

fn noun(what: PartsKind) -> &'static str {
    match what {
        PartsKind::Thoughts => "thought",
        PartsKind::Media => "image or file",
        PartsKind::Calls => "tool call",
        PartsKind::Results => "tool result",
        PartsKind::Texts => "text",
        PartsKind::Mixed => "part",
    }
}

fn definitions(
    of_tools: &str,
    [added, removed, changed]: [&[String]; 3],
    change: Option<&TextChange>,
) -> String {
    let called = |name: &String| if is_schema(name) { "the answer schema".to_owned() } else { name.clone() };
    let what = |names: &[String], verb: &str| {
        let names: Vec<String> = names.iter().map(called).collect();
        (!names.is_empty()).then(|| format!("{} {verb}", listed(&names)))
    };
    let said: Vec<String> = [what(added, "came in"), what(removed, "went"), what(changed, "changed")]
        .into_iter()
        .flatten()
        .collect();
    match (&said[..], change) {
        ([], _) => "tools are in another order".to_owned(),
        (_, Some(change)) => {
            let how = match change.kind {
                ChangeKind::Order => "in another order: ",
                ChangeKind::Space => "only white space: ",
                _ => "",
            };
            format!("{of_tools}{}: {how}{}", said.join(", "), labelled(change))
        }
        (_, None) => format!("{of_tools}{}", said.join(", ")),
    }
}

/// What a source is called: an instruction that is not google-adk's is the system prompt.
fn source(origin: &Origin, experiment: &Experiment) -> String {
    match (origin, experiment.kind()) {
        (Origin::Instruction { .. }, FlowKind::Transcript) => "the system prompt".to_owned(),
        (Origin::Instruction { .. }, FlowKind::Adk) => {
            format!("the {}", phrases::source(origin, experiment.log()))
        }
        (Origin::Event { event, .. }, FlowKind::Transcript) => event_name(*event),
        (Origin::Run { field }, _) if **field == *"request" => "a message that is in no event".to_owned(),
        _ => phrases::source(origin, experiment.log()),
    }
}

/// A sentence inside of another.
fn lowered(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}
