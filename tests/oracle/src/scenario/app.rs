//! The app of a scenario as Strata's own configuration: scripts stand where the app's code stands.

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::app::Node;
use strata_model::{App, Json, Object};

use crate::vector::given;

pub(super) struct ScriptedApp {
    pub(super) app: Arc<App>,
    /// Nodes that scripts run, by the place `ref_at` names.
    pub(super) library: Vec<Node>,
    /// What agents of the app's own kind do, by their names.
    pub(super) agents: HashMap<String, Json>,
}

const CALLBACKS: [&str; 8] = [
    "before_agent_callbacks",
    "after_agent_callbacks",
    "before_model_callbacks",
    "after_model_callbacks",
    "on_model_error_callbacks",
    "before_tool_callbacks",
    "after_tool_callbacks",
    "on_tool_error_callbacks",
];

pub(super) fn read(scenario: &Json) -> ScriptedApp {
    let mut rewriting = Rewriting::default();
    let mut app = scenario.get("app").and_then(Json::as_object).cloned().unwrap_or_default();
    rewriting.member(&mut app, "root_agent", Rewriting::node);
    let kind = app.get("root_agent").and_then(|root| root.get("type")).and_then(Json::as_str);
    if kind.is_some_and(|kind| kind.ends_with("_node") || kind == "join")
        && let Some(root) = app.remove("root_agent")
    {
        app.insert("root_node", root);
    }
    rewriting.list(&mut app, "plugins", Rewriting::plugin);
    let library = rewriting.library.iter().map(given::read::<Node>).collect();
    ScriptedApp { app: Arc::new(given::read::<App>(&app.into())), library, agents: rewriting.agents }
}

/// From the scenario's words to the configuration's.
#[derive(Default)]
struct Rewriting {
    /// Behaviours so far: each is known by its number.
    n_behaviours: i64,
    library: Vec<Json>,
    agents: HashMap<String, Json>,
}

type Rewrite = fn(&mut Rewriting, &Json) -> Json;

impl Rewriting {
    fn member(&mut self, object: &mut Object, key: &str, rewrite: Rewrite) {
        if let Some(value) = object.get(key).cloned() {
            object.insert(key, rewrite(self, &value));
        }
    }

    fn list(&mut self, object: &mut Object, key: &str, rewrite: Rewrite) {
        if let Some(items) = object.get(key).and_then(Json::as_array) {
            let items: Vec<Json> = items.to_vec().iter().map(|item| rewrite(self, item)).collect();
            object.insert(key, items);
        }
    }

    fn node(&mut self, node: &Json) -> Json {
        let Json::Object(node) = node else { return node.clone() };
        let mut node = node.clone();
        let kind = node.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        let is_code = matches!(&*kind, "function_node" | "base_node");
        if is_code {
            let runs = node.remove("runs").unwrap_or_default();
            let mut code = Object::from_iter([("runs", self.op_value(&runs))]);
            code.push_some("style", node.remove("style"));
            node.insert("code", code);
        }
        self.member(&mut node, "retry", |_, retry| without_jitter(retry));
        if let (Some(runs), Some(name)) = (node.remove("runs"), node.get("name").and_then(Json::as_str)) {
            self.agents.insert(name.to_owned(), runs);
        }
        for key in CALLBACKS {
            self.list(&mut node, key, Self::callback);
        }
        for key in ["sub_agents", "nodes", "library"] {
            self.list(&mut node, key, Self::node);
        }
        self.list(&mut node, "tools", Self::tool);
        self.member(&mut node, "tool", Self::tool);
        node.into()
    }

    fn tool(&mut self, tool: &Json) -> Json {
        let Json::Object(tool) = tool else { return tool.clone() };
        let mut tool = tool.clone();
        self.member(&mut tool, "agent", Self::node);
        self.member(&mut tool, "node", Self::node);
        self.list(&mut tool, "tools", Self::tool);
        if let Some(fail) = tool.remove("fail") {
            tool.insert("source", Object::from_iter([("fail", fail)]));
        }
        tool.into()
    }

    fn numbered(&mut self, behaviour: &Json) -> Json {
        let mut behaviour = behaviour.as_object().cloned().unwrap_or_default();
        self.n_behaviours += 1;
        behaviour.insert("number", self.n_behaviours);
        behaviour.into()
    }

    fn callback(&mut self, behaviour: &Json) -> Json {
        let behaviour = self.numbered(behaviour);
        Object::from_iter([("type", Json::from("code")), ("code", behaviour)]).into()
    }

    fn plugin(&mut self, plugin: &Json) -> Json {
        if plugin.get("type").and_then(Json::as_str) != Some("scripted") {
            return plugin.clone();
        }
        let hooks = plugin.get("hooks").and_then(Json::as_object).cloned().unwrap_or_default();
        let hooks = hooks.into_iter().map(|(hook, behaviours)| {
            let behaviours = behaviours.as_array().unwrap_or_default();
            (hook, Json::from(behaviours.iter().map(|item| self.numbered(item)).collect::<Vec<_>>()))
        });
        let mut code = Object::from_iter([("hooks", Json::from(hooks.collect::<Object>()))]);
        code.push_some("quiet", plugin.get("quiet").cloned());
        let mut out = Object::from_iter([("type", Json::from("code"))]);
        out.push_some("name", plugin.get("name").cloned());
        out.push("code", code);
        out.into()
    }

    /// Nodes that a script runs go to the library.
    fn op_value(&mut self, value: &Json) -> Json {
        match value {
            Json::Array(items) => items.iter().map(|item| self.op_value(item)).collect::<Vec<_>>().into(),
            Json::Object(object) => {
                let is_run = object.get("op").and_then(Json::as_str).is_none_or(|op| op == "run_node");
                let mut out = Object::new();
                for (key, value) in object.iter() {
                    if &**key == "node" && is_run && value.get("type").is_some() {
                        let node = self.node(value);
                        out.push("ref_at", self.library.len() as i64);
                        self.library.push(node);
                    } else {
                        out.push(key.clone(), self.op_value(value));
                    }
                }
                out.into()
            }
            other => other.clone(),
        }
    }
}

/// Delays are what they are meant to be.
fn without_jitter(retry: &Json) -> Json {
    let mut retry = retry.as_object().cloned().unwrap_or_default();
    retry.insert("jitter", 0);
    retry.into()
}
