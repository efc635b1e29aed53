//! The sessions and experiments that somebody looks at: opened, compiled in the background, closed when they change.

mod open_sessions;

use std::sync::Arc;
use std::time::{Duration, Instant};

use strata_engine::{Edit, Edited};
use strata_measure::fixes::Fix;
use strata_store::{ExperimentId, SessionId, Store, StoreError};

use crate::api::job::Notification;
use crate::background;
use crate::error::AppError;
use crate::import::Storage;
use crate::notifications::Notifications;
use crate::open::{OpenExperiment, OpenSession, Recording};
use crate::tables::Tables;
use crate::workspace::Workspace;
use open_sessions::{OpenOutcome, OpenSessions};

/// The background shows what it has at least this often.
const TURN: Duration = Duration::from_millis(8);
/// The window is told at most this often how far it is.
const TELL_EVERY: Duration = Duration::from_millis(120);

/// Sessions and experiments by their ids.
pub(crate) struct Sessions {
    workspace: Arc<Workspace>,
    tables: Arc<Tables>,
    notifications: Arc<Notifications>,
    open: OpenSessions,
}

impl Sessions {
    pub(crate) fn new(
        workspace: Arc<Workspace>,
        tables: Arc<Tables>,
        notifications: Arc<Notifications>,
    ) -> Self {
        Self { workspace, tables, notifications, open: OpenSessions::default() }
    }

    /// The open session or experiment with this id, opened if it is not.
    pub(crate) fn get(self: &Arc<Self>, id: &str) -> Result<Arc<OpenSession>, AppError> {
        loop {
            if let Some(open) = self.open.find(id) {
                return Ok(open);
            }
            let n_closings = self.open.n_closings();
            let (open, outdated) = match ExperimentId::parse(id) {
                Some(id) => (self.read_experiment(id)?, None),
                None => self.read_recording(&id.into())?,
            };
            match self.open.add(Arc::new(open), n_closings) {
                Some(OpenOutcome::New(open)) => {
                    self.compile_in_background(open.clone(), outdated);
                    return Ok(open);
                }
                Some(OpenOutcome::Known(open)) => return Ok(open),
                None => {}
            }
        }
    }

    /// The experiment with this id, which is open from then on.
    pub(crate) fn experiment(self: &Arc<Self>, id: &str) -> Result<Arc<OpenSession>, AppError> {
        if ExperimentId::parse(id).is_none() {
            let message =
                "This is a recorded session, which is never changed. Make an experiment over it first.";
            return Err(AppError::bad_input(message));
        }
        self.get(id)
    }

    /// Compiles an experiment again after its edits have changed. What they do not reach is taken from before.
    pub(crate) fn reopen_experiment(
        self: &Arc<Self>,
        id: ExperimentId,
    ) -> Result<Arc<OpenSession>, AppError> {
        self.open.close(&id.to_string());
        self.get(&id.to_string())
    }

    /// Stops work on an experiment and forgets it.
    pub(crate) fn close_experiment(&self, id: &str) {
        self.open.close(id);
    }

    /// Closes a recorded session and all experiments over it.
    pub(crate) fn close_with_experiments(&self, id: &SessionId) {
        self.open.close_with_experiments(id);
    }

    /// Makes all that is open anew, because what it is weighed or priced by is another by now.
    pub(crate) fn reopen_all(&self) {
        for session in self.open.close_all() {
            self.notifications.tell(&Notification::Changed { session: session.to_string() });
        }
        self.notifications.tell(&Notification::Sessions);
    }

    /// Fixes that help a session, as far as they were tried, and whether all were. The first to ask sets it going.
    pub(crate) fn fixes(&self, open: &Arc<OpenSession>) -> (Vec<Arc<Fix>>, bool) {
        if open.begins_fixes() {
            let (open, tables, notifications) =
                (open.clone(), self.tables.clone(), self.notifications.clone());
            background::spawn(move || {
                open.try_fixes(&tables, &|| {
                    notifications.tell(&Notification::Findings { session: open.key.clone() });
                });
            });
        }
        open.fixes()
    }

    /// With what was known of it before it changed.
    fn read_recording(&self, id: &SessionId) -> Result<(OpenSession, Option<Arc<OpenSession>>), AppError> {
        let outdated = self.open.take_outdated(id);
        let recording = Recording::read(&self.workspace.store(), id.clone(), outdated.as_deref())?;
        Ok((OpenSession::of_recording(recording, outdated.as_deref()), outdated))
    }

    /// Reads an experiment and lays its edits over its session.
    fn read_experiment(self: &Arc<Self>, id: ExperimentId) -> Result<OpenSession, AppError> {
        let missing = || AppError::not_found("This experiment is no longer in the store.");
        let (entry, texts) = {
            let store = self.workspace.store();
            (store.experiment(id)?.ok_or_else(missing)?, store.edits(id)?)
        };
        let edits = texts.iter().map(|text| {
            serde_json::from_str::<Edit>(text).map_err(|error| {
                AppError::internal(format!("An edit of {} cannot be read: {error}.", entry.name))
            })
        });
        let edits = edits.collect::<Result<Vec<Edit>, _>>()?;
        let base = self.get(entry.session.as_str())?;
        let n_applied = (entry.n_applied as usize).min(edits.len());
        let Edited { experiment, notes } = self.tables.edited(&base.experiment, &edits[..n_applied]);
        let open = OpenExperiment { entry, edits, notes, base: base.clone() };
        Ok(OpenSession::of_experiment(&base, experiment, open))
    }

    /// Compiles a session call by call, and tells how far it is; ends when it is closed, and with the app. Then it lets
    /// go of what was known of the session before, which takes its time.
    fn compile_in_background(self: &Arc<Self>, open: Arc<OpenSession>, outdated: Option<Arc<OpenSession>>) {
        let sessions = Arc::downgrade(self);
        let tables = self.tables.clone();
        background::spawn(move || {
            let _outdated = outdated;
            let mut told = Instant::now();
            let calls = open.experiment.calls().len() as u32;
            loop {
                let n_known = open.analysis().calls().len();
                let reached = open.edits.as_ref().map(|edits| edits.base.ahead_of(n_known, &tables.counting));
                let turn = Instant::now();
                let goes_on = open.compile_while(&tables.counting, |analysis| {
                    turn.elapsed() < TURN && reached.is_none_or(|reached| analysis.calls().len() < reached)
                });
                let compiled_calls = open.analysis().calls().len() as u32;
                if !goes_on || told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    let Some(sessions) = sessions.upgrade() else { return };
                    sessions.notifications.tell(&Notification::Analysis {
                        session: open.key.clone(),
                        compiled_calls,
                        calls,
                    });
                }
                if !goes_on || open.is_closed() {
                    return;
                }
            }
        });
    }
}

impl Storage for Sessions {
    fn with_store<T>(&self, work: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.workspace.with_long_store(work)
    }

    fn tell_changed(&self) {
        self.notifications.tell(&Notification::Sessions);
    }

    fn reopen(&self, session: &SessionId) {
        self.open.outdate(session);
        self.notifications.tell(&Notification::Changed { session: session.to_string() });
    }
}
