//! What a search found.

use strata_store::{SearchPage, Snippet};

use crate::api::search::{FoundPage, SearchHit, SnippetPiece};

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
