//! `strata tokens`: what everything cost over a whole session.

use std::collections::BTreeMap;

use serde::Serialize;
use strata_engine::EventLog;
use strata_measure::analysis::{
    self, BillTotals, CallAnalysis, CallCache, CallRates, LedgerSum, Piece, SessionAnalysis,
};
use strata_measure::tokens as counts;
use strata_model::Origin;

use super::app::AppReport;
use super::calibration::CalibrationUsed;
use super::diagnostic::FileDiagnostic;
use super::evidence::EvidenceReport;
use super::opened::OpenedSession;
use super::source::{Source, Subject};
use super::{VERSION, Watch, origin};
use crate::api::common::{Basis, Bill, Kind, RequestBasis};
use crate::error::AppError;
use crate::open::EventTable;
use crate::show::words;

/// The document of `strata tokens`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokensReport {
    pub version: u32,
    pub session: String,
    /// Of the session.
    pub title: String,
    pub app: AppReport,
    /// What all calls come to. Parts, overhead and hidden context less what is counted too much are its prompts; their
    /// costs and that of the answers are its cost.
    pub bill: Bill,
    /// Of all prompts, our count.
    pub total: u64,
    pub basis: Basis,
    /// How counts are corrected, by model: what they are worth, held out.
    pub calibrations: Vec<CalibrationUsed>,
    /// Message framing and the like, which no part holds.
    pub overhead: u64,
    pub overhead_cost: Option<f64>,
    pub calls: Vec<CallTokens>,
    /// What providers report and the file does not show; absent where nothing is reported. It is in none of the parts.
    pub hidden: Option<HiddenTokens>,
    /// The costliest first.
    pub parts: Vec<PartTokens>,
    /// In order of their first call.
    pub agents: Vec<AgentTokens>,
    /// In the order in which kinds are shown.
    pub kinds: Vec<KindTotal>,
    /// Declarations, calls and results of each tool, the costliest first.
    pub tools: Vec<ToolTokens>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// A call's prompt.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallTokens {
    pub call: u32,
    pub agent: String,
    /// The one that answered, as prices and caches go by; the one that was asked where nothing says.
    pub model: String,
    /// Whether anything is recorded of what came back. If not, nothing of the call is in sums of caches and costs.
    pub answered: bool,
    pub tokens: u32,
    /// Whether that is of what was really sent or of what was compiled.
    pub request_basis: RequestBasis,
    /// What that is known from.
    pub evidence: EvidenceReport,
    /// The prompt as the provider counts it: reported, or predicted where it is not; `promptBasis` says which.
    pub prompt_tokens: u32,
    pub prompt_basis: Basis,
    /// Of these, read from the provider's cache: reported, or predicted.
    pub cached_tokens: u32,
    /// Input tokens as the provider reported them for this very request.
    pub reported: Option<u64>,
    /// Reported less our count; negative where we count too much.
    pub residual: Option<i64>,
    /// What of the prompt the session does not show: the residual, or 0. It is in none of the parts. After an edit it is
    /// what it was before; of a call without a report, that of the one it goes on from.
    pub hidden: Option<u64>,
    /// Of our count.
    pub basis: Basis,
    /// The prefix match: tokens that the prompt shares with that of the call before it in its lineage, whatever a cache
    /// made of them.
    pub stable_prefix: u32,
    /// Of the reported input, tokens read from the provider's cache.
    pub reported_cached: Option<u64>,
    /// US dollars, the answer included.
    pub cost: Option<f64>,
}

/// Reported input less our count: system prompts, tools and whatever else a file leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HiddenTokens {
    /// Calls that carried some.
    pub calls: u32,
    /// In the last call that carried some.
    pub tokens: u64,
    /// Over all calls that carried some.
    pub lifetime_tokens: u64,
    /// By which our count is above the report, over all other calls: how far an estimate, or a prompt that was cut
    /// before it was sent, is off. It is not set against what is hidden.
    pub overcounted_tokens: u64,
    /// US dollars of its calls.
    pub cost: Option<f64>,
    /// The worse of the two counts it is the difference of.
    pub basis: Basis,
}

impl HiddenTokens {
    fn of(calls: &[CallTokens], bill: &BillTotals) -> Option<Self> {
        let basis = calls.iter().filter(|call| call.hidden.is_some()).map(|call| call.basis).max()?;
        let hidden: Vec<u64> =
            calls.iter().filter_map(|call| call.hidden).filter(|tokens| *tokens > 0).collect();
        Some(Self {
            calls: hidden.len() as u32,
            tokens: hidden.last().copied().unwrap_or(0),
            lifetime_tokens: bill.hidden_tokens,
            overcounted_tokens: bill.overcounted_tokens,
            cost: bill.cost.map(|cost| cost.hidden),
            basis,
        })
    }
}

