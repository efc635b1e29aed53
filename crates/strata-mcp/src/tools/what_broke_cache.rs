//! What broke a cached prefix.

use serde_json::json;
use strata_app::cache_basis;
use strata_app::report::{AnswerText, BreakReport, CallCacheReport, TextChangeReport, cache_of};

use super::numbers::{money, rounded, tokens};
use crate::answer::{Answer, Refusal};
use crate::arguments::{Argument, CURSOR, SESSION, Shape};
use crate::asked::Question;
use crate::knows::Knows;
use crate::spec::ToolSpec;
use crate::symbols::{quoted, recorded, recorded_of};

/// Characters of a value that changed.
const IN_VALUE: usize = 60;

pub(super) const TOOL: ToolSpec = ToolSpec {
    name: "what_broke_cache",
    title: "What broke the cache?",
    about: "Lists the calls whose prompts could not be read from the provider's cache as far as they might have been: \
            where, why, what it cost, and what the provider says.",
    arguments: &[
        SESSION,
        Argument { name: "call", about: "Only this call, as C7", shape: Shape::Call, is_required: false },
        Argument {
            name: "last",
            about: "Breaks on a page, the newest first",
            shape: Shape::Whole { least: 1, most: 100, usual: Some(20) },
            is_required: false,
        },
        CURSOR,
    ],
    is_always_loaded: false,
    answer,
};

fn answer(knows: &Knows, question: &Question) -> Result<Answer, Refusal> {
    let subject = knows.subject(question)?;
    let report = cache_of(&subject.opened);
    let number = question.arguments.call("call");
    let n_calls = report.calls.len();
    if let Some(number) = number.filter(|number| !report.calls.iter().any(|call| call.call == *number)) {
        return Err(Refusal(format!("C{number} is not in this session. Its calls are C1 to C{n_calls}.")));
    }
    let mut answer = subject.answer();
    let bill = &report.bill;
    answer.say(format!(
        "{} calls, {} prompt tokens; {} read from a cache ({}). Predicted by the rules of {}: {}.",
        n_calls,
        tokens(bill.prompt_tokens),
        tokens(bill.cached_tokens),
        cache_basis(bill),
        report.provider,
        tokens(report.predicted_cached_tokens)
    ));
    answer.say(format!(
        "{} tokens were paid in full and could have been found; {} of them could be avoided.",
        tokens(report.lost_tokens),
        tokens(report.avoidable_tokens)
    ));
    answer.fact(
        "sums",
        json!({
            "promptTokens": bill.prompt_tokens,
            "cachedTokens": bill.cached_tokens,
            "cacheReportedCalls": bill.cache_reported_calls,
            "cacheUnsaidCalls": bill.cache_unsaid_calls,
            "predictedCachedTokens": report.predicted_cached_tokens,
            "lostTokens": report.lost_tokens,
            "avoidableTokens": report.avoidable_tokens,
            "rules": report.provider,
            "areRulesKnown": report.is_rule_known,
        }),
    );
    if let Some(fix) = report.fixes.first().filter(|fix| fix.saves_tokens > 0) {
        let title = recorded(&fix.title);
        answer.say(format!(
            "Would help most: {} (saves {} tokens).",
            quoted(&title),
            tokens(fix.saves_tokens)
        ));
        answer.fact("wouldHelp", json!({"title": title, "savesTokens": fix.saves_tokens}));
    }
    answer.rows_name = "breaks";
    answer.rows_of_page = question.arguments.whole("last").unwrap_or(20) as usize;
    let asked = report.calls.iter().rev().filter(|call| number.is_none_or(|number| call.call == number));
    for call in asked {
        if let Some(found) = call.loss.as_ref().filter(|found| found.is_break()) {
            add(&mut answer, call, found);
        }
    }
    if answer.rows.is_empty() {
        answer.say(match number {
            Some(number) => format!("Nothing broke at C{number}."),
            None => "Nothing broke.".to_owned(),
        });
    }
    Ok(answer)
}

fn add(answer: &mut Answer, call: &CallCacheReport, found: &BreakReport) {
    let change = found.change.as_ref().map(shown);
    let verdict = call.provider_verdict.as_ref().map(|verdict| recorded(&verdict.reason));
    let basis = if found.is_reported { "reported" } else { "predicted" };
    let mut line = format!(
        "C{} at token {} ({}{}): {}; {} tokens paid again ({basis}){}",
        call.call,
        tokens(found.at_token),
        found.cause,
        found.stage.as_ref().map_or_else(String::new, |stage| format!(" in {}", recorded(stage))),
        recorded_of(found.detail.trim_end_matches('.'), 160),
        tokens(found.rebilled_tokens),
        found.cost.map_or_else(String::new, |cost| format!(", {}", money(cost))),
    );
    if let Some((label, before, after)) = &change {
        line.push_str(&format!("; {} {} became {}", quoted(label), quoted(before), quoted(after)));
    }
    if let Some(verdict) = &verdict {
        line.push_str(&format!("; the provider says {}", quoted(verdict)));
    }
    if !found.is_avoidable {
        line.push_str("; not avoidable");
    }
    let json = json!({
        "call": format!("C{}", call.call),
        "atToken": found.at_token,
        "cause": found.cause,
        "detail": recorded_of(&found.detail, 160),
        "stage": found.stage.as_deref().map(recorded),
        "source": found.origin.as_deref().map(recorded),
        "label": change.as_ref().map(|(label, ..)| label),
        "valueBefore": change.as_ref().map(|(_, before, _)| before),
        "valueAfter": change.as_ref().map(|(.., after)| after),
        "previousCall": format!("C{}", found.previous_call),
        "tokens": found.rebilled_tokens,
        "basis": basis,
        "predictedTokens": found.predicted_tokens,
        "cost": rounded(found.cost),
        "isAvoidable": found.is_avoidable,
        "providerVerdict": verdict,
    });
    answer.row(line, json);
}

/// How a value changed. What stands before it may say that it is a secret.
fn shown(change: &TextChangeReport) -> (String, String, String) {
    let value = |value: &str| {
        let line = format!("{}{value}", change.label);
        let is_secret = AnswerText::masked(&line) != line;
        if is_secret { "‹redacted›".to_owned() } else { recorded_of(value, IN_VALUE) }
    };
    (recorded_of(&change.label, IN_VALUE), value(&change.before), value(&change.after))
}
