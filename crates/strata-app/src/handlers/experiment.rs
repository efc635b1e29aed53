//! Experiments: the list, their edits, undoing.

use strata_engine::Edit;
use strata_model::secret;
use strata_store::{ExperimentEntry, ExperimentId, SessionId};

use crate::Strata;
use crate::api::common::DiagnosticRow;
use crate::api::experiment::{
    AddEdits, Create, Duplicate, EditRow, ExperimentDetail, ExperimentList, ExperimentRow, Export,
    ExportFormat, Exported, Get, List, Redo, Remove, Rename, Report, Undo,
};
use crate::api::session::Removed;
use crate::command::Handler;
use crate::error::AppError;
use crate::export::{Subject, export};
use crate::import::now_ms;
use crate::open::OpenSession;
use crate::open_report::report_of_open;
use crate::show::edit_words::title;

/// Longest name of an experiment, in characters.
const MAX_NAME: usize = 200;

impl Handler for List {
    fn run(self, strata: &Strata) -> Result<ExperimentList, AppError> {
        let session = recorded_session(strata, &self.session)?;
        let entries = strata.workspace.store().experiments(&session)?;
        Ok(ExperimentList { rows: entries.iter().map(row).collect() })
    }
}

impl Handler for Create {
    fn run(self, strata: &Strata) -> Result<ExperimentDetail, AppError> {
        let session = recorded_session(strata, &self.session)?;
        create(strata, &session, self.name, &[])
    }
}

impl Handler for Get {
    fn run(self, strata: &Strata) -> Result<ExperimentDetail, AppError> {
        detail(&*strata.sessions.experiment(&self.experiment)?)
    }
}

impl Handler for Rename {
    fn run(self, strata: &Strata) -> Result<ExperimentDetail, AppError> {
        let (id, _) = entry(strata, &self.experiment)?;
        let name = checked_name(&self.name)?;
        strata.workspace.store().rename_experiment(id, &name)?;
        detail(&*strata.sessions.reopen_experiment(id)?)
    }
}

impl Handler for Duplicate {
    fn run(self, strata: &Strata) -> Result<ExperimentDetail, AppError> {
        let (id, known) = entry(strata, &self.experiment)?;
        let mut edits = strata.workspace.store().edits(id)?;
        edits.truncate(known.n_applied as usize);
        let name = self.name.unwrap_or_else(|| format!("{} copy", known.name));
        let made = create(strata, &known.session, Some(name), &edits)?;
        if let Some(copy) = ExperimentId::parse(&made.row.experiment) {
            let mut store = strata.workspace.store();
            for (at, promise) in store.promises(id)? {
                store.set_promise(copy, at, &promise)?;
            }
        }
        Ok(made)
    }
}

impl Handler for Remove {
    fn run(self, strata: &Strata) -> Result<Removed, AppError> {
        let (id, known) = entry(strata, &self.experiment)?;
        strata.sessions.close_experiment(&self.experiment);
        strata.workspace.store().delete_experiment(id)?;
        Ok(Removed { title: known.name })
    }
}

impl Handler for AddEdits {
    fn run(self, strata: &Strata) -> Result<ExperimentDetail, AppError> {
        let (id, known) = entry(strata, &self.experiment)?;
        let mut n_kept = known.n_applied;
        if self.replaces_last
            && let Some(last) = n_kept.checked_sub(1)
            && let [only] = &self.edits[..]
        {
            let open = strata.sessions.experiment(&self.experiment)?;
            let before = open.edits.as_ref().and_then(|edits| edits.edits.get(last as usize));
            n_kept -= u32::from(before.is_some_and(|before| only.overrides(before)));
        }
        add(strata, id, n_kept, &self.edits)
    }
}

impl Handler for Undo {
    fn run(self, strata: &Strata) -> Result<ExperimentDetail, AppError> {
        let (id, known) = entry(strata, &self.experiment)?;
        let applied = known.n_applied.checked_sub(1);
        let applied = applied.ok_or_else(|| AppError::bad_input("There is no edit to undo."))?;
        strata.workspace.store().set_applied(id, applied, now_ms())?;
        detail(&*strata.sessions.reopen_experiment(id)?)
    }
}

impl Handler for Redo {
    fn run(self, strata: &Strata) -> Result<ExperimentDetail, AppError> {
        let (id, known) = entry(strata, &self.experiment)?;
        if known.n_applied == known.n_edits {
            return Err(AppError::bad_input("There is no edit to make again."));
        }
        strata.workspace.store().set_applied(id, known.n_applied + 1, now_ms())?;
        detail(&*strata.sessions.reopen_experiment(id)?)
    }
}

