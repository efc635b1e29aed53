//! From what a run is asked to what it is made of.

use std::path::Path;
use std::sync::Arc;

use strata_model::{App, Diagnostic};
use strata_provider::Client;
use strata_store::AppConfig;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::budget::Budget;
use super::callbacks::pointed;
use super::choice::{ModelChoice, RunChoice};
use super::code::left_out;
use super::hold::{Holder, Holds};
use super::listener::{Person, RunListener};
use super::models::Answerer;
use super::recorded_turn::{Beginning, RecordedTurn, Replay};
use super::running::{RunParts, program_of};
use super::scripted::Script;
use super::server::ModelServer;
use super::tools::{RecordedAnswers, ToolScript, ToolSources};
use super::toolsets::{Agrees, Equipped, Toolsets, equipped, has_sources, left_closed};
use crate::error::AppError;
use crate::models::UsableEndpoint;
use crate::open::{read_app_to_run, stored_app};
use crate::tables::Tables;

/// What a run finds around it.
pub(crate) struct World<'w> {
    /// An endpoint by its name.
    pub find: &'w dyn Fn(&str) -> Result<UsableEndpoint, AppError>,
    pub client: &'w dyn Fn() -> Result<Client, AppError>,
    pub tables: Arc<Tables>,
    pub recorded: RecordedAnswers,
    /// Says to what the app would start and reach somebody has agreed.
    pub agrees: Agrees<'w>,
    /// The app, where it is not that of a file as it stands there.
    pub app: Option<Arc<App>>,
    /// Answers of a file that were begun before.
    pub script: Option<Arc<Script>>,
    /// What is run again from a call on.
    pub turn: Option<RecordedTurn>,
    pub listener: Arc<dyn RunListener>,
    pub person: Option<Arc<dyn Person>>,
    pub holder: Arc<dyn Holder>,
    /// What whoever asks can do when the budget is spent.
    pub when_spent: &'static str,
    pub stop: CancellationToken,
    /// Where connections are waited for.
    pub runtime: &'w Handle,
}

/// A run that can be started, with what was odd about its app.
pub(crate) struct Prepared {
    pub parts: RunParts,
    /// Where the run is to begin, if it takes a recorded turn again.
    pub beginning: Option<Beginning>,
    pub diagnostics: Vec<Diagnostic>,
}

/// The app that runs.
struct RunApp {
    app: Arc<App>,
    config: AppConfig,
    diagnostics: Vec<Diagnostic>,
}

impl RunApp {
    fn read(path: &Path) -> Result<Self, AppError> {
        let read = read_app_to_run(path)?;
        let config = stored_app(&read.app, path);
        Ok(Self { app: Arc::new(read.app), config, diagnostics: read.diagnostics })
    }

    fn of_choice(choice: &RunChoice, app: Option<Arc<App>>) -> Result<Self, AppError> {
        let missing = || AppError::bad_input("No app was named. Name the file of its configuration.");
        let path = choice.app.as_deref().ok_or_else(missing)?;
        match app {
            Some(app) => Ok(Self { config: stored_app(&app, path), app, diagnostics: Vec::new() }),
            None => Self::read(path),
        }
    }
}

impl RunApp {
    /// With the tools of other programs and servers, where the app is that of a file: a recording starts nothing.
    fn with_tools(
        self,
        choice: &RunChoice,
        agrees: Agrees<'_>,
        listener: &dyn RunListener,
        runtime: &Handle,
        stop: &CancellationToken,
    ) -> Result<(Self, Toolsets), AppError> {
        let Some(path) = choice.app.as_deref() else {
            if let Some(note) = left_closed(&self.app) {
                listener.note(&note);
            }
            return Ok((self, Toolsets::default()));
        };
        if !has_sources(&self.app) {
            return Ok((self, Toolsets::default()));
        }
        let Equipped { app, kept, toolsets } = equipped(&self.app, path, agrees, listener, runtime, stop)?;
        Ok((Self { app, config: stored_app(&kept, path), ..self }, toolsets))
    }
}

/// Reads the app and its files, and opens the servers that it takes tools from. Nothing is stored, and nothing is sent to a
/// model.
pub(crate) fn prepare(choice: &RunChoice, world: World<'_>) -> Result<Prepared, AppError> {
    let mut recorded = world.recorded;
    let (mut replay, mut flows, mut beginning) = (Replay::default(), Vec::new(), None);
    let run_app = match world.turn {
        None => RunApp::of_choice(choice, world.app)?,
        Some(turn) => {
            (recorded, replay, flows) = (turn.tools, turn.replay, turn.flows);
            beginning = Some(turn.beginning);
            RunApp { app: turn.app, config: turn.app_config, diagnostics: Vec::new() }
        }
    };
    if choice.resumes && !run_app.app.is_resumable() {
        return Err(AppError::bad_input(format!(
            "The app {} is not resumable, so nothing in its sessions can be resumed. Say something to go on, or make it \
             resumable (resumability_config: {{is_resumable: true}}).",
            run_app.app.name
        )));
    }
    let script = choice.tools.as_deref().map(ToolScript::read).transpose()?;
    let answerer = match &choice.model {
        ModelChoice::Script(path) => Answerer::Script(match world.script {
            Some(script) => script,
            None => Arc::new(Script::read(path)?),
        }),
        ModelChoice::Echo => Answerer::Echo,
        ModelChoice::Endpoint { name, model } => {
            let found = (world.find)(name)?;
            Answerer::Server(ModelServer {
                client: (world.client)()?,
                endpoint: Arc::new(found.server),
                model: model.clone().or(found.model),
                listener: world.listener.clone(),
            })
        }
    };
    // Nothing is started for a run that cannot be.
    program_of(&run_app.app, script.as_ref())?;
    let (run_app, toolsets) =
        run_app.with_tools(choice, world.agrees, &*world.listener, world.runtime, &world.stop)?;
    let RunApp { app, config: app_config, diagnostics } = run_app;
    let app = Arc::new(pointed(&app, script.as_ref()));
    for note in left_out(&app, script.as_ref()) {
        world.listener.note(&note);
    }
    let parts = RunParts {
        app,
        app_config,
        flows,
        replay: Arc::new(replay),
        answerer,
        tools: ToolSources {
            script,
            toolsets,
            recorded,
            is_recorded_first: beginning.is_some(),
            person: world.person,
            listener: world.listener.clone(),
            stop: world.stop.clone(),
        },
        budget: Arc::new(Budget::new(choice.limits, world.tables.clone(), world.when_spent)),
        holds: Arc::new(Holds::new(choice.holds.clone(), world.tables)),
        holder: world.holder,
        listener: world.listener,
        is_streaming: choice.is_streaming,
        keeps_requests: choice.tells_requests,
        stop: world.stop,
    };
    Ok(Prepared { parts, beginning, diagnostics })
}
