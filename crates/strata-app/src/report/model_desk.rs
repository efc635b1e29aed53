//! Asking models from the command line.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use strata_provider::Cancel;
use strata_store::Store;

use super::Watch;
use super::source::open_for_reading;
use crate::api::model::Endpoint;
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::models::{Found, Models, PaidAnswers, WriterEvent, settings_key};

/// Whoever watches is asked this often.
const LISTEN: Duration = Duration::from_millis(30);

/// Endpoints, keys, and what was paid for.
pub(super) struct ModelDesk {
    models: Models,
    pub custom: Vec<Endpoint>,
    pub paid: PaidAnswers,
    /// Where answers are kept; without one they are forgotten at the end.
    pub store: Option<Mutex<Store>>,
}

impl ModelDesk {
    /// With the endpoints of the store that is named, else of the one in the data folder. Answers are kept in the one
    /// that is named.
    pub(super) fn open(database: Option<&Path>) -> Result<Self, AppError> {
        let store = database.map(Store::open).transpose()?;
        let stored = match &store {
            Some(store) => store.setting(settings_key())?,
            None => match default_database() {
                Ok(path) if path.exists() => open_for_reading(&path)?.setting(settings_key())?,
                _ => None,
            },
        };
        let custom = stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let models = Models::default();
        Ok(Self { models, custom, paid: PaidAnswers::default(), store: store.map(Mutex::new) })
    }

    pub(super) fn find(&self, name: &str) -> Result<Found, AppError> {
        self.models.find(name, &self.custom)
    }

    /// The store, where there is one.
    pub(super) fn locked(&self) -> Option<MutexGuard<'_, Store>> {
        self.store.as_ref().map(|store| store.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn models(&self) -> &Models {
        &self.models
    }

    /// Runs `work` on a thread of its own, and tells `watch` how many summaries are written.
    pub(super) fn watched<T: Send>(
        &self,
        watch: &dyn Watch,
        total: u64,
        work: impl FnOnce(Cancel, &mut (dyn FnMut(WriterEvent) + Send)) -> Result<T, AppError> + Send,
    ) -> Result<T, AppError> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let done = AtomicU64::new(0);
        let stopped = is_stopped.clone();
        let cancel: Cancel = Arc::new(move || stopped.load(Ordering::Relaxed));
        std::thread::scope(|scope| {
            let work = scope.spawn(|| {
                work(cancel, &mut |event| {
                    if matches!(event, WriterEvent::Written { .. }) {
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                })
            });
            while !work.is_finished() {
                watch.progress(done.load(Ordering::Relaxed), total.max(1));
                if watch.is_cancelled() {
                    is_stopped.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(LISTEN);
            }
            let ended = work
                .join()
                .map_err(|_| AppError::internal("Asking the model failed. Please report this."))?;
            ended.map_err(|error| self.with_hint(error))
        })
    }

    /// Says where what was paid for went.
    fn with_hint(&self, error: AppError) -> AppError {
        let hint = if self.store.is_some() {
            "What was written is kept in the store."
        } else {
            "Without --db what was written is not kept; with it, a second run goes on from there."
        };
        AppError { detail: Some(hint.to_owned()), ..error }
    }
}
