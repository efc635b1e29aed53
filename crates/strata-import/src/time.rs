//! Timestamps as sources write them.

use jiff::Timestamp;
use jiff::fmt::{rfc2822, temporal};
use jiff::tz::Offset;
use strata_model::{Json, Object};

const MICROS: f64 = 1e6;

/// Epoch seconds of `2026-01-27T23:13:36.582Z`, `2026-01-27 23:13:36.582123` or `…+01:00`, and of
/// `Thu, 01 Jan 2026 10:00:00 GMT`. A time without a zone is taken as UTC; digits beyond microseconds are left out.
pub(crate) fn epoch_seconds(text: &str) -> Option<f64> {
    const MAIL: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    let is_mail = text.as_bytes().get(3) == Some(&b',');
    let time = if is_mail { MAIL.parse_timestamp(text).ok()? } else { instant(text)? };
    Some(time.as_microsecond() as f64 / MICROS)
}

fn instant(text: &str) -> Option<Timestamp> {
    const PARSER: temporal::DateTimeParser = temporal::DateTimeParser::new();
    let pieces = PARSER.parse_pieces(text).ok()?;
    let time = pieces.date().to_datetime(pieces.time()?);
    pieces.to_numeric_offset().unwrap_or(Offset::UTC).to_timestamp(time).ok()
}

/// Takes a time, in epoch seconds, from any spelling: ISO 8601 text, seconds, milliseconds, nanoseconds.
pub(crate) fn take_time(object: &mut Object, key: &str) -> Option<f64> {
    let seconds = time_of(object.get(key)?)?;
    object.remove(key);
    Some(seconds)
}

pub(crate) fn time_of(value: &Json) -> Option<f64> {
    let number = match value {
        Json::String(text) => match epoch_seconds(text) {
            Some(seconds) => return Some(seconds),
            None => text.parse().ok().filter(|number: &f64| number.is_finite())?,
        },
        other => other.as_f64()?,
    };
    // No clock has shown a second that is as large as a millisecond of 1973.
    Some(match number {
        n if n >= 1e17 => n / 1e9,
        n if n >= 1e14 => n / 1e6,
        n if n >= 1e11 => n / 1e3,
        n => n,
    })
}

#[cfg(test)]
mod tests {
    use strata_model::json;

    use super::{epoch_seconds, time_of};

    #[test]
    fn times_in_every_unit() {
        let parse = |text: &str| time_of(&json::parse(text.as_bytes()).unwrap());
        for text in ["1795208682.5", "1795208682500", "1795208682500000000", "\"1795208682500000000\""] {
            assert_eq!(parse(text), Some(1_795_208_682.5), "{text}");
        }
        assert_eq!(parse("\"2026-11-20T21:04:42.5Z\""), Some(1_795_208_682.5));
        assert_eq!(parse("\"soon\""), None);
    }

    #[test]
    fn every_spelling_of_a_time() {
        assert_eq!(epoch_seconds("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(epoch_seconds("2026-01-27T23:13:36.582Z"), Some(1_769_555_616.582));
        assert_eq!(epoch_seconds("2026-01-28T00:13:36.582+01:00"), Some(1_769_555_616.582));
        assert_eq!(epoch_seconds("2026-11-20 20:52:15.773703"), Some(1_795_207_935.773_703));
        assert_eq!(epoch_seconds("2024-02-29 12:00:00"), Some(1_709_208_000.0));
        assert_eq!(epoch_seconds("2026-01-28T00:13:36.582999999+0100"), Some(1_769_555_616.582_999));
        assert_eq!(epoch_seconds("Thu, 01 Jan 2026 10:00:00 GMT"), Some(1_767_261_600.0));
        assert_eq!(
            epoch_seconds("Fri, 1 Jan 2026 11:00:00 +0100"),
            Some(1_767_261_600.0),
            "whatever the day"
        );
    }

    #[test]
    fn what_is_no_time() {
        let odd =
            ["", "yesterday", "2026-13-01T00:00:00Z", "2026-01-27", "2026-01-27T25:00:00Z", "é026-01-27T1"];
        for text in odd {
            assert_eq!(epoch_seconds(text), None, "{text}");
        }
    }
}
