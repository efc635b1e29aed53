//! The app configuration a session is compiled with.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::column::text;
use crate::credential::holds_credential;
use crate::{SessionId, Store, StoreError};

/// A configuration document as it was written. What it means is the caller's business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppConfig {
    pub origin: AppConfigOrigin,
    /// What `text` is written in, such as `json` or `yaml`.
    pub format: String,
    pub text: String,
    /// The file it was read from, if any.
    pub location: Option<String>,
}

/// Who says so. A session has at most one document of each origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppConfigOrigin {
    /// A person chose it; it counts before what was inferred, and survives importing the session again.
    Given,
    /// Made from what the recording shows.
    Inferred,
}

impl AppConfig {
    /// Documents may come with keys in them; these have another place.
    pub(crate) fn refuse_credentials(&self) -> Result<(), StoreError> {
        if holds_credential(self.text.as_bytes()) {
            return Err(StoreError::HoldsCredential { what: "app configuration".into() });
        }
        Ok(())
    }
}

impl AppConfigOrigin {
    fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Inferred => "inferred",
        }
    }

    /// The schema allows no other names than those of [`Self::name`].
    fn named(name: &str) -> Self {
        if name == "given" { Self::Given } else { Self::Inferred }
    }
}

impl Store {
    /// The configuration that counts for a session: the given one, else the inferred one.
    pub fn app_config(&self, session: &SessionId) -> Result<Option<AppConfig>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT origin, format, text, location FROM app_configs WHERE session = ?1
             ORDER BY origin = 'given' DESC LIMIT 1",
        )?;
        let config = statement.query_row([session.as_str()], |row| {
            Ok(AppConfig {
                origin: AppConfigOrigin::named(text(row, 0)?),
                format: row.get(1)?,
                text: row.get(2)?,
                location: row.get(3)?,
            })
        });
        Ok(config.optional()?)
    }

    /// Attaches a configuration to a session in place of the one of the same origin. False when there is no such
    /// session. One with an API key in it is refused with [`StoreError::HoldsCredential`].
    pub fn set_app_config(&mut self, session: &SessionId, config: &AppConfig) -> Result<bool, StoreError> {
        config.refuse_credentials()?;
        self.change(|transaction| write_app_config(transaction, session, config))
    }

    /// Takes a configuration off a session. False when there was none of this origin.
    pub fn remove_app_config(
        &mut self,
        session: &SessionId,
        origin: AppConfigOrigin,
    ) -> Result<bool, StoreError> {
        self.change(|transaction| {
            let sql = "DELETE FROM app_configs WHERE session = ?1 AND origin = ?2";
            Ok(transaction.execute(sql, [session.as_str(), origin.name()])? > 0)
        })
    }
}

pub(crate) fn write_app_config(
    transaction: &Transaction<'_>,
    session: &SessionId,
    config: &AppConfig,
) -> Result<bool, StoreError> {
    let written = transaction.execute(
        "INSERT INTO app_configs SELECT id, ?2, ?3, ?4, ?5 FROM sessions WHERE id = ?1
         ON CONFLICT (session, origin) DO UPDATE SET format = excluded.format, text = excluded.text,
             location = excluded.location",
        params![session.as_str(), config.origin.name(), config.format, config.text, config.location],
    )?;
    Ok(written > 0)
}
