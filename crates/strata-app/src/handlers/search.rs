//! Finding words in everything that is stored.

use strata_store::{ExperimentId, SearchPlace, SearchQuery, SessionId};

use crate::Strata;
use crate::api::search::{Find, FoundPage};
use crate::command::Handler;
use crate::error::AppError;
use crate::show::found_page;

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
