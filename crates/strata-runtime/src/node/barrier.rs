//! Keeps what is taken again in the order in which it happened.

use std::collections::HashSet;

use parking_lot::Mutex;
use strata_model::Str;
use tokio::sync::watch;

/// Runs of nodes in the order in which they once ended.
pub(crate) struct Barrier {
    order: Vec<Str>,
    ended: Mutex<HashSet<Str>>,
    /// How many of them have ended again.
    passed: watch::Sender<usize>,
}

impl Barrier {
    pub(crate) fn new(order: Vec<Str>) -> Self {
        Self { order, ended: Mutex::default(), passed: watch::Sender::new(0) }
    }

    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        self.order.iter().position(|known| **known == *key)
    }

    /// Waits until all that ended before `key` has ended again.
    pub(crate) async fn wait(&self, key: &str) {
        let Some(position) = self.position(key) else { return };
        // The sender lives as long as this does.
        let _ = self.passed.subscribe().wait_for(|passed| *passed >= position).await;
    }

    pub(crate) fn advance(&self, key: &str) {
        let mut ended = self.ended.lock();
        ended.insert(key.into());
        self.passed.send_modify(|passed| {
            while self.order.get(*passed).is_some_and(|next| ended.contains(next)) {
                *passed += 1;
            }
        });
    }
}
