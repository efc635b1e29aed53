//! Values that stand in records of their own.

use std::collections::{BTreeMap, HashMap};

use strata_model::{Json, Str};

use crate::findings::Findings;

/// Values by the name that other records have for them.
#[derive(Debug, Default)]
pub(super) struct Pool {
    values: HashMap<Str, Json>,
    /// Values the recorder left out for their size, with it.
    omitted: HashMap<Str, i64>,
    /// How often a value was asked for that is not there, by why.
    missing: BTreeMap<&'static str, usize>,
}

impl Pool {
    pub(super) fn add(&mut self, id: Str, value: Option<Json>, omitted: Option<i64>) {
        if let Some(value) = value {
            self.values.insert(id, value);
        } else if let Some(n_characters) = omitted {
            self.omitted.insert(id, n_characters);
        }
    }

    /// How many values were asked for in vain by now.
    pub(super) fn n_missing(&self) -> usize {
        self.missing.values().sum()
    }

    /// The value of an item: `{"value": …}`, or the name of one that was said before.
    pub(super) fn value(&mut self, item: &Json) -> Option<Json> {
        match item {
            Json::String(id) => {
                let value = self.values.get(id);
                if value.is_none() {
                    let why = if self.omitted.contains_key(id) {
                        "left out for its size"
                    } else {
                        "not in the file"
                    };
                    *self.missing.entry(why).or_default() += 1;
                }
                value.cloned()
            }
            item => item.get("value").cloned(),
        }
    }

    /// As [`Self::value`], a text.
    pub(super) fn text(&mut self, item: Option<&Json>) -> Option<Str> {
        self.value(item?)?.as_str().map(Str::from)
    }

    /// Says what could not be put back.
    pub(super) fn report(&self, findings: &mut Findings) {
        for (why, count) in &self.missing {
            let (values, are) = if *count == 1 { ("value", "is") } else { ("values", "are") };
            let message = format!(
                "{count} {values} that records refer to {are} {why}; what has them is incomplete. Keep the whole file from its first line on"
            );
            findings.warning("missing-value", "", message);
        }
    }
}
