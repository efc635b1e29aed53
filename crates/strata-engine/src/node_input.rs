//! What nodes of workflows are given: what the nodes before them put out, else what their workflow is given. The runtime
//! shows an agent that answers once its input as a message of the user, and stores none.

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::{HashMap, Vector};
use strata_model::app::{START, SchemaKind};
use strata_model::{Agent, Content, Event, Json, Part, Str, json, python};

use crate::app_index::{AgentId, AppIndex};
use crate::turn::text_of;
use crate::workflow_edges::next_nodes;

/// Earlier invocations that one may have gone on from.
const MAX_EARLIER: usize = 8;

/// What nodes put out and where their runs begin, while events are read one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeRuns {
    /// By invocation and the path of a node without the number of its run, in order.
    outputs: HashMap<(Str, Str), Vector<Output>>,
    /// The first event of each run.
    firsts: HashMap<RunKey, usize>,
    /// What the user said first in each invocation, and where.
    said: HashMap<Str, (usize, Arc<Content>)>,
    /// Invocations in which nodes put something out, in their order.
    invocations: Vector<Str>,
    /// The latest event with which the user answered calls.
    answered: Option<usize>,
    /// Where runs failed last.
    failures: HashMap<RunKey, usize>,
}

/// An invocation, a path and a branch.
type RunKey = (Str, Str, Option<Str>);

/// What a run of a node ended with.
#[derive(Debug, Clone)]
struct Output {
    at: usize,
    /// Null for nothing.
    value: Json,
    route: Option<Json>,
}

/// A value that a node is given.
#[derive(Clone)]
enum Value {
    Content(Arc<Content>),
    Json(Json),
}

impl NodeRuns {
    pub(crate) fn add(&mut self, at: usize, event: &Event) {
        if event.is_from_user() && event.function_responses().next().is_some() {
            self.answered = Some(at);
        } else if event.is_from_user()
            && let Some(content) = &event.content
        {
            self.said.entry(event.invocation_id.clone()).or_insert((at, content.clone()));
        }
        let path = event.node_info.path.as_str();
        if path.is_empty() {
            return;
        }
        let key = run_key(event);
        if self.is_begun_anew(&key) {
            self.failures.remove(&key);
            self.firsts.insert(key.clone(), at);
        }
        self.firsts.entry(key.clone()).or_insert(at);
        if event.error_code.is_some() {
            self.failures.insert(key, at);
        }
        let route = event.actions.route.clone();
        let value = output(event).or_else(|| route.is_some().then_some(Json::Null));
        let Some(value) = value else { return };
        if self.invocations.last() != Some(&event.invocation_id) {
            self.invocations.push_back(event.invocation_id.clone());
        }
        let for_paths = event.node_info.output_for.iter().flatten().map(|path| &**path);
        for of in for_paths.filter(|of| *of != path).chain([path]) {
            let key = (event.invocation_id.clone(), without_run(of).into());
            let output = Output { at, value: value.clone(), route: route.clone() };
            self.outputs.entry(key).or_default().push_back(output);
        }
    }

    /// Where the run of the node begins whose event is at a place. `None` where it went on after an answer of the user:
    /// it is not shown its input again.
    pub(crate) fn first(&self, at: usize, event: &Event) -> Option<usize> {
        let key = run_key(event);
        if self.is_begun_anew(&key) {
            return Some(at);
        }
        let first = self.firsts.get(&key).copied().unwrap_or(at);
        (!self.is_answered_since(first)).then_some(first)
    }

    /// Whether the user answered calls behind the event at a place.
    pub(crate) fn is_answered_since(&self, first: usize) -> bool {
        self.answered.is_some_and(|answered| answered >= first)
    }

    /// Whether a run failed and the user answered since: it does not go on where it was, but begins again.
    fn is_begun_anew(&self, key: &RunKey) -> bool {
        self.failures.get(key).is_some_and(|failed| self.is_answered_since(*failed))
    }

    /// What the agent that an event is of was given as a node, as words of the user. `None` where it is no node of a
    /// workflow, or where no event tells.
    pub(crate) fn input(&self, event: &Event, agent: AgentId, index: &AppIndex) -> Option<Arc<Content>> {
        let given = self.given(event.node_info.path.as_str(), agent, &event.invocation_id, index)?;
        match as_declared(index.agent(agent), given) {
            Value::Content(content) => {
                Some(Arc::new(Content { role: Some("user".into()), ..Content::clone(&content) }))
            }
            Value::Json(Json::Null) => None,
            Value::Json(value) => Some(input_content(&value)),
        }
    }

