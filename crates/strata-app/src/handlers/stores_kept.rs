//! Files, memories, nodes and contexts.

use strata_measure::analysis::{BilledCalls, CallRates};
use strata_measure::stores::StateStore;

use super::stores::{MOST_ROWS, with};
use crate::Strata;
use crate::api::stores_kept::{
    ArchiveContext, Artifacts, ArtifactsPage, Context, ContextDetail, ContextFilter, Contexts, ContextsPage,
    Counts, ExpireContext, Memory, MemoryPage, Nodes, NodesPage, StoreCounts,
};
use crate::command::Handler;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::served::now;
use crate::stores::{
    CompiledSession, agent_rows, archive_context, artifacts_page, context_detail, contexts_page, end_context,
    memory_page, nodes_page, seen_contexts, seen_gap,
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
        let seen = with(strata, &open, 0, |of| Ok(seen_contexts(of, &open.summary.format)))?;
        let page =
            contexts_page(&strata.workspace.store(), Some(open.id.as_str()), &seen, self.filter, now())?;
        let rows = of_page(page.rows, self.offset, self.limit);
        Ok(ContextsPage { rows, gap: seen_gap(&open.summary.format), ..page })
    }
}

impl Handler for Counts {
    fn run(self, strata: &Strata) -> Result<StoreCounts, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let counts = with(strata, &open, 0, |of| {
            let rates = BilledCalls { analysis: of.analysis, caches: of.caches }.rates(&strata.tables.prices);
            let keys = StateStore::of(of.experiment, of.analysis, of.caches).keys().count();
            Ok(StoreCounts {
                state: keys as u32,
                artifacts: artifacts_page(of, &rates).total,
                memory: memory_page(of, &rates).total,
                agents: agent_rows(of).len() as u32,
                nodes: nodes_page(of).total,
                contexts: 0,
            })
        })?;
        let seen = with(strata, &open, 0, |of| Ok(seen_contexts(of, &open.summary.format)))?;
        let contexts = contexts_page(
            &strata.workspace.store(),
            Some(open.id.as_str()),
            &seen,
            ContextFilter::All,
            now(),
        )?;
        Ok(StoreCounts { contexts: contexts.total, ..counts })
    }
}

fn detail_of(strata: &Strata, session: &str, context: &str) -> Result<ContextDetail, AppError> {
    Context { session: session.to_owned(), context: context.to_owned() }.run(strata)
}

impl Handler for ArchiveContext {
    fn run(self, strata: &Strata) -> Result<ContextDetail, AppError> {
        archive_context(&mut strata.workspace.store(), &self.context, now())?;
        detail_of(strata, &self.session, &self.context)
    }
}

impl Handler for ExpireContext {
    fn run(self, strata: &Strata) -> Result<ContextDetail, AppError> {
        end_context(&mut strata.workspace.store(), &self.context, now())?;
        detail_of(strata, &self.session, &self.context)
    }
}

impl Handler for Context {
    fn run(self, strata: &Strata) -> Result<ContextDetail, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let seen = with(strata, &open, 0, |of| Ok(seen_contexts(of, &open.summary.format)))?;
        let seen = seen.into_iter().find(|seen| seen.id == self.context);
        context_detail(&strata.workspace.store(), &self.context, Some(open.id.as_str()), seen, now())
    }
}
