//! `strata secrets`: what looks like a key in a store.

use std::path::Path;

use serde::Serialize;
use strata_store::Store;

use super::learn::existing;
use super::{VERSION, Watch};
use crate::api::secret::KeptSecrets;
use crate::error::AppError;
use crate::kept_secrets::look_through;
use crate::watch::Step;

/// What is to become of what looks like a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretsChoice {
    /// It is only told.
    Tell,
    /// It is masked for good, and in what is stored from now on.
    Mask,
    /// What is stored from now on is stored as it was said.
    Keep,
}

/// The document of `strata secrets`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SecretsReport {
    pub version: u32,
    /// The store.
    pub database: String,
    /// What was found was masked.
    pub masked: bool,
    /// What is stored from now on is masked.
    pub masks: bool,
    #[serde(flatten)]
    pub found: KeptSecrets,
}

/// Looks through a store for what looks like a key.
pub fn secrets(
    database: Option<&Path>,
    choice: SecretsChoice,
    watch: &dyn Watch,
) -> Result<SecretsReport, AppError> {
    let database = existing(database, "what was imported may hold keys")?;
    let mut store = Store::open(&database)?;
    if choice == SecretsChoice::Keep {
        store.set_masks_secrets(false)?;
    }
    let masked = choice == SecretsChoice::Mask;
    watch.begins(Step::Files(&database));
    let found = look_through(&mut store, masked, watch)?.ok_or_else(|| {
        AppError::bad_input(if masked {
            "Stopped. What was masked until then stays masked."
        } else {
            "Stopped."
        })
    })?;
    let masks = store.masks_secrets()?;
    Ok(SecretsReport { version: VERSION, database: database.display().to_string(), masked, masks, found })
}
