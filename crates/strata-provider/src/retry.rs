//! When to try again, and how long to wait.

use std::time::{Duration, SystemTime};

use jiff::fmt::rfc2822;

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
    // `Sun, 06 Nov 1994 08:49:37 GMT`, the date of HTTP, is one that mail may have.
    let due = rfc2822::DateTimeParser::new().parse_timestamp(header).ok()?.as_second();
    let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    Some(Duration::from_secs(u64::try_from(due).ok()?.saturating_sub(now)))
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
