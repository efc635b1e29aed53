//! `strata capture`: what clients send to their models, caught while they do.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use serde::Serialize;
use strata_capture::{
    Authority, Catch, Finished, Gateway, OpenGate, Options, Received, Recipe as ClientRecipe, proxied,
    recipe_for, run_client,
};
use strata_store::Store;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::VERSION;
use super::diagnostic::FileDiagnostic;
use super::import::import;
use super::meanwhile::Meanwhile;
use super::session::SessionReport;
use crate::api::app::SessionBudget;
use crate::api::capture::{BudgetWord, CaughtBy, Exchange, Provider, Recipe};
use crate::capture_folder::{folder_of, new_log, telemetry_of};
use crate::capture_upstreams::upstreams;
use crate::captured_sessions::captured_sessions;
use crate::captures::{GateKeeper, HeldRequests, recipes_by, shown};
use crate::data_folder::default_database;
use crate::error::{AppError, ErrorCode};
use crate::run::HoldCondition;
use crate::tables::Tables;
use crate::watch::Unseen;

/// How often sessions are set beside a budget.
const BUDGET_LOOK: Duration = Duration::from_millis(500);

/// What to catch.
#[derive(Clone, Default)]
pub struct CaptureChoice {
    /// The port to listen on; 0 for a free one.
    pub port: u16,
    /// Providers as `NAME=URL`.
    pub upstreams: Vec<String>,
    /// The file to write to, which is not there yet; absent for one in the data folder.
    pub log: Option<PathBuf>,
    /// The store, in place of the one in the data folder.
    pub database: Option<PathBuf>,
    /// The program to start and its arguments; empty to wait for clients that are started otherwise.
    pub client: Vec<OsString>,
    /// What of clients comes here.
    pub catch: Catch,
    /// A forward proxy, too: for clients that no address reaches.
    pub proxy: bool,
    /// When requests are held, and who decides about them.
    pub holds: Option<(Vec<HoldCondition>, Arc<dyn GateKeeper>)>,
    /// What a session may take before it is told.
    pub budget: SessionBudget,
}

/// What is told while it goes on.
#[derive(Debug)]
pub enum CaptureUpdate<'u> {
    Listening {
        base: &'u str,
        log: &'u Path,
        upstreams: Vec<Provider>,
        recipes: Vec<Recipe>,
        /// The client that is about to be started, by its name, and what to know about it.
        client: Option<(String, &'static str)>,
    },
    Finished(Exchange),
    /// A batch of telemetry.
    Received(Received),
    /// A session has passed the budget, or nobody can know. Each once.
    Budget(BudgetWord),
}

/// What the gateway tells.
enum Heard {
    Exchange(Finished),
    Batch(Received),
    /// There is no more. Requests that are on their way still may hold the other end.
    Closed,
}

/// The document of `strata capture`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureReport {
    pub version: u32,
    /// The file with all that was caught.
    pub log: String,
    /// The store.
    pub database: String,
    pub exchanges: u64,
    /// Spans and log records that clients sent of themselves.
    pub telemetry_records: u64,
    /// Exchanges that did not end well, or are not recorded whole, and batches of telemetry that were not taken whole.
    pub with_problems: u64,
    /// What clients asked the forward proxy for and nothing was read of, each once.
    pub elsewhere: Vec<Elsewhere>,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub sessions: Vec<SessionReport>,
    /// Sessions that passed the budget, and those of which nobody can know.
    pub budget: Vec<BudgetWord>,
    pub diagnostics: Vec<FileDiagnostic>,
    pub client: Option<ClientEnd>,
}

/// A host that a client was connected to, or was not, without being read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Elsewhere {
    /// With its port.
    pub host: String,
    /// What went wrong.
    pub problem: Option<String>,
}

/// How the client ended.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientEnd {
    pub name: String,
    /// Its exit code, or 128 and the number of the signal that ended it.
    pub exit_code: u8,
}

