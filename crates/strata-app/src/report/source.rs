//! What a command is about: a file, a session in the store, or the sample.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use strata_database::DatabaseAddress;
use strata_engine::{Edit, EditNote, Experiment, FlowEdit, infer_app};
use strata_import::ImportedSession;
use strata_measure::prices::Prices;
use strata_model::{Object, Session, Severity};
use strata_store::{
    AppConfig, ExperimentEntry, ExperimentId, RecordedRequest, SessionEntry, SessionId, Store, StoreError,
};

use super::diagnostic::FileDiagnostic;
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::beside::{ServicePlaces, SessionServices, stored_file};
use crate::data_folder::default_database;
use crate::edit_file::EditFile;
use crate::error::AppError;
use crate::import::{
    Input, OrphanPolicy, ReadError, Summary, flow_kind, import_all, is_archive, new_request, read_file,
    recorded_app,
};
use crate::open::{AppSource, answered, chosen_model, made_from, read_app};
use crate::sample;
use crate::script_folder::find_script;
use crate::show::words;
use crate::tables::Tables;
use crate::watch::{Step, Watch};

/// Sessions that an error lists at most.
const MAX_LISTED: usize = 12;
/// Digits of an id that stand for the whole.
const MIN_ID_DIGITS: usize = 4;

/// What a person named.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// A file, the id of a session in the store (or its beginning), or `sample`.
    pub name: String,
    /// The store. A file is imported into it if it is given, and only read otherwise.
    pub database: Option<PathBuf>,
    /// The app configuration to compile with, in place of what is stored or inferred.
    pub app: Option<PathBuf>,
    /// Files of edits that are laid over the session, in this order.
    pub edits: Vec<PathBuf>,
    /// Scripts that are inserted after that: files, or names of saved ones. Each with the processor it stands before, if
    /// one is named.
    pub scripts: Vec<(String, Option<String>)>,
    /// The model it is counted and priced as if sent to, where it names none.
    pub as_if: Option<String>,
    /// The root of google-adk's artifact service, in place of one beside the session.
    pub artifacts: Option<PathBuf>,
    /// A file or database of memory, in place of one beside the session.
    pub memory: Option<PathBuf>,
}

/// The sessions of a source, before edits are laid over them: [`Source::laid`] lays them over those that are meant.
pub(super) struct Read {
    pub subjects: Vec<Subject>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// A session that is ready to be compiled.
#[derive(Clone)]
pub(super) struct Subject {
    pub id: String,
    pub title: String,
    pub format_name: String,
    pub location: String,
    pub summary: Summary,
    pub app: AppSource,
    pub experiment: Experiment,
    /// Those that are laid over the session. Of an experiment that was only read: those that belong to it.
    pub edits: Vec<Edit>,
    /// What was really sent, in the order in which it was sent.
    pub requests: Vec<RecordedRequest>,
}

impl Source {
    /// What was named, with the edits over it.
    pub(super) fn said(&self) -> String {
        let edits = self.edits.iter().map(|path| path.display().to_string());
        let scripts = self.scripts.iter().map(|(script, _)| script.clone());
        let as_if = self.as_if.iter().map(|model| format!("as if sent to {model}"));
        let said = std::iter::once(self.name.clone()).chain(edits).chain(scripts).chain(as_if);
        said.collect::<Vec<_>>().join(" + ")
    }

    /// Whether it is a file that is not stored, or the sample.
    pub(super) fn is_only_read(&self) -> bool {
        self.database.is_none()
            && (self.name == sample::NAME || Path::new(&self.name).symlink_metadata().is_ok())
    }

    /// What weighs and prices it. What the sessions of a store told of how providers count holds for what is stored there, and
    /// not for a file that is only read: its numbers are the same on every computer.
    pub(super) fn tables(&self) -> Result<Tables, AppError> {
        if self.is_only_read() {
            return Ok(Tables::default());
        }
        let database = self.database.clone().map_or_else(default_database, Ok)?;
        if !database.exists() {
            return Ok(Tables::default());
        }
        Ok(Tables::of_store(&open_for_reading(&database)?)?)
    }

