//! Reading the events of an invocation for what nodes came to.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use strata_engine::adk_text::REQUEST_INPUT;
use strata_engine::branch::{is_tool_branch, run_ids};
use strata_model::{Event, Json, Object, Str, json};

use super::{PastOutput, PastRun};
use crate::adk_text::{BAD_ANSWER, BAD_OBJECT, BAD_VALUE, filled};
use crate::event_rules::interrupt_ids;
use crate::halt::Failure;
use crate::schema;

/// Whose runs are read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ScanScope<'p> {
    /// Those of the nodes directly below a path, by their segment `name@run`.
    Children(&'p str),
    /// The run at a path, with all below it, by the path.
    Run(&'p str),
}

impl ScanScope<'_> {
    /// The key of the run an event of this path belongs to.
    fn owner(self, path: &str) -> Option<Str> {
        match self {
            Self::Children(base) => child_segment(base, path).map(Str::from),
            Self::Run(base) => (path == base || is_below(path, base)).then(|| base.into()),
        }
    }

    /// The whole path of a run.
    fn path_of(self, owner: &str) -> String {
        match self {
            Self::Children(base) => joined(base, owner),
            Self::Run(base) => base.to_owned(),
        }
    }
}

fn joined(base: &str, segment: &str) -> String {
    if base.is_empty() { segment.to_owned() } else { format!("{base}/{segment}") }
}

pub(crate) fn is_below(path: &str, base: &str) -> bool {
    if base.is_empty() {
        return !path.is_empty();
    }
    path.strip_prefix(base).is_some_and(|rest| rest.starts_with('/'))
}

/// The first segment of `path` below `base`.
fn child_segment<'p>(base: &str, path: &'p str) -> Option<&'p str> {
    if !is_below(path, base) {
        return None;
    }
    let rest = if base.is_empty() { path } else { &path[base.len() + 1..] };
    rest.split('/').next()
}

/// The earlier runs, by their key, from the events of one invocation.
pub(crate) fn states(events: &[Arc<Event>], below: ScanScope<'_>) -> Result<Vec<(Str, PastRun)>, Failure> {
    let calls = events.iter().flat_map(|event| event.function_calls());
    let call_ids: HashSet<&str> =
        calls.filter_map(|call| call.id.as_deref()).filter(|id| !id.is_empty()).collect();
    let mut scan = Scan {
        below,
        call_ids,
        runs: Vec::new(),
        owner_of_interrupt: HashMap::new(),
        schema_of_interrupt: HashMap::new(),
    };
    for event in events {
        if event.is_from_user() {
            scan.answers(event)?;
        } else {
            scan.event(event);
        }
    }
    Ok(scan.runs)
}

struct Scan<'e> {
    below: ScanScope<'e>,
    call_ids: HashSet<&'e str>,
    runs: Vec<(Str, PastRun)>,
    owner_of_interrupt: HashMap<Str, Str>,
    schema_of_interrupt: HashMap<Str, Json>,
}

