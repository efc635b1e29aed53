//! The file that prices are kept in.

use strata_model::Json;
use strata_model::json::{self, JsonError};
use thiserror::Error;

use super::price::{Price, Rates, Tier};

/// Why a file of prices is not used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PricesError {
    #[error("not JSON: {0}")]
    Json(#[from] JsonError),
    /// `at` is the place in the file: `models[2] (gpt-4o), tiers[0]`.
    #[error("{at}: {problem}")]
    Entry { at: String, problem: String },
    #[error("{model} stands there twice")]
    Repeated { model: String },
}

pub(super) fn prices(text: &[u8]) -> Result<Vec<Price>, PricesError> {
    let file = json::parse(text)?;
    let file = Entry { json: &file, at: "the file".to_owned() };
    file.expect_fields(&["about", "models"])?;
    file.list("models")?.iter().map(price).collect()
}

fn price(entry: &Entry<'_>) -> Result<Price, PricesError> {
    let model = entry.text("model")?;
    let entry = &Entry { json: entry.json, at: format!("{} ({model})", entry.at) };
    entry.expect_fields(&[
        "model",
        "input",
        "cached_read",
        "cache_write",
        "cache_write_long",
        "output",
        "tiers",
        "open_weights",
        "source",
        "seen_on",
        "note",
    ])?;
    let tiers = if entry.json.get("tiers").is_some() { entry.list("tiers")? } else { Vec::new() };
    let mut tiers = tiers.iter().map(tier).collect::<Result<Vec<_>, _>>()?;
    tiers.sort_by_key(|tier| tier.above_prompt_tokens);
    Ok(Price {
        model,
        rates: rates(entry)?,
        tiers,
        is_open_weights: entry.optional("open_weights", "true or false", Json::as_bool)?.unwrap_or(false),
        source: entry.text("source")?,
        seen_on: entry.text("seen_on")?,
        note: entry.optional("note", "text", Json::as_str)?.map(str::to_owned),
    })
}

fn tier(entry: &Entry<'_>) -> Result<Tier, PricesError> {
    const ABOVE: &str = "above_prompt_tokens";
    entry.expect_fields(&[ABOVE, "input", "cached_read", "cache_write", "cache_write_long", "output"])?;
    let tokens = |json: &Json| u64::try_from(json.as_i64()?).ok();
    let above_prompt_tokens =
        entry.optional(ABOVE, "a number of tokens", tokens)?.ok_or_else(|| entry.missing(ABOVE))?;
    Ok(Tier { above_prompt_tokens, rates: rates(entry)? })
}

fn rates(entry: &Entry<'_>) -> Result<Rates, PricesError> {
    let input = entry.rate("input")?.ok_or_else(|| entry.missing("input"))?;
    Ok(Rates {
        input,
        cached_read: entry.rate("cached_read")?.unwrap_or(input),
        cache_write: entry.rate("cache_write")?,
        cache_write_long: entry.rate("cache_write_long")?,
        output: entry.rate("output")?.ok_or_else(|| entry.missing("output"))?,
    })
}

/// An object of the file, and where it stands.
struct Entry<'j> {
    json: &'j Json,
    at: String,
}

impl<'j> Entry<'j> {
    fn expect_fields(&self, known: &[&str]) -> Result<(), PricesError> {
        let object = self
            .json
            .as_object()
            .ok_or_else(|| self.error(format!("is {}, not an object", self.json.kind())))?;
        match object.keys().find(|key| !known.contains(&&***key)) {
            Some(key) => Err(self.error(format!("`{key}` is not known; known are {}", known.join(", ")))),
            None => Ok(()),
        }
    }

