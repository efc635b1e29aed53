//! The keys of the state with their values at a call, and over all calls.

use std::collections::BTreeSet;

use strata_engine::Call;
use strata_measure::analysis::Scale;
use strata_measure::stores::{StateStore, StoredValue};
use strata_measure::tokens::TokenCount;
use strata_model::{Json, Scope, json};

use super::{CompiledSession, as_filled};
use crate::api::common::CallRange;
use crate::api::stores::{KeyColumns, KeyRow, KeyScope, StatePage, ValueState};
use crate::error::AppError;
use crate::show::{buckets, words};

/// A value of more tokens than this is large.
const LARGE: u32 = 1000;
/// Characters of a value in a row.
const LINE: usize = 120;

/// Which keys are asked for, and how their charts are drawn.
pub(crate) struct StateQuestion {
    pub call: u32,
    pub max_columns: u32,
    pub offset: u32,
    pub limit: u32,
}

pub(crate) fn state_page(of: CompiledSession<'_>, question: &StateQuestion) -> Result<StatePage, AppError> {
    let analysed = of.call(question.call)?;
    let scale = of.scale(analysed)?;
    let calls = of.experiment.calls();
    let store = StateStore::of(of.experiment, of.analysis, of.caches);
    let call = of.experiment.call(question.call).ok_or_else(|| AppError::internal("A call got lost."))?;
    let last = calls.iter().next_back().unwrap_or(call);
    let columns = columns(calls.len() as u32, question.max_columns);
    let mut keys: Vec<&str> = store.keys().collect();
    keys.sort_by_key(|key| scope(key));
    let mut sum = TokenCount::exact(0);
    let (mut set, mut unread_large, mut rows) = (0, 0, Vec::new());
    let shown = question.offset as usize..(question.offset.saturating_add(question.limit)) as usize;
    for (at, key) in keys.iter().enumerate() {
        let value = store.at(key, call);
        let counted = value.known().map(|value| count(scale, value));
        if let Some(counted) = counted {
            set += 1;
            sum = sum + counted;
        }
        let tokens = counted.map(|counted| counted.tokens);
        let is_large =
            || tokens.max(store.at(key, last).known().map(|value| count(scale, value).tokens)) > Some(LARGE);
        let is_unread_large = store.reads(key).is_empty() && is_large();
        unread_large += u32::from(is_unread_large);
        if shown.contains(&at) {
            rows.push(KeyRow {
                key: key.to_string(),
                scope: scope(key),
                value_state: value_state(value),
                value: in_line(key, value),
                tokens,
                writes: store.writes(key).len() as u32,
                reads: store.reads(key).len() as u32,
                is_unread_large,
                columns: key_columns(of, &store, key, &columns, scale),
            });
        }
    }
    Ok(StatePage {
        call: question.call,
        calls: of.analysis.calls().len() as u32,
        of_calls: calls.len() as u32,
        total: keys.len() as u32,
        set,
        tokens: sum.tokens,
        basis: sum.basis.into(),
        unread_large,
        large_tokens: LARGE,
        columns,
        key_to_see: key_to_see(&store, &keys, question.call).map(str::to_owned),
        rows,
        gap: gap(of, &store, call),
    })
}

fn key_to_see<'k>(store: &StateStore<'_>, keys: &[&'k str], call: u32) -> Option<&'k str> {
    let broke_here = |key: &&&str| store.breaks(key).iter().any(|(broken, _)| broken.call == call);
    let broke = |key: &&&str| !store.breaks(key).is_empty();
    keys.iter().find(broke_here).or_else(|| keys.iter().find(broke)).or(keys.first()).copied()
}

pub(super) fn scope(key: &str) -> KeyScope {
    match Scope::of(key) {
        Scope::Session => KeyScope::Session,
        Scope::User => KeyScope::User,
        Scope::App => KeyScope::App,
        Scope::Temp => KeyScope::Temp,
    }
}

pub(super) fn value_state(value: StoredValue<'_>) -> ValueState {
    match value {
        StoredValue::Known(_) => ValueState::Known,
        StoredValue::Absent => ValueState::Absent,
        StoredValue::NotRecorded => ValueState::NotRecorded,
        StoredValue::Gone { .. } => ValueState::Gone,
    }
}

pub(super) fn count(scale: Scale<'_>, value: &Json) -> TokenCount {
    scale.weigher().text(&as_filled(value))
}

/// A value in one line; masked where its name says that it is a secret.
pub(super) fn in_line(key: &str, value: StoredValue<'_>) -> String {
    match value {
        StoredValue::Known(value) => shown(key, value, LINE),
        StoredValue::Absent => "not set".to_owned(),
        StoredValue::NotRecorded => "not recorded".to_owned(),
        StoredValue::Gone { turn: 0 } => "gone with its turn".to_owned(),
        StoredValue::Gone { turn } => format!("gone, lived in turn {turn}"),
    }
}

/// A value as JSON, at most so many characters of it.
pub(super) fn shown(key: &str, value: &Json, most: usize) -> String {
    // With its key, which may tell that it is a secret.
    let named = format!("\"{key}\": ");
    let row = words::row(&format!("{named}{}", json::to_compact(value)), most + named.chars().count());
    row.strip_prefix(&named).map_or_else(|| "‹redacted›".to_owned(), str::to_owned)
}

fn columns(n_calls: u32, most: u32) -> Vec<CallRange> {
    let columns = buckets(1, n_calls, n_calls, most).into_iter();
    columns.map(|calls| CallRange { from: *calls.start(), to: *calls.end() }).collect()
}

fn key_columns(
    of: CompiledSession<'_>,
    store: &StateStore<'_>,
    key: &str,
    columns: &[CallRange],
    scale: Scale<'_>,
) -> KeyColumns {
    let column_of = |call: u32| columns.partition_point(|column| column.to < call) as u32;
    let marks = |calls: &mut dyn Iterator<Item = u32>| {
        let columns: BTreeSet<u32> = calls.map(column_of).collect();
        columns.into_iter().collect()
    };
    let mut counted: Option<(&Json, u32)> = None;
    let tokens = columns.iter().map(|column| {
        let value = store.at(key, of.experiment.call(column.to)?).known()?;
        // What is stored once is counted once.
        match counted {
            Some((known, tokens)) if std::ptr::eq(known, value) => Some(tokens),
            _ => {
                let tokens = count(scale, value).tokens;
                counted = Some((value, tokens));
                Some(tokens)
            }
        }
    });
    KeyColumns {
        tokens: tokens.collect(),
        written: marks(&mut store.writes(key).iter().map(|write| write.call.max(1))),
        read: marks(&mut store.reads(key).iter().copied()),
        broke: marks(&mut store.breaks(key).iter().map(|(call, _)| call.call)),
    }
}

/// What the recording does not hold.
fn gap(of: CompiledSession<'_>, store: &StateStore<'_>, call: &Call) -> Option<String> {
    if !of.has_state() {
        let message = "What this tool records holds no state: what its agents keep stands in the conversation and in files.";
        return Some(message.to_owned());
    }
    let unknown = store.keys().filter(|key| matches!(store.at(key, call), StoredValue::NotRecorded)).count();
    if store.keys().next().is_none() {
        Some("No state was written in this session, and no prompt holds any.".to_owned())
    } else if unknown > 0 {
        let keys = words::counted(unknown, "key");
        Some(format!("What {keys} held before the first event that wrote it is not recorded."))
    } else {
        None
    }
}
