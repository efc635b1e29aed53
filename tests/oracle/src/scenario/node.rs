//! Runs of scripted nodes.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::{BoxFuture, try_join_all};
use strata_model::{Content, Event, EventActions, Json, Object, Part, Str, python};
use strata_runtime::{Context, Failure, Halt, Item, Node, NodeCall, RequestInput, RunNode};

use super::content::plain;
use super::script::failure;
use super::scripted::Scripted;
use super::value::{flag, items, nth_or_last, number, sum, text};
use crate::vector::given::read;

pub(super) async fn run(host: &Scripted, call: NodeCall<'_>) -> Result<(), Halt> {
    use strata_model::app::CodeNodeKind;
    let is_function = call.node.kind == CodeNodeKind::Function;
    let takes_input = is_function && call.node.no_input != Some(true);
    host.journal.node_run(call.context, Some(&call.input).filter(|_| takes_input));
    let n = host.script.count(format!("node {}", call.node.name));
    let runs = call.node.code.get("runs").and_then(Json::as_array).unwrap_or_default();
    let Some(ops) = nth_or_last(runs, n).and_then(Json::as_array) else { return Ok(()) };
    let mut frame = Frame {
        host,
        is_one_answer: call.node.code.get("style").and_then(Json::as_str) == Some("function"),
        vars: call.params.iter().map(|(name, value)| (name.to_string(), value.clone())).collect(),
        call: &call,
    };
    frame.block(ops).await?;
    Ok(())
}

/// Whether a script goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Ends,
}

struct Frame<'f> {
    host: &'f Scripted,
    /// A plain function: what it gives first is all it gives.
    is_one_answer: bool,
    vars: HashMap<String, Json>,
    call: &'f NodeCall<'f>,
}