impl Scan<'_> {
    fn run(&mut self, owner: &Str) -> &mut PastRun {
        let at = self.runs.iter().position(|(known, _)| known == owner).unwrap_or_else(|| {
            self.runs.push((owner.clone(), PastRun::default()));
            self.runs.len() - 1
        });
        &mut self.runs[at].1
    }

    /// Answers of the user to questions that were asked before.
    fn answers(&mut self, event: &Event) -> Result<(), Failure> {
        if self.runs.is_empty() && self.owner_of_interrupt.is_empty() {
            return Ok(());
        }
        for response in event.function_responses() {
            let Some(id) = response.id.as_ref().filter(|id| !id.is_empty()) else { continue };
            let mut answer = unwrapped(response.response.as_deref());
            if let Some(schema) = self.schema_of_interrupt.get(id).filter(|schema| schema.is_truthy()) {
                answer = by_schema(schema, &answer)
                    .map_err(|error| Failure::data(filled(BAD_ANSWER, &[("ID", id), ("ERROR", &error)])))?;
            }
            if let Some(owner) = self.owner_of_interrupt.get(id).cloned() {
                self.run(&owner).take_answer(id.clone(), answer);
            } else if let Some(branch) = event.branch.as_deref().filter(|branch| !branch.is_empty()) {
                let ids: HashSet<&str> = run_ids(branch).collect();
                for (_, run) in &mut self.runs {
                    let meant: Vec<Str> =
                        run.interrupts.iter().filter(|id| ids.contains(&***id)).cloned().collect();
                    for id in meant {
                        run.take_answer(id, answer.clone());
                    }
                }
            }
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) {
        let path = event.node_info.path.as_str();
        let Some(owner) = self.below.owner(path) else { return };
        let owner_path = self.below.path_of(&owner);
        let name = owner_path.rsplit('/').next().unwrap_or_default();
        let name = name.rsplit_once('@').map_or(name, |(name, _)| name);
        let is_direct = path == owner_path;
        let has_calls = event.function_calls().next().is_some();
        let has_responses = event.function_responses().next().is_some();
        let branch = event.branch.as_ref().filter(|branch| !branch.is_empty());
        let claimed = event.node_info.output_for.as_deref().unwrap_or_default();
        let is_own_branch = {
            let is_claimed = event.output.is_some() && claimed.len() > 1 && !has_responses;
            let is_tools =
                branch.is_some_and(|branch| is_tool_branch(branch, name, |id| self.call_ids.contains(id)));
            is_direct && !is_claimed && !is_tools
        };
        let interrupts = interrupt_ids(event);
        let asked: Vec<(Str, Option<Json>)> =
            interrupts.iter().map(|id| (id.clone(), question_schema(event, id))).collect();
        let run = self.run(&owner);
        if let Some(scope) = event.isolation_scope.as_ref().filter(|scope| is_direct && !scope.is_empty()) {
            run.isolation_scope = Some(scope.clone());
        }
        if let Some(branch) = branch.filter(|_| is_own_branch) {
            run.branch = Some(branch.clone());
        }
        let message = message_output(event);
        let has_output = event.output.is_some() || message.is_some();
        let is_delegated = has_output && claimed.iter().any(|path| **path == *owner_path);
        if is_direct || is_delegated {
            if let Some(output) = &event.output {
                run.output = Some(PastOutput::Json(output.clone()));
                if is_own_branch {
                    run.branch.clone_from(&event.branch);
                }
            } else if let Some(message) = message {
                run.output = Some(PastOutput::Message(message));
            }
            if let Some(route) = &event.actions.route {
                run.route = Some(route.clone());
            }
            if let Some(target) = &event.actions.transfer_to_agent {
                run.transfer_to = Some(target.clone());
            }
            if has_result(event) || (event.error_code.is_none() && event.partial != Some(true)) {
                run.error_code = None;
            } else if event.error_code.is_some() {
                run.error_code.clone_from(&event.error_code);
            }
        }
        for id in &interrupts {
            if !run.interrupts.contains(id) {
                run.interrupts.push(id.clone());
            }
            run.answers.remove(id);
        }
        if is_direct {
            run.has_finished = interrupts.is_empty()
                && run.error_code.is_none()
                && event.partial != Some(true)
                && !has_calls
                && !has_responses;
        }
        for (id, schema) in asked {
            self.owner_of_interrupt.insert(id.clone(), owner.clone());
            if let Some(schema) = schema {
                self.schema_of_interrupt.insert(id, schema);
            }
        }
    }
}

impl PastRun {
    /// It paused to ask, so what it gave before is not its result; its route stays.
    fn take_answer(&mut self, id: Str, answer: Json) {
        self.output = None;
        self.answers.insert(id, answer);
        self.has_finished = false;
    }
}

fn message_output(event: &Event) -> Option<Arc<strata_model::Content>> {
    event.content.clone().filter(|_| event.node_info.message_as_output == Some(true))
}

