//! Pieces of sentences.

use strata_engine::EventLog;
use strata_model::{AgentField, EventIndex, InstructionKind, Origin};

/// Names in one sentence; more are counted.
const MAX_LISTED: usize = 4;

/// `12,345`.
pub fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The same with a sign.
pub fn signed(n: i64) -> String {
    format!("{}{}", if n < 0 { "−" } else { "" }, number(n.unsigned_abs()))
}

/// `45 s`, `5 min`, `2 h 3 min`.
pub fn duration(seconds: u32) -> String {
    match (seconds / 3600, seconds / 60 % 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) if seconds.is_multiple_of(60) || minutes >= 10 => format!("{minutes} min"),
        (0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// What a person calls a source: `E39 coordinator`, `instruction of log_analyst`.
pub fn source(origin: &Origin, log: &EventLog) -> String {
    let author = |event| log.get(event).map_or(String::new(), |logged| logged.event.author.to_string());
    match origin {
        Origin::Event { event, .. } => format!("E{} {}", event.number(), author(*event)),
        Origin::Summary { event, .. } => format!("E{} summary", event.number()),
        Origin::Instruction { agent, kind } => match kind {
            InstructionKind::Global => format!("global instruction of {agent}"),
            InstructionKind::Static => format!("static instruction of {agent}"),
            InstructionKind::Dynamic => format!("instruction of {agent}"),
        },
        Origin::State { key } => format!("state.{key}"),
        Origin::Artifact { name } => format!("artifact {name}"),
        Origin::Memory { rank } => format!("memory {}", rank + 1),
        Origin::Tool { name } => format!("tool {name}"),
        Origin::Agent { name, field } => format!("{} of {name}", agent_field(*field)),
        Origin::Run { field } if **field == *"request" => "the recorded request".to_owned(),
        Origin::Run { field } => format!("the run’s {field}"),
        Origin::Processor { .. } => "the runtime".to_owned(),
        Origin::Extension { name } => format!("plugin {name}"),
        Origin::Rewritten { by, event: Some(event), .. } => {
            format!("E{} {}, rewritten by {by}", event.number(), author(*event))
        }
        Origin::Rewritten { by, event: None, .. } => format!("words of {by}"),
    }
}

fn agent_field(field: AgentField) -> &'static str {
    match field {
        AgentField::Name => "name",
        AgentField::Description => "description",
        AgentField::Model => "model",
        AgentField::GenerateContentConfig => "generation settings",
        AgentField::OutputSchema => "output schema",
        AgentField::Planner => "planner",
    }
}

/// `1 call`, `12 calls`. The plural adds an `s`.
pub fn count(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", number(n), if n == 1 { "" } else { "s" })
}

/// The first letter in capitals, unless the first word is a name with a sign in it, such as `state.hits`, `a/b.db` or
/// `interval=0`.
pub fn capitalised(sentence: &str) -> String {
    let word = sentence.split(' ').next().unwrap_or_default().trim_end_matches(['.', ':', ',']);
    let is_name = word.contains(['.', '_', ':', '=', '/', '\\']);
    let mut letters = sentence.chars();
    match letters.next().filter(|_| !is_name) {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => sentence.to_owned(),
    }
}

/// `once`, `twice`, `3 times`.
pub fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{} times", number(n)),
    }
}

/// `a`, `a and b`, `a, b, c, d and 3 more`.
pub fn listed<T: AsRef<str>>(items: &[T]) -> String {
    let shown: Vec<&str> = items.iter().take(MAX_LISTED).map(AsRef::as_ref).collect();
    match (&shown[..], items.len().saturating_sub(MAX_LISTED)) {
        ([], _) => String::new(),
        ([only], _) => (*only).to_owned(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (all, n_more) => format!("{} and {n_more} more", all.join(", ")),
    }
}

/// `E3 and E8`.
pub fn events(events: &[EventIndex]) -> String {
    listed(&events.iter().map(|event| event_name(*event)).collect::<Vec<_>>())
}

pub fn event_name(event: EventIndex) -> String {
    format!("E{}", event.number())
}

/// Each item once, in the order of its first appearance.
pub fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for item in items {
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas() {
        assert_eq!([0, 999, 1000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([1, 2].map(|n| count(n, "call")), ["1 call", "2 calls"]);
        assert_eq!([1, 2, 1000].map(times), ["once", "twice", "1,000 times"]);
    }

    #[test]
    fn long_lists_are_cut() {
        let items = ["a", "b", "c", "d", "e", "f"];
        assert_eq!(
            [0, 1, 2, 4, 6].map(|n| listed(&items[..n])),
            ["", "a", "a and b", "a, b, c and d", "a, b, c, d and 2 more"]
        );
    }
}
