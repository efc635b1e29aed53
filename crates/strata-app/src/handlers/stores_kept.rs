//! Files, memories, nodes and contexts.

use strata_measure::analysis::{BilledCalls, CallRates};

use super::stores::{MOST_ROWS, with};
use crate::Strata;
use crate::api::stores_kept::{
    Artifacts, ArtifactsPage, Context, ContextDetail, Contexts, ContextsPage, Memory, MemoryPage, Nodes,
    NodesPage,
};
use crate::command::Handler;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::served::now;
use crate::stores::{
    CompiledSession, artifacts_page, context_detail, contexts_page, memory_page, nodes_page,
};

/// Answers from what is compiled by now, with what it cost.
fn with_rates<T>(
    strata: &Strata,
    open: &OpenSession,
    answer: impl FnOnce(CompiledSession<'_>, &CallRates) -> T,
) -> Result<T, AppError> {
    with(strata, open, 0, |of| {
        let rates = BilledCalls { analysis: of.analysis, caches: of.caches }.rates(&strata.tables.prices);
        Ok(answer(of, &rates))
    })
}

fn of_page<T>(rows: Vec<T>, offset: u32, limit: u32) -> Vec<T> {
    rows.into_iter().skip(offset as usize).take(limit.min(MOST_ROWS) as usize).collect()
}

impl Handler for Artifacts {
    fn run(self, strata: &Strata) -> Result<ArtifactsPage, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let page = with_rates(strata, &open, artifacts_page)?;
        Ok(ArtifactsPage { rows: of_page(page.rows, self.offset, self.limit), ..page })
    }
}

impl Handler for Memory {
    fn run(self, strata: &Strata) -> Result<MemoryPage, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let page = with_rates(strata, &open, memory_page)?;
        Ok(MemoryPage { rows: of_page(page.rows, self.offset, self.limit), ..page })
    }
}

impl Handler for Nodes {
    fn run(self, strata: &Strata) -> Result<NodesPage, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let page = with(strata, &open, 0, |of| Ok(nodes_page(of)))?;
        Ok(NodesPage { rows: of_page(page.rows, self.offset, self.limit), ..page })
    }
}

impl Handler for Contexts {
    fn run(self, strata: &Strata) -> Result<ContextsPage, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let page = contexts_page(&strata.workspace.store(), Some(open.id.as_str()), now())?;
        Ok(ContextsPage { rows: of_page(page.rows, self.offset, self.limit), ..page })
    }
}

impl Handler for Context {
    fn run(self, strata: &Strata) -> Result<ContextDetail, AppError> {
        let open = strata.sessions.get(&self.session)?;
        context_detail(&strata.workspace.store(), &self.context, Some(open.id.as_str()), now())
    }
}