    /// Whether events tell what the agent that an event is of was given as a node, and be it nothing.
    pub(crate) fn is_told(&self, event: &Event, agent: AgentId, index: &AppIndex) -> bool {
        self.given(event.node_info.path.as_str(), agent, &event.invocation_id, index).is_some()
    }

    fn given(&self, path: &str, node: AgentId, invocation: &str, index: &AppIndex) -> Option<Value> {
        let workflow = index.workflow(node)?;
        let (above, leaf) = path.rsplit_once('/')?;
        let (name, run) = leaf.rsplit_once('@')?;
        let nth = run.parse::<usize>().ok()?.checked_sub(1)?;
        // A worker is a run of its node below the node itself: it takes one item.
        let (of, _) = above.rsplit('/').next()?.rsplit_once('@')?;
        if of == name && *index.agent(workflow).name != *name {
            let Value::Json(Json::Array(items)) = self.given(above, node, invocation, index)? else {
                return None;
            };
            return items.get(nth).cloned().map(Value::Json);
        }
        // Runs are counted from where the workflow begins: in this invocation, or in one that it went on from.
        let earlier = self.invocations.iter().rev().filter(|of| ***of != *invocation).take(MAX_EARLIER);
        let mut invocations = std::iter::once(invocation).chain(earlier.map(|of| &**of));
        invocations.find_map(|of| self.triggers(above, name, workflow, of, index).into_iter().nth(nth))
    }

    /// What made a node run in an invocation, in order.
    fn triggers(
        &self,
        above: &str,
        name: &str,
        workflow: AgentId,
        invocation: &str,
        index: &AppIndex,
    ) -> Vec<Value> {
        let edges = index.agent(workflow).edges();
        let before: BTreeSet<&str> =
            edges.iter().filter(|edge| *edge.to == *name).map(|edge| &*edge.from).collect();
        let mut found = Vec::new();
        for from in before {
            if from == START {
                let Some((at, content)) = self.said.get(invocation) else { continue };
                let given = match index.workflow(workflow) {
                    None => Some(Value::Content(content.clone())),
                    Some(_) => self.given(above, workflow, invocation, index),
                };
                found.extend(given.map(|given| (*at, given)));
                continue;
            }
            let key = (Str::from(invocation), Str::from(format!("{above}/{from}")));
            let outputs = self.outputs.get(&key).into_iter().flatten();
            let leads_here = |output: &&Output| {
                next_nodes(edges, from, output.route.as_ref()).iter().any(|next| **next == *name)
            };
            found.extend(
                outputs.filter(leads_here).map(|output| (output.at, Value::Json(output.value.clone()))),
            );
        }
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, given)| given).collect()
    }
}

/// A value in the form in which an agent declares its input: the fields of a class in their order, with the values that
/// are not given. What does not look like it is left as it is.
fn as_declared(agent: &Agent, given: Value) -> Value {
    let schema = agent.input_schema.as_ref().filter(|schema| schema.kind == SchemaKind::PydanticModel);
    let Some(fields) = schema.and_then(|schema| schema.json_schema.get("properties")?.as_object()) else {
        return given;
    };
    let Some(Json::Object(values)) = (match &given {
        Value::Json(value) => Some(value.clone()),
        Value::Content(content) => json::parse(text_of(content.parts()).as_bytes()).ok(),
    }) else {
        return given;
    };
    let fields = fields.iter().filter_map(|(name, field)| {
        let value = values.get(name).or_else(|| field.get("default"))?;
        Some((name.clone(), value.clone()))
    });
    Value::Json(Json::Object(fields.collect()))
}

/// A value as the words of the user to the agent that is given it.
pub fn input_content(value: &Json) -> Arc<Content> {
    let text = match value {
        Json::String(text) => text.to_string(),
        Json::Object(_) | Json::Array(_) => json::to_spaced(value),
        value => python::str(value),
    };
    Arc::new(Content::new("user", [Part::from_text(text)]))
}

fn run_key(event: &Event) -> RunKey {
    (event.invocation_id.clone(), event.node_info.path.as_str().into(), event.branch.clone())
}

/// What a node's event says that it puts out.
fn output(event: &Event) -> Option<Json> {
    if let Some(output) = &event.output {
        return Some(output.clone());
    }
    let is_said = event.node_info.message_as_output == Some(true);
    is_said.then(|| Json::from(text_of(event.parts())))
}

/// `flow@1/poet` of `flow@1/poet@2`.
fn without_run(path: &str) -> &str {
    path.rsplit_once('@').map_or(path, |(path, _)| path)
}
