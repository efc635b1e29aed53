//! The file that cache rules are kept in.

use strata_model::Json;
use strata_model::json::{self, Entry, EntryError, JsonError};
use thiserror::Error;

use super::pattern::Pattern;
use super::rule::{CacheRule, Machine, Mark};
use crate::order::PrefixOrder;

/// Why a file of rules is not used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CacheRulesError {
    #[error("not JSON: {0}")]
    Json(#[from] JsonError),
    #[error(transparent)]
    Entry(#[from] EntryError),
}

/// Rules with the models they are for.
type Rules = Vec<(Vec<Pattern>, CacheRule)>;

/// The rules of a file, and the one for models that none of them is for.
pub(super) fn rules(text: &[u8]) -> Result<(Rules, CacheRule), CacheRulesError> {
    let file = json::parse(text)?;
    let file = Entry { json: &file, at: "the file".to_owned() };
    file.expect_fields(&["about", "rules", "fallback"])?;
    let list = file.required("rules", "a list", Json::as_array)?;
    let rules = list.iter().enumerate().map(|(idx, json)| {
        let entry = Entry { json, at: format!("rules[{idx}]") };
        let names = texts_of(&entry, "models")?;
        Ok((names.iter().map(|name| Pattern::new(name)).collect(), rule(&entry, true)?))
    });
    let rules = rules.collect::<Result<Vec<_>, CacheRulesError>>()?;
    let fallback = Entry {
        json: file.required("fallback", "a rule", |json| json.as_object().map(|_| json))?,
        at: "fallback".to_owned(),
    };
    Ok((rules, rule(&fallback, false)?))
}

fn rule(entry: &Entry<'_>, is_known: bool) -> Result<CacheRule, EntryError> {
    let name = entry.text("name")?;
    let entry = &Entry { json: entry.json, at: format!("{} ({name})", entry.at) };
    entry.expect_fields(&[
        "name",
        "models",
        "machine",
        "order",
        "lifetime_s",
        "longest_lifetime_s",
        "best_effort",
        "resets",
        "unread",
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
        longest_lifetime_s: entry.optional("longest_lifetime_s", "a number of seconds above 0", seconds)?,
        is_best_effort: entry.optional("best_effort", "true or false", Json::as_bool)?.unwrap_or(false),
        resets: texts_if_any(entry, "resets")?,
        unread: texts_if_any(entry, "unread")?,
        is_known,
        source: entry.text("source")?,
        seen_on: entry.text("seen_on")?,
        note: entry.optional("note", "text", Json::as_str)?.map(str::to_owned),
        name,
    })
}

fn texts_if_any(entry: &Entry<'_>, field: &str) -> Result<Vec<String>, EntryError> {
    if entry.json.get(field).is_some() { texts_of(entry, field) } else { Ok(Vec::new()) }
}

fn machine(entry: &Entry<'_>) -> Result<Machine, EntryError> {
    let kind = entry.text("kind")?;
    let fields: &[&str] = match &*kind {
        "auto_prefix" => &["kind", "minimum_tokens", "step_tokens"],
        "breakpoints" => &["kind", "minimum_tokens", "lookback_blocks", "marks"],
        "units" => &["kind", "unit_tokens"],
        "lcp_slot" => &["kind", "slots"],
        _ => {
            return Err(entry.error("`kind` must be auto_prefix, breakpoints, units or lcp_slot"));
        }
    };
    entry.expect_fields(fields)?;
    Ok(match &*kind {
        "auto_prefix" => Machine::AutoPrefix {
            minimum_tokens: count_of(entry, "minimum_tokens")?,
            step_tokens: count_of(entry, "step_tokens")?,
        },
        "breakpoints" => Machine::Breakpoints {
            minimum_tokens: count_of(entry, "minimum_tokens")?,
            lookback_blocks: count_of(entry, "lookback_blocks")?,
            marks: texts_of(entry, "marks")?
                .iter()
                .map(|name| mark(name).ok_or_else(|| entry.error(format!("`{name}` is no mark"))))
                .collect::<Result<_, _>>()?,
        },
        "units" => Machine::Units { unit_tokens: count_of(entry, "unit_tokens")? },
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

fn count_of(entry: &Entry<'_>, key: &str) -> Result<u32, EntryError> {
    entry.required(key, "a count", count)
}

fn texts_of(entry: &Entry<'_>, key: &str) -> Result<Vec<String>, EntryError> {
    let texts = |json: &Json| {
        json.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    entry.required(key, "a list of texts", texts)
}
