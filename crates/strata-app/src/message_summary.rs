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
        // Room is bytes here: a token for each.
        let bytes = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX);
        let room = u32::try_from(max_bytes).unwrap_or(u32::MAX);
        extractive(&self.reader, &before, &events, room, &bytes)
    }
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
    }
}
