//! Questions about what other settings and edits do.

use super::words::{percent, said};
use crate::Strata;
use crate::api::experiment::Compare;
use crate::api::lab::{OfflineSummaries, Plan};
use crate::api::palette::Answer;
use crate::command::Handler as _;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::show::words::{counted, whole};

/// The configuration that the question names, in the Lab's words.
const TRIED: &str = "interval=8,overlap=2";

/// What compaction would do to the session, beside none.
pub(super) fn compaction(strata: &Strata, session: &str) -> Result<Answer, AppError> {
    let plan = Plan {
        session: session.to_owned(),
        config: TRIED.to_owned(),
        prompt: None,
        summaries: OfflineSummaries::Sized,
    };
    let replay = plan.run(strata)?;
    let (with, without, recorded) = (&replay.bill, &replay.unchanged, &replay.recorded);
    let change = (with.prompt_tokens - without.prompt_tokens) / without.prompt_tokens.max(1.0);
    let cost = with.cost_usd.zip(without.cost_usd).map_or(String::new(), |(with, without)| {
        format!(", ${with:.2} with the summaries instead of ${without:.2}")
    });
    let recorded_cost =
        recorded.cost_usd.map_or(String::new(), |cost| format!(", ${cost:.2} with its own summaries"));
    Ok(said(format!(
        "Every 8 turns with an overlap of 2: {} would be written; {} prompt tokens instead of {} without any ({}){cost}; as it was recorded: {}{recorded_cost}",
        counted(with.compactions as usize, "summary"),
        whole(with.prompt_tokens as i64),
        whole(without.prompt_tokens as i64),
        signed_percent(change),
        whole(recorded.prompt_tokens as i64)
    )))
}

fn signed_percent(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "−" };
    format!("{sign}{}", percent(share.abs()))
}

/// What the edits of the shown experiment change, over all calls.
pub(super) fn effect(strata: &Strata, open: &OpenSession) -> Result<Answer, AppError> {
    let Some(edits) = &open.edits else {
        return Ok(said("Nothing is edited here: this is the session as it was recorded."));
    };
    let compare =
        Compare { a: edits.base.key.clone(), b: open.key.clone(), only_changed: true, offset: 0, limit: 1 };
    let found = compare.run(strata)?;
    let effect = &found.effect;
    let cost = effect
        .cost_before_usd
        .zip(effect.cost_after_usd)
        .map_or(String::new(), |(before, after)| format!(", ${after:.2} instead of ${before:.2}"));
    let text = format!(
        "{} of {} change: {} prompt tokens instead of {}, {} of them cached instead of {}{cost}",
        effect.calls_changed,
        counted(effect.calls_compared as usize, "call"),
        whole(effect.tokens_after as i64),
        whole(effect.tokens_before as i64),
        whole(effect.cached_after as i64),
        whole(effect.cached_before as i64)
    );
    let address = found.rows.first().map(|row| format!("C{}", row.call));
    Ok(Answer { address, ..said(text) })
}
