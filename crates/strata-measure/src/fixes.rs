//! Edits that would make a session cheaper, each tried on all of its calls.
//!
//! Candidates come from what the prompts hold ([`candidates`]): a rule that sees no use for its processor proposes
//! nothing. A candidate is worth what [`try_fix`] measures, and nothing is estimated from its parts.

mod answers;
mod candidate;
mod contents;
mod instructions;
mod later_use;
mod schemas;
mod seen;
mod tools;

use std::cmp::Ordering;

use strata_model::{Origin, Severity};

pub use candidate::Candidate;

use seen::FixEvidence;
use strata_engine::{Catalog, Experiment};

use crate::analysis::{
    BilledCalls, CacheAnalysis, CacheFix, CallCache, Counting, Effect, FixKind, SessionAnalysis,
};
use crate::edited::edited;
use crate::findings::{Finding, FindingKind};
use crate::phrases::number;
use crate::prices::Prices;
use crate::tokens::Basis;

/// Cached tokens from which on losing them is worth a warning: no provider caches less.
const WORTH_LOSS: u64 = 1024;
/// And from this part of what is saved on (1/20, 5 %).
const WORTH_SHARE: u64 = 20;
/// US dollars below which nothing is saved where no tokens are.
const LEAST_DOLLARS: f64 = 0.0001;
/// What costs more for all that it saves has to leave this much of the prompts out (1/20, 5 %): somebody may want them
/// shorter.
const SHORTER_SHARE: i64 = 20;

/// The part of a loss that a change has to keep to be told beside it (1/10).
const LEAST_KEPT: i64 = 10;

/// A candidate after it was tried.
#[derive(Debug, Clone)]
pub struct Fix {
    pub candidate: Candidate,
    pub effect: Effect,
    /// Of the counts on both sides, the worse.
    pub basis: Basis,
    /// What it takes for granted and what it would cost beside tokens, a sentence each: cached tokens that are lost,
    /// things that answers use later.
    pub warnings: Vec<String>,
    /// Calls whose break is gone, and that lose less than half of what they lost without it.
    pub mends: Vec<u32>,
}

impl Fix {
    /// Whether it makes smaller, or mends, what a finding names.
    pub fn helps(&self, finding: &Finding) -> bool {
        let candidate = &self.candidate;
        let answers = candidate.codes.contains(&finding.code);
        let is_of = |call: u32| finding.calls.iter().any(|range| (range.first..=range.last).contains(&call));
        match finding.kind {
            FindingKind::Prefix => {
                let n_mended = self.mends.iter().filter(|call| is_of(**call)).count() as u64;
                n_mended > 0 && (answers || n_mended * 2 >= finding.n_calls())
            }
            FindingKind::Bloat => {
                let has_event =
                    finding.events.iter().any(|event| candidate.events.binary_search(event).is_ok());
                let has_tool = finding
                    .origins
                    .iter()
                    .any(|origin| matches!(origin, Origin::Tool { name } if candidate.tools.contains(name)));
                answers || has_event || has_tool
            }
            FindingKind::Loss | FindingKind::Trap => answers,
        }
    }

    /// Orders fixes by what they are worth, the best first: by money where it is known, then by tokens.
    pub fn by_worth(&self, other: &Self) -> Ordering {
        let dollars = |fix: &Self| fix.effect.saved_cost().unwrap_or(0.0);
        dollars(other)
            .total_cmp(&dollars(self))
            .then_with(|| other.effect.saved_tokens().cmp(&self.effect.saved_tokens()))
    }
}

/// The fixes that mend what a finding names, the one that saves most first.
pub fn helping<'f>(fixes: impl IntoIterator<Item = &'f Fix>, finding: &Finding) -> Vec<&'f Fix> {
    let mut helping: Vec<&Fix> = fixes.into_iter().filter(|fix| fix.helps(finding)).collect();
    helping.sort_by(|a, b| a.by_worth(b));
    helping
}

/// The change that keeps the most of what a finding says is lost, of those that are replayed without an edit: its own is
/// what the requests' code, or the app's, does otherwise. `None` where none keeps a part of it that is worth telling.
pub fn replayed<'f>(
    fixes: &'f [CacheFix],
    finding: &Finding,
    experiment: &Experiment,
) -> Option<&'f CacheFix> {
    let causes: &[&str] = match finding.code {
        "changing-system-text" => &["instruction_changed", "client_block"],
        "state-in-instruction" => &["state_in_instruction"],
        "artifact-list-changes" => &["artifact_list"],
        "tools-change" => &["tools_reordered"],
        "history-rewritten" => &["truncated_history"],
        "filter-shifts-every-turn" => &["filter_window"],
        _ => &[],
    };
    let call = experiment.call(finding.calls.first()?.first)?;
    let mends = |fix: &CacheFix| match fix.kind {
        FixKind::MarkPrompts { .. } => finding.code == "cache-not-asked",
        _ => fix.kind.causes().iter().any(|cause| causes.contains(cause)),
    };
    fixes.iter().find(|fix| {
        fix.agent == call.invocation.agent
            && mends(fix)
            && fix.saves_tokens.saturating_mul(LEAST_KEPT) >= finding.tokens() as i64
    })
}

