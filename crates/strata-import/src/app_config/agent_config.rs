//! ADK's agent configuration: one agent a file, tools and callbacks by the name of their code.

use std::sync::Arc;

use strata_model::app::{AgentKind, StaticInstruction};
use strata_model::{Agent, App, Decoder, Diagnostic, FromJson as _, Json, Object, Str, python};

use super::document::{ReadFile, read_document};
use super::graph::{Agents, Graph, last_segment, read_graph};
use super::tools::read_tools;

/// Files that refer to each other deeper than this are taken for a circle.
const MAX_DEPTH: usize = 64;

pub(super) struct AgentConfig;

impl AgentConfig {
    pub(super) fn is_one(document: &Json) -> bool {
        let has = |key: &str| document.get(key).is_some();
        has("agent_class") || (has("name") && (has("instruction") || has("sub_agents") || has("model")))
    }
}

/// A file of the configuration, or an agent inside one, as google-adk gets to see it.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentFile {
    /// As it is referred to; empty: the file that was opened.
    pub path: String,
    pub document: Json,
}

/// The app, and the files it is made of.
pub(super) fn read_app(
    document: Json,
    read_file: ReadFile<'_>,
    decoder: &mut Decoder,
) -> (App, Vec<AgentFile>) {
    let mut reader = Reader { read_file, decoder, open: vec![String::new()], files: Vec::new() };
    let root = reader.agent(document);
    let app = App { name: root.name.clone(), root_agent: Some(Arc::new(root)), ..App::default() };
    (app, reader.files)
}

struct Reader<'r> {
    read_file: ReadFile<'r>,
    decoder: &'r mut Decoder,
    /// The files that are being read, each referred to by the one before.
    open: Vec<String>,
    files: Vec<AgentFile>,
}

impl Reader<'_> {
    fn warn(&mut self, code: &'static str, at: &str, message: String) {
        self.decoder.report(Diagnostic::warning(code, at, message));
    }

    fn agent(&mut self, document: Json) -> Agent {
        self.files.push(AgentFile {
            path: self.open.last().cloned().unwrap_or_default(),
            document: document.clone(),
        });
        let Json::Object(mut config) = document else {
            self.refuse("unexpected-type", "", "an agent configuration should be a mapping".into());
            return Agent::default();
        };
        let name: Str = text(&mut config, "name").unwrap_or_else(|| "agent".into());
        let kind = self.kind(text(&mut config, "agent_class").as_deref(), &name);
        let sub_agents = self.sub_agents(config.remove("sub_agents"), &name);
        let tools = match config.remove("tools") {
            Some(Json::Array(tools)) => Some(read_tools(&tools, &name, self)),
            _ => None,
        };
        let Graph { nodes, edges } = match config.remove("edges") {
            Some(edges) if kind == AgentKind::Workflow => read_graph(&edges, &name, self),
            _ => Graph::default(),
        };
        let static_instruction = config
            .remove("static_instruction")
            .and_then(|value| StaticInstruction::from_json(value, self.decoder).ok());
        self.report_code(&mut config, &name);
        let read = config.into_iter().map(|(key, value)| (key.clone(), as_pydantic_reads(&key, value)));
        let mut config: Object = read.collect();
        // What is left has the names and shapes of an agent's own fields.
        config.push("name", name.clone());
        let fields = Agent::from_json(Json::Object(config), self.decoder).unwrap_or_default();
        let unknown: Vec<String> = fields.unknown_fields().map(|field| field.to_string()).collect();
        for field in unknown {
            self.warn(
                "unknown-field",
                &name,
                format!("`{field}` of {name} is not known here and has no effect"),
            );
        }
        Agent { kind, name, sub_agents, tools, nodes, edges, static_instruction, ..fields }
    }

    fn kind(&mut self, class: Option<&str>, agent: &str) -> AgentKind {
        let class = class.unwrap_or_default();
        let kind = AgentKind::from_class(class);
        if kind.is_none() && !class.contains('.') {
            self.refuse("unknown-class", agent, format!("google-adk has no agent class {class}"));
        } else if kind.is_none() || kind == Some(AgentKind::Custom) {
            let message =
                format!("{agent} is a {class}, whose behaviour is in code; it is taken to call no model");
            self.warn("agent-in-code", agent, message);
        }
        kind.unwrap_or(AgentKind::Custom)
    }

    fn sub_agents(&mut self, value: Option<Json>, agent: &str) -> Option<Vec<Arc<Agent>>> {
        let Some(Json::Array(references)) = value else { return None };
        let agents = references.into_iter().filter_map(|reference| self.reference(&reference, agent));
        Some(agents.map(Arc::new).collect())
    }

    /// Says which fields name code, and takes off those of which nothing is known without it.
    fn report_code(&mut self, config: &mut Object, agent: &str) {
        const CALLBACKS: [&str; 6] = [
            "before_agent_callbacks",
            "after_agent_callbacks",
            "before_model_callbacks",
            "after_model_callbacks",
            "before_tool_callbacks",
            "after_tool_callbacks",
        ];
        for field in CALLBACKS {
            let Some(value) = config.remove(field).filter(Json::is_truthy) else { continue };
            let code: Vec<Json> = value.as_array().unwrap_or_default().iter().filter_map(callback).collect();
            config.push(field, code);
            let message = format!(
                "{field} of {agent} are code: what they change is shown where it was recorded, and they run where a \
                 script has them"
            );
            self.warn("callback-in-code", agent, message);
        }
        for field in ["input_schema", "output_schema"] {
            if config.remove(field).is_some_and(|value| value.is_truthy()) {
                let message =
                    format!("{field} of {agent} is a class in code; requests are compiled without it");
                self.warn("schema-in-code", agent, message);
            }
        }
        if config.remove("model_code").is_some_and(|value| value.is_truthy()) {
            let message =
                format!("the model of {agent} is made by code; it is taken from the session's answers");
            self.warn("model-in-code", agent, message);
        }
    }
}