impl Frame<'_> {
    fn context(&self) -> &Context {
        self.call.context
    }

    fn block<'b>(&'b mut self, ops: &'b [Json]) -> BoxFuture<'b, Result<Flow, Halt>> {
        Box::pin(async move {
            for op in ops {
                if self.op(op).await? == Flow::Ends {
                    return Ok(Flow::Ends);
                }
            }
            Ok(Flow::Next)
        })
    }

    async fn give(&mut self, item: Item) -> Flow {
        self.call.outlet.emit(item).await;
        if self.is_one_answer { Flow::Ends } else { Flow::Next }
    }

    async fn op(&mut self, op: &Json) -> Result<Flow, Halt> {
        let list = |key: &str| items(op, key);
        match &*text(op, "op").unwrap_or_default() {
            "yield" => return Ok(self.give(Item::Output(self.member(op, "value"))).await),
            "event" => {
                let fields = self.member(op, "event");
                return Ok(self.give(Item::Event(Box::new(event_of(&fields)))).await);
            }
            "return" => {
                if self.is_one_answer {
                    self.give(Item::Output(self.member(op, "value"))).await;
                }
                return Ok(Flow::Ends);
            }
            "request_input" => {
                let request = RequestInput {
                    id: self.text(op, "id"),
                    message: self.text(op, "message"),
                    payload: Some(self.member(op, "payload")).filter(|payload| !payload.is_null()),
                    response_schema: op.get("schema").cloned(),
                };
                return Ok(self.give(Item::Input(request)).await);
            }
            "set_state" => {
                if let Json::Object(values) = self.member(op, "values") {
                    for (key, value) in values {
                        self.context().set_state(key, value)?;
                    }
                }
            }
            "set_output" => self.context().set_output(self.member(op, "value"))?,
            "set_route" => self.context().set_route(self.member(op, "value")),
            "save_artifact" => {
                let part: Part = read(op.get("part").unwrap_or(&Json::Null));
                self.context().save_artifact(&text(op, "filename").unwrap_or_default(), part).await?;
            }
            "sleep" => self.context().sleep(number(op, "seconds").unwrap_or_default()).await?,
            "raise" => return Err(failure(&self.value(op)).into()),
            "let" => {
                let value = self.member(op, "value");
                self.bind(text(op, "name"), value);
            }
            "run_node" => {
                let result = self.run_node(op).await?;
                self.bind(text(op, "into"), result);
            }
            "gather" => {
                let runs: Vec<_> = list("runs").iter().map(|run| self.run_node(run)).collect();
                let results = try_join_all(runs).await?;
                self.bind(text(op, "into"), results.into());
            }
            "if" => {
                let holds = op.get("cond").is_some_and(|condition| self.holds(condition));
                return self.block(list(if holds { "then" } else { "else" })).await;
            }
            "for" => {
                let Json::Array(values) = self.member(op, "items") else { return Ok(Flow::Next) };
                for value in values {
                    self.bind(text(op, "as"), value);
                    if self.block(list("do")).await? == Flow::Ends {
                        return Ok(Flow::Ends);
                    }
                }
            }
            "repeat" => {
                while op.get("while").is_some_and(|condition| self.holds(condition)) {
                    if self.block(list("do")).await? == Flow::Ends {
                        return Ok(Flow::Ends);
                    }
                }
            }
            unknown => panic!("no node does {unknown}"),
        }
        Ok(Flow::Next)
    }

    fn bind(&mut self, name: Option<Str>, value: Json) {
        if let Some(name) = name {
            self.vars.insert(name.to_string(), value);
        }
    }

    fn node(&self, run: &Json) -> Arc<Node> {
        let program = &self.host.program;
        let at = run.get("ref_at").and_then(Json::as_i64).and_then(|at| usize::try_from(at).ok());
        let known = match at {
            Some(at) => program.library_at(at).cloned(),
            None => program.library_node(&text(run, "ref").unwrap_or_default()),
        };
        known.unwrap_or_else(|| panic!("no node for {run:?}"))
    }

    fn run_node<'r>(&self, run: &Json) -> BoxFuture<'r, Result<Json, Halt>> {
        let mut start = RunNode::new(self.node(run), self.member(run, "input").into());
        if let Some(id) = self.text(run, "run_id") {
            start = start.with_run_id(id);
        }
        if flag(Some(run), "use_as_output") {
            start = start.as_output();
        }
        if flag(Some(run), "use_sub_branch") {
            start = start.on_sub_branch();
        }
        let catches = flag(Some(run), "catch");
        let running = self.context().run_node(start);
        Box::pin(async move {
            match running.await {
                Ok(value) => Ok(plain(&value)),
                Err(Halt::Failed(failure)) if catches => {
                    Ok(Object::from_iter([("caught", failure.root().kind.clone())]).into())
                }
                Err(halt) => Err(halt),
            }
        })
    }

    fn member(&self, op: &Json, key: &str) -> Json {
        op.get(key).map(|value| self.value(value)).unwrap_or_default()
    }

    fn text(&self, op: &Json, key: &str) -> Option<Str> {
        match self.member(op, key) {
            Json::Null => None,
            Json::String(text) => Some(text),
            other => Some(python::str(&other).into()),
        }
    }

    /// A value, with what is to be filled in.
    fn value(&self, value: &Json) -> Json {
        match value {
            Json::Array(items) => items.iter().map(|item| self.value(item)).collect::<Vec<_>>().into(),
            Json::Object(object) => match object.get("$").and_then(Json::as_str) {
                Some(kind) => self.filled(kind, value),
                None => object
                    .iter()
                    .map(|(key, value)| (key.clone(), self.value(value)))
                    .collect::<Object>()
                    .into(),
            },
            other => other.clone(),
        }
    }

    fn filled(&self, kind: &str, value: &Json) -> Json {
        let context = self.context();
        let name = |key: &str| text(value, key).unwrap_or_default();
        match kind {
            "input" => plain(&self.call.input),
            "state" => context.state_value(&name("key")).unwrap_or_default(),
            "var" => self.vars.get(&*name("name")).cloned().unwrap_or_default(),
            "resume" => context.resume_input(&name("id")).unwrap_or_default(),
            "attempt" => i64::from(context.attempt()).into(),
            "run_id" => context.run_id().clone().into(),
            "node_path" => context.node_path().clone().into(),
            "branch" => context.branch().map_or(Json::Null, Json::from),
            "get" => {
                let of = self.member(value, "of");
                match self.member(value, "key") {
                    Json::Int(at) => {
                        let items = of.as_array().unwrap_or_default();
                        usize::try_from(at).ok().and_then(|at| items.get(at)).cloned().unwrap_or_default()
                    }
                    key => of.get(key.as_str().unwrap_or_default()).cloned().unwrap_or_default(),
                }
            }
            "concat" => items(value, "of")
                .iter()
                .map(|item| python::str(&self.value(item)))
                .collect::<String>()
                .into(),
            "add" => sum(&items(value, "of").iter().map(|item| self.value(item)).collect::<Vec<_>>()),
            "len" => match self.member(value, "of") {
                Json::Array(items) => (items.len() as i64).into(),
                Json::Object(members) => (members.len() as i64).into(),
                other => (python::len(other.as_str().unwrap_or_default()) as i64).into(),
            },
            unknown => panic!("no value is called {unknown}"),
        }
    }

    fn holds(&self, condition: &Json) -> bool {
        let context = self.context();
        let Some((kind, of)) = condition.as_object().and_then(|condition| condition.iter().next()) else {
            return false;
        };
        let pair = || -> [Json; 2] {
            let values = of.as_array().unwrap_or_default();
            [0, 1].map(|at| values.get(at).map(|value| self.value(value)).unwrap_or_default())
        };
        match &**kind {
            "has_resume" => context.resume_input(of.as_str().unwrap_or_default()).is_some(),
            "has_state" => context.state_value(of.as_str().unwrap_or_default()).is_some(),
            "attempt_below" => i64::from(context.attempt()) < of.as_i64().unwrap_or_default(),
            "eq" => {
                let [a, b] = pair();
                a == b
            }
            "lt" => {
                let [a, b] = pair();
                a.as_f64() < b.as_f64()
            }
            "not" => !self.holds(of),
            unknown => panic!("no condition is called {unknown}"),
        }
    }
}

