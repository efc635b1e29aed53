//! Values that stand in records of their own.

use std::collections::HashMap;

use strata_model::{Json, Object, Str};

use crate::findings::Findings;

/// The member of what stands where a value was left out: how large it was, in characters.
const OMITTED: &str = "strata.omitted";

/// Values by the name that other records have for them.
#[derive(Debug, Default)]
pub(super) struct Pool {
    values: HashMap<Str, Json>,
    /// Values the recorder left out for their size, with it.
    omitted: HashMap<Str, i64>,
    /// How often a value was asked for that was left out for its size.
    n_omitted: usize,
    /// How often one was asked for that is not in the file.
    n_lost: usize,
}

impl Pool {
    pub(super) fn add(&mut self, id: Str, value: Option<Json>, omitted: Option<i64>) {
        if let Some(value) = value {
            self.values.insert(id, value);
        } else if let Some(n_characters) = omitted {
            self.omitted.insert(id, n_characters);
        }
    }

    /// How many values were asked for by now that are not in the file.
    pub(super) fn n_lost(&self) -> usize {
        self.n_lost
    }

    /// The value of an item: `{"value": …}`, or the name of one that was said before.
    pub(super) fn value(&mut self, item: &Json) -> Option<Json> {
        match item {
            Json::String(id) => {
                let value = self.values.get(id);
                if value.is_none() {
                    let is_omitted = self.omitted.contains_key(id);
                    *(if is_omitted { &mut self.n_omitted } else { &mut self.n_lost }) += 1;
                }
                value.cloned()
            }
            item => item.get("value").cloned(),
        }
    }

    /// As [`Self::value`], for a place that others are counted from: something stands there where the value was left
    /// out for its size ([`is_omitted`]).
    pub(super) fn placed(&mut self, item: &Json) -> Option<Json> {
        self.value(item).or_else(|| {
            let n_characters = *self.omitted.get(item.as_str()?)?;
            Some(Json::Object(Object::from_iter([(OMITTED, Json::Int(n_characters))])))
        })
    }

    /// As [`Self::value`], a text.
    pub(super) fn text(&mut self, item: Option<&Json>) -> Option<Str> {
        self.value(item?)?.as_str().map(Str::from)
    }

    /// Says what could not be put back.
    pub(super) fn report(&self, findings: &mut Findings) {
        let mut say = |count: usize, why: &str| {
            if count > 0 {
                let (values, are) = if count == 1 { ("value", "is") } else { ("values", "are") };
                let message = format!("{count} {values} that records refer to {are} {why}");
                findings.warning("missing-value", "", message);
            }
        };
        say(
            self.n_lost,
            "not in the file; what has them is incomplete. Keep the whole file from its first line on",
        );
        say(self.n_omitted, "left out by the recorder for their size; what has them is incomplete");
    }
}

/// Whether this stands where a value was left out.
pub(super) fn is_omitted(value: &Json) -> bool {
    value.get(OMITTED).is_some()
}
