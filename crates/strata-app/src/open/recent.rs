//! Answers that are asked for page by page, kept while they are.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The last few results under their keys.
pub(crate) struct Recent<K, V> {
    known: Mutex<VecDeque<(K, Arc<V>)>>,
    max: usize,
}

impl<K: PartialEq, V> Recent<K, V> {
    pub(crate) fn new(max: usize) -> Self {
        Self { known: Mutex::default(), max }
    }

    /// The result under a key, made if it is not known. Others may ask meanwhile.
    pub(crate) fn get<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = lock().iter().find(|(known, _)| *known == key) {
            return Ok(found.clone());
        }
        let made = Arc::new(make()?);
        let mut known = lock();
        known.push_front((key, made.clone()));
        known.truncate(self.max);
        Ok(made)
    }
}
