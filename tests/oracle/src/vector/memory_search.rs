//! Kind `memory_search`: what a query finds in memory, in order.

use strata_engine::memory;
use strata_model::{Json, Session};

use super::given;
use crate::diff::diff;
use crate::{Failure, into_result};

pub(crate) fn check_vector(vector: &Json) -> Result<(), Failure> {
    let sessions = vector.get("memory").and_then(Json::as_array).unwrap_or_default();
    let sessions: Vec<Session> = sessions.iter().map(given::session).collect();
    let mut failure = Vec::new();
    for query in vector.get("queries").and_then(Json::as_array).unwrap_or_default() {
        let text = |key: &str| given::text(query, key).unwrap_or_default();
        let found = memory::search(&sessions, &text("app_name"), &text("user_id"), &text("query"));
        let found: Vec<Json> = found.iter().map(|memory| memory.to_json()).collect();
        let expected = query.get("expected").unwrap_or(&Json::Null);
        failure.extend(diff(&format!("query {:?}", text("query")), expected, &found.into()));
    }
    into_result(failure)
}