    /// A field that may be missing or null.
    fn optional<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'j Json) -> Option<T>,
    ) -> Result<Option<T>, PricesError> {
        match self.json.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(json) => match read(json) {
                Some(value) => Ok(Some(value)),
                None => Err(self.error(format!("`{key}` must be {expected}"))),
            },
        }
    }

    fn text(&self, key: &str) -> Result<String, PricesError> {
        let text = self.optional(key, "text", Json::as_str)?.filter(|text| !text.trim().is_empty());
        text.map(str::to_owned).ok_or_else(|| self.missing(key))
    }

    fn rate(&self, key: &str) -> Result<Option<f64>, PricesError> {
        let dollars = |json: &Json| json.as_f64().filter(|dollars| dollars.is_finite() && *dollars >= 0.0);
        self.optional(key, "a number of US dollars, 0 or more", dollars)
    }

    fn list(&self, key: &str) -> Result<Vec<Entry<'j>>, PricesError> {
        let items = self.optional(key, "a list", Json::as_array)?.ok_or_else(|| self.missing(key))?;
        let at = |idx: usize| {
            if key == "models" { format!("{key}[{idx}]") } else { format!("{}, {key}[{idx}]", self.at) }
        };
        Ok(items.iter().enumerate().map(|(idx, json)| Entry { json, at: at(idx) }).collect())
    }

    fn missing(&self, key: &str) -> PricesError {
        self.error(format!("`{key}` is missing"))
    }

    fn error(&self, problem: String) -> PricesError {
        PricesError::Entry { at: self.at.clone(), problem }
    }
}

#[cfg(test)]
mod tests {
    use crate::prices::{Price, Prices, Rates, Tier};

    #[test]
    fn everything_an_entry_may_say() {
        let json =
            br#"{"about": "mine", "models": [{"model": "m", "input": 2, "output": 10.5, "cached_read": null,
            "cache_write": 0.5, "open_weights": true, "source": "s", "seen_on": "2026-11-01", "note": "n",
            "tiers": [{"above_prompt_tokens": 9, "input": 4, "output": 5},
                      {"above_prompt_tokens": 5, "input": 3, "cached_read": 1, "output": 5}]}]}"#;
        let prices = Prices::parse(json).unwrap();
        let [price] = prices.all() else { panic!("one price") };
        let rates = |input, cached_read, cache_write, output| Rates {
            input,
            cached_read,
            cache_write,
            cache_write_long: None,
            output,
        };
        let long = |above_prompt_tokens, rates| Tier { above_prompt_tokens, rates };
        assert_eq!(
            *price,
            Price {
                model: "m".into(),
                rates: rates(2.0, 2.0, Some(0.5), 10.5),
                tiers: vec![long(5, rates(3.0, 1.0, None, 5.0)), long(9, rates(4.0, 4.0, None, 5.0))],
                is_open_weights: true,
                source: "s".into(),
                seen_on: "2026-11-01".into(),
                note: Some("n".into()),
            }
        );
    }

    #[track_caller]
    fn check(json: &str, expected: &str) {
        assert_eq!(Prices::parse(json.as_bytes()).unwrap_err().to_string(), expected);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let one = |fields: &str| {
            format!(r#"{{"models": [{{"model": "m", "source": "s", "seen_on": "d"{fields}}}]}}"#)
        };
        check("[]", "the file: is an array, not an object");
        check("{}", "the file: `models` is missing");
        check(r#"{"models": {}}"#, "the file: `models` must be a list");
        check(r#"{"models": [{"input": 1}]}"#, "models[0]: `model` is missing");
        check(r#"{"models": [1]}"#, "models[0]: `model` is missing");
        check(&one(""), "models[0] (m): `input` is missing");
        check(&one(r#", "input": 1"#), "models[0] (m): `output` is missing");
        check(
            &one(r#", "input": -1, "output": 1"#),
            "models[0] (m): `input` must be a number of US dollars, 0 or more",
        );
        check(
            &one(r#", "input": "1", "output": 1"#),
            "models[0] (m): `input` must be a number of US dollars, 0 or more",
        );
        check(
            &one(
                r#", "input": 1, "output": 1, "tiers": [{"above_prompt_tokens": -5, "input": 1, "output": 1}]"#,
            ),
            "models[0] (m), tiers[0]: `above_prompt_tokens` must be a number of tokens",
        );
        check(
            &one(r#", "input": 1, "output": 1, "tiers": [{"above": 1}]"#),
            "models[0] (m), tiers[0]: `above` is not known; known are above_prompt_tokens, input, cached_read, \
             cache_write, cache_write_long, output",
        );
        let entry = r#"{"model": "M", "source": "s", "seen_on": "d", "input": 1, "output": 1}"#;
        check(&format!(r#"{{"models": [{entry}, {}]}}"#, entry.replace('M', "m")), "m stands there twice");
        assert!(Prices::parse(b"{").unwrap_err().to_string().starts_with("not JSON: "));
    }
}