/// An event from what ADK's constructor takes: `message`, `state` and `route` beside the event's own fields.
pub(super) fn event_of(fields: &Json) -> Event {
    let mut fields = fields.as_object().cloned().unwrap_or_default();
    let message = fields.remove("message");
    let state = fields.remove("state");
    let route = fields.remove("route");
    let mut event: Event = read(&fields.into());
    if let Some(message) = message.filter(|message| !message.is_null()) {
        let content = match &message {
            Json::String(text) => Content::new("user", [Part::from_text(text.clone())]),
            other => read(other),
        };
        event.content = Some(Arc::new(content));
    }
    event.actions = EventActions {
        state_delta: state.and_then(|state| state.as_object().cloned()).unwrap_or(event.actions.state_delta),
        route: route.filter(|route| !route.is_null()).or(event.actions.route),
        ..event.actions
    };
    event
}

/// What a scripted agent does in one run.
pub(super) async fn run_agent(host: &Scripted, call: &strata_runtime::AgentCall<'_>) -> Result<(), Halt> {
    let name = &call.agent.name;
    let n = host.script.count(format!("agent {name}"));
    let runs = host.agents.get(&**name).and_then(Json::as_array).unwrap_or_default();
    for item in nth_or_last(runs, n).and_then(Json::as_array).unwrap_or_default() {
        if let Some(seconds) = number(item, "sleep") {
            call.context.sleep(seconds).await?;
        } else if let Some(raised) = item.get("raise") {
            return Err(Failure::into(failure(raised)));
        } else {
            call.outlet.emit(agent_event(item)).await;
        }
    }
    Ok(())
}

fn agent_event(item: &Json) -> Event {
    let is_set = |key: &str| item.get(key).and_then(Json::as_bool);
    let content = text(item, "text").map(|said| {
        let role = text(item, "role").unwrap_or_else(|| "model".into());
        Arc::new(Content { role: Some(role), ..Content::new("", [Part::from_text(said)]) })
    });
    Event {
        author: text(item, "author").unwrap_or_default(),
        content,
        output: item.get("output").filter(|output| !output.is_null()).cloned(),
        partial: is_set("partial"),
        actions: EventActions {
            state_delta: super::value::object(item, "state"),
            escalate: is_set("escalate"),
            skip_summarization: is_set("skip_summarization"),
            ..EventActions::default()
        },
        ..Event::default()
    }
}
