//! The application behind every host.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use strata_engine::{Catalog, Edit, Edited, Experiment};
use strata_model::secret;
use strata_store::{SessionEntry, SessionId, Store, StoreError};

use crate::api::job::Notification;
use crate::api::model::ModelList;
use crate::api::session::SessionListItem;
use crate::command::{self, Reply};
use crate::error::AppError;
use crate::follows::Follows;
use crate::handlers::index_in_background;
use crate::import::{Input, Summary, start_import};
use crate::jobs::Jobs;
use crate::lab::LabResults;
use crate::models::{Models, PaidAnswers};
use crate::open::{OpenSessions, Tables};
use crate::sample;

/// A list of models is asked for again after this.
const YOUNG: Duration = Duration::from_mins(1);

/// Where the app runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    Desktop,
    Browser,
}

/// How to start.
#[derive(Debug, Clone)]
pub struct Options {
    pub host: Host,
    /// The store; `None` for one in memory that is gone at the end.
    pub database: Option<PathBuf>,
    /// Files to import and open at once.
    pub open: Vec<PathBuf>,
}

/// One running application: its store, open sessions and jobs. Hosts pass commands in and notifications out.
pub struct Strata {
    options: Options,
    store: Mutex<Store>,
    jobs: Jobs,
    follows: Follows,
    open: OpenSessions,
    tables: Arc<Tables>,
    catalog: Catalog,
    lab: LabResults,
    models: Models,
    paid: PaidAnswers,
    model_list: Mutex<Option<(Instant, ModelList)>>,
    subscribers: Mutex<Vec<Sender<Notification>>>,
    uploads: Mutex<Uploads>,
    /// Secrets are masked in what commands answer.
    masks_secrets: AtomicBool,
    /// The job that imports the files of the command line.
    first_job: Mutex<Option<String>>,
}

/// Files that were sent instead of named, until they are imported.
#[derive(Default)]
struct Uploads {
    folder: Option<tempfile::TempDir>,
    n_received: usize,
    by_id: HashMap<String, PathBuf>,
}

impl Strata {
    pub fn start(options: Options) -> Result<Arc<Self>, AppError> {
        let mut store = match &options.database {
            Some(path) => Store::open(path)?,
            None => Store::in_memory()?,
        };
        sample::install(&mut store)?;
        let tables: Arc<Tables> = Arc::default();
        let strata = Arc::new(Self {
            store: Mutex::new(store),
            jobs: Jobs::default(),
            follows: Follows::default(),
            open: OpenSessions::default(),
            catalog: catalog(),
            tables,
            lab: LabResults::default(),
            models: Models::default(),
            paid: PaidAnswers::default(),
            model_list: Mutex::default(),
            subscribers: Mutex::default(),
            uploads: Mutex::default(),
            masks_secrets: AtomicBool::new(false),
            first_job: Mutex::default(),
            options,
        });
        index_in_background(&strata);
        if !strata.options.open.is_empty() {
            let job = strata.import_and_open(strata.options.open.clone());
            *strata.first_job.lock().unwrap_or_else(PoisonError::into_inner) = Some(job);
        }
        Ok(strata)
    }

    /// Runs the command called `name` with parameters as JSON text. It blocks for as long as the command takes.
    pub fn dispatch(self: &Arc<Self>, name: &str, params: &str) -> Result<Reply, AppError> {
        command::dispatch(self, name, params)
    }

    pub(crate) fn masks_secrets(&self) -> bool {
        self.masks_secrets.load(Ordering::Relaxed)
    }

    /// A text as it may be shown, before it is cut into pages: places in it are the same.
    pub(crate) fn shown(&self, text: String) -> String {
        let masked = if self.masks_secrets() { secret::mask_in_place(&text) } else { None };
        masked.map_or(text, |masked| masked.text)
    }

    pub(crate) fn set_masks_secrets(&self, masks: bool) {
        self.masks_secrets.store(masks, Ordering::Relaxed);
    }

    /// All notifications from now on. Dropping the receiver ends it.
    pub fn subscribe(&self) -> Receiver<Notification> {
        let (sender, receiver) = channel();
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        receiver
    }

