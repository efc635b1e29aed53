//! Days and minutes as answers to programs write them.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Epoch milliseconds of the beginning of a day such as 2026-11-20, in UTC.
pub fn utc_day(day: &str) -> Option<i64> {
    let day: Date = day.trim().parse().ok()?;
    Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

/// `2026-11-20T09:34Z`.
pub fn utc_minute(epoch_ms: i64) -> String {
    let time = Timestamp::from_millisecond(epoch_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%dT%H:%MZ").to_string()
}

/// `2026-01-31T09:30:15Z`.
pub(crate) fn utc_second(epoch_ms: i64) -> String {
    let time = Timestamp::from_millisecond(epoch_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
