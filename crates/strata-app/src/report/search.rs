//! `strata search`: events and sessions with words in them.

use std::path::{Path, PathBuf};

use serde::Serialize;
use strata_store::{SearchPlace, SearchQuery, SessionId, Store};

use super::source::Source;
use super::{Step, VERSION, Watch};
use crate::api::search::SearchHit;
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::show::found_page;

/// What to look for.
#[derive(Debug, Clone)]
pub struct SearchChoice {
    pub query: String,
    /// A session in the store, by its id, the beginning of it, or its title.
    pub session: Option<String>,
    pub agent: Option<String>,
    pub tool: Option<String>,
    /// `next` of an earlier document.
    pub after: Option<String>,
    pub limit: u32,
    /// The store, instead of the one in the data folder.
    pub database: Option<PathBuf>,
}

/// The document of `strata search`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchReport {
    pub version: u32,
    /// The store.
    pub database: String,
    pub query: String,
    /// Of the newest session first; in each the session itself, then its last event first.
    pub hits: Vec<SearchHit>,
    /// Of all pages.
    pub total: u32,
    /// There are more than `total`.
    pub is_total_capped: bool,
    /// Given as `after`, asks for the hits behind these; absent on the last page.
    pub next: Option<String>,
}

/// Looks for words in everything that is stored. What an older version stored is indexed first.
pub fn search(choice: SearchChoice, watch: &dyn Watch) -> Result<SearchReport, AppError> {
    let is_given = choice.database.is_some();
    let database = choice.database.clone().map_or_else(default_database, Ok)?;
    if !database.exists() {
        let option = if is_given { format!(" --db {}", database.display()) } else { String::new() };
        return Err(AppError::not_found(format!(
            "There is no database {}. `strata import FILE{option}` makes one.",
            database.display()
        )));
    }
    let mut store = super::source::open_for_reading(&database)?;
    if store.n_not_indexed()? > 0 {
        store = Store::open(&database)?;
        index(&mut store, &database, watch)?;
    }
    let session = choice.session.as_deref().map(|name| session_named(&store, name)).transpose()?;
    let after =
        match &choice.after {
            None => None,
            Some(text) => Some(SearchPlace::parse(text).ok_or_else(|| {
                AppError::bad_input(format!("{text} is not the `next` of an earlier page."))
            })?),
        };
    let page = found_page(
        store.search(&SearchQuery {
            text: &choice.query,
            session: session.as_ref(),
            agent: choice.agent.as_deref(),
            tool: choice.tool.as_deref(),
            after,
            limit: choice.limit.max(1),
        })?,
        0,
    );
    Ok(SearchReport {
        version: VERSION,
        database: database.display().to_string(),
        query: choice.query,
        hits: page.hits,
        total: page.total,
        is_total_capped: page.is_total_capped,
        next: page.next,
    })
}

fn index(store: &mut Store, database: &Path, watch: &dyn Watch) -> Result<(), AppError> {
    watch.begins(Step::Indexing(database));
    let total = u64::from(store.n_not_indexed()?);
    while store.index_some()? {
        watch.progress(total.saturating_sub(store.n_not_indexed()?.into()), total);
        if watch.is_cancelled() {
            return Err(AppError::bad_input("Stopped. What was indexed stays; search again to go on."));
        }
    }
    Ok(())
}

fn session_named(store: &Store, name: &str) -> Result<SessionId, AppError> {
    let source = Source { name: name.to_owned(), ..Source::default() };
    Ok(source.entry_in(store)?.id)
}
