//! Small readings of JSON.

use strata_model::{Json, Object, Str};

pub(super) fn flag(value: Option<&Json>, key: &str) -> bool {
    value.and_then(|value| value.get(key)).and_then(Json::as_bool) == Some(true)
}

pub(super) fn text(value: &Json, key: &str) -> Option<Str> {
    value.get(key).and_then(Json::as_str).map(Str::from)
}

pub(super) fn number(value: &Json, key: &str) -> Option<f64> {
    value.get(key).and_then(Json::as_f64)
}

pub(super) fn items<'v>(value: &'v Json, key: &str) -> &'v [Json] {
    value.get(key).and_then(Json::as_array).unwrap_or_default()
}

pub(super) fn object(value: &Json, key: &str) -> Object {
    value.get(key).and_then(Json::as_object).cloned().unwrap_or_default()
}

/// Of a list of things that are done one by one, the last one repeating: that of the `n`-th time, counted from 0.
pub(super) fn nth_or_last(list: &[Json], n: usize) -> Option<&Json> {
    list.get(n).or(list.last())
}

/// Numbers added as Python adds them.
pub(super) fn sum(values: &[Json]) -> Json {
    let mut whole = Some(0_i64);
    for value in values {
        whole = whole.and_then(|sum| match value {
            Json::Int(number) => sum.checked_add(*number),
            _ => None,
        });
    }
    match whole {
        Some(sum) => sum.into(),
        None => values.iter().filter_map(Json::as_f64).sum::<f64>().into(),
    }
}