    /// Takes in a file that has no path, for `session/importUpload`. Returns the upload's id.
    pub fn receive_upload(&self, name: &str, mut content: impl Read) -> Result<String, AppError> {
        let failed =
            |error: std::io::Error| AppError::unreadable(format!("{name} could not be taken in: {error}."));
        let (id, path) = {
            let mut uploads = self.uploads.lock().unwrap_or_else(PoisonError::into_inner);
            uploads.n_received += 1;
            let id = uploads.n_received.to_string();
            if uploads.folder.is_none() {
                uploads.folder = Some(tempfile::tempdir().map_err(failed)?);
            }
            let folder = uploads.folder.as_ref().map_or(Path::new("."), |folder| folder.path());
            (id.clone(), folder.join(&id))
        };
        let mut file = std::fs::File::create(&path).map_err(failed)?;
        std::io::copy(&mut content, &mut file).map_err(failed)?;
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner).by_id.insert(id.clone(), path);
        Ok(id)
    }

    /// Opens files that another start of the app was given.
    pub fn open_paths(self: &Arc<Self>, paths: Vec<PathBuf>) {
        self.import_and_open(paths);
    }

    /// Imports files and tells the window to open the first session in them. Returns the job's id.
    fn import_and_open(self: &Arc<Self>, paths: Vec<PathBuf>) -> String {
        let inputs = paths.into_iter().map(|path| Input { path, location: None }).collect();
        start_import(self, inputs, |strata, sessions| {
            if let Some(first) = sessions.first() {
                strata.notify(&Notification::Open { session: first.to_string() });
            }
        })
    }

    /// The file of an upload, which is then no longer known.
    pub(crate) fn take_upload(&self, id: &str) -> Option<PathBuf> {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner).by_id.remove(id)
    }

    pub(crate) fn notify(&self, notification: &Notification) {
        let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        subscribers.retain(|subscriber| subscriber.send(notification.clone()).is_ok());
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn first_job(&self) -> Option<String> {
        self.first_job.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    pub(crate) fn follows(&self) -> &Follows {
        &self.follows
    }

    pub(crate) fn open_sessions(&self) -> &OpenSessions {
        &self.open
    }

    pub(crate) fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// What edits can insert.
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(crate) fn models(&self) -> &Models {
        &self.models
    }

    /// Answers that were paid for.
    pub(crate) fn paid(&self) -> &PaidAnswers {
        &self.paid
    }

    /// The store for those who lock it themselves.
    pub(crate) fn store_lock(&self) -> &Mutex<Store> {
        &self.store
    }

    /// The list of models that was made last, if it is young enough.
    pub(crate) fn known_models(&self, refresh: bool) -> Option<ModelList> {
        let known = self.model_list.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|(made, _)| !refresh && made.elapsed() < YOUNG).map(|(_, list)| list.clone())
    }

    pub(crate) fn remember_models(&self, list: Option<ModelList>) {
        *self.model_list.lock().unwrap_or_else(PoisonError::into_inner) =
            list.map(|list| (Instant::now(), list));
    }

    /// What jobs of the Lab gave.
    pub(crate) fn lab(&self) -> &LabResults {
        &self.lab
    }

    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something long with the store. With a file there is a second connection for it, so that commands go on
    /// answering.
    pub(crate) fn with_long_store<T>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match &self.options.database {
            Some(path) => work(&mut Store::open(path)?),
            None => work(&mut self.store()),
        }
    }

    /// Reads much from the store, beside other commands where it is a file.
    pub(crate) fn with_reader<T>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<T, AppError> {
        Ok(match &self.options.database {
            Some(path) => work(&Store::open_read_only(path)?)?,
            None => work(&self.store())?,
        })
    }

    /// A session with edits laid over it.
    pub(crate) fn edited(&self, base: &Experiment, edits: &[Edit]) -> Edited {
        strata_measure::edited(base, edits, &self.catalog, &self.tables.counting)
    }

    /// The row of a session in lists.
    pub(crate) fn list_item(&self, session: &SessionId) -> Result<Option<SessionListItem>, AppError> {
        Ok(self.store().session_entry(session)?.map(|entry| list_item(&entry)))
    }
}

/// What edits can insert, scripts included.
pub(crate) fn catalog() -> Catalog {
    Catalog::with_scripts(Arc::new(strata_script::QuickJs::new(strata_script::Limits::DEFAULT)))
}

pub(crate) fn list_item(entry: &SessionEntry) -> SessionListItem {
    let summary = Summary::from_json(&entry.summary);
    let is_sample = entry.location == sample::LOCATION;
    SessionListItem {
        session: entry.id.to_string(),
        title: entry.title.clone(),
        format: entry.format.clone(),
        source: if is_sample { String::new() } else { entry.location.clone() },
        events: entry.n_events,
        calls: summary.numbers.calls as u32,
        last_event_ms: (entry.last_update_time > 0.0).then_some(entry.last_update_time * 1000.0),
        opened_ms: entry.opened_at_ms.map(|ms| ms as f64),
        is_sample,
    }
}
