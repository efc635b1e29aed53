//! The file that cache rules are kept in.

use strata_model::Json;
use strata_model::json::{self, JsonError};
use thiserror::Error;

use super::pattern::Pattern;
use super::{CacheRule, CacheRules, Machine, Mark};
use crate::order::PrefixOrder;

/// Why a file of rules is not used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CacheRulesError {
    #[error("not JSON: {0}")]
    Json(#[from] JsonError),
    /// `at` is the place in the file: `rules[2] (Anthropic), machine`.
    #[error("{at}: {problem}")]
    Entry { at: String, problem: String },
}

pub(super) fn rules(text: &[u8]) -> Result<CacheRules, CacheRulesError> {
    let file = json::parse(text)?;
    let file = Entry { json: &file, at: "the file".to_owned() };
    file.expect_fields(&["about", "rules", "fallback"])?;
    let list = file.required("rules", "a list", Json::as_array)?;
    let rules = list.iter().enumerate().map(|(idx, json)| {
        let entry = Entry { json, at: format!("rules[{idx}]") };
        let names = entry.texts("models")?;
        Ok((names.iter().map(|name| Pattern::new(name)).collect(), rule(&entry, true)?))
    });
    let rules = rules.collect::<Result<Vec<_>, CacheRulesError>>()?;
    let fallback = Entry {
        json: file.required("fallback", "a rule", |json| json.as_object().map(|_| json))?,
        at: "fallback".to_owned(),
    };
    Ok(CacheRules { rules, fallback: rule(&fallback, false)? })
}

fn rule(entry: &Entry<'_>, is_known: bool) -> Result<CacheRule, CacheRulesError> {
    let name = entry.text("name")?;
    let entry = &Entry { json: entry.json, at: format!("{} ({name})", entry.at) };
    entry.expect_fields(&[
        "name",
        "models",
        "machine",
        "order",
        "lifetime_s",
        "best_effort",
        "resets",
        "source",
        "seen_on",
        "note",
    ])?;
    let seconds = |json: &Json| json.as_f64().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    let order = |json: &Json| PrefixOrder::from_name(json.as_str()?);
    let machine_of = Entry {
        json: entry.required("machine", "an object", |json| json.as_object().map(|_| json))?,
        at: format!("{}, machine", entry.at),
    };
    Ok(CacheRule {
        machine: machine(&machine_of)?,
        order: entry.optional("order", "tools_first or system_first", order)?.unwrap_or_default(),
        lifetime_s: entry.optional("lifetime_s", "a number of seconds above 0", seconds)?,
        is_best_effort: entry.optional("best_effort", "true or false", Json::as_bool)?.unwrap_or(false),
        resets: if entry.json.get("resets").is_some() { entry.texts("resets")? } else { Vec::new() },
        is_known,
        source: entry.text("source")?,
        seen_on: entry.text("seen_on")?,
        note: entry.optional("note", "text", Json::as_str)?.map(str::to_owned),
        name,
    })
}

fn machine(entry: &Entry<'_>) -> Result<Machine, CacheRulesError> {
    let kind = entry.text("kind")?;
    let fields: &[&str] = match &*kind {
        "auto_prefix" => &["kind", "minimum_tokens", "step_tokens"],
        "breakpoints" => &["kind", "minimum_tokens", "lookback_blocks", "marks"],
        "units" => &["kind", "unit_tokens"],
        "lcp_slot" => &["kind", "slots"],
        _ => {
            return Err(entry.error("`kind` must be auto_prefix, breakpoints, units or lcp_slot".to_owned()));
        }
    };
    entry.expect_fields(fields)?;
    Ok(match &*kind {
        "auto_prefix" => Machine::AutoPrefix {
            minimum_tokens: entry.count("minimum_tokens")?,
            step_tokens: entry.count("step_tokens")?,
        },
        "breakpoints" => Machine::Breakpoints {
            minimum_tokens: entry.count("minimum_tokens")?,
            lookback_blocks: entry.count("lookback_blocks")?,
            marks: entry
                .texts("marks")?
                .iter()
                .map(|name| mark(name).ok_or_else(|| entry.error(format!("`{name}` is no mark"))))
                .collect::<Result<_, _>>()?,
        },
        "units" => Machine::Units { unit_tokens: entry.count("unit_tokens")? },
        _ => Machine::LcpSlot { slots: entry.optional("slots", "a count", count)? },
    })
}

fn mark(name: &str) -> Option<Mark> {
    match name {
        "tools" => Some(Mark::Tools),
        "system" => Some(Mark::System),
        "last" => Some(Mark::Last),
        _ => None,
    }
}

fn count(json: &Json) -> Option<u32> {
    u32::try_from(json.as_i64()?).ok()
}

/// An object of the file, and where it stands.
struct Entry<'j> {
    json: &'j Json,
    at: String,
}

impl<'j> Entry<'j> {
    fn expect_fields(&self, known: &[&str]) -> Result<(), CacheRulesError> {
        let object = self.json.as_object().ok_or_else(|| self.error("must be an object".to_owned()))?;
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
    ) -> Result<Option<T>, CacheRulesError> {
        match self.json.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(json) => match read(json) {
                Some(value) => Ok(Some(value)),
                None => Err(self.error(format!("`{key}` must be {expected}"))),
            },
        }
    }

    fn required<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'j Json) -> Option<T>,
    ) -> Result<T, CacheRulesError> {
        self.optional(key, expected, read)?.ok_or_else(|| self.error(format!("`{key}` is missing")))
    }

    fn text(&self, key: &str) -> Result<String, CacheRulesError> {
        self.required(key, "text", Json::as_str).map(str::to_owned)
    }

    fn count(&self, key: &str) -> Result<u32, CacheRulesError> {
        self.required(key, "a count", count)
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, CacheRulesError> {
        let texts = |json: &'j Json| {
            json.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        };
        self.required(key, "a list of texts", texts)
    }

    fn error(&self, problem: String) -> CacheRulesError {
        CacheRulesError::Entry { at: self.at.clone(), problem }
    }
}
