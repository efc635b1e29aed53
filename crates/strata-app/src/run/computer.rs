//! Time and chance of this computer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use strata_model::Str;
use strata_runtime::{Chance, Clock};

/// Longer than any run waits, in seconds.
const FOREVER: f64 = 1e9;

#[derive(Debug, Default)]
pub(crate) struct Computer {
    n_ids: AtomicU64,
}

impl Computer {
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
    fn now(&self) -> f64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
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
    fn ids_are_uuids_and_differ() {
        let computer = Computer::default();
        let (one, other) = (computer.new_id(), computer.new_id());
        assert_ne!(one, other);
        assert_eq!(one.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert_eq!(&one[14..15], "4", "{one}");
        assert!("89ab".contains(&one[19..20]), "{one}");
    }
}