impl Agents for Reader<'_> {
    fn written(&mut self, document: Json) -> Agent {
        self.agent(document)
    }

    fn reference(&mut self, reference: &Json, agent: &str) -> Option<Agent> {
        if let Some(path) = reference.get("config_path").and_then(Json::as_str) {
            return self.file(path, agent);
        }
        let code = reference.get("code").and_then(Json::as_str)?;
        let name = last_segment(code);
        let message = format!("{name} is defined in code ({code}); its instruction and tools are not known");
        self.warn("agent-in-code", agent, message);
        Some(Agent { name: name.into(), ..Agent::default() })
    }

    /// The agent of a file that another one refers to, from its own folder.
    fn file(&mut self, path: &str, agent: &str) -> Option<Agent> {
        let Some(place) = place_of(self.open.last().map(String::as_str).unwrap_or_default(), path) else {
            let message = format!(
                "{agent} refers to the agent in {path}, which is not below the folder of its own file"
            );
            self.refuse("agent-file-outside", agent, message);
            return None;
        };
        if self.open.contains(&place) || self.open.len() > MAX_DEPTH {
            self.refuse("agents-in-a-circle", agent, format!("{path} refers back to itself"));
            return None;
        }
        let document = match (self.read_file)(&place) {
            None => Err("it could not be read".to_owned()),
            Some(bytes) => read_document(&bytes),
        };
        match document {
            Ok(document) => {
                self.open.push(place);
                let read = self.agent(document);
                self.open.pop();
                Some(read)
            }
            Err(reason) => {
                let message = format!("{agent} refers to the agent in {path}, but {reason}");
                self.refuse("missing-agent-file", agent, message);
                None
            }
        }
    }

    fn report(&mut self, found: Diagnostic) {
        self.decoder.report(found);
    }
}

/// Numbers and truth values may be written as texts, and numbers as whole floats.
fn as_pydantic_reads(key: &str, value: Json) -> Json {
    let read = match key {
        "max_iterations" => match &value {
            Json::String(text) => python::pydantic_integer(python::strip(text)),
            Json::Float(number) => Some(*number).filter(|number| number.fract() == 0.0),
            _ => None,
        }
        .map(|number| Json::Int(number as i64)),
        "disallow_transfer_to_parent" | "disallow_transfer_to_peers" => {
            python::pydantic_bool(&value).map(Json::Bool)
        }
        _ => None,
    };
    read.unwrap_or(value)
}

/// A callback that google-adk imports, by its `module.function`.
fn callback(reference: &Json) -> Option<Json> {
    let name = reference.get("name").and_then(Json::as_str)?;
    Some(Object::from_iter([("type", "code"), ("name", name)]).into())
}

fn text(config: &mut Object, key: &str) -> Option<Str> {
    match config.remove(key) {
        Some(Json::String(text)) => Some(text),
        _ => None,
    }
}

/// The path of a file that another refers to, seen from the folder of the first. `None`: it lies outside the other's folder.
fn place_of(referring: &str, path: &str) -> Option<String> {
    let folder = referring.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split(['/', '\\']) {
        match step {
            "" if steps.is_empty() => return None,
            "" | "." => {}
            ".." => {
                steps.pop()?;
            }
            step => steps.push(step),
        }
    }
    let inside = steps.join("/");
    Some(if folder.is_empty() { inside } else { format!("{folder}/{inside}") })
}