    /// A session that was read with its own edits over it, and with those of files and the scripts that were named.
    /// `tables` weigh it; `None`: those of this source.
    pub(super) fn laid(
        &self,
        subject: Subject,
        tables: Option<&Tables>,
        diagnostics: &mut Vec<FileDiagnostic>,
    ) -> Result<Subject, AppError> {
        let n_own = subject.edits.len();
        let mut edits = subject.edits.clone();
        for path in &self.edits {
            edits.extend(EditFile::read(path)?.edits);
        }
        for (script, before) in &self.scripts {
            let (name, source) = find_script(script, self.database.as_deref())?;
            let script = FlowEdit::Insert {
                kind: "script".into(),
                name: Some(name.into()),
                before: before.as_deref().map(Into::into),
                params: Object::from_iter([("source", source)]),
                agent: None,
            };
            edits.push(script.into());
        }
        if edits.is_empty() {
            return Ok(subject);
        }
        let edited = match tables {
            Some(tables) => tables.edited(&subject.experiment, &edits),
            None => self.tables()?.edited(&subject.experiment, &edits),
        };
        let is_refused = |note: &&EditNote| note.edit >= n_own && note.severity == Severity::Error;
        if let Some(refused) = edited.notes.iter().find(is_refused) {
            // Numbers of a session without what was asked for would be taken for those with it.
            return Err(AppError::bad_input(format!(
                "{}: {} Nothing was done, since all edits have to fit.",
                self.said(),
                refused.why()
            )));
        }
        let rows = edited.notes.iter().map(DiagnosticRow::from);
        diagnostics.extend(rows.map(|row| FileDiagnostic::new("", row)));
        Ok(Subject { experiment: edited.experiment, edits, ..subject })
    }

    pub(super) fn read(&self, watch: &dyn Watch) -> Result<Read, AppError> {
        if DatabaseAddress::is_meant(&self.name) {
            // Who typed it may have typed a password.
            let shown = DatabaseAddress::parse(&self.name)?;
            return Err(AppError::bad_input(format!(
                "{shown} is a database on a server. `strata import` reads the sessions in it; then name one of them."
            )));
        }
        let path = Path::new(&self.name);
        if path.is_dir() {
            return Err(AppError::bad_input(format!(
                "{} is a folder. `strata import {}` reads all sessions in it; then name one of them.",
                self.name, self.name
            )));
        }
        if path.is_file() && is_archive(path) {
            return Err(AppError::bad_input(format!(
                "{} is an archive. `strata import {}` reads all sessions in it; then name one of them.",
                self.name, self.name
            )));
        }
        let is_file = path.symlink_metadata().is_ok();
        match &self.database {
            Some(database) if is_file => self.import_into(database, watch),
            None if is_file => self.read_file(path, watch),
            _ if self.name == sample::NAME => self.read_sample(),
            _ => self.find_in_store(),
        }
    }

    /// The only session, or the one that was chosen.
    pub(super) fn read_one(
        &self,
        session: Option<&str>,
        watch: &dyn Watch,
    ) -> Result<(Subject, Vec<FileDiagnostic>), AppError> {
        self.read_chosen(session, "--session", watch)
    }

    /// The only session, or the one that was chosen by this flag.
    pub(super) fn read_chosen(
        &self,
        session: Option<&str>,
        flag: &str,
        watch: &dyn Watch,
    ) -> Result<(Subject, Vec<FileDiagnostic>), AppError> {
        let Read { mut subjects, mut diagnostics } = self.read(watch)?;
        if subjects.is_empty() {
            return Err(nothing_in(&self.name, &diagnostics));
        }
        let at = choose(&self.name, &subjects.iter().collect::<Vec<_>>(), (session, flag))?;
        let subject = self.laid(subjects.swap_remove(at), None, &mut diagnostics)?;
        Ok((subject, diagnostics))
    }

