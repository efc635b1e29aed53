//! The application behind every host.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::runtime::Handle;

use crate::captures::Captures;
use crate::error::AppError;
use crate::home::Home;
use crate::ingest::Ingest;
use crate::jobs::Jobs;
use crate::lab::LabResults;
use crate::lesson_desk::LessonDesk;
use crate::models::Models;
use crate::notifications::{Notifications, Subscription};
use crate::runs::Runs;
use crate::sessions::Sessions;
use crate::tables::Tables;
use crate::workspace::Workspace;

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
    /// The runtime of the process, which connections work on. It has threads of its own: commands block theirs.
    pub runtime: Handle,
}

/// One running application, as its parts. Hosts pass commands in and notifications out; a command takes the parts it
/// needs, and what goes on behind its back holds no more than those.
pub struct Strata {
    pub(crate) host: Host,
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) tables: Arc<Tables>,
    pub(crate) notifications: Arc<Notifications>,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) ingest: Ingest,
    pub(crate) models: Arc<Models>,
    /// What agents did on this computer.
    pub(crate) home: Arc<Home>,
    /// Agents that run.
    pub(crate) runs: Runs,
    /// The gateway.
    pub(crate) captures: Captures,
    /// What jobs of the Lab gave.
    pub(crate) lab: Arc<LabResults>,
    /// The lesson that goes on.
    pub(crate) lessons: LessonDesk,
}

impl Strata {
    pub fn start(options: Options) -> Result<Arc<Self>, AppError> {
        let workspace = Arc::new(Workspace::open(options.database)?);
        let tables = Arc::new(Tables::of_store(&workspace.store())?);
        let notifications: Arc<Notifications> = Arc::default();
        let jobs = Arc::new(Jobs::new(notifications.clone()));
        let sessions = Arc::new(Sessions::new(workspace.clone(), tables.clone(), notifications.clone()));
        let ingest = Ingest::new(workspace.clone(), sessions.clone(), jobs.clone(), notifications.clone());
        workspace.index_in_background();
        if !options.open.is_empty() {
            ingest.import_first(options.open);
        }
        let captures = Captures::new(options.runtime.clone(), tables.clone(), notifications.clone());
        let models = Arc::new(Models::new(options.runtime));
        let shared = (workspace.clone(), tables.clone(), notifications.clone());
        let home = Arc::new(Home::new(shared.clone(), jobs.clone()));
        let runs = Runs::new(shared, jobs.clone(), sessions.clone(), models.clone());
        Ok(Arc::new(Self {
            host: options.host,
            workspace,
            tables,
            notifications,
            jobs,
            sessions,
            ingest,
            models,
            home,
            runs,
            captures,
            lab: Arc::default(),
            lessons: LessonDesk::default(),
        }))
    }

    /// All notifications from now on.
    pub fn subscribe(&self) -> Subscription {
        self.notifications.subscribe()
    }

    /// Takes in a file that has no path, for `session/importUploads`. Returns the upload's id.
    pub fn receive_upload(&self, name: &str, content: impl Read) -> Result<String, AppError> {
        self.ingest.uploads.receive(name, content)
    }

    /// Opens files that another start of the app was given.
    pub fn open_paths(&self, paths: Vec<PathBuf>) {
        self.ingest.import_and_open(paths);
    }
}
