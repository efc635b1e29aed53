//! Where the answers of an app's tools come from: functions of a script, other
//! programs and servers, answers of a recorded session, a person. What
//! cannot be answered, and whatever goes wrong, is an answer that says so: the agent reads it, and the run goes on. A
//! long-running tool that nobody answers waits: its answer comes from outside.

mod recorded;
mod script;

use std::sync::Arc;

use strata_model::{Json, Object, json};
use strata_runtime::{Context, ToolCall, ToolResult};
use tokio_util::sync::CancellationToken;

use super::listener::{Person, RunListener};
use super::toolsets::Toolsets;
use super::typed::typed_value;

use recorded::RecordedAnswer;
pub(crate) use recorded::RecordedAnswers;
pub(crate) use script::{Scripted, ToolScript};

/// Bytes of a result, as JSON.
const MAX_RESULT: usize = 4 << 20;

/// What a function of the script gave.
pub(crate) struct Returned {
    pub result: Json,
    /// What it was lent, as it left it.
    pub lent: Object,
}

/// Who answers tools.
pub(crate) struct ToolSources {
    pub script: Option<ToolScript>,
    /// Other programs and servers.
    pub toolsets: Toolsets,
    pub recorded: RecordedAnswers,
    /// Answers of the recorded session go before those of the script.
    pub is_recorded_first: bool,
    pub person: Option<Arc<dyn Person>>,
    pub listener: Arc<dyn RunListener>,
    pub stop: CancellationToken,
}

impl ToolSources {
    pub(crate) async fn answer(&self, call: &ToolCall<'_>) -> ToolResult {
        match self.result(call).await {
            Ok(value) => ToolResult::new(value),
            Err(problem) => ToolResult::new(Object::from_iter([("error", problem)])),
        }
    }

    async fn result(&self, call: &ToolCall<'_>) -> Result<Json, String> {
        let names = [call.own_name, call.tool];
        if self.is_recorded_first
            && let Some(result) = self.recorded_answer(names, call)?
        {
            return Ok(result);
        }
        if let Some(script) = &self.script
            && let Some(function) = names.into_iter().find(|name| script.has(name))
        {
            let args = Json::Object(call.args.clone());
            let Returned { result, .. } =
                self.run(script, function, args, &Object::new(), call.context).await?;
            return bounded(call.tool, result);
        }
        if let Some(toolset) = self.toolsets.find(&call.context.agent_name(), call.tool) {
            return bounded(call.tool, toolset.call(call.own_name, call.args).await?);
        }
        if let Some(result) = self.recorded_answer(names, call)? {
            return Ok(result);
        }
        match &self.person {
            Some(person) => self.typed(person.clone(), call).await,
            None if call.answers_later => Ok(Json::Null),
            None => Err(format!(
                "Nobody answers the tool `{}` in this run. A script (`export function {}(args, context)`), a recorded \
                 session or a person can.",
                call.tool, call.own_name
            )),
        }
    }

    /// The next recorded answer to a call, with what the tool wrote into the state.
    fn recorded_answer(&self, names: [&str; 2], call: &ToolCall<'_>) -> Result<Option<Json>, String> {
        let found = names.into_iter().find_map(|name| self.recorded.next(name, call.args));
        let Some(RecordedAnswer { response, state }) = found else { return Ok(None) };
        write_state(call.context, &state)?;
        Ok(Some(response.into()))
    }

    /// Calls a function of the script, and keeps what it made of the state, of files and of memory.
    pub(crate) async fn run(
        &self,
        script: &ToolScript,
        function: &str,
        args: Json,
        lent: &Object,
        context: &Context,
    ) -> Result<Returned, String> {
        let called = script.call(function, args, lent, context, &*self.listener).await?;
        let Scripted { result, state, route, files, remembers, lent } = called;
        write_state(context, &state)?;
        for (name, part) in files {
            context.save_artifact(&name, part).await.map_err(|failure| failure.to_string())?;
        }
        if remembers {
            context.remember_session().await.map_err(|failure| failure.to_string())?;
        }
        if let Some(route) = route {
            context.set_route(route);
        }
        Ok(Returned { result, lent })
    }

    async fn typed(&self, person: Arc<dyn Person>, call: &ToolCall<'_>) -> Result<Json, String> {
        let (tool, args) = (call.tool.to_owned(), json::to_pretty(&Json::Object(call.args.clone())));
        let asked = tokio::task::spawn_blocking(move || person.answer_tool(&tool, &args));
        let typed = self.stop.run_until_cancelled(asked).await;
        let typed = typed.and_then(Result::ok).flatten();
        let typed = typed.ok_or_else(|| format!("The tool `{}` was not answered.", call.tool))?;
        Ok(typed_value(typed.trim()))
    }
}

fn write_state(context: &Context, written: &Object) -> Result<(), String> {
    let mut written = written.iter();
    written
        .try_for_each(|(key, value)| context.set_state(key.clone(), value.clone()))
        .map_err(|failure| failure.to_string())
}

/// A result that a request can hold.
fn bounded(tool: &str, result: Json) -> Result<Json, String> {
    let n_bytes = json::to_compact(&result).len();
    if n_bytes > MAX_RESULT {
        return Err(format!(
            "The tool `{tool}` returned {:.1} MB, and {} MB is the most that is taken. Return less, or rows page by page.",
            n_bytes as f64 / f64::from(1 << 20),
            MAX_RESULT >> 20
        ));
    }
    Ok(result)
}
