//! How sessions come in: files that are imported, sent, and followed.

mod uploads;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use strata_store::SessionId;

use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::api::job::{FileCounts, JobState, Notification};
use crate::class_file::{ClassKind, kind_of};
use crate::follows::Follows;
use crate::import::{Imported, Input, OrphanPolicy, import_all, outcome};
use crate::jobs::{JobOutcome, Jobs};
use crate::lesson_shelf::add_class;
use crate::notifications::Notifications;
use crate::sessions::Sessions;
use crate::show::words::counted;
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

    /// Starts importing. `done` runs when it ended, with the sessions in the order they were read and the ids of lessons that
    /// came in class files. Returns the job's id.
    pub(crate) fn import(
        &self,
        inputs: Vec<Input>,
        done: impl FnOnce(&[SessionId], &[String]) + Send + 'static,
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
            let (classes, inputs): (Vec<Input>, Vec<Input>) =
                inputs.into_iter().partition(|input| kind_of(&input.path) == Some(ClassKind::Lessons));
            let added = add_classes(&workspace, &classes);
            if inputs.is_empty() {
                done(&[], &added.lessons);
                return added;
            }
            let imported = import_all(&*sessions, &inputs, OrphanPolicy::Replaced, job);
            let ended = ended(&workspace, &imported);
            done(&imported.sessions, &added.lessons);
            if classes.is_empty() { ended } else { joined(added, ended) }
        })
    }

    /// Imports files and tells the window to open the first session in them. Returns the job's id.
    pub(crate) fn import_and_open(&self, paths: Vec<PathBuf>) -> String {
        let inputs = paths.into_iter().map(Input::of).collect();
        let notifications = self.notifications.clone();
        self.import(inputs, move |sessions, lessons| {
            if let Some(first) = sessions.first() {
                notifications.tell(&Notification::Open { session: first.to_string() });
            }
            if let Some(first) = lessons.first() {
                notifications.tell(&Notification::Lesson { lesson: first.clone() });
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
    JobOutcome { state, outcome, sessions: items, lessons: Vec::new(), diagnostics, files }
}

/// Keeps the lessons of class files.
fn add_classes(workspace: &Workspace, classes: &[Input]) -> JobOutcome {
    let (mut lessons, mut titles, mut diagnostics) = (Vec::new(), Vec::new(), Vec::new());
    for class in classes {
        match add_class(&mut workspace.store(), &class.path, &class.name()) {
            Ok(rows) => {
                titles.extend(rows.iter().map(|row| row.title.clone()));
                lessons.extend(rows.into_iter().map(|row| row.id));
            }
            Err(error) => diagnostics.push(DiagnosticRow {
                severity: DiagnosticSeverity::Error,
                code: "unreadable-class".to_owned(),
                message: error.message,
                at: class.name(),
            }),
        }
    }
    let (state, outcome) = match (&titles[..], diagnostics.first()) {
        ([], Some(failed)) => (JobState::Failed, format!("{}: {}", failed.at, failed.message)),
        ([only], _) => (JobState::Done, format!("Learn has the lesson \"{only}\".")),
        (titles, _) => (JobState::Done, format!("Learn has {}.", counted(titles.len(), "lesson"))),
    };
    JobOutcome { lessons, diagnostics, ..JobOutcome::saying(state, outcome) }
}

/// What came of class files, and of the others that were read with them.
fn joined(classes: JobOutcome, others: JobOutcome) -> JobOutcome {
    let diagnostics = classes.diagnostics.into_iter().chain(others.diagnostics).collect();
    let outcome = format!("{} {}", classes.outcome, others.outcome);
    let state = if classes.state == JobState::Failed { classes.state } else { others.state };
    JobOutcome { state, outcome, lessons: classes.lessons, diagnostics, ..others }
}
