//! Questions about money and caches.

use strata_measure::analysis::{CacheAnalysis, CallCache, SessionAnalysis};

use super::words::{percent, said};
use crate::api::palette::Answer;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::show::breaks;
use crate::show::words::{counted, whole};
use crate::tables::Tables;

/// Calls that an answer names.
const NAMED: usize = 3;

fn usd(cost: f64) -> String {
    if cost >= 1.0 { format!("${cost:.2}") } else { format!("${cost:.4}") }
}

pub(super) fn dearest_calls(caches: &CacheAnalysis) -> Answer {
    let mut calls: Vec<&CallCache> = caches.calls.iter().filter(|call| !call.bill.is_unpaid).collect();
    if calls.is_empty() {
        return said("No call is known to have been paid for.");
    }
    let paid = |call: &CallCache| call.bill.prompt_tokens.saturating_sub(call.bill.cached_tokens);
    calls.sort_by(|a, b| {
        let cost = |call: &CallCache| call.bill.cost_usd().unwrap_or(0.0);
        cost(b).total_cmp(&cost(a)).then(paid(b).cmp(&paid(a)))
    });
    let named = calls.iter().take(NAMED).map(|call| {
        let price = call.bill.cost_usd().map_or(String::new(), |cost| format!(" {}", usd(cost)));
        format!("C{}{price}, {} tokens in full", call.call, whole(paid(call)))
    });
    Answer { address: Some(format!("C{}", calls[0].call)), ..said(named.collect::<Vec<_>>().join("; ")) }
}

/// Why a call missed, and what that cost.
pub(super) fn why_missed(open: &OpenSession, caches: &CacheAnalysis, cursor: u32) -> Answer {
    let Some(call) = caches.call(cursor) else { return said(format!("C{cursor} is not compiled yet.")) };
    let address = Some(format!("C{cursor}"));
    let Some(found) = breaks::prefix_break(&open.experiment, call) else {
        let (cached, all) = (whole(call.bill.cached_tokens), whole(call.bill.prompt_tokens));
        let text = format!("C{cursor} lost nothing: {cached} of {all} tokens were cached");
        return Answer { address, ..said(text) };
    };
    let cost = found.cost_usd.map_or(String::new(), |cost| format!(", {}", usd(cost)));
    let text = format!(
        "C{cursor} at token {}: {}. {} tokens billed again{cost}",
        whole(found.at_token),
        found.cause,
        whole(found.rebilled_tokens)
    );
    Answer { address, ..said(text) }
}

pub(super) fn avoidable_breaks(open: &OpenSession, caches: &CacheAnalysis) -> Answer {
    let losses = caches.losses();
    let avoidable: Vec<_> = losses.iter().filter(|(_, loss)| loss.cause.is_avoidable()).collect();
    let others = losses.len() - avoidable.len();
    let others = match others {
        0 => String::new(),
        n => format!("; {} cannot be avoided", counted(n, "other")),
    };
    let Some((dearest, _)) = avoidable.first() else {
        return said(match losses.len() {
            0 => "No call lost anything that a cache could have kept.".to_owned(),
            n => format!("None of {} could have been avoided.", counted(n, "cache loss")),
        });
    };
    let named = avoidable.iter().take(NAMED).map(|(call, loss)| {
        let cost = loss.cost_usd.map_or(String::new(), |cost| format!(", {}", usd(cost)));
        let cause = loss.cause.sentence(&open.experiment);
        format!("C{} ({} tokens{cost}): {cause}", call.call, whole(loss.tokens))
    });
    let text = format!(
        "{} of {}: {}{others}",
        avoidable.len(),
        counted(losses.len(), "cache loss"),
        named.collect::<Vec<_>>().join("; ")
    );
    Answer { address: Some(format!("C{}", dearest.call)), ..said(text) }
}

/// How much of the prompts stands unchanged at the beginning of the next ones.
pub(super) fn stable_share(caches: &CacheAnalysis) -> Answer {
    let is_later = |call: &&CallCache| call.call != call.lineage && !call.bill.is_unpaid;
    let later: Vec<&CallCache> = caches.calls.iter().filter(is_later).collect();
    let share = |call: &CallCache| {
        f64::from(call.prediction.matched_ever) / f64::from(call.bill.prompt_tokens.max(1))
    };
    let Some(least) = later.iter().min_by(|a, b| share(a).total_cmp(&share(b))) else {
        return said("No agent was called twice, so no prompt could begin like an earlier one.");
    };
    let (same, all) = later.iter().fold((0, 0), |(same, all), call| {
        (same + u64::from(call.prediction.matched_ever), all + u64::from(call.bill.prompt_tokens))
    });
    let text = format!(
        "{} of the prompt tokens behind the first call of each agent were sent before, in the same place; least in C{}, {}",
        percent(same as f64 / all.max(1) as f64),
        least.call,
        percent(share(least))
    );
    Answer { address: Some(format!("C{}", least.call)), ..said(text) }
}

/// The change that saves most over all calls.
pub(super) fn best_fix(
    open: &OpenSession,
    analysis: &SessionAnalysis,
    tables: &Tables,
) -> Result<Answer, AppError> {
    let Some(fixes) = open.cache_fixes(analysis, tables)? else {
        return Ok(said("Not all calls are compiled yet; changes are tried on all of them."));
    };
    let saved = |fix: &&strata_measure::analysis::CacheFix| (fix.saves_cost.unwrap_or(0.0), fix.saves_tokens);
    let best = fixes.iter().max_by(|a, b| {
        let ((cost_a, tokens_a), (cost_b, tokens_b)) = (saved(a), saved(b));
        cost_a.total_cmp(&cost_b).then(tokens_a.cmp(&tokens_b))
    });
    let Some(best) = best.filter(|best| best.saves_tokens > 0) else {
        return Ok(said("No change that Strata knows would keep more in the cache."));
    };
    let cost = best.saves_cost.map_or(String::new(), |cost| format!(" and {}", usd(cost)));
    Ok(said(format!(
        "{}: saves {} tokens{cost} over all calls",
        crate::show::words::typographic(&best.title),
        whole(best.saves_tokens)
    )))
}

/// Whether prompts are too short to be cached at all.
pub(super) fn below_minimum(analysis: &SessionAnalysis, caches: &CacheAnalysis) -> Answer {
    let minimum = |call: &CallCache| {
        analysis
            .call(call.call)
            .map_or(0, |analysed| analysis.rules().of_model(&analysed.sent_to).minimum_tokens())
    };
    let short: Vec<(u32, u32)> = caches
        .calls
        .iter()
        .map(|call| (call, minimum(call)))
        .filter(|(call, minimum)| call.bill.prompt_tokens < *minimum)
        .map(|(call, minimum)| (call.call, minimum))
        .collect();
    let Some((first, minimum)) = short.first() else {
        return said("No: every prompt is long enough for its provider's cache.");
    };
    let text = format!(
        "{} of {} are shorter than what is cached at least: C{first} is the first, {} tokens are needed",
        short.len(),
        counted(caches.calls.len(), "prompt"),
        whole(*minimum)
    );
    Answer { address: Some(format!("C{first}")), ..said(text) }
}
