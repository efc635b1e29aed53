//! Timestamps as sources write them.

use strata_model::{Json, Object};

const MICROS: i64 = 1_000_000;

/// Epoch seconds of `2026-01-27T23:13:36.582Z`, `2026-01-27 23:13:36.582123` or `…+01:00`. A time without a zone is
/// taken as UTC.
/// `Thu, 01 Jan 2026 10:00:00 GMT` is read, too.
pub(crate) fn epoch_seconds(text: &str) -> Option<f64> {
    if text.as_bytes().get(3) == Some(&b',') {
        return of_mail(text);
    }
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, offset_s) = split_zone(rest)?;
    let (clock, micros) = match clock.split_once('.') {
        Some((clock, fraction)) => (clock, fraction_micros(fraction)?),
        None => (clock, 0),
    };
    let days = days_since_epoch(numbers(date, '-')?)?;
    let [hours, minutes, seconds] = numbers(clock, ':')?;
    if hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    let seconds = days * 86_400 + hours * 3_600 + minutes * 60 + seconds - offset_s;
    Some((seconds * MICROS + micros) as f64 / MICROS as f64)
}

/// A time as mail and HTTP headers write it.
fn of_mail(text: &str) -> Option<f64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_whitespace().skip(1);
    let day = words.next()?;
    let month = words.next().and_then(|month| MONTHS.iter().position(|known| *known == month))? + 1;
    let (year, clock) = (words.next()?, words.next()?);
    let zone = words.next().filter(|zone| zone.starts_with(['+', '-'])).unwrap_or("Z");
    epoch_seconds(&format!("{year}-{month:02}-{day:0>2}T{clock}{zone}"))
}

fn split_zone(text: &str) -> Option<(&str, i64)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((text, 0)) };
    let digits = text[at + 1..].replace(':', "");
    let (hours, minutes) = digits.split_at_checked(2)?;
    let offset_s = number(hours)? * 3_600 + number(minutes)? * 60;
    Some((&text[..at], if text[at..].starts_with('-') { -offset_s } else { offset_s }))
}

fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let mut parts = text.split(separator);
    let numbers = [number(parts.next()?)?, number(parts.next()?)?, number(parts.next()?)?];
    parts.next().is_none().then_some(numbers)
}

fn number(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

fn fraction_micros(digits: &str) -> Option<i64> {
    let is_fraction = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_fraction {
        return None;
    }
    let micros: String = digits.chars().chain("000000".chars()).take(6).collect();
    micros.parse().ok()
}

/// Days from 1970-01-01 in the Gregorian calendar, counted in 400-year eras that begin on the first of March.
fn days_since_epoch([year, month, day]: [i64; 3]) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
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
