//! What agents remember, as it stands in the store.

use std::sync::Arc;

use strata_engine::memory::{self, MemoryEntry};
use strata_model::{Content, Decoder, Event, FromJson as _, Session, json, python};
use strata_store::{MOST_WORDS, Memory, MemoryHome, NewMemory, Store, StoreError};

/// Adds a session to what agents of its app remember, in place of what was remembered of it. Gives how many memories that
/// are: events with content.
pub(crate) fn remember(store: &mut Store, session: &Session, now_ms: i64) -> Result<usize, StoreError> {
    let memories: Vec<NewMemory> = session
        .events
        .iter()
        .filter_map(|event| {
            let content = event.content.as_deref().filter(|content| !content.parts().is_empty())?;
            Some(NewMemory {
                event: event.id.to_string(),
                author: event.author.to_string(),
                said_at: event.timestamp,
                content: json::to_compact(&content.to_json()),
                words: memory::words(content).into_iter().collect::<Vec<_>>().join(" "),
            })
        })
        .collect();
    let home = MemoryHome { app: &session.app_name, user: &session.user_id, session: &session.id };
    store.remember(home, &memories, now_ms)?;
    Ok(memories.len())
}

/// What a user's agents remember that has words of a query, best first. The index finds the candidates where it can;
/// google-adk's rule says which of them, and in which order.
pub(crate) fn recalled(
    store: &Store,
    app_name: &str,
    user_id: &str,
    query: &str,
) -> Result<Vec<MemoryEntry>, StoreError> {
    let words = memory::asked(query);
    // Other words also count where they are a part of one, which an index of words cannot tell; and it is asked for so
    // many at most.
    let candidates = if words.len() <= MOST_WORDS && words.iter().all(|word| word.is_ascii()) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        store.memories_with(app_name, user_id, &words)?
    } else {
        store.memories(app_name, user_id)?
    };
    Ok(memory::best(candidates.into_iter().map(entry_of), query))
}

/// What was said, as an event of its session.
pub(crate) fn event_of(memory: Memory) -> Event {
    Event {
        id: memory.event.into(),
        author: memory.author.into(),
        timestamp: memory.said_at,
        content: content(&memory.content).map(Arc::new),
        ..Event::default()
    }
}

fn entry_of(memory: Memory) -> MemoryEntry {
    MemoryEntry {
        id: memory.event.into(),
        content: Arc::new(content(&memory.content).unwrap_or_default()),
        author: memory.author,
        timestamp: python::iso_timestamp(memory.said_at),
    }
}

fn content(text: &str) -> Option<Content> {
    let json = json::parse(text.as_bytes()).ok()?;
    Content::from_json(json, &mut Decoder::new()).ok()
}