/// Everything of one kind that has one source.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartTokens {
    pub origin: String,
    pub kind: Kind,
    /// In the last call that carried it.
    pub tokens: u32,
    /// Calls that carried it.
    pub calls: u32,
    pub lifetime_tokens: u64,
    /// Of these, tokens that were not in the prefix match: not in what the call before of the lineage sent.
    pub fresh_tokens: u64,
    /// The prefix match.
    pub cached_tokens: u64,
    /// US dollars, if all models have a price: a share of what the calls cost that carried it, tokens of the prefix
    /// match at the price of what is read from a cache.
    pub cost: Option<f64>,
    /// The origin as people call it.
    pub from: String,
    /// One line of it, for events.
    pub text: String,
    pub first_call: u32,
    pub last_call: u32,
}

/// All calls of an agent.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentTokens {
    pub agent: String,
    pub calls: u32,
    pub tokens: u64,
    pub stable_prefix: u64,
    pub reported: Option<u64>,
    /// Over all its calls, those that we count too much of included.
    pub residual: Option<i64>,
    /// What its session does not show of its calls.
    pub hidden: u64,
}

/// All tokens of a kind, over all calls.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KindTotal {
    pub kind: Kind,
    pub lifetime_tokens: u64,
}

/// What a tool put into prompts.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolTokens {
    pub tool: String,
    /// Of its declaration.
    pub declaration_tokens: u64,
    pub call_tokens: u64,
    pub result_tokens: u64,
    pub lifetime_tokens: u64,
    pub cost: Option<f64>,
}

/// Weighs all calls of a source's only session, or of the one called `session`.
pub fn tokens(source: &Source, session: Option<&str>, watch: &dyn Watch) -> Result<TokensReport, AppError> {
    Ok(tokens_of(&OpenedSession::read(source, session, watch)?))
}

/// Weighs all calls of a session that is open.
pub fn tokens_of(opened: &OpenedSession) -> TokensReport {
    let OpenedSession { subject, tables, compiled, diagnostics } = opened;
    let analysis = &compiled.analysis;
    let rates = compiled.billed().rates(&tables.prices);
    let paid = analysis.calls().iter().zip(&compiled.caches.calls);
    let calls: Vec<CallTokens> = paid.map(|(call, paid)| call_tokens(subject, call, paid)).collect();
    let bill = compiled.caches.bill();
    let parts = parts(subject, analysis, &rates);
    TokensReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        app: (&subject.app).into(),
        total: bill.counted_tokens,
        basis: bill.counted_basis.into(),
        calibrations: analysis.tokenizers().filter_map(CalibrationUsed::of).collect(),
        overhead_cost: overhead_cost(&bill, &parts),
        bill: bill.into(),
        overhead: analysis.calls().iter().map(|call| u64::from(call.overhead)).sum(),
        agents: agents(&calls),
        hidden: HiddenTokens::of(&calls, &bill),
        calls,
        parts,
        kinds: kinds(analysis),
        tools: tools(subject.experiment.log(), analysis, &rates),
        diagnostics: diagnostics.clone(),
    }
}

fn call_tokens(subject: &Subject, call: &CallAnalysis, paid: &CallCache) -> CallTokens {
    let recorded = subject.experiment.call(call.number);
    let bill = &paid.bill;
    let is_reported = bill.basis == counts::Basis::Reported;
    let reported = is_reported.then_some(u64::from(bill.prompt_tokens));
    let is_known = matches!(bill.basis, counts::Basis::Reported | counts::Basis::Calibrated);
    CallTokens {
        call: call.number,
        agent: recorded.map_or(String::new(), |recorded| recorded.invocation.agent.to_string()),
        model: call.sent_to.to_string(),
        answered: recorded.is_none_or(|recorded| recorded.is_answered),
        tokens: call.total.tokens,
        request_basis: RequestBasis::of(&subject.experiment, call),
        evidence: subject.evidence(call),
        reported,
        residual: reported.map(|reported| residual(reported, call.total.tokens.into())),
        hidden: is_known.then_some(bill.hidden_tokens().into()),
        basis: call.total.basis.into(),
        stable_prefix: call.matched.tokens,
        reported_cached: bill.is_cache_reported.then_some(bill.cached_tokens.into()),
        prompt_tokens: bill.prompt_tokens,
        prompt_basis: bill.basis.into(),
        cached_tokens: bill.cached_tokens,
        cost: bill.cost_usd(),
    }
}

/// What of the cost of what is known of the prompts no part has.
fn overhead_cost(bill: &BillTotals, parts: &[PartTokens]) -> Option<f64> {
    let of_parts = parts.iter().map(|part| part.cost).sum::<Option<f64>>()?;
    Some((bill.cost?.known - of_parts).max(0.0))
}

fn residual(reported: u64, counted: u64) -> i64 {
    i64::try_from(reported).unwrap_or(i64::MAX).saturating_sub(counted as i64)
}

