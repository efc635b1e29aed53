//! How sessions come in: files that are imported, sent, and followed.

mod uploads;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use strata_store::SessionId;

use crate::api::common::DiagnosticRow;
use crate::api::job::{FileCounts, Notification};
use crate::follows::Follows;
use crate::import::{Imported, Input, OrphanPolicy, import_all, outcome};
use crate::jobs::{JobOutcome, Jobs};
use crate::notifications::Notifications;
use crate::sessions::Sessions;
use crate::workspace::Workspace;
pub(crate) use uploads::Uploads;

/// Imports, as jobs; what was sent and is not imported yet; what is followed.
pub(crate) struct Ingest {
    workspace: Arc<Workspace>,
    sessions: Arc<Sessions>,
    jobs: Arc<Jobs>,
    notifications: Arc<Notifications>,
    pub uploads: Uploads,
    pub follows: Arc<Follows>,
    /// The job that imports the files of the command line.
    first_job: OnceLock<String>,
}

impl Ingest {
    pub(crate) fn new(
        workspace: Arc<Workspace>,
        sessions: Arc<Sessions>,
        jobs: Arc<Jobs>,
        notifications: Arc<Notifications>,
    ) -> Self {
        let follows = Arc::new(Follows::new(workspace.clone(), sessions.clone(), notifications.clone()));
        Self {
            workspace,
            sessions,
            jobs,
            notifications,
            uploads: Uploads::default(),
            follows,
            first_job: OnceLock::new(),
        }
    }

    /// Starts importing. `done` runs when it ended, with the sessions in the order they were read. Returns the job's id.
    pub(crate) fn import(
        &self,
        inputs: Vec<Input>,
        done: impl FnOnce(&[SessionId]) + Send + 'static,
    ) -> String {
        let title = match &inputs[..] {
            [only] => format!("Importing {}", only.name()),
            inputs => format!("Importing {} files", inputs.len()),
        };
        // What was uploaded has no path to read it from again.
        let paths = inputs.iter().filter(|input| input.location.is_none());
        let paths: Vec<String> = paths.map(|input| input.path.display().to_string()).collect();
        let (workspace, sessions) = (self.workspace.clone(), self.sessions.clone());
        self.jobs.start(title, "bytes", move |job| {
            job.reads(paths);
            let imported = import_all(&*sessions, &inputs, OrphanPolicy::Replaced, job);
            let ended = ended(&workspace, &imported);
            done(&imported.sessions);
            ended
        })
    }

    /// Imports files and tells the window to open the first session in them. Returns the job's id.
    pub(crate) fn import_and_open(&self, paths: Vec<PathBuf>) -> String {
        let inputs = paths.into_iter().map(|path| Input { path, location: None }).collect();
        let notifications = self.notifications.clone();
        self.import(inputs, move |sessions| {
            if let Some(first) = sessions.first() {
                notifications.tell(&Notification::Open { session: first.to_string() });
            }
        })
    }

    /// As [`Self::import_and_open`], for the files of the command line.
    pub(crate) fn import_first(&self, paths: Vec<PathBuf>) {
        self.first_job.get_or_init(|| self.import_and_open(paths));
    }

    /// The job that imports the files of the command line, if it named any.
    pub(crate) fn first_job(&self) -> Option<&str> {
        self.first_job.get().map(String::as_str)
    }
}

fn ended(workspace: &Workspace, imported: &Imported) -> JobOutcome {
    let items = imported.sessions.iter().filter_map(|id| workspace.list_item(id).ok().flatten()).collect();
    let (state, outcome) = outcome(imported);
    let diagnostics = imported.findings.iter().map(DiagnosticRow::from).collect();
    let files = imported.is_of_files().then(|| FileCounts::from(&imported.files));
    JobOutcome { state, outcome, sessions: items, diagnostics, files }
}
