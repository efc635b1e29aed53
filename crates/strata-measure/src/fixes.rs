//! Edits that would make a session cheaper, each tried on all of its calls.
//!
//! Candidates come from what the prompts hold ([`candidates`]): a rule that sees no use for its processor proposes
//! nothing. A candidate is worth what [`try_fix`] measures, and nothing is estimated from its parts.

mod answers;
mod candidate;
mod contents;
mod instructions;
mod later_use;
mod seen;
mod tools;

use strata_model::Severity;

pub use candidate::Candidate;
pub(crate) use tools::CalledTools;

use seen::FixEvidence;
use strata_engine::{Catalog, Experiment};

use crate::analysis::{BilledCalls, CacheAnalysis, Counting, Effect, SessionAnalysis};
use crate::edited::edited;
use crate::prices::Prices;
use crate::tokens::Basis;

/// A candidate after it was tried.
#[derive(Debug, Clone)]
pub struct Fix {
    pub candidate: Candidate,
    pub effect: Effect,
    /// Of the counts on both sides, the worse.
    pub basis: Basis,
    /// What it would cost beside tokens, a sentence each: prefixes that break, things that answers use later.
    pub warnings: Vec<String>,
}

/// What might help a session whose calls are all compiled, in no order of worth.
pub fn candidates(experiment: &Experiment, analysis: &SessionAnalysis) -> Vec<Candidate> {
    let seen = FixEvidence::in_prompts(experiment, analysis);
    let mut found = contents::candidates(&seen);
    found.extend(answers::candidates(&seen));
    found.extend(tools::candidates(&seen));
    found.extend(instructions::candidates(&seen));
    found
}

/// Lays a candidate's edits over a session and compiles all of its calls. `None` where it saves nothing, neither
/// tokens nor money, or where its edits do not fit.
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
    let caches = CacheAnalysis::of_edited(&edited.experiment, &after, before, analysis.rules(), prices);
    let effect = Effect::of(before, BilledCalls { analysis: &after, caches: &caches });
    let (was, is) = (&effect.before.bill, &effect.after.bill);
    let saves_money = match (was.cost_usd(), is.cost_usd()) {
        (Some(was), Some(is)) => is < was,
        _ => is.fresh_tokens() < was.fresh_tokens(),
    };
    if effect.calls_changed == 0 || (effect.saved_tokens() <= 0 && !saves_money) {
        return None;
    }
    let basis = after.calls().iter().chain(analysis.calls()).map(|call| call.total.basis).max();
    let mut warnings = prefix_warnings(&effect);
    warnings.extend(later_use::warnings(experiment, analysis, &after));
    warnings.extend(edited.notes.into_iter().map(|note| note.message));
    Some(Fix { candidate, effect, basis: basis.unwrap_or(Basis::Exact), warnings })
}

fn prefix_warnings(effect: &Effect) -> Vec<String> {
    let mut warnings = Vec::new();
    let more = effect.after.breaks.saturating_sub(effect.before.breaks);
    if more > 0 {
        let calls = if more == 1 { "1 more call".to_owned() } else { format!("{more} more calls") };
        warnings.push(format!("It changes what was sent before: the prefix breaks in {calls}."));
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
