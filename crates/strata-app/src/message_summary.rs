//! Summaries of messages that a context no longer keeps: the extractive ones of the Lab, which need no model.

use std::sync::Arc;

use strata_context::{Message, Role, Summarise};
use strata_engine::LoggedEvent;
use strata_measure::lab::{FactReader, extractive};
use strata_model::{Content, Event, EventIndex, Part};

/// Takes over the sentences that say most, word for word.
pub(crate) struct ExtractiveMessages {
    reader: FactReader,
}

impl Default for ExtractiveMessages {
    fn default() -> Self {
        Self { reader: FactReader::new() }
    }
}

impl Summarise for ExtractiveMessages {
    fn summarise(&self, before: Option<&str>, dropped: &[Message], max_bytes: usize) -> String {
        let events: Vec<LoggedEvent> = dropped.iter().enumerate().map(logged).collect();
        let events: Vec<&LoggedEvent> = events.iter().collect();
        let before: Vec<&str> = before.into_iter().collect();
        let head = head(!before.is_empty(), dropped, max_bytes);
        // Room is bytes here: a token for each.
        let bytes = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX);
        let room = u32::try_from(max_bytes).unwrap_or(u32::MAX);
        extractive(&self.reader, &head, &before, &events, room, &bytes)
    }
}

/// Bytes from which on there is room to say what a summary stands for.
const ROOM_FOR_A_HEAD: usize = 256;

/// What a summary is, by the numbers that messages have in their context. One that replaces another stands for what that
/// one stood for, too.
fn head(has_before: bool, dropped: &[Message], max_bytes: usize) -> String {
    let (Some(first), Some(last)) = (dropped.first(), dropped.last()) else { return String::new() };
    let which = match (has_before, first.number, last.number) {
        _ if max_bytes < ROOM_FOR_A_HEAD => return "[Extract]".to_owned(),
        (true, _, last) => format!("messages up to {last}"),
        (false, first, last) if first == last => format!("message {first}"),
        (false, first, last) => format!("messages {first} to {last}"),
    };
    format!("[Extract of {which}, made without a model]")
}

fn logged((at, message): (usize, &Message)) -> LoggedEvent {
    let (author, role) = match message.role {
        Role::User => ("user", "user"),
        Role::Assistant | Role::System => ("assistant", "model"),
    };
    let content = Content::new(role, [Part::from_text(message.content.clone())]);
    let event = Event { author: author.into(), content: Some(Arc::new(content)), ..Event::default() };
    LoggedEvent::new(Arc::new(event), Some(EventIndex(at as u32)))
}

#[cfg(test)]
mod tests {
    use strata_context::Millis;

    use super::*;

    #[test]
    fn a_summary_keeps_what_was_said_word_for_word_within_its_room() {
        let message = |number: u64, content: &str| Message {
            number,
            at: Millis(0),
            role: Role::User,
            content: content.into(),
            door: None,
            task: None,
        };
        let dropped =
            [message(0, "The budget is 50000 dollars until 2026-12-01."), message(1, "Hm, let me think.")];
        let writer = ExtractiveMessages::default();
        let summary = writer.summarise(Some("Ana wants video products."), &dropped, 600);
        assert!(summary.contains("50000") && summary.contains("Ana wants video products."), "{summary}");
        assert!(summary.len() <= 600, "{summary}");
        assert!(summary.starts_with("[Extract of messages up to 1, made without a model]"), "{summary}");
        let first = writer.summarise(None, &dropped, 600);
        assert!(first.starts_with("[Extract of messages 0 to 1, made without a model]"), "{first}");
        let small = writer.summarise(None, &dropped, 75);
        assert!(
            small.contains("50000") && small.len() <= 75,
            "what is said goes before what says it: {small}"
        );
    }
}