fn agents(calls: &[CallTokens]) -> Vec<AgentTokens> {
    let mut agents: Vec<AgentTokens> = Vec::new();
    for call in calls {
        let at = agents.iter().position(|agent| agent.agent == call.agent).unwrap_or_else(|| {
            agents.push(AgentTokens {
                agent: call.agent.clone(),
                calls: 0,
                tokens: 0,
                stable_prefix: 0,
                reported: None,
                residual: None,
                hidden: 0,
            });
            agents.len() - 1
        });
        let agent = &mut agents[at];
        agent.calls += 1;
        agent.tokens += u64::from(call.tokens);
        agent.stable_prefix += u64::from(call.stable_prefix);
        agent.hidden = agent.hidden.saturating_add(call.hidden.unwrap_or(0));
        if let (Some(reported), Some(residual)) = (call.reported, call.residual) {
            agent.reported = Some(agent.reported.unwrap_or(0).saturating_add(reported));
            agent.residual = Some(agent.residual.unwrap_or(0).saturating_add(residual));
        }
    }
    agents
}

fn kinds(analysis: &SessionAnalysis) -> Vec<KindTotal> {
    let total = |kind: analysis::Kind| KindTotal {
        kind: kind.into(),
        lifetime_tokens: analysis.calls().iter().map(|call| u64::from(call.by_kind[kind as usize])).sum(),
    };
    analysis::Kind::ALL.into_iter().map(total).filter(|kind| kind.lifetime_tokens > 0).collect()
}

fn parts(subject: &Subject, analysis: &SessionAnalysis, rates: &CallRates) -> Vec<PartTokens> {
    let log = subject.experiment.log();
    let events = EventTable::of(&subject.experiment);
    let key = |piece: &Piece| (origin::text(&piece.origin), piece.kind, origin::from(&piece.origin, log));
    let sums: BTreeMap<_, LedgerSum> = analysis.ledger().sums_by(rates, |piece| Some(key(piece)));
    let text = |origin: &str| {
        let number: Option<usize> = origin.strip_prefix('E').and_then(|number| number.parse().ok());
        let facts = number.and_then(|number| events.facts().get(number.checked_sub(1)?));
        facts.map_or(String::new(), |facts| match &facts.tools[..] {
            [] => facts.what.clone(),
            tools => format!("{} {}", words::listed(tools), facts.what),
        })
    };
    let mut parts: Vec<PartTokens> = sums
        .into_iter()
        .map(|((origin, kind, from), sum)| PartTokens {
            text: text(&origin),
            origin,
            kind: kind.into(),
            tokens: sum.tokens,
            calls: sum.usage.calls,
            lifetime_tokens: sum.usage.lifetime,
            fresh_tokens: sum.usage.lifetime - sum.usage.matched,
            cached_tokens: sum.usage.matched,
            cost: sum.cost_usd,
            from,
            first_call: sum.usage.first_call,
            last_call: sum.usage.last_call,
        })
        .collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.lifetime_tokens));
    parts
}

/// What a piece is to a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ToolPart {
    Declaration,
    Call,
    Result,
}

fn tools(log: &EventLog, analysis: &SessionAnalysis, rates: &CallRates) -> Vec<ToolTokens> {
    let sums = analysis.ledger().sums_by(rates, |piece| tool_part(log, piece));
    let mut tools: Vec<ToolTokens> = Vec::new();
    for ((tool, part), sum) in sums {
        if tools.last().is_none_or(|last| last.tool != tool) {
            tools.push(ToolTokens {
                tool,
                declaration_tokens: 0,
                call_tokens: 0,
                result_tokens: 0,
                lifetime_tokens: 0,
                cost: Some(0.0),
            });
        }
        let Some(of_tool) = tools.last_mut() else { continue };
        let lifetime = sum.usage.lifetime;
        *match part {
            ToolPart::Declaration => &mut of_tool.declaration_tokens,
            ToolPart::Call => &mut of_tool.call_tokens,
            ToolPart::Result => &mut of_tool.result_tokens,
        } += lifetime;
        of_tool.lifetime_tokens += lifetime;
        of_tool.cost = of_tool.cost.zip(sum.cost_usd).map(|(cost, more)| cost + more);
    }
    tools.sort_by_key(|tool| std::cmp::Reverse(tool.lifetime_tokens));
    tools
}

fn tool_part(log: &EventLog, piece: &Piece) -> Option<(String, ToolPart)> {
    match &piece.origin {
        Origin::Tool { name } => Some((name.to_string(), ToolPart::Declaration)),
        Origin::Event { event, part } => {
            let event = &log.get(*event)?.event;
            let part = event.parts().get(usize::from(*part))?;
            if let Some(call) = &part.function_call {
                return Some((call.name.as_deref()?.to_owned(), ToolPart::Call));
            }
            let response = part.function_response.as_ref()?;
            Some((response.name.as_deref()?.to_owned(), ToolPart::Result))
        }
        _ => None,
    }
}

impl TokensReport {
    /// Input tokens reported for the calls that have a report, how many these are, and how many our count lacks.
    pub fn reported(&self) -> Option<(u64, usize, i64)> {
        let reported: Vec<(u64, i64)> =
            self.calls.iter().filter_map(|call| call.reported.zip(call.residual)).collect();
        let input = reported.iter().fold(0_u64, |sum, (reported, _)| sum.saturating_add(*reported));
        let residual = reported.iter().fold(0_i64, |sum, (_, residual)| sum.saturating_add(*residual));
        (!reported.is_empty()).then_some((input, reported.len(), residual))
    }
}
