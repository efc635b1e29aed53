//! Spellings that several tools share.

use strata_model::{Json, Object};

use super::incident::DAY;

/// An object of the given members, in their order.
pub(super) fn object<const N: usize>(members: [(&str, Json); N]) -> Object {
    Object::from_iter(members)
}

pub(super) fn texts<'t>(items: impl IntoIterator<Item = &'t str>) -> Json {
    Json::Array(items.into_iter().map(Json::from).collect())
}

pub(super) fn count(number: usize) -> Json {
    Json::Int(number as i64)
}

/// `2026-11-17T09:14:02Z` of seconds since 17 November, 00:00 UTC.
pub(super) fn time(at: u32) -> String {
    format!("{}T{}Z", date(at), time_of_day(at))
}

pub(super) fn date(at: u32) -> String {
    format!("2026-11-{:02}", 17 + at / DAY)
}

pub(super) fn time_of_day(at: u32) -> String {
    let of_day = at % DAY;
    format!("{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

/// Hundredths as a decimal number.
pub(super) fn decimal(hundredths: i64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

pub(super) fn host(number: usize) -> String {
    format!("bill-{number}")
}