/// What might help a session whose calls are all compiled, in no order of worth.
pub fn candidates(experiment: &Experiment, analysis: &SessionAnalysis) -> Vec<Candidate> {
    let seen = FixEvidence::in_prompts(experiment, analysis);
    let mut found = contents::candidates(&seen);
    found.extend(answers::candidates(&seen));
    found.extend(tools::candidates(&seen));
    found.extend(schemas::candidates(&seen));
    found.extend(instructions::candidates(&seen));
    found
}

/// Lays a candidate's edits over a session and compiles all of its calls. `None` where it saves nothing worth it: no
/// tokens and less than [`LEAST_DOLLARS`], or, where it costs more, less than one part in [`SHORTER_SHARE`] of the
/// prompts; and where its edits do not fit.
pub fn try_fix(
    candidate: Candidate,
    experiment: &Experiment,
    before: BilledCalls<'_>,
    (counting, prices, catalog): (&Counting, &Prices, &Catalog),
) -> Option<Fix> {
    let edited = edited(experiment, &candidate.edits, catalog, counting);
    if edited.notes.iter().any(|note| note.severity == Severity::Error) {
        return None;
    }
    let analysis = before.analysis;
    let mut after = analysis.sharing();
    while after.step(&edited.experiment, counting) {}
    after.compiler().end_trial();
    let caches = CacheAnalysis::of_edited(&edited.experiment, &after, before, analysis.rules(), prices);
    let effect = Effect::of(before, BilledCalls { analysis: &after, caches: &caches });
    let (was, is) = (&effect.before.bill, &effect.after.bill);
    let saves_money = match (was.cost_usd(), is.cost_usd()) {
        (Some(was), Some(is)) => was - is >= LEAST_DOLLARS,
        _ => is.fresh_tokens() < was.fresh_tokens(),
    };
    let costs_more = was.cost_usd().zip(is.cost_usd()).is_some_and(|(was, is)| is > was);
    let least = if costs_more { (was.prompt_tokens as i64 / SHORTER_SHARE).max(1) } else { 1 };
    if effect.calls_changed == 0 || (effect.saved_tokens() < least && !saves_money) {
        return None;
    }
    let basis = after.calls().iter().chain(analysis.calls()).map(|call| call.total.basis).max();
    let mut warnings = candidate.assumptions.clone();
    warnings.extend(prefix_warnings(&effect));
    warnings.extend(later_use::warnings(experiment, analysis, &after));
    warnings.extend(edited.notes.into_iter().map(|note| note.message));
    let mends = mended(before.caches, &caches);
    Some(Fix { candidate, effect, basis: basis.unwrap_or(Basis::Exact), warnings, mends })
}

/// Calls that lose less than half of what they lost, and do not break as they did: a break that only costs less, as every
/// one does in a shorter prompt, is still there.
fn mended(before: &CacheAnalysis, after: &CacheAnalysis) -> Vec<u32> {
    let lost = |call: &CallCache| call.broken().map_or(0, |loss| loss.tokens);
    let broken =
        |call: &CallCache| call.broken().map(|loss| (loss.cause.code(), section(&loss.path).to_owned()));
    let is_mended = |(was, is): &(&CallCache, &CallCache)| {
        lost(is) * 2 < lost(was) && broken(is).is_none_or(|break_now| Some(break_now) != broken(was))
    };
    let pairs = before.calls.iter().zip(&after.calls);
    pairs.filter(is_mended).map(|(was, _)| was.call).collect()
}

/// What a path begins with: `sys`, `tool`; nothing for contents, which have numbers.
fn section(path: &str) -> &str {
    let first = path.split('.').next().unwrap_or_default();
    if first.bytes().all(|byte| byte.is_ascii_digit()) { "" } else { first }
}

fn prefix_warnings(effect: &Effect) -> Vec<String> {
    let mut warnings = Vec::new();
    let more = effect.after.lost_tokens.saturating_sub(effect.before.lost_tokens);
    let saved = u64::try_from(effect.saved_tokens()).unwrap_or(0);
    if more >= WORTH_LOSS && more.saturating_mul(WORTH_SHARE) >= saved {
        let tokens = number(more);
        warnings.push(format!(
            "It changes what was sent before: {tokens} tokens more are paid in full that a cache could have held."
        ));
    }
    if let (Some(before), Some(after)) = (effect.before.bill.cost_usd(), effect.after.bill.cost_usd())
        && after > before
    {
        warnings.push(format!(
            "It costs more for all that: less of the prompts is cached, and the session's price goes from ${before:.4} to ${after:.4}."
        ));
    }
    warnings
}
