//! The file that prices are kept in.

use strata_model::Json;
use strata_model::json::{self, Entry, EntryError, JsonError};
use thiserror::Error;

use super::price::{Price, Rates, Tier};

/// Why a file of prices is not used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PricesError {
    #[error("not JSON: {0}")]
    Json(#[from] JsonError),
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error("{model} stands there twice")]
    Repeated { model: String },
}

pub(super) fn prices(text: &[u8]) -> Result<Vec<Price>, PricesError> {
    let file = json::parse(text)?;
    let file = Entry { json: &file, at: "the file".to_owned() };
    expect_fields(&file, &["about", "models"])?;
    Ok(list(&file, "models")?.iter().map(price).collect::<Result<_, _>>()?)
}

fn price(entry: &Entry<'_>) -> Result<Price, EntryError> {
    let model = text(entry, "model")?;
    let entry = &Entry { json: entry.json, at: format!("{} ({model})", entry.at) };
    expect_fields(
        entry,
        &[
            "model",
            "context",
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
        ],
    )?;
    let tiers = if entry.json.get("tiers").is_some() { list(entry, "tiers")? } else { Vec::new() };
    let mut tiers = tiers.iter().map(tier).collect::<Result<Vec<_>, _>>()?;
    tiers.sort_by_key(|tier| tier.above_prompt_tokens);
    let tokens = |json: &Json| u32::try_from(json.as_i64()?).ok();
    Ok(Price {
        model,
        context_tokens: entry.optional("context", "a number of tokens", tokens)?,
        rates: rates(entry)?,
        tiers,
        is_open_weights: entry.optional("open_weights", "true or false", Json::as_bool)?.unwrap_or(false),
        source: text(entry, "source")?,
        seen_on: text(entry, "seen_on")?,
        note: entry.optional("note", "text", Json::as_str)?.map(str::to_owned),
    })
}

fn tier(entry: &Entry<'_>) -> Result<Tier, EntryError> {
    const ABOVE: &str = "above_prompt_tokens";
    expect_fields(entry, &[ABOVE, "input", "cached_read", "cache_write", "cache_write_long", "output"])?;
    let tokens = |json: &Json| u64::try_from(json.as_i64()?).ok();
    let above_prompt_tokens = entry.required(ABOVE, "a number of tokens", tokens)?;
    Ok(Tier { above_prompt_tokens, rates: rates(entry)? })
}

fn rates(entry: &Entry<'_>) -> Result<Rates, EntryError> {
    let input = rate(entry, "input")?.ok_or_else(|| entry.missing("input"))?;
    Ok(Rates {
        input,
        cached_read: rate(entry, "cached_read")?.unwrap_or(input),
        cache_write: rate(entry, "cache_write")?,
        cache_write_long: rate(entry, "cache_write_long")?,
        output: rate(entry, "output")?.ok_or_else(|| entry.missing("output"))?,
    })
}

fn expect_fields(entry: &Entry<'_>, known: &[&str]) -> Result<(), EntryError> {
    if entry.json.as_object().is_none() {
        return Err(entry.error(format!("is {}, not an object", entry.json.kind())));
    }
    entry.expect_fields(known)
}

fn text(entry: &Entry<'_>, key: &str) -> Result<String, EntryError> {
    Some(entry.text(key)?).filter(|text| !text.trim().is_empty()).ok_or_else(|| entry.missing(key))
}

fn rate(entry: &Entry<'_>, key: &str) -> Result<Option<f64>, EntryError> {
    let dollars = |json: &Json| json.as_f64().filter(|dollars| dollars.is_finite() && *dollars >= 0.0);
    entry.optional(key, "a number of US dollars, 0 or more", dollars)
}

fn list<'j>(entry: &Entry<'j>, key: &str) -> Result<Vec<Entry<'j>>, EntryError> {
    let items = entry.required(key, "a list", Json::as_array)?;
    let at = |idx: usize| {
        if key == "models" { format!("{key}[{idx}]") } else { format!("{}, {key}[{idx}]", entry.at) }
    };
    Ok(items.iter().enumerate().map(|(idx, json)| Entry { json, at: at(idx) }).collect())
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
                context_tokens: None,
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
