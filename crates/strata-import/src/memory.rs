//! What apps remember: databases of `SqliteMemoryService`, answers of memory services, sessions that were remembered, and
//! what Strata's recorder saw of searches.

use strata_model::{
    Content, Decoder, FoundMemory, FromJson as _, GivenMemory, Json, RecordedCall, Remembered, SearchRule,
    Str, json,
};

use crate::adk::{MEMORY_TABLE, is_memory_database};
use crate::findings::Findings;
use crate::import::import;
use crate::imported::ImportedSession;
use crate::rows::{json_of, seconds_of, text_of};
use crate::tables::{TableError, TableSource};
use crate::time::time_of;

/// What a database of `SqliteMemoryService` holds; `None` for another database.
pub fn read_memory_tables(source: &mut dyn TableSource) -> Result<Option<GivenMemory>, TableError> {
    if !is_memory_database(&source.tables()?) {
        return Ok(None);
    }
    let mut remembered = Vec::new();
    let columns = ["app_name", "user_id", "session_id", "id", "author", "timestamp", "content_json"];
    source.rows(MEMORY_TABLE, &columns, &["id"], &mut |row| {
        let said_at = seconds_of(row.get(5));
        let content = json_of(row.get(6), MEMORY_TABLE, &mut Findings::default());
        remembered.push(Remembered {
            app_name: text_of(row.first()),
            user_id: text_of(row.get(1)),
            session_id: text_of(row.get(2)),
            said_at,
            memory: FoundMemory {
                id: text_of(row.get(3)),
                content: Content::from_json(content, &mut Decoder::new()).ok(),
                author: text_of(row.get(4)).filter(|author| !author.is_empty()),
                timestamp: said_at.map(local_time),
                ..FoundMemory::default()
            },
        });
    })?;
    Ok(Some(GivenMemory { remembered, searches: Vec::new(), rule: SearchRule::Ranked }))
}

/// What a file says was remembered: memories as a service answers them, a recording with searches in it, or sessions of
/// any known format. The error says what it is instead.
pub fn read_memory(bytes: &[u8]) -> Result<GivenMemory, String> {
    if let Ok(value) = json::parse(bytes)
        && let Some(memories) = memories_of(value)
    {
        let remembered = memories.into_iter().map(remembered).collect::<Result<_, _>>()?;
        return Ok(GivenMemory { remembered, ..GivenMemory::default() });
    }
    let import = import(bytes);
    if import.sessions.is_empty() {
        let reason = import.diagnostics.first().map_or("there is no session in it", |first| &first.message);
        return Err(reason.to_owned());
    }
    Ok(memory_of_sessions(import.sessions))
}

/// What is remembered where these sessions were added to memory, the one that ended first first. Of recordings in which
/// searches were seen, these count and not what the sessions say.
pub fn memory_of_sessions(mut sessions: Vec<ImportedSession>) -> GivenMemory {
    let bodies = sessions.iter().flat_map(|session| &session.requests).map(|request| &request.body);
    let searches = bodies.filter_map(RecordedCall::of_body).flat_map(|call| call.memory.unwrap_or_default());
    let searches: Vec<_> = searches.collect();
    if !searches.is_empty() {
        return GivenMemory { searches, ..GivenMemory::default() };
    }
    sessions.sort_by(|a, b| a.session.last_update_time.total_cmp(&b.session.last_update_time));
    let remembered = sessions.iter().flat_map(|imported| {
        let session = &imported.session;
        let named = |name: &Str| Some(name.clone()).filter(|name| !name.is_empty());
        session.events.iter().filter(|event| event.content.is_some()).map(move |event| Remembered {
            app_name: named(&session.app_name),
            user_id: named(&session.user_id),
            session_id: named(&session.id),
            said_at: Some(event.timestamp).filter(|at| *at > 0.0),
            memory: FoundMemory {
                id: Some(event.id.clone()),
                content: event.content.as_deref().cloned(),
                author: Some(event.author.clone()),
                timestamp: Some(local_time(event.timestamp)),
                ..FoundMemory::default()
            },
        })
    });
    GivenMemory { remembered: remembered.collect(), ..GivenMemory::default() }
}

/// `{"memories": […]}`, as services and the tool `load_memory` answer, or the list alone.
fn memories_of(value: Json) -> Option<Vec<Json>> {
    let is_memory = |value: &Json| value.get("content").is_some_and(|content| content.get("parts").is_some());
    let list = match value {
        Json::Object(mut object) => match object.remove("result") {
            Some(result) => return memories_of(result),
            None => object.remove("memories")?,
        },
        list => list,
    };
    let Json::Array(list) = list else { return None };
    list.iter().all(|value| is_memory(value) && value.get("actions").is_none()).then_some(list)
}

fn remembered(value: Json) -> Result<Remembered, String> {
    let said_at = value.get("timestamp").and_then(time_of);
    let memory = FoundMemory::from_json(value, &mut Decoder::new());
    let memory = memory.map_err(|value| format!("a memory should be an object but is {}", value.kind()))?;
    Ok(Remembered { app_name: None, user_id: None, session_id: None, said_at, memory })
}

/// A time as `datetime.isoformat()` prints it, in UTC: the clock of the computer that remembered it is not known.
fn local_time(seconds: f64) -> Str {
    strata_model::python::iso_timestamp(seconds).into()
}
