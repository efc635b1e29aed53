//! Finding words in everything that is stored.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `search/find`: events and sessions with all of these words in them. Words in double quotes stand together, and the
/// last one may be the beginning of one; whatever is typed is a query.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Find {
    pub query: String,
    /// Only in this session, or the one this experiment is laid over.
    pub session: Option<String>,
    /// Only events of this agent, or `user`.
    pub agent: Option<String>,
    /// Only calls and results of this tool.
    pub tool: Option<String>,
    /// `next` of an earlier page.
    pub after: Option<String>,
    pub limit: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FoundPage {
    /// Of the newest session first; in each the session itself, then its last event first.
    pub hits: Vec<SearchHit>,
    /// Of all pages.
    pub total: u32,
    /// There are more than `total`.
    pub is_total_capped: bool,
    /// Asks for the page behind this one; absent on the last.
    pub next: Option<String>,
    /// Sessions that are not searched yet, because they were stored by an older version.
    pub sessions_left: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    pub session: String,
    /// Of the session.
    pub title: String,
    /// `E7`; absent when the session itself was found, by its title, file, app, user or id.
    pub address: Option<String>,
    /// `user` or an agent.
    pub author: Option<String>,
    pub tools: Vec<String>,
    /// Epoch milliseconds of the event, if known.
    pub at_ms: Option<f64>,
    /// The text around what was found, in order.
    pub snippet: Vec<SnippetPiece>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SnippetPiece {
    pub text: String,
    pub is_match: bool,
}