    fn read_file(&self, path: &Path, watch: &dyn Watch) -> Result<Read, AppError> {
        watch.begins(Step::Reading(path));
        let file = read_file(path, watch).map_err(|error| match error {
            ReadError::Unreadable { .. } => AppError::unreadable(error.to_string()),
            ReadError::Cancelled { .. } => AppError::bad_input(error.to_string()),
        })?;
        let found = file.import.diagnostics.iter();
        let mut diagnostics: Vec<_> =
            found.map(|found| FileDiagnostic::new(&self.name, DiagnosticRow::from(found))).collect();
        let mut subjects = Vec::new();
        for imported in file.import.sessions {
            subjects.push(self.imported(imported, &self.name, None, &mut diagnostics)?);
        }
        Ok(Read { subjects, diagnostics })
    }

    fn read_sample(&self) -> Result<Read, AppError> {
        let mut diagnostics = Vec::new();
        let config = Some(sample::app_config());
        let subject = self.imported(sample::session()?, sample::LOCATION, config, &mut diagnostics)?;
        Ok(Read { subjects: vec![subject], diagnostics })
    }

    pub(super) fn imported(
        &self,
        imported: ImportedSession,
        location: &str,
        config: Option<AppConfig>,
        diagnostics: &mut Vec<FileDiagnostic>,
    ) -> Result<Subject, AppError> {
        let summary = Summary::of(&imported);
        let requests: Vec<_> = imported.requests.iter().map(new_request).collect();
        let id = if imported.session.id.is_empty() { &imported.title } else { &*imported.session.id };
        let (id, title) = (id.to_owned(), imported.title.clone());
        let config = config.or_else(|| recorded_app(&imported));
        let format_name = imported.format.name().to_owned();
        let file = Some(Path::new(location)).filter(|path| path.is_file());
        let services = self.services(ServicePlaces::default(), &imported.session, &summary, file)?;
        let given = Given { config, chosen_model: None, services: &services };
        let (app, experiment) = self.experiment(imported.session, &requests, &summary, given, diagnostics)?;
        let (location, edits) = (location.to_owned(), Vec::new());
        Ok(Subject { id, title, format_name, location, summary, app, experiment, edits, requests })
    }

    fn import_into(&self, database: &Path, watch: &dyn Watch) -> Result<Read, AppError> {
        let storage = RefCell::new(Store::open(database)?);
        let input = Input::of(&self.name);
        let imported = import_all(&storage, &[input], OrphanPolicy::Replaced, watch);
        if imported.is_stopped {
            return Err(AppError::bad_input("Stopped. Nothing was imported."));
        }
        let store = storage.into_inner();
        let mut diagnostics: Vec<_> = imported.findings.iter().map(FileDiagnostic::from).collect();
        let mut subjects = Vec::new();
        for id in &imported.sessions {
            if let Some(entry) = store.session_entry(id)? {
                subjects.push(self.stored(&store, entry, Vec::new(), &mut diagnostics)?);
            }
        }
        Ok(Read { subjects, diagnostics })
    }

    fn find_in_store(&self) -> Result<Read, AppError> {
        let database = self.database.clone().map_or_else(default_database, Ok)?;
        if !database.exists() {
            let message = format!(
                "There is no file {}, and no session is stored in {}. `strata import FILE` stores some.",
                self.name,
                database.display()
            );
            return Err(AppError::not_found(message));
        }
        let store = open_for_reading(&database)?;
        if let Some(id) = ExperimentId::parse(&self.name)
            && let Some(experiment) = store.experiment(id)?
        {
            return self.stored_experiment(&store, &experiment);
        }
        let entry = self.entry_in(&store)?;
        let known = store.diagnostics(&entry.location)?;
        let rows = known.into_iter().map(|known| DiagnosticRow {
            severity: known.severity.into(),
            code: known.code,
            message: known.message,
            at: known.at,
        });
        let mut diagnostics: Vec<_> = rows.map(|row| FileDiagnostic::new(&entry.location, row)).collect();
        let subject = self.stored(&store, entry, Vec::new(), &mut diagnostics)?;
        Ok(Read { subjects: vec![subject], diagnostics })
    }

    /// The stored session that is meant.
    pub(super) fn entry_in(&self, store: &Store) -> Result<SessionEntry, AppError> {
        match store.session_entry(&SessionId::from(&*self.name))? {
            Some(entry) => Ok(entry),
            None => self.only_match(store),
        }
    }