/// Listens until the client that was started ends, or until `stop`, and stores sessions while they grow.
pub fn capture(
    choice: &CaptureChoice,
    stop: &CancellationToken,
    runtime: &Handle,
    mut tell: impl FnMut(CaptureUpdate<'_>),
) -> Result<CaptureReport, AppError> {
    let database = choice.database.clone().map_or_else(default_database, Ok)?;
    let log = match &choice.log {
        Some(log) => log.clone(),
        None => new_log(Some(&database)).map_err(|error| {
            AppError::new(
                ErrorCode::Store,
                "There is no place to write what is caught. Name a file with `--log FILE`.",
            )
            .with_detail(&error)
        })?,
    };
    let upstreams = upstreams(&choice.upstreams, |name| std::env::var(name).ok())?;
    let providers =
        upstreams.iter().map(|it| Provider { name: it.name.clone(), url: it.address() }).collect();
    let telemetry = telemetry_of(&log);
    let (finished, heard) = mpsc::channel();
    let (received, closed) = (finished.clone(), finished.clone());
    let options = Options {
        port: choice.port,
        upstreams,
        log: log.clone(),
        gate: match &choice.holds {
            None => Arc::new(OpenGate),
            Some((conditions, keeper)) => {
                let tables = Arc::new(Tables::of_store(&Store::open(&database)?)?);
                Arc::new(HeldRequests::kept_by(keeper.clone(), conditions.clone(), tables))
            }
        },
        finished: Box::new(move |one| {
            // Whoever listened has ended; the log has it all the same.
            let _ = finished.send(Heard::Exchange(one));
        }),
        telemetry: telemetry.clone(),
        authority: authority(choice.proxy, &database)?,
        received: Box::new(move |batch| drop(received.send(Heard::Batch(batch)))),
    };
    let bundle =
        options.authority.as_ref().map(|authority| authority.bundle().to_owned()).unwrap_or_default();
    let gateway = runtime.block_on(Gateway::start(options));
    let gateway = gateway.map_err(|error| AppError::bad_input(error.to_string()))?;
    let program = choice.client.first().map(|program| program.to_string_lossy().into_owned());
    let by_proxy = |program: &str| gateway.proxy().map(|address| proxied(address, &bundle, program));
    let recipe = program.as_deref().map(|program| {
        by_proxy(program).unwrap_or_else(|| recipe_for(gateway.base(), choice.catch, program))
    });
    if let Some(ClientRecipe { client, settings: Some(_), .. }) = &recipe {
        return Err(AppError::bad_input(format!(
            "{client} takes an address from its own settings alone, so it was not started. Run `strata capture` without \
             it: that prints what to put there. Or leave its settings as they are, with `strata capture --proxy`."
        )));
    }
    // A program that no recipe is for is called as it was.
    let name = |recipe: &ClientRecipe| match &program {
        Some(program) if recipe.programs.is_empty() => program.clone(),
        _ => recipe.client.to_owned(),
    };
    tell(CaptureUpdate::Listening {
        base: gateway.base(),
        log: &log,
        upstreams: providers,
        recipes: match by_proxy("") {
            Some(recipe) => vec![shown(&recipe, CaughtBy::Requests)],
            None => recipes_by(gateway.base(), choice.catch),
        },
        client: recipe.as_ref().map(|recipe| (name(recipe), recipe.note)),
    });

    let meanwhile = Meanwhile::follow(vec![log.clone(), telemetry.clone()], database.clone());
    let ended = match (&recipe, choice.client.split_first()) {
        (Some(recipe), Some((program, arguments))) => {
            Some(runtime.block_on(run_client(recipe, program, arguments)))
        }
        _ => None,
    };
    let mut report = CaptureReport {
        version: VERSION,
        log: log.display().to_string(),
        database: database.display().to_string(),
        exchanges: 0,
        telemetry_records: 0,
        with_problems: 0,
        elsewhere: Vec::new(),
        bytes_sent: 0,
        bytes_received: 0,
        sessions: Vec::new(),
        budget: Vec::new(),
        diagnostics: Vec::new(),
        client: None,
    };
    let mut watched = BudgetWatch::new(choice.budget, &database, &log)?;
    if ended.is_none() {
        let stop = stop.clone();
        let stopped = async move {
            stop.cancelled().await;
            gateway.close().await;
            drop(closed.send(Heard::Closed));
        };
        let closing = runtime.spawn(stopped);
        loop {
            match heard.recv_timeout(BUDGET_LOOK) {
                Ok(one) => {
                    if report.count(one, &mut tell).is_break() {
                        break;
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            watched.look().into_iter().for_each(|word| tell(CaptureUpdate::Budget(word)));
        }
        // It has ended, or there would be more to hear.
        let _ = runtime.block_on(closing);
    } else {
        runtime.block_on(gateway.close());
        for one in heard.try_iter() {
            let _ = report.count(one, &mut |_| {});
        }
    }
    meanwhile.end();
    if let (Some(ended), Some(recipe)) = (ended, &recipe) {
        let program = program.as_deref().unwrap_or_default();
        let status = ended.map_err(|error| {
            AppError::bad_input(format!(
                "`{program}` could not be started ({error}). Is it installed, and on the PATH?"
            ))
        })?;
        report.client = Some(ClientEnd { name: name(recipe), exit_code: exit_code(status) });
    }
    let files: Vec<PathBuf> = [(log, report.exchanges > 0), (telemetry, report.telemetry_records > 0)]
        .into_iter()
        .filter_map(|(file, is_told)| is_told.then_some(file))
        .collect();
    if !files.is_empty() {
        let imported = import(&files, Some(&database), false, &Unseen(CancellationToken::new()))?;
        report.sessions = imported.sessions;
        report.diagnostics = imported.diagnostics;
        report.budget = watched.words();
    }
    Ok(report)
}

/// What sessions of a log have taken, beside a budget.
struct BudgetWatch {
    budget: SessionBudget,
    /// Where there is a budget.
    store: Option<(Store, Tables)>,
    log: PathBuf,
    looked: Instant,
    told: Vec<BudgetWord>,
}

impl BudgetWatch {
    fn new(budget: SessionBudget, database: &Path, log: &Path) -> Result<Self, AppError> {
        let open = || {
            let store = Store::open(database)?;
            let tables = Tables::of_store(&store)?;
            Ok::<_, AppError>((store, tables))
        };
        let store = budget.is_set().then(open).transpose()?;
        Ok(Self { budget, store, log: log.to_owned(), looked: Instant::now(), told: Vec::new() })
    }

    /// As of now. A store that is busy tells nothing: it is asked again.
    fn words(&self) -> Vec<BudgetWord> {
        let Some((store, tables)) = &self.store else { return Vec::new() };
        let sessions = captured_sessions(store, &self.log, &tables.prices).unwrap_or_default();
        sessions.iter().filter_map(|row| self.budget.word(row)).collect()
    }

    /// What was not told before, at most twice a second.
    fn look(&mut self) -> Vec<BudgetWord> {
        if self.store.is_none() || self.looked.elapsed() < BUDGET_LOOK {
            return Vec::new();
        }
        self.looked = Instant::now();
        let is_told = |word: &BudgetWord| {
            self.told.iter().any(|told| (&told.session, told.is_passed) == (&word.session, word.is_passed))
        };
        let fresh: Vec<_> = self.words().into_iter().filter(|word| !is_told(word)).collect();
        self.told.extend(fresh.iter().cloned());
        fresh
    }
}

impl CaptureReport {
    fn count(&mut self, heard: Heard, tell: &mut impl FnMut(CaptureUpdate<'_>)) -> ControlFlow<()> {
        match heard {
            Heard::Exchange(one) if one.is_elsewhere() => {
                let elsewhere = Elsewhere { host: one.url.clone(), problem: one.problem.clone() };
                if !self.elsewhere.contains(&elsewhere) {
                    self.elsewhere.push(elsewhere);
                }
                tell(CaptureUpdate::Finished(one.into()));
            }
            Heard::Exchange(one) => {
                self.exchanges += 1;
                self.with_problems += u64::from(one.problem.is_some());
                self.bytes_sent += one.sent;
                self.bytes_received += one.received;
                tell(CaptureUpdate::Finished(one.into()));
            }
            Heard::Batch(batch) => {
                self.telemetry_records += batch.n_kept;
                self.with_problems += u64::from(batch.problem.is_some());
                tell(CaptureUpdate::Received(batch));
            }
            Heard::Closed => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }
}

fn authority(is_wanted: bool, database: &Path) -> Result<Option<Authority>, AppError> {
    let made = is_wanted.then(|| Authority::in_folder(&folder_of(Some(database)))).transpose();
    made.map_err(|error| AppError::new(ErrorCode::Store, format!("There is no forward proxy: {error}.")))
}

/// Takes away the authority of the forward proxy. False where there was none.
pub fn forget_authority(database: Option<&Path>) -> Result<bool, AppError> {
    let database = database.map(Path::to_owned).map_or_else(default_database, Ok)?;
    let removed = Authority::remove(&folder_of(Some(&database)));
    removed.map_err(|error| {
        AppError::new(ErrorCode::Store, "The certificates could not all be removed.").with_detail(&error)
    })
}

fn exit_code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128_u8.saturating_add(signal as u8);
    }
    status.code().map_or(1, |code| code as u8)
}
