//! The configuration of the recorded app, completed by what its requests show.

use std::collections::{BTreeMap, HashMap, HashSet};

use strata_model::take::take_text;
use strata_model::{App, Decoder, FromJson as _, Json, Object, Str};

use super::calls::CallRecord;
use crate::findings::Findings;

/// The apps of a file, and which ran in which session.
#[derive(Debug, Default)]
pub(super) struct Apps {
    by_id: HashMap<Str, Json>,
    /// Agents of each app that its code runs, and its configuration does not hold.
    run_by_code: HashMap<Str, Vec<Json>>,
    /// The app of the last run in each session.
    by_session: HashMap<Str, Str>,
}

/// An invocation, as far as it tells which app it is of.
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "google-adk's name of the field")]
pub(super) struct Run {
    pub id: Str,
    session: Str,
    app: Str,
    /// What is not as always.
    pub run_config: Option<Object>,
}

impl Run {
    pub(super) fn read(record: &mut Object) -> Self {
        let mut text = |key: &str| take_text(record, key).unwrap_or_default();
        let (id, session, app) = (text("id"), text("session"), text("app"));
        let run_config = record.get("runConfig").and_then(Json::as_object);
        Self { id, session, app, run_config: run_config.filter(|it| !it.is_empty()).cloned() }
    }
}

impl Apps {
    pub(super) fn add(&mut self, id: Str, app: Json) {
        self.by_id.insert(id, app);
    }

    pub(super) fn add_run(&mut self, run: Run) {
        self.by_session.insert(run.session, run.app);
    }

    pub(super) fn add_agent(&mut self, app: Str, agent: Json) {
        let known = self.run_by_code.entry(app).or_default();
        match known.iter_mut().find(|known| name_of(known, "name") == name_of(&agent, "name")) {
            Some(known) => *known = agent,
            None => known.push(agent),
        }
    }

    /// The app of a session, with the agents that its code runs.
    pub(super) fn of_session(&self, session: &str) -> Option<Json> {
        let id = self.by_session.get(session)?;
        let mut app = self.by_id.get(id)?.clone();
        if let Some(agents) = self.run_by_code.get(id)
            && let Json::Object(fields) = &mut app
            && let Some(Json::Object(root)) = fields.get_mut("root_agent")
        {
            root.insert("library", agents.clone());
        }
        Some(app)
    }
}

/// The app as a compile is configured by it. Each call learns which toolsets had nothing to offer it.
pub(super) fn read(mut app: Json, calls: &mut [CallRecord], findings: &mut Findings) -> App {
    let mut toolsets = Toolsets::new();
    let mut seen: BTreeMap<&str, Shown<'_>> = BTreeMap::new();
    for call in calls.iter().filter(|call| call.request.is_some()) {
        let shown = seen.entry(&call.recorded.agent).or_insert(Shown { last: call, fullest: call });
        shown.last = call;
        if call.tools.len() >= shown.fullest.tools.len() {
            shown.fullest = call;
        }
    }
    if let Json::Object(fields) = &mut app {
        if let Some(writer) = calls.last().and_then(|call| call.recorded.writer.clone()) {
            fields.insert("writer", writer);
        }
        if let Some(root) = fields.get_mut("root_agent") {
            complete_agent(root, &seen, &mut toolsets);
        }
    }
    for call in calls {
        let is_offered = |name: &Str| call.tools.iter().any(|(known, _)| known == name);
        let own = toolsets.get(&call.recorded.agent).into_iter().flatten();
        let closed = own.filter(|(_, tools)| !tools.is_empty() && !tools.iter().any(is_offered));
        let closed: Vec<u64> = closed.map(|(at, _)| *at as u64).collect();
        call.recorded.closed_toolsets = Some(closed).filter(|closed| !closed.is_empty());
    }
    let mut decoder = Decoder::new();
    let read = App::from_json(app, &mut decoder).unwrap_or_default();
    findings.take_from(&mut decoder, "app");
    read
}

/// What calls of an agent show of it.
struct Shown<'c> {
    /// What its providers returned at the end.
    last: &'c CallRecord,
    /// The last one with the most tools: those of a toolset are not there where its server cannot be asked.
    fullest: &'c CallRecord,
}

/// The toolsets of each agent, by their place among its tools, with the names of theirs.
type Toolsets = HashMap<Str, Vec<(usize, Vec<Str>)>>;

fn complete_agent(agent: &mut Json, seen: &BTreeMap<&str, Shown<'_>>, toolsets: &mut Toolsets) {
    let Json::Object(fields) = agent else { return };
    for key in ["sub_agents", "library"] {
        for child in members(fields, key) {
            complete_agent(child, seen, toolsets);
        }
    }
    for tool in members(fields, "tools") {
        if let Json::Object(tool) = tool
            && let Some(inner) = tool.get_mut("agent")
        {
            complete_agent(inner, seen, toolsets);
        }
    }
    let name = fields.get("name").and_then(Json::as_str).map(Str::from);
    let shown = name.as_deref().and_then(|name| seen.get(name));
    complete_tools(fields, shown.map(|shown| shown.fullest));
    if let Some(name) = name {
        toolsets.insert(name, toolsets_of(fields));
    }
    if let Some(shown) = shown {
        complete_model(fields, shown.last);
        complete_instructions(fields, shown.last);
    }
}