    fn stored_experiment(&self, store: &Store, experiment: &ExperimentEntry) -> Result<Read, AppError> {
        let missing = || AppError::not_found("The session of this experiment is no longer in the store.");
        let entry = store.session_entry(&experiment.session)?.ok_or_else(missing)?;
        let texts = store.edits(experiment.id)?;
        let edits = texts.iter().take(experiment.n_applied as usize).map(|text| serde_json::from_str(text));
        let edits = edits.collect::<Result<Vec<Edit>, _>>().map_err(|error| {
            AppError::internal(format!("An edit of {} cannot be read: {error}.", experiment.name))
        })?;
        let mut diagnostics = Vec::new();
        let subject = self.stored(store, entry, edits, &mut diagnostics)?;
        let title = format!("{}: {}", subject.title, experiment.name);
        Ok(Read { subjects: vec![Subject { id: experiment.id.to_string(), title, ..subject }], diagnostics })
    }

    /// The stored session whose id begins so, or which calls itself so.
    fn only_match(&self, store: &Store) -> Result<SessionEntry, AppError> {
        let name = &self.name;
        let is_match = |entry: &SessionEntry| {
            (name.len() >= MIN_ID_DIGITS && entry.id.as_str().starts_with(&**name))
                || entry.adk_id == *name
                || entry.title == *name
        };
        let mut found: Vec<_> =
            store.sessions("", 0..u32::MAX)?.entries.into_iter().filter(is_match).collect();
        match (found.pop(), found.len()) {
            (Some(only), 0) => Ok(only),
            (Some(last), _) => {
                found.push(last);
                let rows = found.iter().map(|entry| (entry.id.to_string(), entry.title.clone()));
                Err(AppError {
                    detail: Some(listed(rows)),
                    ..AppError::bad_input(format!("{name} may be any of these sessions. Name one by its id."))
                })
            }
            (None, _) => Err(AppError::not_found(format!(
                "{name} is neither a file nor a session in the store. `strata sessions` lists those that are there."
            ))),
        }
    }

    fn stored(
        &self,
        store: &Store,
        entry: SessionEntry,
        edits: Vec<Edit>,
        diagnostics: &mut Vec<FileDiagnostic>,
    ) -> Result<Subject, AppError> {
        let missing =
            || AppError::not_found("This session is no longer in the store. Import its file again.");
        let session = store.read_session(&entry.id)?.ok_or_else(missing)?;
        let config = store.app_config(&entry.id)?;
        let summary = Summary::from_json(&entry.summary);
        let requests = store.requests(&entry.id)?;
        let chosen = chosen_model(store, &entry.id)?;
        let places = ServicePlaces::chosen(store, &entry.id)?;
        let services = self.services(places, &session, &summary, stored_file(&entry.location))?;
        let services = services.with_own_files(store, &entry.location, &session)?;
        let given = Given { config, chosen_model: chosen.as_deref(), services: &services };
        let (app, experiment) = self.experiment(session, &requests, &summary, given, diagnostics)?;
        Ok(Subject {
            edits,
            id: entry.id.to_string(),
            title: entry.title,
            format_name: entry.format,
            location: entry.location,
            summary,
            app,
            experiment,
            requests,
        })
    }

    /// What the services of a session hold: what was named, else what is known, else what lies beside its file.
    fn services(
        &self,
        known: ServicePlaces,
        session: &Session,
        summary: &Summary,
        file: Option<&Path>,
    ) -> Result<SessionServices, AppError> {
        let named = ServicePlaces { artifacts: self.artifacts.clone(), memory: self.memory.clone() };
        SessionServices::of_named(named, known, flow_kind(&summary.format), session, file)
    }

