//! The piece of a text around what was found in it.

use std::ops::Range;

use rusqlite::{Connection, params};
use strata_model::secret;

use super::document::{Document, joined};
use crate::StoreError;

/// Words of a snippet.
const WORDS: u32 = 20;
/// Bounds of a match in what FTS5 gives. They are no letters to it, and are taken out of texts.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';
/// Of a snippet; a word may be as long as a page.
const MOST_CHARS: usize = 280;
/// Characters before the first match that stay when a snippet is cut.
const LEAD: usize = 60;

/// A piece of a text, in one line, with the places of what was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    pub text: String,
    /// Bytes of `text`, in order, apart from each other.
    pub matches: Vec<Range<usize>>,
}

/// Makes snippets with the tokenizer of the index, so that both agree on what a match is.
pub(super) struct Snippets {
    connection: Connection,
}

impl Snippets {
    pub(super) fn new() -> Result<Self, StoreError> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE VIRTUAL TABLE one USING fts5 (
                 text, tools, agents, files, tokenize = \"unicode61 remove_diacritics 2\"
             )",
        )?;
        Ok(Self { connection })
    }

    /// The best piece of a document for a query; its beginning when the query matches nothing in it.
    pub(super) fn of(&self, document: &Document, query: &str) -> Result<Snippet, StoreError> {
        let columns = document.shown().map(|column| {
            let column = column.replace([OPEN, CLOSE], " ");
            // Masked before it is cut: a piece of a secret looks like none.
            secret::mask(&column).map_or(column, |masked| masked.text)
        });
        self.connection.prepare_cached("DELETE FROM one")?.execute([])?;
        let [text, tools, agents, files] = &columns;
        self.connection
            .prepare_cached("INSERT INTO one VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![text, tools, agents, files])?;
        let mut select = self
            .connection
            .prepare_cached("SELECT snippet(one, -1, ?2, ?3, '…', ?4) FROM one WHERE one MATCH ?1")?;
        let mut rows = select.query(params![query, OPEN.to_string(), CLOSE.to_string(), WORDS])?;
        let marked = match rows.next()? {
            Some(row) => row.get::<_, String>(0)?,
            None => columns[0].chars().take(MOST_CHARS).collect(),
        };
        Ok(parse(&joined(&marked)))
    }
}

/// Takes the marks out of a text, makes one line of it and cuts it to a length for lists.
fn parse(marked: &str) -> Snippet {
    let mut snippet = Snippet::default();
    let first = marked.chars().position(|letter| letter == OPEN).unwrap_or(0);
    let skipped = first.saturating_sub(LEAD);
    if skipped > 0 {
        snippet.text.push('…');
    }
    let mut open = None;
    for letter in marked.chars().skip(skipped).take(MOST_CHARS) {
        let at = snippet.text.len();
        match letter {
            OPEN => open = Some(at),
            CLOSE => snippet.matches.extend(open.take().map(|start| start..at)),
            it if it.is_whitespace() || it.is_control() => {
                if !snippet.text.is_empty() && !snippet.text.ends_with(' ') {
                    snippet.text.push(' ');
                }
            }
            it => snippet.text.push(it),
        }
    }
    let end = snippet.text.len();
    snippet.matches.extend(open.map(|start| start..end));
    if marked.chars().count() > skipped + MOST_CHARS {
        snippet.text.push('…');
    }
    snippet
}
