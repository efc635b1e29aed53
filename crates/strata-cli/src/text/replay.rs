//! A call sent again.

use strata_app::report::ReplayReport;

use super::Style;
use super::fields::Fields;
use super::number::{count, difference, dollars};

/// What is sent, and what that is expected to cost.
pub(crate) fn replay_request(report: &ReplayReport, is_whole: bool, style: Style) -> String {
    let mut fields =
        Fields::under(&format!("C{} of {} to {}", report.call, report.agent, report.model), style);
    fields.add("request", &report.target);
    fields.add("prompt", &predicted(report));
    let about = if report.predicted_cached_basis == "exact" { "" } else { "≈ " };
    let cached =
        format!("{about}{} tokens expected. {}", count(report.predicted_cached_tokens), report.cache_said);
    fields.add("cached", &cached);
    if let Some(seconds) = report.predicted_first_token_s {
        fields.add("first token", &format!("≈ {seconds:.1} s"));
    }
    if let Some(tokens) = report.context_tokens {
        fields.add("context", &format!("{} tokens with the answer", count(tokens)));
    }
    fields.add("estimate", &dollars(report.estimated_cost));
    fields.add("problem", report.problem.as_deref().unwrap_or_default());
    let mut text = fields.print();
    if is_whole {
        text += &format!("\n{}\n", report.body);
    }
    text
}

pub(crate) fn replay_answer(report: &ReplayReport, style: Style) -> String {
    let Some(answer) = &report.answer else { return String::new() };
    let mut text = String::new();
    let mut section = |title: &str, body: &str| {
        text += &format!("{}\n", style.strong(title));
        for line in body.lines() {
            text += &format!("  {line}\n");
        }
        text.push('\n');
    };
    section("Now", &answer.text);
    if !answer.is_same {
        section("From the recorded answer", &answer.difference.join("\n"));
    }
    let mut fields = Fields::under(if answer.is_same { "The same answer" } else { "Another answer" }, style);
    fields.add("ended", answer.finish.as_deref().unwrap_or("without saying why"));
    let compared = |predicted: u32, reported: Option<f64>| match reported {
        Some(reported) => format!(
            "{} reported, {} predicted ({})",
            count(reported as i64),
            count(predicted),
            difference(reported as i64 - i64::from(predicted))
        ),
        None => format!("{} predicted, none reported", count(predicted)),
    };
    fields.add("prompt", &compared(report.predicted_tokens, answer.reported_tokens));
    fields.add("cached", &compared(report.predicted_cached_tokens, answer.reported_cached_tokens));
    if let Some(output) = answer.output_tokens {
        fields.add("answer", &format!("{} tokens", count(output as i64)));
    }
    if let Some(seconds) = answer.first_token_s {
        fields.add("first token", &format!("{seconds:.1} s"));
    }
    fields.add("cost", &dollars(answer.cost));
    fields.add("failed", answer.failure.as_deref().unwrap_or_default());
    text + &fields.print()
}

/// "12,010 tokens, calibrated ± 40".
fn predicted(report: &ReplayReport) -> String {
    let tokens = count(report.predicted_tokens);
    let off = (report.predicted_high - report.predicted_low).div_ceil(2);
    match report.predicted_basis {
        "calibrated" => format!("{tokens} ± {} tokens, calibrated by earlier answers", count(off)),
        "exact" if report.is_counted_by_server => format!("{tokens} tokens, counted by the server"),
        "exact" => format!("{tokens} tokens, counted exactly"),
        _ => format!("≈ {tokens} tokens, as we count"),
    }
}
