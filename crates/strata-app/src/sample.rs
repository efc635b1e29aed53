//! The session that comes with the app.

use strata_import::{ImportedSession, import};
use strata_model::Fingerprint;
use strata_store::{AppConfig, AppConfigOrigin, Listing, NewEvent, Source, Store};

use crate::error::AppError;
use crate::import::{Summary, now_ms};

/// What people call it.
pub(crate) const NAME: &str = "sample";
/// Where it is said to come from.
pub(crate) const LOCATION: &str = "sample:invoice-triage";
const TITLE: &str = "invoice-triage";
const SESSION: &[u8] = include_bytes!("../assets/invoice-triage.session.json");
const APP: &str = include_str!("../assets/invoice-triage.app.json");

/// Puts the sample into the store, unless this very sample is there.
pub(crate) fn install(store: &mut Store) -> Result<(), AppError> {
    let content = Fingerprint::of(SESSION).then(Fingerprint::of(APP.as_bytes()));
    if store.source(LOCATION)?.is_some_and(|source| source.is_unchanged(content)) {
        return Ok(());
    }
    let sample = session()?;
    let events: Vec<NewEvent<'_>> =
        sample.session.events.iter().map(|event| NewEvent { event, records: Vec::new() }).collect();
    let mut writer = store.begin_import(Source {
        location: LOCATION.to_owned(),
        format: sample.format.name().to_owned(),
        size_bytes: SESSION.len() as u64,
        modified_ms: None,
        content: Some(content),
        imported_at_ms: now_ms(),
    })?;
    writer.add_session(
        &sample.session,
        &events,
        Listing {
            title: sample.title.clone(),
            format: sample.format.name().to_owned(),
            summary: Summary::of(&sample).to_json(),
            app_config: Some(app_config()),
        },
    )?;
    writer.commit(&[])?;
    Ok(())
}

/// The sample as if it had just been read.
pub(crate) fn session() -> Result<ImportedSession, AppError> {
    let sample = import(SESSION).sessions.into_iter().next();
    let sample = sample.ok_or_else(|| AppError::internal("The bundled sample cannot be read."))?;
    Ok(ImportedSession { title: TITLE.to_owned(), ..sample })
}

/// The files it is made of: the session, and the configuration of its app.
pub(crate) fn files() -> (&'static [u8], &'static [u8]) {
    (SESSION, APP.as_bytes())
}

/// The configuration of the app it ran in.
pub(crate) fn app_config() -> AppConfig {
    AppConfig {
        origin: AppConfigOrigin::Given,
        format: "json".to_owned(),
        text: APP.to_owned(),
        location: None,
    }
}
