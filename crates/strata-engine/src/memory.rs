//! Memory: finding past conversations by words (`ADK.md` 7.5).

mod given;
mod keywords;
mod ranked;

use std::sync::Arc;

use strata_model::{
    Content, FoundMemory, FromJson as _, GivenMemory, Json, Object, RecordedCall, Session, Str,
};

pub(crate) use given::MemoryQuery;
pub use keywords::{asked, best, search, words};

/// What there is to remember, and how it is searched.
#[derive(Debug, Clone)]
pub enum Memory {
    /// Sessions that were added to ADK's in-memory service, in that order.
    Sessions(Arc<Vec<Session>>),
    /// What was given for a recorded session.
    Given(Arc<GivenMemory>),
}

impl Memory {
    /// What is found, best first.
    pub(crate) fn search(&self, query: &MemoryQuery<'_>) -> Vec<MemoryEntry> {
        match self {
            Self::Sessions(sessions) => search(sessions, query.app_name, query.user_id, query.query),
            Self::Given(given) => query.run(given),
        }
    }
}

/// Something that was remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryEntry {
    /// Id of the event that was remembered.
    pub id: Str,
    pub content: Arc<Content>,
    pub author: String,
    /// Local time as `datetime.isoformat()` prints it; in UTC here.
    pub timestamp: String,
}

impl MemoryEntry {
    /// The entry as ADK dumps it.
    pub fn to_json(&self) -> Json {
        let mut out = Object::new();
        out.push("content", self.content.to_json());
        out.push("custom_metadata", Object::new());
        out.push("id", self.id.clone());
        out.push("author", self.author.clone());
        out.push("timestamp", self.timestamp.clone());
        Json::Object(out)
    }

    /// The texts of its parts, joined by spaces; thoughts are included.
    pub fn text(&self) -> String {
        joined_text(&self.content)
    }
}

impl From<&FoundMemory> for MemoryEntry {
    fn from(found: &FoundMemory) -> Self {
        Self {
            id: found.id.clone().unwrap_or_default(),
            content: Arc::new(found.content.clone().unwrap_or_default()),
            author: found.author.as_deref().unwrap_or_default().to_owned(),
            timestamp: found.timestamp.as_deref().unwrap_or_default().to_owned(),
        }
    }
}

/// What a service was seen to answer to this query. `None` where the call is not known to have asked it.
pub(crate) fn recorded(call: &RecordedCall, query: &str) -> Option<Vec<MemoryEntry>> {
    let search = call.memory.iter().flatten().find(|search| *search.query == *query)?;
    Some(search.found.iter().flatten().map(MemoryEntry::from).collect())
}

fn joined_text(content: &Content) -> String {
    let texts =
        content.parts().iter().filter_map(|part| part.text.as_deref()).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join(" ")
}
