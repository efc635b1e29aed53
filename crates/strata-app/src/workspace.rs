//! Where everything is kept: one store, used by whoever needs it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use strata_measure::prices::Prices;
use strata_model::secret;
use strata_store::{SessionEntry, SessionId, Store, StoreError};

use crate::api::secret::KeptSecrets;
use crate::api::session::{ReportedCalls, SessionListItem, SessionRow};
use crate::background;
use crate::error::AppError;
use crate::import::Summary;
use crate::sample;

/// What is indexed for the search leaves the store to others for so long in between.
const INDEX_PAUSE: Duration = Duration::from_millis(20);

/// The store, and what holds for everything that is read from it.
pub(crate) struct Workspace {
    /// `None`: in memory, and gone at the end.
    database: Option<PathBuf>,
    store: Mutex<Store>,
    /// Secrets are masked in what commands answer.
    masks_secrets: AtomicBool,
    /// What looked like a key in the store when it was looked through last.
    found_secrets: Mutex<Option<KeptSecrets>>,
}

impl Workspace {
    /// Opens the store, and puts the sample into it.
    pub(crate) fn open(database: Option<PathBuf>) -> Result<Self, AppError> {
        let mut store = match &database {
            Some(path) => Store::open(path)?,
            None => Store::in_memory()?,
        };
        sample::install(&mut store)?;
        Ok(Self {
            database,
            store: Mutex::new(store),
            masks_secrets: AtomicBool::new(false),
            found_secrets: Mutex::default(),
        })
    }

    pub(crate) fn database(&self) -> Option<&Path> {
        self.database.as_deref()
    }

    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The store for those who lock it themselves.
    pub(crate) fn store_lock(&self) -> &Mutex<Store> {
        &self.store
    }

    /// Does something long with the store. With a file there is a second connection for it, so that commands go on
    /// answering.
    pub(crate) fn with_long_store<T>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match &self.database {
            Some(path) => work(&mut Store::open(path)?),
            None => work(&mut self.store()),
        }
    }

    /// Reads much from the store, beside other commands where it is a file.
    pub(crate) fn with_reader<T>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<T, AppError> {
        Ok(match &self.database {
            Some(path) => work(&Store::open_read_only(path)?)?,
            None => work(&self.store())?,
        })
    }

    /// The row of a session in lists.
    pub(crate) fn list_item(&self, session: &SessionId) -> Result<Option<SessionListItem>, AppError> {
        Ok(self.store().session_entry(session)?.map(|entry| list_item(&entry)))
    }

    pub(crate) fn masks_secrets(&self) -> bool {
        self.masks_secrets.load(Ordering::Relaxed)
    }

    pub(crate) fn set_masks_secrets(&self, masks: bool) {
        self.masks_secrets.store(masks, Ordering::Relaxed);
    }

    pub(crate) fn found_secrets(&self) -> Option<KeptSecrets> {
        self.found_secrets.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_found_secrets(&self, found: KeptSecrets) {
        *self.found_secrets.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
    }

    /// A text as it may be shown, before it is cut into pages: places in it are the same.
    pub(crate) fn shown(&self, text: String) -> String {
        let masked = if self.masks_secrets() { secret::mask_in_place(&text) } else { None };
        masked.map_or(text, |masked| masked.text)
    }

    /// Indexes what an older version stored, beside everything else; ends with the workspace.
    pub(crate) fn index_in_background(self: &Arc<Self>) {
        let Some(path) = self.database.clone() else { return };
        let workspace = Arc::downgrade(self);
        background::spawn(move || {
            // What fails here is tried again at the next start, and `search/find` says what is left.
            let Ok(mut store) = Store::open(&path) else { return };
            while workspace.strong_count() > 0 && store.index_some().unwrap_or(false) {
                std::thread::sleep(INDEX_PAUSE);
            }
            while workspace.strong_count() > 0 && store.pack_some().unwrap_or(false) {
                std::thread::sleep(INDEX_PAUSE);
            }
        });
    }
}

pub(crate) fn list_item(entry: &SessionEntry) -> SessionListItem {
    let summary = Summary::from_json(&entry.summary);
    let SessionSource { source, is_sample } = SessionSource::of(entry);
    SessionListItem {
        session: entry.id.to_string(),
        title: entry.title.clone(),
        format: entry.format.clone(),
        source,
        events: entry.n_events,
        calls: summary.numbers.calls as u32,
        last_event_ms: (entry.last_update_time > 0.0).then_some(entry.last_update_time * 1000.0),
        opened_ms: entry.opened_at_ms.map(|ms| ms as f64),
        is_sample,
    }
}

/// Where a session is from.
pub(crate) struct SessionSource {
    /// Empty for the sample.
    pub source: String,
    pub is_sample: bool,
}

impl SessionSource {
    pub(crate) fn of(entry: &SessionEntry) -> Self {
        let is_sample = entry.location == sample::LOCATION;
        Self { source: if is_sample { String::new() } else { entry.location.clone() }, is_sample }
    }
}

/// A row of the list of sessions, at these prices.
pub(crate) fn session_row(entry: &SessionEntry, prices: &Prices) -> SessionRow {
    let summary = Summary::from_json(&entry.summary);
    SessionRow {
        item: list_item(entry),
        compactions: summary.numbers.compactions as u32,
        reported: reported_calls(&summary, prices),
        folder: summary.folder,
    }
}

fn reported_calls(summary: &Summary, prices: &Prices) -> Option<ReportedCalls> {
    let reports = summary.reports.as_ref().filter(|reports| reports.calls > 0)?;
    let cached = reports.total(|sum| sum.cached_tokens) as f64;
    Some(ReportedCalls {
        calls: reports.calls as u32,
        unpaid_calls: reports.unpaid_calls as u32,
        prompt_tokens: reports.total(|sum| sum.prompt_tokens) as f64,
        cached_tokens: (reports.cache_calls > 0).then_some(cached),
        output_tokens: reports.total(|sum| sum.output_tokens) as f64,
        largest_prompt: reports.largest_prompt as u32,
        models: reports.models(),
        cost: reports.cost(summary.numbers.calls, prices),
        caveat: summary.output_caveat.clone(),
    })
}
