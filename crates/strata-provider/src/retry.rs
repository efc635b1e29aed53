//! When to try again, and how long to wait.

use std::time::{Duration, SystemTime};

/// The first wait; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(500);

/// Whether a request that was turned away with this status may be taken later.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// How long to wait before the next attempt; `attempt` counts those made so far, from 1.
pub(crate) fn wait(attempt: u32, asked: Option<Duration>, first: Duration) -> Duration {
    let own = first.saturating_mul(1 << (attempt - 1).min(6));
    asked.map_or(own, |asked| asked.max(first))
}

pub(crate) fn first_wait() -> Duration {
    FIRST
}

/// What a server asks for in `Retry-After`: seconds, or a date.
pub(crate) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return (0.0..=1e6).contains(&seconds).then(|| Duration::from_secs_f64(seconds));
    }
    let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    Some(Duration::from_secs(http_date(header)?.saturating_sub(now)))
}

/// Epoch seconds of `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_once(", ")?.1.split(' ');
    let day: u64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<u64>().ok());
    let (hours, minutes, seconds) = (clock.next()??, clock.next()??, clock.next()??);
    if !(1970..10_000).contains(&year) {
        return None;
    }
    // Days from the first of March of year 0, in which leap days come last.
    let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * shifted_year + shifted_year / 4 - shifted_year / 100
        + shifted_year / 400
        + (153 * shifted_month + 2) / 5
        + day
        - 1;
    Some((days - 719_468) * 86_400 + hours * 3600 + minutes * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_say_how_long_to_wait() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        let read = |header: &str| retry_after(header, now).map(|wait| wait.as_millis());
        assert_eq!(read("2"), Some(2000));
        assert_eq!(read("0.25"), Some(250));
        assert_eq!(read("Sun, 06 Nov 1994 08:49:37 GMT"), Some(7000));
        assert_eq!(read("Sun, 06 Nov 1994 08:49:00 GMT"), Some(0));
        assert_eq!(read("soon"), None);
        assert_eq!(read("-3"), None);
    }

    #[test]
    fn waits_double() {
        let waits = [1, 2, 3].map(|attempt| wait(attempt, None, FIRST).as_millis());
        assert_eq!(waits, [500, 1000, 2000]);
        assert_eq!(wait(1, Some(Duration::from_secs(3)), FIRST).as_secs(), 3);
    }
}