    fn experiment(
        &self,
        session: Session,
        requests: &[RecordedRequest],
        summary: &Summary,
        given: Given<'_>,
        diagnostics: &mut Vec<FileDiagnostic>,
    ) -> Result<(AppSource, Experiment), AppError> {
        let Given { config, chosen_model, services } = given;
        let rows = services.diagnostics.iter().cloned();
        diagnostics.extend(rows.map(|row| FileDiagnostic::new("", row)));
        let kind = flow_kind(&summary.format);
        let sent: Vec<_> = answered(requests).collect();
        let app = match &self.app {
            Some(path) => {
                let file = path.display().to_string();
                let read = read_app(path)?;
                let rows = read.diagnostics.iter().map(DiagnosticRow::from);
                diagnostics.extend(rows.map(|row| FileDiagnostic::new(&file, row)));
                AppSource { notes: Vec::new(), ..AppSource::given(read.app, Some(file), &session) }
            }
            None => {
                let mut rows = Vec::new();
                let app = AppSource::of(config, &session, || infer_app(&session, kind, &sent), &mut rows);
                let file = app.location.clone().unwrap_or_default();
                diagnostics.extend(rows.into_iter().map(|row| FileDiagnostic::new(&file, row)));
                app
            }
        };
        let app = match &self.as_if {
            Some(model) => app.with_model(model, &Prices::embedded())?,
            None => app.with_chosen_model(chosen_model),
        }
        .with_services(services);
        let experiment = Experiment::new(Arc::new(session), app.app.clone(), kind);
        let experiment = experiment.with_services(services.given.clone());
        let experiment = experiment.with_recorded_calls(made_from(requests)).with_requests(sent);
        Ok((app, experiment))
    }
}

/// What a session is compiled with beside its events and requests.
struct Given<'g> {
    config: Option<AppConfig>,
    chosen_model: Option<&'g str>,
    services: &'g SessionServices,
}

/// Opens the store without changing it, unless an older Strata wrote it.
pub(super) fn open_for_reading(database: &Path) -> Result<Store, AppError> {
    match Store::open_read_only(database) {
        Err(StoreError::Older { .. }) => Ok(Store::open(database)?),
        opened => Ok(opened?),
    }
}

pub(super) fn nothing_in(name: &str, diagnostics: &[FileDiagnostic]) -> AppError {
    let error = diagnostics.iter().find(|found| found.severity == DiagnosticSeverity::Error);
    let reason = error.map_or("There is no session in it.", |error| &error.message);
    AppError::unreadable(format!("{name}: {reason}"))
}

/// The place of the session that is meant.
pub(super) fn choose(
    name: &str,
    subjects: &[&Subject],
    (session, flag): (Option<&str>, &str),
) -> Result<usize, AppError> {
    let list = || Some(listed(subjects.iter().map(|subject| (subject.id.clone(), subject.title.clone()))));
    let several = |message: String| AppError { detail: list(), ..AppError::bad_input(message) };
    let Some(session) = session else {
        if subjects.len() == 1 {
            return Ok(0);
        }
        return Err(several(format!(
            "{name} holds {} sessions. Choose one with `{flag} ID`.",
            words::whole(subjects.len() as i64)
        )));
    };
    let n_exact = subjects.iter().filter(|subject| subject.id == session).count();
    if n_exact > 1 {
        return Err(several(format!(
            "{name} holds {} sessions with the id {session}. Name one by its title: `{flag} TITLE`.",
            words::whole(n_exact as i64)
        )));
    }
    let exact = subjects.iter().position(|subject| subject.id == session);
    let by_title = || subjects.iter().position(|subject| subject.title == session);
    let mut beginning = subjects.iter().enumerate().filter(|(_, subject)| subject.id.starts_with(session));
    let by_beginning = || beginning.next().map(|(at, _)| at).filter(|_| beginning.next().is_none());
    exact
        .or_else(by_title)
        .or_else(by_beginning)
        .ok_or_else(|| several(format!("{name} holds no session {session}. These are in it.")))
}

/// One session a line.
fn listed(sessions: impl Iterator<Item = (String, String)>) -> String {
    let mut lines: Vec<String> =
        sessions.map(|(id, title)| format!("{id}  {}", words::cut(&title, 80))).collect();
    if lines.len() > MAX_LISTED {
        let n_more = lines.len() - MAX_LISTED;
        lines.truncate(MAX_LISTED);
        lines.push(format!("… and {n_more} more; `strata show` lists all of a file"));
    }
    lines.join("\n  ")
}
