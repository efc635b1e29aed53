//! What a scripted run asks of the world around it: models, hooks, tools and nodes.

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use strata_model::{Json, LlmResponse, Object, Str};
use strata_runtime::{
    AgentCall, Answer, Clock as _, Code, Failure, Halt, Hook, HookOwner, HookPoint, ModelCall, Models,
    NodeCall, ToolCall, ToolResult,
};

use super::behaviour::{Editing, perform};
use super::script::failure;
use super::scripted::Scripted;
use super::value::{items, number, text};
use super::{content, node, tool};

impl Scripted {
    fn matches(&self, behaviour: &Json, hook: &Hook<'_>) -> bool {
        let Some(wanted) = behaviour.get("match") else { return true };
        let tool = match &hook.point {
            HookPoint::BeforeTool { tool, .. }
            | HookPoint::AfterTool { tool, .. }
            | HookPoint::OnToolError { tool, .. } => Some(*tool),
            _ => None,
        };
        let author = match &hook.point {
            HookPoint::OnEvent { event } => Some(&*event.author),
            _ => None,
        };
        let agent = hook.context.agent_name();
        let fits =
            |key: &str, found: Option<&str>| text(wanted, key).is_none_or(|name| Some(&*name) == found);
        if !fits("agent", Some(&agent)) || !fits("tool", tool) || !fits("author", author) {
            return false;
        }
        let Some(nth) = wanted.get("nth").and_then(Json::as_i64) else { return true };
        let number = behaviour.get("number").and_then(Json::as_i64).unwrap_or_default();
        self.script.count(format!("behaviour {number}")) as i64 + 1 == nth
    }

    async fn behave(&self, hook: &mut Hook<'_>, behaviour: &Json) -> Result<Answer, Failure> {
        if !self.matches(behaviour, hook) {
            return Ok(Answer::Nothing);
        }
        let mut editing = match &mut hook.point {
            HookPoint::BeforeModel { request, .. } => Editing::Request(request),
            HookPoint::BeforeTool { args, .. }
            | HookPoint::AfterTool { args, .. }
            | HookPoint::OnToolError { args, .. } => Editing::Args(args),
            _ => Editing::Nothing,
        };
        perform(items(behaviour, "do"), hook.context, &mut editing).await?;
        let Some(answer) = behaviour.get("return").filter(|answer| !answer.is_null()) else {
            return Ok(Answer::Nothing);
        };
        Ok(match &hook.point {
            HookPoint::OnUserMessage { .. }
            | HookPoint::BeforeRun
            | HookPoint::BeforeAgent { .. }
            | HookPoint::AfterAgent { .. } => Answer::Content(content::content(answer)),
            HookPoint::BeforeModel { .. } | HookPoint::AfterModel { .. } | HookPoint::OnModelError { .. } => {
                Answer::Response(Box::new(content::response(answer)))
            }
            HookPoint::BeforeTool { .. } | HookPoint::AfterTool { .. } | HookPoint::OnToolError { .. } => {
                Answer::Result(ToolResult::new(answer.clone()))
            }
            HookPoint::OnEvent { .. } => Answer::Event(answer.as_object().cloned().unwrap_or_default()),
            HookPoint::AfterRun | HookPoint::OnRunError { .. } | HookPoint::OnAgentError { .. } => {
                Answer::Nothing
            }
        })
    }
}

/// The hook's name, and what it is about.
fn place(point: &HookPoint<'_>) -> (&'static str, Option<Str>) {
    match point {
        HookPoint::OnUserMessage { .. } => ("on_user_message", None),
        HookPoint::BeforeRun => ("before_run", None),
        HookPoint::AfterRun => ("after_run", None),
        HookPoint::OnRunError { .. } => ("on_run_error", None),
        HookPoint::OnEvent { event } => ("on_event", Some(event.author.clone())),
        HookPoint::BeforeAgent { agent } => ("before_agent", Some((*agent).into())),
        HookPoint::AfterAgent { agent } => ("after_agent", Some((*agent).into())),
        HookPoint::OnAgentError { agent, .. } => ("on_agent_error", Some((*agent).into())),
        HookPoint::BeforeModel { agent, .. } => ("before_model", Some((*agent).into())),
        HookPoint::AfterModel { agent, .. } => ("after_model", Some((*agent).into())),
        HookPoint::OnModelError { agent, .. } => ("on_model_error", Some((*agent).into())),
        HookPoint::BeforeTool { tool, .. } => ("before_tool", Some((*tool).into())),
        HookPoint::AfterTool { tool, .. } => ("after_tool", Some((*tool).into())),
        HookPoint::OnToolError { tool, .. } => ("on_tool_error", Some((*tool).into())),
    }
}

