//! The agents of a session as a tree: what each was given, and what it cost.

use std::collections::BTreeMap;

use serde::Serialize;
use strata_measure::analysis::{CallAnalysis, Change, diff_requests};

use super::opened::OpenedSession;
use crate::api::common::Basis;
use crate::error::AppError;
use crate::show::{DeltaScale, SegmentScale};

/// An agent and its calls.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentBranch {
    pub agent: String,
    /// The agent it works for; absent at the top.
    pub parent: Option<String>,
    pub first_call: u32,
    pub calls: u32,
    /// Of its prompts, as their provider counts them.
    pub prompt_tokens: u64,
    /// The weakest of its calls.
    pub basis: Basis,
    /// Of its largest prompt.
    pub largest_prompt: u32,
    /// US dollars of its calls, if all have a price.
    pub cost: Option<f64>,
    /// The share of its first prompt that stands in the prompt its parent had sent before, by our count; absent at the top.
    pub inherited_share: Option<f64>,
}

/// The agents of a session, in order of their first calls.
pub fn agent_branches(opened: &OpenedSession) -> Result<Vec<AgentBranch>, AppError> {
    let experiment = &opened.subject.experiment;
    let mut branches: Vec<AgentBranch> = Vec::new();
    let mut paths: BTreeMap<String, String> = BTreeMap::new();
    for paid in &opened.compiled.caches.calls {
        let bill = &paid.bill;
        let at = branches.iter().position(|branch| *branch.agent == *paid.agent).unwrap_or_else(|| {
            let invocation = experiment.call(paid.call).map(|call| &call.invocation);
            let path = invocation.and_then(|it| it.branch.clone()).unwrap_or_default();
            paths.insert(paid.agent.to_string(), path.to_string());
            branches.push(AgentBranch {
                agent: paid.agent.to_string(),
                parent: None,
                first_call: paid.call,
                calls: 0,
                prompt_tokens: 0,
                basis: Basis::Reported,
                largest_prompt: 0,
                cost: Some(0.0),
                inherited_share: None,
            });
            branches.len() - 1
        });
        let branch = &mut branches[at];
        branch.calls += 1;
        branch.prompt_tokens += u64::from(bill.prompt_tokens);
        branch.basis = branch.basis.max(bill.basis.into());
        branch.largest_prompt = branch.largest_prompt.max(bill.prompt_tokens);
        branch.cost = branch.cost.zip(bill.cost_usd()).map(|(sum, cost)| sum + cost);
    }
    for branch in &mut branches {
        let parent = parent_of(opened, &branch.agent, &paths);
        branch.inherited_share = match &parent {
            Some(parent) => inherited_share(opened, branch.first_call, parent)?,
            None => None,
        };
        branch.parent = parent;
    }
    Ok(branches)
}

/// The agent above it in its app, else that of the longest branch which its own goes on with.
fn parent_of(opened: &OpenedSession, agent: &str, paths: &BTreeMap<String, String>) -> Option<String> {
    let index = opened.subject.experiment.index();
    let above = index.find(agent).and_then(|id| index.parent(id)).map(|id| index.agent(id).name.to_string());
    if above.as_ref().is_some_and(|above| paths.contains_key(above)) {
        return above;
    }
    let own = paths.get(agent)?;
    let is_above = |(name, path): &(&String, &String)| {
        let goes_on = path.is_empty() || own.strip_prefix(&***path).is_some_and(|rest| rest.starts_with('.'));
        **name != *agent && own != *path && goes_on
    };
    let above = paths.iter().filter(is_above).max_by_key(|(_, path)| path.len());
    above.map(|(name, _)| name.clone())
}

/// What of the first prompt stood in the one that the parent had sent before.
fn inherited_share(opened: &OpenedSession, first: u32, parent: &str) -> Result<Option<f64>, AppError> {
    let OpenedSession { subject, tables, compiled, .. } = opened;
    let analysis = &compiled.analysis;
    let mut before = compiled.caches.calls.iter().filter(|call| call.call < first && *call.agent == *parent);
    let calls = (before.next_back().and_then(|call| analysis.call(call.call)), analysis.call(first));
    let (Some(before), Some(own)) = calls else { return Ok(None) };
    let scale = |call: &CallAnalysis| subject.scale(analysis, tables, call);
    let weigh = DeltaScale {
        before: SegmentScale::new(scale(before)?, &before.request),
        after: SegmentScale::new(scale(own)?, &own.request),
    };
    let (mut shared, mut all) = (0_u64, 0_u64);
    for delta in diff_requests(&before.request, &own.request) {
        let tokens = u64::from(weigh.tokens(&delta)[1]);
        all += tokens;
        if matches!(delta.change, Change::Unchanged | Change::Moved) {
            shared += tokens;
        }
    }
    Ok((all > 0).then(|| (shared as f64 / all as f64 * 1000.0).round() / 1000.0))
}
