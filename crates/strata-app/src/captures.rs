//! The gateway of this program, and what it heard.

mod held;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_capture::{Catch, Finished, Gateway, Options, Received, Upstreams, recipes};
use tokio::runtime::Handle;

use crate::api::capture::{CaughtBy, Exchange, Listening, Provider, Recipe, TelemetryTaken};
use crate::api::job::Notification;
use crate::capture_folder::telemetry_of;
use crate::error::{AppError, ErrorCode};
use crate::notifications::Notifications;
use crate::tables::Tables;
pub(crate) use held::HeldRequests;
pub use held::{GateKeeper, HeldAtGate};

/// So many exchanges are shown.
const SHOWN: usize = 100;

/// At most one gateway, with what it heard last.
pub(crate) struct Captures {
    runtime: Handle,
    notifications: Arc<Notifications>,
    pub(crate) held: Arc<HeldRequests>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<(Gateway, Listening)>,
    log: Option<PathBuf>,
    heard: Arc<Mutex<Heard>>,
}

/// What came through.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard {
    /// The newest first.
    pub(crate) exchanges: VecDeque<Exchange>,
    pub(crate) n_exchanges: u32,
    pub(crate) bytes_sent: f64,
    pub(crate) bytes_received: f64,
    pub(crate) telemetry: TelemetryTaken,
}

impl Captures {
    pub(crate) fn new(runtime: Handle, tables: Arc<Tables>, notifications: Arc<Notifications>) -> Self {
        let held = Arc::new(HeldRequests::new(tables, notifications.clone()));
        Self { runtime, notifications, held, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Listens, writing to `log`. Returns false where it did already.
    pub(crate) fn start(&self, port: u16, upstreams: Upstreams, log: PathBuf) -> Result<bool, AppError> {
        let mut state = self.lock();
        if state.open.is_some() {
            return Ok(false);
        }
        let heard = Arc::<Mutex<Heard>>::default();
        let providers =
            upstreams.iter().map(|it| Provider { name: it.name.clone(), url: it.address() }).collect();
        let options = Options {
            port,
            upstreams,
            log: log.clone(),
            gate: self.held.clone(),
            finished: self.listener(&heard, Heard::add),
            telemetry: telemetry_of(&log),
            authority: None,
            received: self.listener(&heard, Heard::take),
        };
        let gateway = self.runtime.block_on(Gateway::start(options));
        let gateway = gateway.map_err(|error| AppError::new(ErrorCode::BadInput, error.to_string()))?;
        let listening = Listening {
            base: gateway.base().to_owned(),
            log: log.display().to_string(),
            upstreams: providers,
            recipes: [Catch::Requests, Catch::Telemetry, Catch::Both]
                .iter()
                .flat_map(|catch| recipes_by(gateway.base(), *catch))
                .collect(),
        };
        *state = State { open: Some((gateway, listening)), log: Some(log), heard };
        Ok(true)
    }

    /// Keeps what the gateway tells, and tells the window that there is something.
    fn listener<T: 'static>(
        &self,
        heard: &Arc<Mutex<Heard>>,
        keep: fn(&mut Heard, T),
    ) -> Box<dyn Fn(T) + Send + Sync> {
        let (heard, notifications) = (heard.clone(), self.notifications.clone());
        Box::new(move |told| {
            keep(&mut heard.lock().unwrap_or_else(PoisonError::into_inner), told);
            notifications.tell(&Notification::Capture);
        })
    }

    /// Listens no more; what was heard is written. The log that is whole now, where it listened.
    pub(crate) fn stop(&self) -> Option<PathBuf> {
        let (gateway, _) = self.lock().open.take()?;
        let log = gateway.log().to_owned();
        self.held.release_all();
        self.runtime.block_on(gateway.close());
        self.notifications.tell(&Notification::Capture);
        Some(log)
    }

    /// The present log, or the last one.
    pub(crate) fn log(&self) -> Option<PathBuf> {
        self.lock().log.clone()
    }

    pub(crate) fn listening(&self) -> Option<Listening> {
        self.lock().open.as_ref().map(|(_, listening)| listening.clone())
    }

    pub(crate) fn heard(&self) -> Heard {
        self.lock().heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Heard {
    fn add(&mut self, finished: Finished) {
        self.n_exchanges += 1;
        self.bytes_sent += finished.sent as f64;
        self.bytes_received += finished.received as f64;
        self.exchanges.push_front(finished.into());
        self.exchanges.truncate(SHOWN);
    }

    fn take(&mut self, batch: Received) {
        let telemetry = &mut self.telemetry;
        telemetry.n_batches += 1;
        telemetry.n_records += batch.n_kept as f64;
        if batch.problem.is_some() {
            telemetry.n_with_problems += 1;
            telemetry.last_problem = batch.problem;
        }
    }
}

/// How every client is pointed at a gateway.
pub(crate) fn recipes_by(base: &str, catch: Catch) -> Vec<Recipe> {
    let by = match catch {
        Catch::Requests => CaughtBy::Requests,
        Catch::Telemetry => CaughtBy::Telemetry,
        Catch::Both => CaughtBy::Both,
    };
    recipes(base, catch).iter().map(|recipe| shown(recipe, by)).collect()
}

pub(crate) fn shown(recipe: &strata_capture::Recipe, by: CaughtBy) -> Recipe {
    Recipe { client: recipe.client.to_owned(), by, command: recipe.command(), note: recipe.note.to_owned() }
}

impl From<Finished> for Exchange {
    fn from(finished: Finished) -> Self {
        Self {
            number: finished.number as f64,
            method: finished.method,
            url: finished.url,
            status: finished.status,
            bytes_sent: finished.sent as f64,
            bytes_received: finished.received as f64,
            held_ms: finished.held_ms as f64,
            first_byte_ms: finished.first_byte_ms.map(|ms| ms as f64),
            ms: finished.ms as f64,
            problem: finished.problem,
        }
    }
}
