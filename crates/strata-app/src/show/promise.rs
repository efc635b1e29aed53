//! What edits promised to save, and what they save, in words.

use strata_measure::before_after::Promise;
use strata_measure::phrases;

use super::words;
use crate::api::experiment::{SavedTokens, Saving};

/// `35,120 prompt tokens and $0.0702 less, as promised.`
pub(crate) fn kept_promise(promised: Saving, saves: Option<Saving>, has_others: bool) -> String {
    let Some(saves) = saves else {
        return format!("Promised {}; it is taken back.", amount(promised));
    };
    let (said, found) = (amount(promised), amount(saves));
    if said == found {
        return format!("{found}, as promised.");
    }
    let why = if has_others { " The other edits change the same prompts." } else { "" };
    format!("Promised {said}; it is {found}.{why}")
}

/// `Over 7 calls that were made again, the edits promised 35,120 prompt tokens and $0.0702 less; really it is …`
pub(super) fn kept_by(promise: &Promise) -> String {
    let usd = promise.saved_usd();
    let [promised, really] = [0, 1].map(|at| {
        let cost_usd = usd.map(|usd| usd[at]);
        amount(Saving { of: SavedTokens::Prompt, tokens: promise.saved_tokens()[at], cost_usd })
    });
    let calls = words::counted(promise.really.calls as usize, "call");
    let were = if promise.really.calls == 1 { "was" } else { "were" };
    format!("Over {calls} that {were} made again, the edits promised {promised}; really it is {really}.")
}

/// `35,120 prompt tokens and $0.0702 less`.
fn amount(saving: Saving) -> String {
    let tokens = saving.tokens.unsigned_abs();
    let counted = match saving.of {
        SavedTokens::Prompt => phrases::count(tokens, "prompt token"),
        SavedTokens::FullPrice => phrases::count(tokens, "token") + " at full price",
    };
    let side = |is_less: bool| if is_less { "less" } else { "more" };
    let is_less = saving.tokens >= 0;
    match saving.cost_usd {
        None => format!("{counted} {}", side(is_less)),
        Some(usd) if (usd >= 0.0) == is_less => format!("{counted} and ${:.4} {}", usd.abs(), side(is_less)),
        Some(usd) => format!("{counted} {} and ${:.4} {}", side(is_less), usd.abs(), side(usd >= 0.0)),
    }
}
