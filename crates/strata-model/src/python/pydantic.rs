//! What pydantic takes for a number or a truth value: texts count too.

use crate::json::Json;

/// Digits with an optional sign, single underscores between them, and `.0` behind them.
pub fn pydantic_integer(text: &str) -> Option<f64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = whole.strip_prefix(['+', '-']).unwrap_or(whole);
    let are_digits =
        digits.split('_').all(|run| !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_digit()));
    let is_whole = !fraction.is_empty() && fraction.bytes().all(|byte| byte == b'0');
    (are_digits && is_whole).then(|| whole.replace('_', "").parse().ok()).flatten()
}

/// A truth value in any spelling pydantic reads.
pub fn pydantic_bool(value: &Json) -> Option<bool> {
    match value {
        Json::Bool(value) => Some(*value),
        Json::Int(_) | Json::Float(_) if value.as_f64() == Some(1.0) => Some(true),
        Json::Int(_) | Json::Float(_) if value.as_f64() == Some(0.0) => Some(false),
        Json::String(text) => match &*text.to_lowercase() {
            "1" | "on" | "t" | "true" | "y" | "yes" => Some(true),
            "0" | "off" | "f" | "false" | "n" | "no" => Some(false),
            _ => None,
        },
        _ => None,
    }
}
