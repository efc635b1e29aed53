//! Facts in the arguments and results of tools.

use strata_model::{EventIndex, Json, Object, json};

use super::fact::{Fact, FactKind};
use super::numbers::Quantity;
use super::patterns::Patterns;

/// Deepest level and most values that are looked at.
const MAX_DEPTH: usize = 8;
const MAX_VALUES: usize = 400;

/// Keys that say what a number counts, by their end.
const UNITS: [(&str, &str); 16] = [
    ("_ms", "ms"),
    ("_s", "s"),
    ("_seconds", "s"),
    ("_minutes", "min"),
    ("_hours", "h"),
    ("_days", "day"),
    ("_bytes", "byte"),
    ("_tokens", "token"),
    ("_eur", "eur"),
    ("_usd", "usd"),
    ("_gbp", "gbp"),
    ("_percent", "%"),
    ("_pct", "%"),
    ("_km", "km"),
    ("_kg", "kg"),
    ("_mb", "mb"),
];

/// Keys whose numbers are facts without a unit of their own; the unit may stand beside them.
const AMOUNTS: [&str; 8] = ["total", "amount", "price", "cost", "balance", "sum", "subtotal", "tax"];

pub(super) fn read(object: &Object, patterns: &Patterns, event: EventIndex, found: &mut Vec<Fact>) {
    let mut values = Values { patterns, event, found, left: MAX_VALUES };
    values.object(object, 0);
}

struct Values<'v> {
    patterns: &'v Patterns,
    event: EventIndex,
    found: &'v mut Vec<Fact>,
    left: usize,
}

impl Values<'_> {
    fn object(&mut self, object: &Object, depth: usize) {
        let currency = object.get("currency").and_then(Json::as_str);
        for (key, value) in object.iter() {
            self.value(key, value, currency, depth);
        }
    }

    fn value(&mut self, key: &str, value: &Json, currency: Option<&str>, depth: usize) {
        if depth > MAX_DEPTH || self.left == 0 {
            return;
        }
        self.left -= 1;
        match value {
            Json::String(text) if is_command(key) && text.contains(' ') && text.len() < 200 => {
                let key = format!("command {}", super::normal(text));
                self.found.push(Fact {
                    kind: FactKind::Command,
                    text: text.to_string(),
                    key,
                    event: self.event,
                });
            }
            Json::String(text) => self.patterns.read_text(text, self.event, self.found),
            Json::Array(items) => items.iter().for_each(|item| self.value(key, item, currency, depth + 1)),
            Json::Object(object) => self.object(object, depth + 1),
            Json::Int(_) | Json::Float(_) | Json::BigInt(_) => self.number(key, value, currency),
            Json::Null | Json::Bool(_) => {}
        }
    }

    fn number(&mut self, key: &str, value: &Json, currency: Option<&str>) {
        let lower = key.to_lowercase();
        let unit = UNITS.iter().find(|(end, _)| lower.ends_with(end)).map(|(_, unit)| *unit);
        let unit = unit.or_else(|| AMOUNTS.contains(&&*lower).then(|| currency.unwrap_or_default()));
        let (Some(unit), Some(number)) = (unit, value.as_f64()) else { return };
        let spelled = json::to_compact(value);
        let Some(quantity) = Quantity::read(&format!("{spelled} {unit}")) else { return };
        let quantity = Quantity { value: number, ..quantity };
        let text = format!("{spelled} {unit}").trim_end().to_owned();
        let key = format!("number {}", quantity.key());
        self.found.push(Fact { kind: FactKind::Number, text, key, event: self.event });
    }
}

fn is_command(key: &str) -> bool {
    matches!(key, "command" | "cmd" | "shell" | "script")
}
