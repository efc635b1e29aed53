//! Finding events and sessions by the words in them.
//!
//! The index (FTS5) holds words and no text, so that the file does not hold everything twice: what a row says is made
//! from its event again, for the rows that are shown. Rows are numbered by recording and place. Recordings are never
//! renumbered and later imports have higher numbers, so the newest is found first without sorting.

mod document;
mod index;
mod snippet;
mod words;

use rusqlite::{OptionalExtension, params};
use strata_model::{Decoder, Event, FromJson as _, Str};

use crate::column::{parse, shown_title, text};
use crate::pack::EVENTS;
use crate::{SessionId, Store, StoreError};
use document::Document;
pub(crate) use index::{Indexer, rows_from, rows_of};
pub use snippet::Snippet;
use snippet::Snippets;

/// Matches are counted up to here.
const MOST_COUNTED: u32 = 1_000;

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct SearchQuery<'q> {
    /// Words that all have to be there. Words in double quotes stand together; the last one may be the beginning of
    /// one. Whatever is typed is a query.
    pub text: &'q str,
    /// Only in this session.
    pub session: Option<&'q SessionId>,
    /// Only events of this agent, or `user`, or that hand over to it.
    pub agent: Option<&'q str>,
    /// Only calls and results of this tool.
    pub tool: Option<&'q str>,
    /// Only what comes after this hit of an earlier page.
    pub after: Option<SearchPlace>,
    pub limit: u32,
}

/// Where a hit stands among all hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchPlace(i64);

impl SearchPlace {
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }
}

impl std::fmt::Display for SearchPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    pub place: SearchPlace,
    pub session: SessionId,
    /// Of the session.
    pub title: String,
    /// `None` when the session itself was found: its title, file, app, user or id.
    pub event: Option<FoundEvent>,
    pub snippet: Snippet,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FoundEvent {
    /// Its place in the session, from 0.
    pub seq: u32,
    /// `user` or an agent.
    pub author: Str,
    /// Tools it calls, or has results of.
    pub tools: Vec<Str>,
    /// Epoch seconds.
    pub timestamp: f64,
}

/// Some of what was found, the newest recordings first, in each the session itself and then its last events first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchPage {
    pub hits: Vec<SearchHit>,
    /// Of all pages, and whether there are more than that.
    pub total: u32,
    pub is_total_capped: bool,
    /// There are hits after these.
    pub has_more: bool,
}

const FROM: &str = "FROM search CROSS JOIN sessions s ON s.recording = search.rowid >> 32
    WHERE search MATCH ?1 AND search.rowid >= ?2 AND search.rowid <= ?3";

impl Store {
    /// Looks for words in everything that is stored and indexed.
    pub fn search(&self, query: &SearchQuery<'_>) -> Result<SearchPage, StoreError> {
        let Some(words) = words::query(query.text) else { return Ok(SearchPage::default()) };
        let filtered = words::narrowed(&words, query.agent, query.tool);
        let snapshot = self.connection.unchecked_transaction()?;
        let Some([first, last]) = self.rows_within(query.session)? else { return Ok(SearchPage::default()) };
        let counted = format!("SELECT count(*) FROM (SELECT 1 {FROM} LIMIT {})", MOST_COUNTED + 1);
        let n: u32 =
            snapshot.prepare_cached(&counted)?.query_row(params![filtered, first, last], |row| row.get(0))?;
        let last = query.after.map_or(last, |after| last.min(after.0.saturating_sub(1)));
        let mut select = snapshot.prepare_cached(&format!(
            "SELECT search.rowid, s.id, s.title {FROM} ORDER BY search.rowid DESC LIMIT ?4"
        ))?;
        let mut rows = select.query(params![filtered, first, last, i64::from(query.limit) + 1])?;
        let snippets = Snippets::new()?;
        let mut page = SearchPage {
            total: n.min(MOST_COUNTED),
            is_total_capped: n > MOST_COUNTED,
            ..SearchPage::default()
        };
        while let Some(row) = rows.next()? {
            if page.hits.len() as u32 == query.limit {
                page.has_more = true;
                break;
            }
            let (rowid, session) = (row.get(0)?, SessionId::from(text(row, 1)?));
            let (event, document) = self.found(rowid)?;
            let snippet = snippets.of(&document, &words)?;
            let title = shown_title(row.get(2)?);
            page.hits.push(SearchHit { place: SearchPlace(rowid), session, title, event, snippet });
        }
        Ok(page)
    }

    /// The rows of a session, or all there are; `None` when there is no such session.
    fn rows_within(&self, session: Option<&SessionId>) -> Result<Option<[i64; 2]>, StoreError> {
        let Some(session) = session else { return Ok(Some([0, i64::MAX])) };
        let sql = "SELECT recording FROM sessions WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row([session.as_str()], |row| row.get(0)).optional()?.map(rows_of))
    }

    /// What a row of the index stands for, and what it says.
    fn found(&self, rowid: i64) -> Result<(Option<FoundEvent>, Document), StoreError> {
        let mut document = Document::default();
        let (recording, Some(seq)) = index::place(rowid) else {
            let sql = "SELECT s.title, o.location, s.app_name, s.user_id, s.adk_id FROM sessions s
                       JOIN sources o ON o.id = s.source WHERE s.recording = ?1";
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query([index::place(rowid).0])?;
            if let Some(row) = rows.next()? {
                let names = [text(row, 2)?, text(row, 3)?, text(row, 4)?];
                document = Document::of_session(text(row, 0)?, text(row, 1)?, names);
            }
            return Ok((None, document));
        };
        let missing = || StoreError::Corrupt { detail: "an event that can be found is not there".into() };
        let json = parse(EVENTS.get(&self.connection, recording, seq)?.ok_or_else(missing)?)?;
        let event = Event::from_json(json, &mut Decoder::new())
            .map_err(|value| StoreError::Corrupt { detail: format!("a stored event is {}", value.kind()) })?;
        document.fill(&event);
        let calls = event.function_calls().filter_map(|call| call.name.clone());
        let results = event.function_responses().filter_map(|response| response.name.clone());
        let mut tools: Vec<Str> = calls.chain(results).collect();
        tools.dedup();
        let (author, timestamp) = (event.author.clone(), event.timestamp);
        Ok((Some(FoundEvent { seq, author, tools, timestamp }), document))
    }
}
