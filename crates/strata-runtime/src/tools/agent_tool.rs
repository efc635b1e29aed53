//! Agents that are called like functions, each in a session of its own that is forgotten afterwards.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use strata_engine::{AgentId, Artifacts};
use strata_model::app::{AgentKind, OutputSchema};
use strata_model::{Agent, Content, Event, Json, Object, Part, Str, json, python};

use crate::adk_text::{AGENT_TOOL_PENDING, filled};
use crate::context::{AgentAlone, Context, InvocationContext};
use crate::halt::{Failure, Halt};
use crate::schema;
use crate::services::{ArtifactService, InMemoryMemory, InMemorySessions, Services, SessionKey};
use crate::turn::{EventSink, Reception, RunConfig, Turn};

/// Caches of an agent that is called live no longer than this, in seconds.
const MOST_CACHE_SECONDS: i64 = 300;

/// Runs an agent and gives what it said last.
pub(super) async fn run(
    context: &Context,
    agent: AgentId,
    has_plugins: bool,
    args: &Object,
) -> Result<Json, Halt> {
    let invocation = context.invocation();
    let program = invocation.run.program.clone();
    let config = program.index().agent(agent).clone();
    let text = request_of(&config, args)?;
    let mut state = context.state();
    state.retain(|key, _| !key.starts_with("_adk"));
    let alone = alone(context, &invocation, agent, has_plugins);
    let key = SessionKey {
        app_name: invocation.run.key.app_name.clone(),
        user_id: invocation.run.key.user_id.clone(),
        session_id: invocation.run.new_id(),
    };
    alone.services.sessions.create(&key, &state).await?;
    let heard = Arc::new(ChildSink { context: context.clone(), said: Mutex::default() });
    let turn = Turn {
        message: Some(Content::new("user", [Part::from_text(text)])),
        config: RunConfig { is_streaming: false, ..invocation.run.config.clone() },
        abort: invocation.run.abort.clone(),
        cancel: invocation.cancel.clone(),
        ..Turn::new(key)
    };
    invocation.run.execution.turn_alone(alone, turn, &*heard).await?;
    let said = std::mem::take(&mut *heard.said.lock());
    answer_of(&config, context, said)
}

/// What the agent is asked: by its schema, by the one argument, or all arguments as JSON.
fn request_of(config: &Agent, args: &Object) -> Result<Str, Failure> {
    if let Some(schema) = input_schema(config) {
        let input = schema::validate(schema, &args.clone().into())?;
        return Ok(json::to_compact(&input).into());
    }
    Ok(match args.get("request") {
        Some(Json::String(request)) => request.clone(),
        Some(other) => python::str(other).into(),
        None => json::to_spaced(&Json::from(args.clone()).sorted()).into(),
    })
}

/// The schema a composite takes is that of its first agent.
fn input_schema(agent: &Agent) -> Option<&OutputSchema> {
    if agent.kind == AgentKind::Llm {
        agent.input_schema.as_ref()
    } else {
        input_schema(agent.sub_agents().first()?)
    }
}

/// The schema a composite returns is that of its last agent.
fn output_schema(agent: &Agent) -> Option<&OutputSchema> {
    if agent.kind == AgentKind::Llm {
        agent.output_schema.as_ref()
    } else {
        output_schema(agent.sub_agents().last()?)
    }
}

/// The agent by itself: with a session of its own, and the artifacts of the session that calls it.
fn alone(context: &Context, invocation: &InvocationContext, agent: AgentId, has_plugins: bool) -> AgentAlone {
    let run = &invocation.run;
    let services = Services {
        sessions: Arc::new(InMemorySessions::new()),
        artifacts: Some(Arc::new(Forwarding { context: context.clone() })),
        memory: Some(Arc::new(InMemoryMemory::new())),
    };
    let cache = run.context_cache_config.clone().or_else(|| run.program.app().context_cache_config.clone());
    let cache = cache.map(|mut config| {
        config.ttl_seconds = Some(config.ttl_seconds().min(MOST_CACHE_SECONDS));
        config
    });
    AgentAlone {
        agent,
        services,
        has_plugins: has_plugins && run.has_plugins,
        context_cache_config: cache,
        tasks: run.tasks.clone(),
    }
}

