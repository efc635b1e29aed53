//! Starting, and the settings.

use strata_store::{Store, StoreError};

use crate::api::app::{Recorder, RecorderFile, SetSettings, Settings, Start, StartInfo};
use crate::command::Handler;
use crate::error::AppError;
use crate::workspace::list_item;
use crate::{Host, Strata, recorder, sample};

/// Where the settings are kept in the store.
const SETTINGS: &str = "settings";
/// Sessions offered at the start.
const RECENT: u32 = 12;
const ZOOM_PERCENT: std::ops::RangeInclusive<u16> = 90..=200;

impl Handler for Recorder {
    fn run(self, _: &Strata) -> Result<RecorderFile, AppError> {
        Ok(recorder::file())
    }
}

impl Handler for Start {
    fn run(self, strata: &Strata) -> Result<StartInfo, AppError> {
        let store = strata.workspace.store();
        let sample = store.source_sessions(sample::LOCATION)?.into_iter().next();
        let sample = sample.ok_or_else(|| AppError::internal("The bundled sample is not in the store."))?;
        let recent: Vec<_> = store.recent_sessions(RECENT)?.iter().map(list_item).collect();
        let settings = settings(&store)?;
        strata.workspace.set_masks_secrets(settings.masks_secrets);
        let open_job = strata.ingest.first_job().map(str::to_owned);
        let last = recent.first().map(|session| session.session.clone());
        Ok(StartInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            host: match strata.host {
                Host::Desktop => "desktop",
                Host::Browser => "browser",
            }
            .to_owned(),
            // What is being imported is opened when it is there.
            open_session: last.or(Some(sample.to_string())).filter(|_| open_job.is_none()),
            open_job,
            sample_session: sample.to_string(),
            recent,
            is_capturing: strata.captures.listening().is_some(),
            settings,
        })
    }
}

impl Handler for SetSettings {
    fn run(self, strata: &Strata) -> Result<Settings, AppError> {
        let mut settings = self.settings;
        settings.zoom_percent = settings.zoom_percent.clamp(*ZOOM_PERCENT.start(), *ZOOM_PERCENT.end());
        let text = serde_json::to_string(&settings).map_err(|error| AppError::internal(error.to_string()))?;
        strata.workspace.store().set_setting(SETTINGS, &text)?;
        strata.workspace.set_masks_secrets(settings.masks_secrets);
        Ok(settings)
    }
}

/// Settings that cannot be read are those of a fresh start: they are no reason not to start.
pub(super) fn settings(store: &Store) -> Result<Settings, StoreError> {
    let stored = store.setting(SETTINGS)?;
    Ok(stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}
