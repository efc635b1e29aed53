//! Finding words in everything that is stored.

use strata_store::{ExperimentId, SearchPage, SearchPlace, SearchQuery, SessionId, Snippet};

use crate::Strata;
use crate::api::search::{Find, FoundPage, SearchHit, SnippetPiece};
use crate::command::Handler;
use crate::error::AppError;

const MOST_HITS: u32 = 200;

impl Handler for Find {
    fn run(self, strata: &Strata) -> Result<FoundPage, AppError> {
        let session = self.session.as_deref().map(|id| recording(strata, id)).transpose()?;
        let after = match &self.after {
            Some(text) => Some(SearchPlace::parse(text).ok_or_else(|| {
                AppError::bad_input("`after` is not the `next` of a page. Ask for the first page again.")
            })?),
            None => None,
        };
        let query = SearchQuery {
            text: &self.query,
            session: session.as_ref(),
            agent: self.agent.as_deref(),
            tool: self.tool.as_deref(),
            after,
            limit: self.limit.clamp(1, MOST_HITS),
        };
        strata.workspace.with_reader(|store| Ok(found_page(store.search(&query)?, store.n_not_indexed()?)))
    }
}

fn recording(strata: &Strata, id: &str) -> Result<SessionId, AppError> {
    let Some(experiment) = ExperimentId::parse(id) else { return Ok(SessionId::from(id)) };
    let known = strata.workspace.store().experiment(experiment)?;
    Ok(known.ok_or_else(|| AppError::not_found("This experiment is no longer in the store."))?.session)
}

pub(crate) fn found_page(page: SearchPage, sessions_left: u32) -> FoundPage {
    let next = page.hits.last().filter(|_| page.has_more).map(|hit| hit.place.to_string());
    FoundPage {
        hits: page.hits.into_iter().map(SearchHit::from).collect(),
        total: page.total,
        is_total_capped: page.is_total_capped,
        next,
        sessions_left,
    }
}

impl From<strata_store::SearchHit> for SearchHit {
    fn from(hit: strata_store::SearchHit) -> Self {
        let event = hit.event.as_ref();
        let at_ms = event.map(|event| event.timestamp * 1000.0).filter(|ms| *ms > 0.0);
        Self {
            session: hit.session.to_string(),
            title: hit.title,
            address: event.map(|event| format!("E{}", event.seq + 1)),
            author: event.map(|event| event.author.to_string()),
            tools: event.map_or(Vec::new(), |event| event.tools.iter().map(ToString::to_string).collect()),
            at_ms,
            snippet: pieces(&hit.snippet),
        }
    }
}

fn pieces(snippet: &Snippet) -> Vec<SnippetPiece> {
    let mut pieces = Vec::new();
    let mut add = |text: &str, is_match| {
        if !text.is_empty() {
            pieces.push(SnippetPiece { text: text.to_owned(), is_match });
        }
    };
    let mut at = 0;
    for found in &snippet.matches {
        add(&snippet.text[at..found.start], false);
        add(&snippet.text[found.clone()], true);
        at = found.end;
    }
    add(&snippet.text[at..], false);
    pieces
}
