//! What one thread finds out and others read.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The latest of a row of values. Readers take it as it is and keep it as long as they like; nobody waits for a reader,
/// and no reader for the next value, unless it asks to.
pub(crate) struct Latest<T> {
    value: Mutex<Arc<T>>,
    changed: Condvar,
}

impl<T> Latest<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(Arc::new(value)), changed: Condvar::new() }
    }

    pub(crate) fn get(&self) -> Arc<T> {
        self.lock().clone()
    }

    pub(crate) fn set(&self, value: T) {
        let before = std::mem::replace(&mut *self.lock(), Arc::new(value));
        // Letting go of the last copy takes its time: nobody waits for that.
        drop(before);
        self.changed.notify_all();
    }

    /// Has all who wait look again whether they still should.
    pub(crate) fn wake(&self) {
        // Whoever has looked and does not wait yet holds the lock.
        drop(self.lock());
        self.changed.notify_all();
    }

    /// Waits for a value, but not longer than this; the latest one in any case.
    pub(crate) fn wait_while(&self, patience: Duration, mut is_early: impl FnMut(&T) -> bool) -> Arc<T> {
        let waited = self.changed.wait_timeout_while(self.lock(), patience, |value| is_early(value));
        waited.unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Arc<T>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
