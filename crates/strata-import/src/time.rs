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
    if let Some(micros) = micros_of_utc(text.as_bytes()) {
        return Some(micros as f64 / MICROS);
    }
    let is_mail = text.as_bytes().get(3) == Some(&b',');
    let time = if is_mail { MAIL.parse_timestamp(text).ok()? } else { instant(text)? };
    Some(time.as_microsecond() as f64 / MICROS)
}

/// Microseconds since the epoch of `2026-01-27T23:13:36.582Z`, which is how most write a time; `None` for any other
/// spelling, and where it takes a calendar to say whether there is such a day.
fn micros_of_utc(text: &[u8]) -> Option<i64> {
    const DAYS_OF_ALL_MONTHS: i64 = 28;
    let (time, fraction) = text.strip_suffix(b"Z")?.split_at_checked("2026-01-27T23:13:36".len())?;
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if marks.iter().any(|(at, mark)| time[*at] != *mark) {
        return None;
    }
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_i64, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
        })
    };
    let (year, month, day) = (number(&time[..4])?, number(&time[5..7])?, number(&time[8..10])?);
    let (hour, minute, second) = (number(&time[11..13])?, number(&time[14..16])?, number(&time[17..])?);
    let is_plain = year >= 1970
        && (1..=12).contains(&month)
        && (1..=DAYS_OF_ALL_MONTHS).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let micros = match fraction {
        [] => 0,
        [b'.', digits @ ..] if (1..=9).contains(&digits.len()) => {
            let all = number(digits)?;
            let n_digits = digits.len() as u32;
            if n_digits <= 6 { all * 10_i64.pow(6 - n_digits) } else { all / 10_i64.pow(n_digits - 6) }
        }
        _ => return None,
    };
    is_plain.then(|| {
        ((days_before(year, month, day) * 24 + hour) * 60 + minute) * 60_000_000 + second * 1_000_000 + micros
    })
}

/// Days from the epoch to a day. A year begins in March, so that a leap day is its last.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
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

    use super::{MICROS, epoch_seconds, instant, micros_of_utc, time_of};

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
    fn the_common_spelling_is_read_as_the_others_are() {
        for year in [1970, 1999, 2000, 2024, 2026, 2100, 9999] {
            for (month, day) in [(1, 1), (2, 28), (3, 1), (8, 17), (12, 28)] {
                for end in ["", ".5", ".582", ".582123", ".582123999"] {
                    let text = format!("{year}-{month:02}-{day:02}T23:59:07{end}Z");
                    let read = instant(&text).map(|time| time.as_microsecond());
                    assert_eq!(micros_of_utc(text.as_bytes()), read, "{text}");
                    assert_eq!(epoch_seconds(&text), read.map(|micros| micros as f64 / MICROS));
                }
            }
        }
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
