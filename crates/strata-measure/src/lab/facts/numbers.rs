//! Numbers with units, whatever their spelling.

/// A number and its unit in one spelling.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Quantity {
    pub value: f64,
    pub unit: String,
}

impl Quantity {
    /// Reads `1,200 EUR`, `€1.2k`, `250 ms`, `12%`.
    pub(in super::super) fn read(text: &str) -> Option<Self> {
        let digits_at = text.find(|letter: char| letter.is_ascii_digit())?;
        let (before, rest) = text.split_at(digits_at);
        let end = rest
            .find(|letter: char| !letter.is_ascii_digit() && !",.".contains(letter))
            .unwrap_or(rest.len());
        let number = rest[..end].trim_end_matches([',', '.']);
        let after = rest[number.len()..].trim();
        let value: f64 = number.replace(',', "").parse().ok()?;
        let sign = if before.contains(['-', '−']) { -1.0 } else { 1.0 };
        let mut words = after.split_whitespace();
        let mut unit = words.next().unwrap_or_default();
        let scale = match unit {
            "k" | "K" | "thousand" => 1e3,
            "M" | "million" => 1e6,
            "bn" | "billion" => 1e9,
            _ => 1.0,
        };
        if scale > 1.0 {
            unit = words.next().unwrap_or_default();
        }
        let unit = if unit.is_empty() { before.trim().trim_start_matches(['-', '−']) } else { unit };
        Some(Self { value: sign * value * scale, unit: canonical(unit) })
    }

    pub(in super::super) fn key(&self) -> String {
        format!("{} {}", self.value, self.unit)
    }

    /// Whether `other` is this, rounded in passing: fewer digits, and nearly as much.
    pub(in super::super) fn is_rounded_to(&self, other: &Self) -> bool {
        self.unit == other.unit
            && digits(other.value) < digits(self.value)
            && (self.value - other.value).abs() <= 0.02 * self.value.abs()
    }
}

/// Digits that say something: without zeros at either end.
fn digits(value: f64) -> usize {
    let spelled = value.abs().to_string().replace('.', "");
    spelled.trim_matches('0').len()
}

fn canonical(unit: &str) -> String {
    let lower = unit.trim_end_matches(['.', ',']).to_lowercase();
    let known = match lower.as_str() {
        "%" | "percent" => "%",
        "$" | "usd" | "dollar" | "dollars" => "usd",
        "€" | "eur" | "euro" | "euros" => "eur",
        "£" | "gbp" | "pound" | "pounds" => "gbp",
        "ms" | "millisecond" | "milliseconds" => "ms",
        "s" | "sec" | "secs" | "second" | "seconds" => "s",
        "min" | "mins" | "minute" | "minutes" => "min",
        "h" | "hr" | "hrs" | "hour" | "hours" => "h",
        "retries" => "retry",
        other => other.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(other),
    };
    known.to_owned()
}

#[cfg(test)]
mod tests {
    use super::Quantity;

    #[track_caller]
    fn same(a: &str, b: &str) {
        assert_eq!(Quantity::read(a).unwrap().key(), Quantity::read(b).unwrap().key());
    }

    #[test]
    fn spellings_of_one_quantity() {
        same("1,200 EUR", "€1200");
        same("€1.2k", "1200 euros");
        same("250 ms", "250 milliseconds");
        same("12%", "12 percent");
        same("3 retries", "3 retry");
        same("2 million tokens", "2,000,000 tokens");
    }

    #[test]
    fn other_values_and_units_are_others() {
        let near = |a: &str, b: &str| Quantity::read(a).unwrap().is_rounded_to(&Quantity::read(b).unwrap());
        assert!(near("1,203 EUR", "1200 EUR"));
        assert!(!near("1,203 EUR", "1,206 EUR"));
        assert!(!near("1,203 EUR", "1500 EUR"));
        assert!(!near("10 ms", "10 s"));
    }
}
