//! Calls, by what they are added up by.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use strata_measure::prices::{Price, Prices};
use strata_model::Str;

use super::call::{CallKind, UsedCall, UsedSession};
use super::days::Days;
use super::sums::Sums;
use crate::api::usage::{ApartReason, UnpricedModel, UsageApart, UsageBy, UsagePrice, UsageRow, UsageSums};

/// Steps from a sub-agent to the session it worked for, at most.
const MOST_STEPS: usize = 32;

/// What is the same of the calls of a row. Two sessions of different tools may have one id.
type RowKey = (Option<String>, String);

#[derive(Debug)]
struct Row {
    /// Of a session.
    title: Option<String>,
    /// The session of its first call, by its number.
    root: usize,
    sums: Sums,
}

/// A call that may count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallInSession<'s> {
    /// The session it worked for, by its number.
    pub root: usize,
    pub call: &'s UsedCall,
}

/// Calls in their rows.
#[derive(Debug)]
pub(crate) struct Grouped {
    by: UsageBy,
    rows: BTreeMap<RowKey, Row>,
    total: Sums,
    apart: BTreeMap<ApartReason, Sums>,
    /// Models of the calls in rows.
    models: BTreeMap<Option<Str>, Sums>,
    n_unpaid: u32,
    n_undated: u32,
}

impl Grouped {
    pub(crate) fn of(
        sessions: &[UsedSession],
        calls: &[(usize, usize)],
        by: UsageBy,
        days: &Days,
        prices: &Prices,
        is_wanted: &dyn Fn(CallInSession<'_>) -> bool,
    ) -> Self {
        let mut grouped = Self {
            by,
            rows: BTreeMap::new(),
            total: Sums::default(),
            apart: BTreeMap::new(),
            models: BTreeMap::new(),
            n_unpaid: 0,
            n_undated: 0,
        };
        let roots = Roots::of(sessions);
        // Finding the price of a model takes longer than adding up a call.
        let mut known_prices: HashMap<Option<&str>, Option<&Price>> = HashMap::new();
        for (at, of) in calls {
            let (root, call) = (roots.of_session(*at), &sessions[*at].calls[*of]);
            let day = call.time_ms.and_then(|time| days.day(time));
            if !is_wanted(CallInSession { root, call }) {
                continue;
            }
            grouped.n_undated += u32::from(day.is_none());
            if !days.include(day) {
                continue;
            }
            let model = call.model.as_deref();
            let price = *known_prices.entry(model).or_insert_with(|| prices.of_model(model?));
            let apart = match call.kind {
                CallKind::Unpaid => {
                    grouped.n_unpaid += 1;
                    continue;
                }
                CallKind::Relayed => Some(ApartReason::Relayed),
                CallKind::Summary => Some(ApartReason::Summaries),
                _ => None,
            };
            if let Some(why) = apart {
                grouped.apart.entry(why).or_default().add(root, call, price);
                continue;
            }
            let session = &sessions[root];
            let known = match by {
                UsageBy::Day => day.map(|day| day.to_string()),
                UsageBy::Project => session.project.clone().or_else(|| sessions[*at].project.clone()),
                UsageBy::Model => call.model.as_ref().map(ToString::to_string),
                UsageBy::Tool => Some(session.tool.clone()),
                UsageBy::Session => Some(session.parent.as_ref().unwrap_or(&session.id).to_string()),
            };
            let (title, tool) = match by {
                UsageBy::Session => (Some(session.title.clone()), session.tool.clone()),
                _ => (None, String::new()),
            };
            let new = || Row { title, root, sums: Sums::default() };
            let row = grouped.rows.entry((known, tool)).or_insert_with(new);
            for sums in
                [&mut row.sums, &mut grouped.total, grouped.models.entry(call.model.clone()).or_default()]
            {
                sums.add(root, call, price);
            }
        }
        grouped
    }

    pub(crate) fn rows(&self) -> Vec<UsageRow> {
        let mut rows: Vec<_> = self.rows.iter().collect();
        if self.by == UsageBy::Day {
            // Those of no day come last.
            rows.sort_by_key(|((day, _), _)| day.is_none());
        } else {
            rows.sort_by_key(|(_, row)| Reverse(row.sums.n_tokens()));
        }
        let told = rows.into_iter().map(|((key, _), row)| UsageRow {
            key: key.clone(),
            title: row.title.clone(),
            sums: row.sums.told(),
        });
        told.collect()
    }

    /// Of no calls.
    pub(crate) fn no_sums() -> UsageSums {
        Sums::default().told()
    }

    /// What each row comes to, with the session of its first call.
    pub(crate) fn of_roots(&self) -> impl Iterator<Item = (usize, UsageSums)> {
        self.rows.values().map(|row| (row.root, row.sums.told()))
    }

    pub(crate) fn total(&self) -> UsageSums {
        self.total.told()
    }

    pub(crate) fn apart(&self) -> Vec<UsageApart> {
        self.apart.iter().map(|(why, sums)| UsageApart { why: *why, sums: sums.told() }).collect()
    }

    pub(crate) fn n_unpaid(&self) -> u32 {
        self.n_unpaid
    }

    pub(crate) fn n_undated(&self) -> u32 {
        self.n_undated
    }

    /// What the models cost that have a price, in the order of their names.
    pub(crate) fn prices(&self, prices: &Prices) -> Vec<UsagePrice> {
        let models = self.models.keys().flatten();
        let priced = models.filter_map(|model| {
            let Price { rates, source, seen_on, .. } = prices.of_model(model)?;
            Some(UsagePrice {
                model: model.to_string(),
                input: rates.input,
                cached_read: rates.cached_read,
                cache_write: rates.cache_write,
                cache_write_long: rates.cache_write_long,
                output: rates.output,
                source: source.clone(),
                seen_on: seen_on.clone(),
            })
        });
        priced.collect()
    }

    pub(crate) fn unpriced(&self) -> Vec<UnpricedModel> {
        let unpriced = self.models.iter().filter_map(|(model, sums)| {
            let calls = sums.told().unpriced_calls;
            (calls > 0).then(|| UnpricedModel {
                model: model.as_ref().map(ToString::to_string),
                calls,
                tokens: sums.n_tokens(),
            })
        });
        let mut unpriced: Vec<_> = unpriced.collect();
        unpriced.sort_by_key(|model| Reverse(model.tokens));
        unpriced
    }
}

/// Which session each works for.
pub(crate) struct Roots<'s> {
    sessions: &'s [UsedSession],
    /// The first file of each.
    by_id: HashMap<(&'s str, &'s str), usize>,
}

impl<'s> Roots<'s> {
    pub(crate) fn of(sessions: &'s [UsedSession]) -> Self {
        let mut by_id = HashMap::new();
        for (at, session) in sessions.iter().enumerate() {
            by_id.entry((&*session.tool, &*session.id)).or_insert(at);
        }
        // Where a parent has no file, its sub-agents stand for it.
        for (at, session) in sessions.iter().enumerate() {
            if let Some(parent) = &session.parent {
                by_id.entry((&*session.tool, parent)).or_insert(at);
            }
        }
        Self { sessions, by_id }
    }

    pub(crate) fn of_session(&self, at: usize) -> usize {
        let first = |at: usize| {
            let session = &self.sessions[at];
            let id = session.parent.as_ref().unwrap_or(&session.id);
            self.by_id.get(&(&*session.tool, &**id)).copied().unwrap_or(at)
        };
        let mut root = at;
        for _ in 0..MOST_STEPS {
            let next = first(root);
            if next == root {
                break;
            }
            root = next;
        }
        root
    }
}