impl Handler for Export {
    fn run(self, strata: &Strata) -> Result<Exported, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let (name, edits) = match &open.edits {
            Some(edits) => (&*edits.entry.name, edits.applied()),
            None => (&*open.entry.title, &[][..]),
        };
        let requests = match self.format {
            ExportFormat::Session => strata.workspace.store().requests(&open.id)?,
            _ => Vec::new(),
        };
        let subject = Subject {
            name,
            experiment: &open.experiment,
            is_inferred: open.app.is_inferred,
            edits,
            requests: &requests,
        };
        export(&subject, self.format, self.masks_secrets)
    }
}

impl Handler for Report {
    fn run(self, strata: &Strata) -> Result<Exported, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let requests = strata.workspace.store().requests(&open.id)?;
        report_of_open(&open, requests, &strata.tables, self.form, self.masks_secrets)
    }
}

/// Puts edits behind the first `n_kept` of an experiment, and compiles it again.
pub(super) fn add(
    strata: &Strata,
    id: ExperimentId,
    n_kept: u32,
    edits: &[Edit],
) -> Result<ExperimentDetail, AppError> {
    let texts = edits.iter().map(text).collect::<Result<Vec<String>, _>>()?;
    if strata.workspace.masks_secrets() && texts.iter().any(|text| secret::is_masked(text)) {
        return Err(AppError::bad_input(
            "This text has a masked secret in it, and the mask would be stored in its place. Nothing was changed. Show secrets first, or write something else where the mask is.",
        ));
    }
    if !strata.workspace.store().set_edits(id, n_kept, &texts, now_ms())? {
        return Err(AppError::not_found("This experiment is no longer in the store."));
    }
    detail(&*strata.sessions.reopen_experiment(id)?)
}

/// Makes an experiment whose edits are given as they are stored.
pub(super) fn create(
    strata: &Strata,
    session: &SessionId,
    name: Option<String>,
    edits: &[String],
) -> Result<ExperimentDetail, AppError> {
    let name = match name {
        Some(name) => checked_name(&name)?,
        None => format!("Experiment {}", strata.workspace.store().experiments(session)?.len() + 1),
    };
    let made = strata.workspace.store().create_experiment(session, &name, edits, now_ms())?;
    let id = made.ok_or_else(|| AppError::not_found("This session is no longer in the store."))?;
    detail(&*strata.sessions.experiment(&id.to_string())?)
}

pub(super) fn text(edit: &Edit) -> Result<String, AppError> {
    serde_json::to_string(edit).map_err(|error| AppError::internal(error.to_string()))
}

/// The recorded session that an id means, be it the session's or an experiment's.
pub(super) fn recorded_session(strata: &Strata, id: &str) -> Result<SessionId, AppError> {
    match ExperimentId::parse(id) {
        Some(_) => Ok(entry(strata, id)?.1.session),
        None => Ok(SessionId::from(id)),
    }
}

pub(super) fn entry(strata: &Strata, id: &str) -> Result<(ExperimentId, ExperimentEntry), AppError> {
    let known = ExperimentId::parse(id).ok_or_else(|| {
        AppError::bad_input(
            "This is a recorded session, which is never changed. Make an experiment over it first.",
        )
    })?;
    let entry = strata.workspace.store().experiment(known)?;
    Ok((known, entry.ok_or_else(|| AppError::not_found("This experiment is no longer in the store."))?))
}

pub(super) fn row(entry: &ExperimentEntry) -> ExperimentRow {
    ExperimentRow {
        experiment: entry.id.to_string(),
        session: entry.session.to_string(),
        name: entry.name.clone(),
        edits: entry.n_applied,
        undone: entry.n_edits - entry.n_applied,
        changed_ms: entry.changed_at_ms as f64,
    }
}

fn detail(open: &OpenSession) -> Result<ExperimentDetail, AppError> {
    let edits = open.edits.as_ref().ok_or_else(|| AppError::internal("An experiment has no edits."))?;
    let list = edits.edits.iter().enumerate().map(|(at, edit)| EditRow {
        number: at as u32 + 1,
        title: title(edit),
        edit: edit.clone(),
        is_undone: at >= edits.applied().len(),
        diagnostics: edits.notes_on(at).map(DiagnosticRow::from).collect(),
    });
    Ok(ExperimentDetail { row: row(&edits.entry), list: list.collect() })
}

fn checked_name(name: &str) -> Result<String, AppError> {
    let name = name.trim();
    if name.is_empty() {
        return Err(AppError::bad_input("An experiment needs a name."));
    }
    Ok(name.chars().take(MAX_NAME).collect())
}
