//! Numbers as answers write them.

use serde::Serialize;
use serde_json::Value;
use strata_app::report::Basis;
use strata_app::whole;

/// `12,345`.
pub(super) fn tokens(number: impl TryInto<i64>) -> String {
    whole(number.try_into().unwrap_or(i64::MAX))
}

/// What a count rests on, as people say it.
pub(super) fn said(basis: Basis) -> &'static str {
    match basis {
        Basis::Reported => "reported by the provider",
        Basis::Exact => "counted exactly",
        Basis::Calibrated => "counted, calibrated by reports",
        Basis::Estimated => "estimated",
    }
}

/// `$1.23`, with as many digits as tell something.
pub(super) fn money(dollars: f64) -> String {
    if dollars.abs() >= 1.0 || dollars == 0.0 { format!("${dollars:.2}") } else { format!("${dollars:.4}") }
}

pub(super) fn money_or_none(dollars: Option<f64>) -> String {
    dollars.map_or_else(|| "no price known".to_owned(), money)
}

/// Dollars without digits that nobody needs.
pub(super) fn rounded(dollars: Option<f64>) -> Option<f64> {
    dollars.map(|dollars| (dollars * 1e6).round() / 1e6)
}

/// A share as a part of 1, with three digits.
pub(super) fn share(part: f64, all: f64) -> f64 {
    if all > 0.0 { (part / all * 1000.0).round() / 1000.0 } else { 0.0 }
}

/// `45 %`.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// How often a fact is stated behind its summary.
pub(super) fn later(times: u32) -> String {
    match times {
        0 => String::new(),
        1 => ", stated once later".to_owned(),
        times => format!(", stated {times} times later"),
    }
}

/// The name by which documents call a value of ours.
pub(super) fn name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}