/// What was heard of a child's run.
struct ChildSink {
    context: Context,
    said: Mutex<ChildOutput>,
}

#[derive(Default)]
struct ChildOutput {
    content: Option<Arc<Content>>,
    error: Option<Str>,
    pending: BTreeSet<Str>,
}

impl EventSink for ChildSink {
    fn receive(&self, event: Arc<Event>) -> BoxFuture<'_, Reception> {
        for (key, value) in event.actions.state_delta.iter() {
            // What a schema of the caller's state refuses is not taken over.
            let _ = self.context.set_state(key.clone(), value.clone());
        }
        let mut said = self.said.lock();
        if event.error_message.as_deref().is_some_and(|error| !error.is_empty()) {
            said.error.clone_from(&event.error_message);
        }
        said.pending.extend(event.long_running_tool_ids.iter().flatten().cloned());
        if event.content.is_some() {
            said.content.clone_from(&event.content);
            for id in event.function_responses().filter_map(|response| response.id.as_ref()) {
                said.pending.remove(id);
            }
        }
        drop(said);
        Box::pin(std::future::ready(Reception::GoOn))
    }
}

fn answer_of(config: &Agent, context: &Context, said: ChildOutput) -> Result<Json, Halt> {
    if !said.pending.is_empty() {
        context.edit_actions(|actions| actions.skip_summarization = Some(false));
        let ids: Vec<Json> = said.pending.into_iter().map(Json::String).collect();
        let places = [("NAME", &*python::repr_str(&config.name)), ("IDS", &*python::str(&Json::Array(ids)))];
        return Ok(filled(AGENT_TOOL_PENDING, &places).into());
    }
    let error = || Json::from(said.error.clone().unwrap_or_default());
    let Some(content) = said.content.as_ref().filter(|content| content.parts.is_some()) else {
        return Ok(error());
    };
    let texts =
        content.parts().iter().filter(|part| !part.is_thought()).filter_map(|part| text_of_part(part));
    let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    if text.is_empty() && said.error.is_some() {
        return Ok(error());
    }
    match output_schema(config) {
        Some(schema) => Ok(schema::validate_text(schema, &text)?),
        None => Ok(text.into()),
    }
}

fn text_of_part(part: &Part) -> Option<String> {
    if let Some(text) = part.text.as_deref().filter(|text| !text.is_empty()) {
        return Some(text.to_owned());
    }
    let result = part.code_execution_result.as_ref().and_then(|result| result.output.as_deref());
    let result = result.map(|output| output.trim_end_matches('\n'));
    let code = part.executable_code.as_ref().and_then(|code| code.code.as_deref());
    result.filter(|text| !text.is_empty()).or(code).map(str::to_owned)
}

/// Artifacts of the child are those of the session that called it, and its call tells of them.
struct Forwarding {
    context: Context,
}

impl ArtifactService for Forwarding {
    fn save<'a>(
        &'a self,
        _: &'a SessionKey,
        name: &'a str,
        part: Option<Arc<Part>>,
    ) -> BoxFuture<'a, Result<i64, Failure>> {
        Box::pin(async move {
            let part = part.map(|part| Part::clone(&part)).unwrap_or_default();
            self.context.save_artifact(name, part).await
        })
    }

    fn view<'a>(&'a self, _: &'a SessionKey) -> BoxFuture<'a, Result<Arc<Artifacts>, Failure>> {
        Box::pin(async move {
            let run = self.context.invocation().run.clone();
            match &run.services.artifacts {
                Some(artifacts) => artifacts.view(&run.key).await,
                None => Ok(Arc::new(Artifacts::new(Vec::new()))),
            }
        })
    }
}
