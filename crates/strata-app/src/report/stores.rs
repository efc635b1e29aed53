//! `strata stores`: what the stores of a session hold at a call, and what agents hand to one another.

use serde::Serialize;

use super::app::AppReport;
use super::diagnostic::FileDiagnostic;
use super::opened::OpenedSession;
use super::source::Source;
use super::{VERSION, Watch};
use crate::api::stores::{AgentRow, HandOffRow, StatePage};
use crate::api::stores_kept::{ArtifactsPage, MemoryPage, NodesPage, SeenContext};
use crate::error::AppError;
use crate::stores::{
    CompiledSession, StateQuestion, agent_rows, artifacts_page, hand_off_rows, memory_page, nodes_page,
    seen_contexts, seen_gap, state_page,
};

/// Which call the values are of.
#[derive(Debug, Clone, Copy, Default)]
pub struct StoresChoice {
    /// From 1; the last call where it is not said.
    pub call: Option<u32>,
}

/// The document of `strata stores`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoresReport {
    pub version: u32,
    pub session: String,
    /// Of the session.
    pub title: String,
    pub app: AppReport,
    /// Null where the session has no calls.
    pub state: Option<StatePage>,
    pub agents: Vec<AgentRow>,
    pub hand_offs: Vec<HandOffRow>,
    pub artifacts: ArtifactsPage,
    pub memory: MemoryPage,
    pub nodes: NodesPage,
    /// Contexts that the session names.
    pub contexts: Vec<SeenContext>,
    /// Where it may have named others.
    pub contexts_gap: Option<String>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Looks into the stores of a source's only session, or of the one called `session`.
pub fn stores(
    source: &Source,
    session: Option<&str>,
    choice: StoresChoice,
    watch: &dyn Watch,
) -> Result<StoresReport, AppError> {
    stores_of(&OpenedSession::read(source, session, watch)?, choice)
}

/// Looks into the stores of a session that is open.
pub fn stores_of(opened: &OpenedSession, choice: StoresChoice) -> Result<StoresReport, AppError> {
    let OpenedSession { subject, tables, compiled, diagnostics } = opened;
    let of = CompiledSession {
        experiment: &subject.experiment,
        analysis: &compiled.analysis,
        caches: &compiled.caches,
        counting: &tables.counting,
    };
    let rates = compiled.billed().rates(&tables.prices);
    let n_calls = compiled.analysis.calls().len() as u32;
    let question = |call| StateQuestion { call, max_columns: n_calls, offset: 0, limit: u32::MAX };
    let call = choice.call.or((n_calls > 0).then_some(n_calls));
    Ok(StoresReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        app: (&subject.app).into(),
        state: call.map(|call| state_page(of, &question(call))).transpose()?,
        agents: agent_rows(of),
        hand_offs: hand_off_rows(of),
        artifacts: artifacts_page(of, &rates),
        memory: memory_page(of, &rates),
        nodes: nodes_page(of),
        contexts: seen_contexts(of, &subject.summary.format),
        contexts_gap: seen_gap(&subject.summary.format),
        diagnostics: diagnostics.clone(),
    })
}
