//! Time and chance of this computer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use strata_model::Str;
use strata_runtime::{Chance, Clock};

/// Longer than any run waits, in seconds.
const FOREVER: f64 = 1e9;

/// What two readings of the clock differ by at least, in seconds.
const TICK: f64 = 1e-6;

#[derive(Debug, Default)]
pub(crate) struct Computer {
    n_ids: AtomicU64,
    /// When the clock was read last: epoch seconds, as their bits.
    read_last: AtomicU64,
}

impl Computer {
    /// A session is gone on with whose last event is of this time, in epoch seconds.
    pub(crate) fn goes_on_from(&self, time: f64) {
        if time.is_finite() && time > 0.0 {
            self.read_last.store(time.to_bits(), Ordering::Relaxed);
        }
    }

    fn random(&self) -> u128 {
        let mut bytes = [0; 16];
        if getrandom::fill(&mut bytes).is_err() {
            // Without chance, time and a count still make ids that no other run of this computer has.
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let count = u128::from(self.n_ids.fetch_add(1, Ordering::Relaxed));
            return (since.as_nanos() << 32) | count;
        }
        u128::from_le_bytes(bytes)
    }
}

impl Clock for Computer {
    /// Later than any time it told before: what a compaction covers is told by times, so that an event is never of the
    /// time of one before it, whatever the computer's own clock does.
    fn now(&self) -> f64 {
        let told = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        let later = |last: u64| Some(told.max(f64::from_bits(last) + TICK).to_bits());
        let last = self.read_last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
        last.map_or(told, |last| told.max(f64::from_bits(last) + TICK))
    }

    fn sleep(&self, seconds: f64) -> BoxFuture<'static, ()> {
        let seconds = if seconds.is_finite() { seconds.clamp(0.0, FOREVER) } else { FOREVER };
        Box::pin(tokio::time::sleep(Duration::from_secs_f64(seconds)))
    }
}

impl Chance for Computer {
    /// A random UUID.
    fn new_id(&self) -> Str {
        let bits = self.random() & !(0xf << 76) & !(0b11 << 62) | (4 << 76) | (0b10 << 62);
        let hex = format!("{bits:032x}");
        [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-").into()
    }

    fn spread(&self) -> f64 {
        f64::from(self.random() as u32) / f64::from(u32::MAX) * 2.0 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_runs_backwards_goes_on_by_the_smallest_steps() {
        let computer = Computer::default();
        let ahead = computer.now() + 1_000.0;
        computer.goes_on_from(ahead);
        let (one, other) = (computer.now(), computer.now());
        assert!(ahead < one && one < other && other < ahead + 1.0, "{ahead} {one} {other}");
    }

    #[test]
    fn ids_are_uuids_and_differ() {
        let computer = Computer::default();
        let (one, other) = (computer.new_id(), computer.new_id());
        assert_ne!(one, other);
        assert_eq!(one.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert_eq!(&one[14..15], "4", "{one}");
        assert!("89ab".contains(&one[19..20]), "{one}");
    }
}
