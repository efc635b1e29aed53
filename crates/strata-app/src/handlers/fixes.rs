//! Findings with what would help, tried on the whole session.

use std::sync::Arc;

use strata_engine::{Edit, FlowEdit};
use strata_measure::analysis::BilledCalls;
use strata_measure::findings::Finding;
use strata_measure::fixes::{self, Fix};
use strata_measure::remedies::{Aim, remedy};
use strata_model::Origin;
use strata_store::ExperimentId;

use super::compare::effect_row;
use super::{experiment, findings, promises};
use crate::Strata;
use crate::api::common::Basis;
use crate::api::experiment::ExperimentDetail;
use crate::api::finding::{Apply, BloatRow, FindingList, FixRow, FixableFinding, List};
use crate::command::Handler;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::show::words;
use crate::tables::Tables;

/// Sources that are listed.
const MAX_BLOAT: usize = 20;
/// Lifetime tokens from which on a source is worth a row.
const WORTH_TOKENS: u64 = 500;

impl Handler for List {
    fn run(self, strata: &Strata) -> Result<FindingList, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let (fixes, is_complete) = strata.sessions.fixes(&open);
        let analysis = open.analysis();
        let caches = open.caches(&analysis, &strata.tables)?;
        let found = open.findings(&analysis, &strata.tables);
        let rows = found.iter().map(|finding| fixable(&open, finding, &fixes, &strata.tables));
        Ok(FindingList {
            is_complete,
            writer: open.writer().name().map(str::to_owned),
            rows: rows.collect(),
            bloat: bloat(&open, BilledCalls { analysis: &analysis, caches: &caches }, &fixes, &strata.tables),
        })
    }
}

impl Handler for Apply {
    fn run(self, strata: &Strata) -> Result<ExperimentDetail, AppError> {
        let made = if let Some(id) = ExperimentId::parse(&self.session) {
            let (_, known) = experiment::entry(strata, &self.session)?;
            experiment::add(strata, id, known.n_applied, &self.edits)?
        } else {
            let session = experiment::recorded_session(strata, &self.session)?;
            let texts = self.edits.iter().map(experiment::text).collect::<Result<Vec<_>, _>>()?;
            experiment::create(strata, &session, Some(self.title.clone()), &texts)?
        };
        if let Some(promised) = self.promised {
            promises::keep(strata, &made, self.title, self.edits.len(), promised)?;
        }
        Ok(made)
    }
}

fn fixable(open: &OpenSession, finding: &Finding, fixes: &[Arc<Fix>], tables: &Tables) -> FixableFinding {
    let helping = fixes::helping(fixes.iter().map(|fix| &**fix), finding);
    FixableFinding {
        finding: findings::row(open, finding, tables),
        fixes: helping.into_iter().map(|fix| fix_row(open, fix)).collect(),
    }
}

fn fix_row(open: &OpenSession, fix: &Fix) -> FixRow {
    let effect = &fix.effect;
    FixRow {
        title: fix.candidate.title.clone(),
        edits: fix.candidate.edits.clone(),
        saves_tokens: effect.saved_tokens() as f64,
        saves_usd: effect.saved_cost(),
        basis: fix.basis.into(),
        effect: effect_row(effect, &open.experiment),
        remedy: Aim::of_edits(&fix.candidate.edits)
            .and_then(|aim| remedy(open.writer(), &aim))
            .map(Into::into),
        warnings: fix.warnings.clone(),
    }
}

/// The sources whose tokens are carried the most.
fn bloat(open: &OpenSession, billed: BilledCalls<'_>, fixes: &[Arc<Fix>], tables: &Tables) -> Vec<BloatRow> {
    let analysis = billed.analysis;
    let rates = billed.rates(&tables.prices);
    let sums = analysis.ledger().sums_by(&rates, |piece| Source::of(&piece.origin));
    let mut sums: Vec<_> = sums.into_iter().filter(|(_, sum)| sum.usage.lifetime >= WORTH_TOKENS).collect();
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.usage.lifetime));
    let basis = analysis.calls().iter().map(|call| call.total.basis).max();
    let basis = basis.map_or(Basis::Exact, Basis::from);
    sums.into_iter()
        .take(MAX_BLOAT)
        .map(|(source, sum)| {
            let mut helps: Vec<&Arc<Fix>> = fixes.iter().filter(|fix| source.is_helped_by(fix)).collect();
            helps.sort_by(|a, b| a.by_worth(b));
            BloatRow {
                address: source.address(),
                name: source.name(open),
                tokens: sum.tokens,
                basis,
                calls: sum.usage.calls,
                lifetime_tokens: sum.usage.lifetime as f64,
                cost_usd: sum.cost_usd,
                fixes: helps.into_iter().map(|fix| fix_row(open, fix)).collect(),
            }
        })
        .collect()
}

/// What tokens are summed up by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Event(strata_model::EventIndex),
    Tool(strata_model::Str),
    Instruction(strata_model::Str),
    State(strata_model::Str),
}

impl Source {
    fn of(origin: &Origin) -> Option<Self> {
        if let Some(event) = origin.event() {
            return Some(Self::Event(event));
        }
        match origin {
            Origin::Tool { name } => Some(Self::Tool(name.clone())),
            Origin::Instruction { agent, .. } => Some(Self::Instruction(agent.clone())),
            Origin::State { key } => Some(Self::State(key.clone())),
            _ => None,
        }
    }

    fn address(&self) -> String {
        match self {
            Self::Event(event) => format!("E{}", event.number()),
            Self::Tool(name) => format!("tool.{name}"),
            Self::Instruction(agent) => format!("agent.{agent}"),
            Self::State(key) => format!("state.{key}"),
        }
    }

    fn name(&self, open: &OpenSession) -> String {
        match self {
            Self::Event(event) => {
                let tools = open.events().facts().get(event.as_usize()).map(|facts| facts.tools.clone());
                let tools = tools.unwrap_or_default();
                if tools.is_empty() {
                    let origin = Origin::Event { event: *event, part: 0 };
                    return words::source(&origin, open.experiment.log());
                }
                format!("E{} {}", event.number(), tools.join(", "))
            }
            Self::Tool(name) => format!("declaration of {name}"),
            Self::Instruction(agent) => format!("instruction of {agent}"),
            Self::State(key) => format!("state.{key}"),
        }
    }

    fn is_helped_by(&self, fix: &Fix) -> bool {
        let candidate = &fix.candidate;
        match self {
            Self::Event(event) => candidate.events.contains(event),
            Self::Tool(name) => candidate.tools.contains(name),
            Self::Instruction(agent) => candidate.agent.as_ref() == Some(agent),
            Self::State(key) => candidate
                .edits
                .iter()
                .any(|edit| matches!(edit, Edit::Flow(FlowEdit::StateMap { key: set, .. }) if set == key)),
        }
    }
}
