//! A session that is read and compiled once, for as many documents as are asked of it.

use std::sync::Arc;

use strata_engine::{Edit, Experiment};
use strata_import::ImportedSession;
use strata_measure::analysis::{BilledCalls, CacheAnalysis, Counting};
use strata_model::{FromJson as _, Severity, json, secret};
use strata_store::{AppConfig, RecordedRequest};

use super::Watch;
use super::compiled::Compiled;
use super::diagnostic::FileDiagnostic;
use super::session::SessionReport;
use super::source::{Source, Subject};
use crate::api::common::DiagnosticRow;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::tables::Tables;

/// The id of the session of a source in which a tool was called by this id, if one of them has it.
pub fn session_with_call(
    source: &Source,
    call_id: &str,
    watch: &dyn Watch,
) -> Result<Option<String>, AppError> {
    let read = source.read(watch)?;
    let has_call = |subject: &&Subject| {
        let mut events = subject.experiment.session().events.iter();
        events.any(|event| event.function_calls().any(|call| call.id.as_deref() == Some(call_id)))
    };
    Ok(read.subjects.iter().find(has_call).map(|subject| subject.id.clone()))
}

/// A source's only session, or the one that was chosen, as it was when it was read.
pub struct OpenedSession {
    pub(super) subject: Subject,
    pub(super) tables: Arc<Tables>,
    pub(super) compiled: Compiled,
    pub(super) diagnostics: Vec<FileDiagnostic>,
}

impl OpenedSession {
    /// Reads a source's only session, or the one called `session`, and compiles all of its calls.
    pub fn read(source: &Source, session: Option<&str>, watch: &dyn Watch) -> Result<Self, AppError> {
        let (subject, diagnostics) = source.read_one(session, watch)?;
        let tables = Arc::new(source.tables()?);
        let compiled = subject.compiled(subject.n_calls(), &tables, watch)?;
        Ok(Self { subject, tables, compiled, diagnostics })
    }

    /// What the session calls itself.
    pub fn own_id(&self) -> &str {
        &self.subject.experiment.session().id
    }

    /// Epoch milliseconds of its first event.
    pub fn begun_ms(&self) -> Option<i64> {
        let first = self.subject.experiment.session().events.first()?;
        Some((first.timestamp * 1000.0) as i64)
    }

    /// A session or an experiment that is open, once all of its calls are compiled. `requests` were really sent.
    pub(crate) fn of_open(
        open: &OpenSession,
        requests: Vec<RecordedRequest>,
        tables: &Arc<Tables>,
    ) -> Result<Self, AppError> {
        let location = open.entry.location.clone();
        let notes = open.edits.iter().flat_map(|edits| &edits.notes).map(DiagnosticRow::from);
        let rows = open.diagnostics.iter().cloned().chain(notes);
        let diagnostics = rows.map(|row| FileDiagnostic::new(&location, row)).collect();
        let compiled = Compiled::of_open(open, tables)?;
        let title = &open.entry.title;
        let subject = Subject {
            id: open.key.clone(),
            title: match &open.edits {
                Some(edits) => format!("{title}: {}", edits.entry.name),
                None => title.clone(),
            },
            format_name: open.entry.format.clone(),
            location,
            summary: open.summary.clone(),
            app: open.app.clone(),
            experiment: open.experiment.clone(),
            edits: open.edits.as_ref().map_or_else(Vec::new, |edits| edits.applied().to_vec()),
            requests,
        };
        Ok(Self { subject, tables: tables.clone(), compiled, diagnostics })
    }

    /// A session that is in no file, weighed and priced as on every computer.
    pub(crate) fn of_imported(
        session: ImportedSession,
        name: &str,
        app: Option<AppConfig>,
        watch: &dyn Watch,
    ) -> Result<Self, AppError> {
        let mut diagnostics = Vec::new();
        let subject = Source::default().imported(session, name, app, &mut diagnostics)?;
        let tables = Arc::new(Tables::default());
        let compiled = subject.compiled(subject.n_calls(), &tables, watch)?;
        Ok(Self { subject, tables, compiled, diagnostics })
    }

    /// The same session, which has no edits, with these over it. An edit that does not fit is an error.
    pub(crate) fn with_edits(&self, edits: &[Edit], watch: &dyn Watch) -> Result<Self, AppError> {
        let edited = self.tables.edited(&self.subject.experiment, edits);
        if let Some(refused) = edited.notes.iter().find(|note| note.severity == Severity::Error) {
            return Err(AppError::bad_input(format!(
                "Edit {} does not fit this session, and nothing was done. {}",
                refused.edit + 1,
                refused.why()
            )));
        }
        let notes = edited.notes.iter().map(|note| FileDiagnostic::new("", DiagnosticRow::from(note)));
        let diagnostics = self.diagnostics.iter().cloned().chain(notes).collect();
        let subject =
            Subject { experiment: edited.experiment, edits: edits.to_vec(), ..self.subject.clone() };
        let compiled = self.compiled.clone().edited(&subject, subject.n_calls(), &self.tables, watch)?;
        Ok(Self { subject, tables: self.tables.clone(), compiled, diagnostics })
    }

    pub(crate) fn experiment(&self) -> &Experiment {
        &self.subject.experiment
    }

    pub(crate) fn billed(&self) -> BilledCalls<'_> {
        self.compiled.billed()
    }

    /// What the calls came to before edits were laid over them.
    pub(crate) fn recorded(&self) -> &CacheAnalysis {
        let recording = self.compiled.recording(&self.subject);
        recording.map_or(&self.compiled.caches, |recording| recording.caches)
    }

    pub(crate) fn counting(&self) -> &Counting {
        &self.tables.counting
    }

    /// Its numbers, as lists show them.
    pub fn session(&self) -> SessionReport {
        (&self.subject).into()
    }

    /// The folder it was recorded in, where its file says so.
    pub fn folder(&self) -> Option<&str> {
        self.subject.summary.folder.as_deref()
    }

    /// Something that an event states, as it may be shown: masked where the event around it says that it is a secret.
    pub fn shown_fact(&self, event: u32, fact: &str) -> String {
        let stated =
            event.checked_sub(1).and_then(|at| self.subject.experiment.session().events.get(at as usize));
        let hides = |text: &str| {
            text.contains(fact) && secret::mask(text).is_some_and(|masked| !masked.text.contains(fact))
        };
        let is_hidden = stated.is_some_and(|event| {
            event.parts().iter().any(|part| match &part.text {
                Some(text) => hides(text),
                None => hides(&json::to_compact(&part.to_json())),
            })
        });
        if is_hidden { "‹redacted›".to_owned() } else { fact.to_owned() }
    }

    /// What a person should know about how it was read.
    pub fn diagnostics(&self) -> &[FileDiagnostic] {
        &self.diagnostics
    }
}