fn toolsets_of(fields: &mut Object) -> Vec<(usize, Vec<Str>)> {
    let is_function = |tool: &Json| tool.get("type").and_then(Json::as_str) != Some("code");
    let names = |tool: &Json| {
        let tools = tool.get("tools").and_then(Json::as_array).unwrap_or_default().iter();
        tools.filter(|tool| is_function(tool)).filter_map(|tool| name_of(tool, "name")).collect()
    };
    let tools = members(fields, "tools").enumerate();
    let toolsets = tools.filter(|(_, tool)| tool.get("type").and_then(Json::as_str) == Some("toolset"));
    toolsets.map(|(at, tool)| (at, names(tool))).collect()
}

fn members<'f>(fields: &'f mut Object, key: &str) -> impl Iterator<Item = &'f mut Json> {
    let list = match fields.get_mut(key) {
        Some(Json::Array(list)) => Some(list),
        _ => None,
    };
    list.into_iter().flatten()
}

/// The class of a model that the configuration only names.
fn complete_model(fields: &mut Object, call: &CallRecord) {
    let Some(model) = &call.recorded.model else { return };
    let kind = model.get("kind").and_then(Json::as_str).unwrap_or("gemini");
    if kind != "gemini" && fields.get("model").is_some_and(|known| known.as_str().is_some()) {
        fields.insert("model", model.clone());
    }
}

/// What providers returned last, for calls that were not recorded.
fn complete_instructions(fields: &mut Object, call: &CallRecord) {
    for instruction in call.recorded.instructions.iter().flatten() {
        let field = if &*instruction.kind == "global" { "global_instruction" } else { "instruction" };
        let is_own = fields.get("name").and_then(Json::as_str) == Some(&*instruction.agent);
        if let Some(Json::Object(provider)) = fields.get_mut(field).filter(|_| is_own) {
            provider.insert("provider", instruction.text.clone());
        }
    }
}

/// Tools that the configuration cannot tell: those a toolset has when it is asked, and those it has no description of.
fn complete_tools(fields: &mut Object, call: Option<&CallRecord>) {
    let children: Vec<Str> =
        members(fields, "sub_agents").filter_map(|child| name_of(child, "name")).collect();
    let Some(Json::Array(tools)) = fields.get_mut("tools") else { return };
    let own: HashSet<Str> = tools.iter().filter_map(|tool| name_of(tool, "name")).chain(children).collect();
    let known = call.map_or(&[][..], |call| &call.tools);
    let declaration = |name: &str| {
        let known = call.and_then(|call| call.declarations.iter().find(|(known, _)| **known == *name));
        known.map(|(_, declaration)| declaration.clone())
    };
    let function = |(name, _): &(Str, Str)| {
        let mut tool = Object::new();
        tool.push("type", if declaration(name).is_some() { "function" } else { "no_declaration" });
        tool.push("name", name.clone());
        tool.push_some("declaration", declaration(name));
        Json::Object(tool)
    };
    // Tools register in the order of the configuration, so those of a toolset stand between those that are named.
    let mut next = known.iter().take_while(|(name, _)| ADDED.contains(&&**name)).count();
    for tool in tools.iter_mut() {
        let name = name_of(tool, "name");
        let Json::Object(tool) = tool else { continue };
        let kind = tool.get("type").and_then(Json::as_str).unwrap_or_default();
        match (kind, name) {
            ("toolset", _) => {
                let is_own = |(name, _): &&(Str, Str)| !own.contains(name) && !ADDED.contains(&&**name);
                let given: Vec<Json> = known[next..].iter().take_while(is_own).map(function).collect();
                next += given.len();
                let code = tool.remove("code").map(|name| {
                    Json::Object(Object::from_iter([("type", Json::from("code")), ("name", name)]))
                });
                tool.insert("tools", code.into_iter().chain(given).collect::<Vec<_>>());
                // It is in their names already.
                tool.remove("prefix");
            }
            ("", name) => {
                tool.insert("type", "no_declaration");
                tool.insert("name", name.unwrap_or_else(|| "?".into()));
            }
            (kind, Some(name)) => {
                if kind == "function"
                    && let Some(declaration) = declaration(&name)
                {
                    tool.insert("declaration", declaration);
                }
                if let Some(at) = known[next..].iter().position(|(known, _)| *known == name) {
                    next += at + 1;
                }
            }
            (_, None) => {}
        }
    }
}

fn name_of(fields: &Json, key: &str) -> Option<Str> {
    fields.get(key).and_then(Json::as_str).map(Str::from)
}

/// Tools that google-adk adds by itself.
const ADDED: [&str; 3] = ["transfer_to_agent", "set_model_response", "finish_task"];
