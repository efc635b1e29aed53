//! Asking models from the command line.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use strata_store::Store;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::source::open_for_reading;
use crate::api::model::Endpoint;
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::models::{Asker, Models, UsableEndpoint, custom_endpoints};
use crate::tables::Tables;

/// Models that can be asked, and where their answers are kept.
pub(crate) struct ModelAccess {
    pub models: Models,
    pub custom: Vec<Endpoint>,
    /// Without one, answers are forgotten at the end.
    pub store: Option<Mutex<Store>>,
}

impl ModelAccess {
    /// With the endpoints of the store that is named, else of the one in the data folder. Answers are kept in the one
    /// that is named.
    pub(crate) fn open(database: Option<&Path>, runtime: &Handle) -> Result<Self, AppError> {
        let store = database.map(Store::open).transpose()?;
        let custom = match &store {
            Some(store) => custom_endpoints(store)?,
            None => match default_database() {
                Ok(path) if path.exists() => custom_endpoints(&open_for_reading(&path)?)?,
                _ => Vec::new(),
            },
        };
        Ok(Self { models: Models::new(runtime.clone()), custom, store: store.map(Mutex::new) })
    }

    pub(crate) fn find(&self, name: &str) -> Result<UsableEndpoint, AppError> {
        self.models.find(name, &self.custom)
    }

    /// The store, where there is one.
    pub(super) fn locked(&self) -> Option<MutexGuard<'_, Store>> {
        self.store.as_ref().map(|store| store.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks an endpoint until `stop` is cancelled.
    pub(super) fn asker<'a>(
        &'a self,
        found: &'a UsableEndpoint,
        tables: &'a Tables,
        stop: &CancellationToken,
    ) -> Asker<'a> {
        Asker {
            found,
            models: &self.models,
            store: self.store.as_ref(),
            counting: &tables.counting,
            prices: &tables.prices,
            stop: stop.clone(),
        }
    }

    /// An error of asking; where nothing keeps what was paid for, that is said.
    pub(super) fn with_hint(&self, error: AppError) -> AppError {
        if self.store.is_some() {
            return error;
        }
        let hint = "Without --db what was written is not kept; with it, a second run goes on from there.";
        AppError { detail: Some(hint.to_owned()), ..error }
    }
}