impl Models for Scripted {
    fn generate(&self, call: ModelCall) -> BoxStream<'static, Result<LlmResponse, Failure>> {
        self.journal.request(&call);
        let answer = self.script.answer(&call.agent);
        let answers = match &answer {
            None => vec![exhausted(&call.agent)],
            Some(answer) if answer.get("stream").is_some() => items(answer, "stream").to_vec(),
            Some(answer) => vec![answer.clone()],
        };
        let time = self.time.clone();
        let told = move |answer: Json| {
            let time = time.clone();
            async move {
                if let Some(seconds) = number(&answer, "delay").filter(|seconds| *seconds > 0.0) {
                    time.sleep(seconds).await;
                }
                match answer.get("raise") {
                    Some(raised) => Err(failure(raised)),
                    None => Ok(content::response(&answer)),
                }
            }
        };
        stream::iter(answers).then(told).boxed()
    }
}

fn exhausted(agent: &str) -> Json {
    let mut raised = Object::from_iter([("type", "RuntimeError")]);
    raised.push("message", format!("no more answers for {agent}"));
    Object::from_iter([("raise", raised)]).into()
}

impl Code for Scripted {
    fn run_tool<'a>(&'a self, call: ToolCall<'a>) -> BoxFuture<'a, Result<ToolResult, Failure>> {
        Box::pin(tool::run(self, call))
    }

    fn requires_confirmation(&self, _: &str, rule: &Json, args: &Object) -> bool {
        let arg = text(rule, "arg").and_then(|arg| args.get(&arg)).and_then(Json::as_f64);
        arg.zip(number(rule, "above")).is_some_and(|(arg, above)| arg > above)
    }

    fn open_toolset<'a>(&'a self, source: &'a Object) -> BoxFuture<'a, Result<(), Failure>> {
        let fail = source.get("fail").and_then(Json::as_str);
        Box::pin(async move { fail.map_or(Ok(()), |text| Err(Failure::new("RuntimeError", text))) })
    }

    fn hook<'a>(&'a self, mut hook: Hook<'a>) -> BoxFuture<'a, Result<Answer, Failure>> {
        Box::pin(async move {
            let (name, on) = place(&hook.point);
            let code = Json::Object(hook.code.clone());
            let behaviours = match hook.owner {
                HookOwner::Agent { name: agent } => {
                    self.journal.hook(name, &format!("agent:{agent}"), on);
                    vec![code]
                }
                HookOwner::Plugin { name: plugin } => {
                    let is_quiet = items(&code, "quiet").iter().any(|quiet| quiet.as_str() == Some(name));
                    if !is_quiet {
                        self.journal.hook(name, &format!("plugin:{plugin}"), on);
                    }
                    code.get("hooks").map(|hooks| items(hooks, name).to_vec()).unwrap_or_default()
                }
            };
            for behaviour in behaviours {
                let answer = self.behave(&mut hook, &behaviour).await?;
                if answer != Answer::Nothing {
                    return Ok(answer);
                }
            }
            Ok(Answer::Nothing)
        })
    }

    fn run_node<'a>(&'a self, call: NodeCall<'a>) -> BoxFuture<'a, Result<(), Halt>> {
        Box::pin(node::run(self, call))
    }

    fn run_agent<'a>(&'a self, call: AgentCall<'a>) -> BoxFuture<'a, Result<(), Halt>> {
        Box::pin(async move { node::run_agent(self, &call).await })
    }
}
