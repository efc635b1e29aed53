//! What an example is made from: its session, the app it ran in, and what lay beside it.

use std::cell::RefCell;
use std::sync::Arc;

use strata_engine::{
    Artifact, Artifacts, Backend, Call, CallSource, Compilation, CompileContext, EventView, Experiment,
    FlowKind, Invocation, Memory, RunConfig, Services, StageCache, compile, infer_app,
};
use strata_import::read_app_config;
use strata_model::{App, Decoder, FromJson, Json, Object, Part, Session, Str, json};
use strata_testkit::read_session;

use crate::page::Case;

pub(crate) struct Example {
    pub experiment: Experiment,
    /// None: those the events before a call speak of.
    artifacts: Option<Vec<Artifact>>,
    memory: Arc<Vec<Session>>,
    backend: Backend,
    run_config: RunConfig,
    /// Shared by all calls of the example, as in the window.
    cache: RefCell<StageCache>,
}

impl Example {
    pub(crate) fn of(case: &Case) -> Result<Self, String> {
        let session = read_session(case.given("session").unwrap_or_default())
            .map_err(|error| format!("session: {error}"))?;
        let session = Arc::new(session);
        let app = Arc::new(app(case, &session)?);
        let run = match case.given("run") {
            Some(text) => object(text).map_err(|message| format!("run: {message}"))?,
            None => Object::new(),
        };
        let experiment = Experiment::new(session, app, FlowKind::Adk);
        Ok(Self {
            artifacts: case.given("artifacts").map(artifacts).transpose()?,
            memory: Arc::new(memory(case)?),
            backend: if run.get("vertex") == Some(&true.into()) {
                Backend::Vertex
            } else {
                Backend::AiStudio
            },
            run_config: run_config(&run)?,
            experiment,
            cache: RefCell::new(StageCache::new()),
        })
    }

    /// The call with a number, or the last one.
    pub(crate) fn call(&self, number: Option<u32>) -> Result<&Call, String> {
        let calls = self.experiment.calls();
        let found = match number {
            Some(number) => self.experiment.call(number),
            None => calls.last(),
        };
        found.ok_or_else(|| format!("there are {} calls", calls.len()))
    }

    pub(crate) fn compile(&self, call: &Call) -> Result<Compilation, String> {
        self.in_context(call, |context| {
            compile(self.experiment.flow(context.agent_id), context, &mut self.cache.borrow_mut())
        })
    }

    /// A call's inputs, as if it were about to happen: what ADK would stop at stops the compile.
    pub(crate) fn in_context<T>(
        &self,
        call: &Call,
        use_it: impl FnOnce(&CompileContext<'_>) -> T,
    ) -> Result<T, String> {
        let recorded = self.experiment.context(call);
        let recorded = recorded.ok_or_else(|| format!("{} is not in the app", call.invocation.agent))?;
        let invocation = Invocation { run_config: self.run_config.clone(), ..call.invocation.clone() };
        let services = self.services(recorded.services);
        let context = CompileContext {
            invocation: &invocation,
            services: &services,
            backend: self.backend,
            source: CallSource::Live,
            ..recorded
        };
        Ok(use_it(&context))
    }

    fn services(&self, recorded: &Services) -> Services {
        let given = self.artifacts.clone().map(|artifacts| Arc::new(Artifacts::new(artifacts)));
        Services {
            artifacts: given.or_else(|| recorded.artifacts.clone()),
            memory: Some(Memory::Sessions(self.memory.clone())),
            ..Services::default()
        }
    }

    /// The events up to the end of a turn.
    pub(crate) fn turn(&self, turn: u32) -> Result<EventView<'_>, String> {
        let id = format!("i{turn}");
        let events = &self.experiment.session().events;
        let last = events.iter().rposition(|event| *event.invocation_id == *id);
        let last = last.ok_or_else(|| format!("there is no turn {turn}"))?;
        Ok(self.experiment.log().prefix(last + 1))
    }
}

/// The fields of an `app` block, with the root agent of an `agent` block. Agents nobody describes are those the events
/// tell of.
fn app(case: &Case, session: &Session) -> Result<App, String> {
    let (fields, agent) = (case.given("app").unwrap_or_default(), case.given("agent"));
    let inferred = || App::clone(&infer_app(session, FlowKind::Adk, &[]).app);
    if fields.is_empty() && agent.is_none() {
        return Ok(inferred());
    }
    let root: String =
        agent.unwrap_or("name: inferred").lines().flat_map(|line| ["  ", line, "\n"]).collect();
    let config = read_app_config(format!("{fields}root_agent:\n{root}").as_bytes(), &|_| None)?;
    if let Some(finding) = config.diagnostics.first() {
        return Err(format!("app: {}: {}", finding.at, finding.message));
    }
    let root_agent = if agent.is_some() { config.app.root_agent.clone() } else { inferred().root_agent };
    Ok(App { name: session.app_name.clone(), root_agent, ..config.app })
}

fn memory(case: &Case) -> Result<Vec<Session>, String> {
    let sessions = case.given_all("memory");
    sessions.map(|text| read_session(text).map_err(|error| format!("memory: {error}"))).collect()
}

fn artifacts(text: &str) -> Result<Vec<Artifact>, String> {
    let object = object(text).map_err(|message| format!("artifacts: {message}"))?;
    object.into_iter().map(|(name, value)| artifact(name, value)).collect()
}

/// An artifact of one version: a text, or a part. Null is what a rewind leaves of an artifact it takes back.
fn artifact(name: Str, value: Json) -> Result<Artifact, String> {
    let part = match value {
        Json::Null => None,
        Json::String(text) => Some(Part::from_text(text)),
        other => Some(read(other)?),
    };
    Ok(Artifact { name, versions: vec![part.map(Arc::new)] })
}

/// ADK's `RunConfig`, as far as requests depend on it.
fn run_config(run: &Object) -> Result<RunConfig, String> {
    let mut config = RunConfig::default();
    for (field, value) in run.clone() {
        match &*field {
            "labels" => config.labels = Some(read(value)?),
            "http_options" => config.http_options = Some(read(value)?),
            "model_input_context" => config.model_input_context = read(value)?,
            "include_thoughts_from_other_agents" => {
                config.include_thoughts_from_other_agents = value == true.into();
            }
            "service_tier" => config.service_tier = Some(read(value)?),
            "support_cfc" => config.support_cfc = value == true.into(),
            "vertex" => {}
            _ => return Err(format!("run: `{field}` is not known")),
        }
    }
    Ok(config)
}

fn object(text: &str) -> Result<Object, String> {
    read(json::parse(text.as_bytes()).map_err(|error| error.to_string())?)
}

fn read<T: FromJson>(value: Json) -> Result<T, String> {
    let mut decoder = Decoder::new();
    let read = T::from_json(value, &mut decoder).map_err(|_| format!("expected {}", T::EXPECTED))?;
    match decoder.into_diagnostics().first() {
        Some(finding) => Err(format!("{}: {}", finding.at, finding.message)),
        None => Ok(read),
    }
}