fn has_result(event: &Event) -> bool {
    event.output.is_some()
        || message_output(event).is_some()
        || event.actions.route.is_some()
        || event.actions.transfer_to_agent.is_some()
}

fn question_schema(event: &Event, id: &str) -> Option<Json> {
    let asks = |call: &&strata_model::FunctionCall| {
        call.name.as_deref() == Some(REQUEST_INPUT) && call.id.as_deref() == Some(id)
    };
    event.function_calls().find(asks)?.args.as_ref()?.get("response_schema").cloned()
}

/// `{"result": value}` is the value, and JSON in a text is what it says.
fn unwrapped(response: Option<&Object>) -> Json {
    let Some(response) = response else { return Json::Null };
    match response.get("result").filter(|_| response.len() == 1) {
        Some(Json::String(text)) => json::parse(text.as_bytes()).unwrap_or_else(|_| text.clone().into()),
        Some(value) => value.clone(),
        None => response.clone().into(),
    }
}

/// An answer by the schema that came with the question.
fn by_schema(schema: &Json, answer: &Json) -> Result<Json, String> {
    let kind = schema.get("type").and_then(Json::as_str).unwrap_or_default();
    let properties = schema.get("properties").and_then(Json::as_object).filter(|_| kind == "object");
    let Some(properties) = properties else {
        let known = ["integer", "number", "string", "boolean", "array", "object"];
        if !known.contains(&kind) {
            return Ok(answer.clone());
        }
        let schema = Object::from_iter([("type", kind)]).into();
        return schema::check_answer(kind, &schema, answer)
            .map_err(|error| filled(BAD_VALUE, &[("TYPE", kind), ("ERROR", &error.text())]));
    };
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    let fields = properties.iter().map(|(name, property)| {
        let mut field = Object::new();
        field.push_some("type", property.get("type").cloned());
        if required.iter().any(|known| known.as_str() == Some(name)) {
            return (name.clone(), Json::from(field));
        }
        let choices = vec![field.into(), Object::from_iter([("type", "null")]).into()];
        let mut optional = Object::from_iter([("anyOf", Json::from(choices))]);
        optional.push("default", Json::Null);
        (name.clone(), optional.into())
    });
    let mut model = Object::from_iter([("type", Json::from("object"))]);
    model.push("properties", fields.collect::<Object>());
    model.push("required", required.to_vec());
    schema::check_answer("DynamicModel", &model.into(), answer)
        .map_err(|error| filled(BAD_OBJECT, &[("ERROR", &error.text())]))
}

/// The runs directly below `base` in the order in which they ended. `is_strict`: only their own events count.
pub(crate) fn completion_order(events: &[Arc<Event>], base: &str, is_strict: bool) -> Vec<Str> {
    let mut order: Vec<Str> = Vec::new();
    let mut completed: HashSet<Str> = HashSet::new();
    for event in events {
        let path = event.node_info.path.as_str();
        let Some(segment) = child_segment(base, path) else { continue };
        let child = joined(base, segment);
        let is_direct = path == child;
        if is_strict && !is_direct {
            continue;
        }
        let interrupts = !interrupt_ids(event).is_empty();
        let claimed = event.node_info.output_for.iter().flatten().any(|path| **path == *child);
        if !(is_direct || claimed || interrupts) {
            continue;
        }
        let is_terminal = event.output.is_some()
            || message_output(event).is_some()
            || event.actions.route.is_some()
            || event.error_code.is_some()
            || interrupts;
        if !is_terminal {
            continue;
        }
        let segment: Str = segment.into();
        let has_result = has_result(event);
        if event.error_code.is_some() && !has_result && !interrupts {
            if !completed.contains(&segment) {
                order.retain(|known| *known != segment);
            }
            continue;
        }
        if completed.contains(&segment) {
            continue;
        }
        order.retain(|known| *known != segment);
        order.push(segment.clone());
        if !interrupts && has_result {
            completed.insert(segment);
        }
    }
    order
}
