//! Where keys are kept: the environment is read, the key store of the operating system read and written; without one,
//! memory.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::endpoint::Key;

/// What entries of ours are filed under.
const SERVICE: &str = "strata";

/// A key store may ask its owner for a password first.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where a key was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyOrigin {
    /// The name of the variable.
    Environment(String),
    System,
    /// Until the program ends.
    Memory,
}

impl KeyOrigin {
    /// As people are told.
    pub fn describe(&self) -> String {
        match self {
            Self::Environment(variable) => format!("environment variable {variable}"),
            Self::System => "key store".to_owned(),
            Self::Memory => "memory, until the app is closed".to_owned(),
        }
    }
}

/// Keys by the names of their endpoints.
#[derive(Debug, Default)]
pub struct KeyStore {
    memory: Mutex<BTreeMap<String, Key>>,
    /// What the system's store was asked for before: asking is slow, and may open a window.
    known: Mutex<BTreeMap<String, Option<Key>>>,
    /// Never ask the system.
    is_private: bool,
}

impl KeyStore {
    /// One that keeps everything in memory, for tests and for people who want that.
    pub fn in_memory() -> Self {
        Self { is_private: true, ..Self::default() }
    }

    /// The key of an endpoint: that of the variable, if it is set, else a kept one.
    pub fn find(&self, name: &str, variable: Option<&str>) -> Option<(Key, KeyOrigin)> {
        let of_variable = variable.and_then(|variable| {
            let key = Key::new(&std::env::var(variable).ok()?)?;
            Some((key, KeyOrigin::Environment(variable.to_owned())))
        });
        of_variable.or_else(|| self.kept(name))
    }

    fn kept(&self, name: &str) -> Option<(Key, KeyOrigin)> {
        if let Some(key) = lock(&self.memory).get(name) {
            return Some((key.clone(), KeyOrigin::Memory));
        }
        if self.is_private {
            return None;
        }
        if let Some(known) = lock(&self.known).get(name) {
            return known.clone().map(|key| (key, KeyOrigin::System));
        }
        let entry = name.to_owned();
        let found = apart(move || keyring::Entry::new(SERVICE, &entry)?.get_password());
        let key = found.and_then(Result::ok).and_then(|text| Key::new(&text));
        lock(&self.known).insert(name.to_owned(), key.clone());
        key.map(|key| (key, KeyOrigin::System))
    }

    /// Keeps a key. Returns where: in the system's store, or in memory where there is none.
    pub fn keep(&self, name: &str, key: Key) -> KeyOrigin {
        lock(&self.known).remove(name);
        if !self.is_private {
            let (entry, secret) = (name.to_owned(), key.clone());
            let kept = apart(move || keyring::Entry::new(SERVICE, &entry)?.set_password(secret.expose()));
            if matches!(kept, Some(Ok(()))) {
                lock(&self.memory).remove(name);
                return KeyOrigin::System;
            }
        }
        lock(&self.memory).insert(name.to_owned(), key);
        KeyOrigin::Memory
    }

    pub fn forget(&self, name: &str) {
        lock(&self.memory).remove(name);
        lock(&self.known).remove(name);
        if !self.is_private {
            let entry = name.to_owned();
            apart(move || keyring::Entry::new(SERVICE, &entry)?.delete_credential());
        }
    }

    /// Where keys are kept, in a sentence.
    pub fn describe(&self) -> String {
        let has_store =
            !self.is_private && matches!(apart(|| keyring::Entry::store_status().is_ok()), Some(true));
        if has_store {
            "Keys are kept in the key store of the operating system.".to_owned()
        } else {
            "There is no key store here: keys are kept in memory and forgotten when Strata is closed. Environment \
             variables are read as well."
                .to_owned()
        }
    }
}

/// Runs something that may block for long, or need a thread without a runtime. `None`: it did not end in time.
fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        // Whoever asked may have gone.
        let _ = sender.send(work());
    });
    receiver.recv_timeout(PATIENCE).ok()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_memory_are_found_and_forgotten() {
        let store = KeyStore::in_memory();
        assert!(store.find("a", None).is_none());
        assert_eq!(store.keep("a", Key::new("planted").unwrap()), KeyOrigin::Memory);
        let (key, origin) = store.find("a", Some("STRATA_NO_SUCH_VARIABLE")).unwrap();
        assert_eq!((key.expose(), origin), ("planted", KeyOrigin::Memory));
        assert!(!format!("{store:?}").contains("planted"));
        store.forget("a");
        assert!(store.find("a", None).is_none());
        assert!(store.describe().contains("memory"));
    }
}
