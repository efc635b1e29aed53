//! Workflows of agent configuration files: edges that say their nodes where they first come.

use std::sync::Arc;

use strata_model::app::{CodeNode, Edge, JoinNode, Node, START};
use strata_model::{Agent, Diagnostic, FromJson as _, Json, Object, Str};

/// Reads the agents that an agent's graph and tools name.
pub(super) trait Agents {
    /// One that is written out.
    fn written(&mut self, document: Json) -> Agent;
    /// One in a file of its own, or in code. `by` names it.
    fn reference(&mut self, reference: &Json, by: &str) -> Option<Agent>;
    fn file(&mut self, path: &str, by: &str) -> Option<Agent>;
    fn report(&mut self, found: Diagnostic);
    /// Says what google-adk would not start with.
    fn refuse(&mut self, code: &'static str, at: &str, message: String) {
        self.report(Diagnostic::error(code, at, message));
    }
}

/// A workflow's graph.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Option<Vec<Node>>,
    pub(super) edges: Option<Vec<Edge>>,
}

/// What stands between two arrows of a chain.
enum Element {
    /// One node, or several side by side; by name.
    Nodes(Vec<Str>),
    /// Nodes by the route that leads to them.
    Routes(Vec<(Json, Vec<Str>)>),
}

impl Element {
    fn names(&self) -> Vec<Str> {
        match self {
            Self::Nodes(names) => names.clone(),
            Self::Routes(routes) => routes.iter().flat_map(|(_, names)| names.clone()).collect(),
        }
    }
}

/// The graph that the edges of a workflow make.
pub(super) fn read_graph(edges: &Json, workflow: &str, reader: &mut dyn Agents) -> Graph {
    let mut builder = Builder { workflow, nodes: Vec::new(), edges: Vec::new(), named: Vec::new() };
    for item in edges.as_array().unwrap_or_default() {
        builder.item(reader, item);
    }
    Graph { nodes: Some(builder.nodes), edges: Some(builder.edges) }
}

struct Builder<'w> {
    workflow: &'w str,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Names of nodes by the words that named them.
    named: Vec<(String, Str)>,
}

impl Builder<'_> {
    fn item(&mut self, reader: &mut dyn Agents, item: &Json) {
        if let Json::Array(chain) = item {
            let elements: Vec<Element> = chain.iter().map(|element| self.element(reader, element)).collect();
            for pair in elements.windows(2) {
                self.connect(&pair[0], &pair[1]);
            }
            return;
        }
        let (from, to) = (item.get("from_node"), item.get("to_node"));
        let (Some(from), Some(to)) = (from, to) else {
            let message =
                format!("an edge of {} is neither a list nor a from_node with a to_node", self.workflow);
            return reader.refuse("unknown-edge", self.workflow, message);
        };
        let (from, to) = (self.node(reader, from), self.node(reader, to));
        let route = item.get("route").filter(|route| !route.is_null()).cloned();
        if let (Some(from), Some(to)) = (from, to) {
            self.edge(from, to, route);
        }
    }

    fn connect(&mut self, from: &Element, to: &Element) {
        for from in from.names() {
            match to {
                Element::Nodes(names) => {
                    for to in names {
                        self.edge(from.clone(), to.clone(), None);
                    }
                }
                Element::Routes(routes) => {
                    for (route, names) in routes {
                        for to in names {
                            self.edge(from.clone(), to.clone(), Some(route.clone()));
                        }
                    }
                }
            }
        }
    }

    fn edge(&mut self, from: Str, to: Str, route: Option<Json>) {
        self.edges.push(Edge { from, to, route, ..Edge::default() });
    }

    fn element(&mut self, reader: &mut dyn Agents, element: &Json) -> Element {
        let mut several = |builder: &mut Self, nodes: &[Json]| {
            nodes.iter().filter_map(|node| builder.node(reader, node)).collect::<Vec<Str>>()
        };
        match element {
            Json::Array(nodes) => Element::Nodes(several(self, nodes)),
            Json::Object(routes) if !is_node(routes) => {
                let each = routes.iter().map(|(route, to)| {
                    let one = std::slice::from_ref(to);
                    (route_value(route), several(self, to.as_array().unwrap_or(one)))
                });
                Element::Routes(each.collect())
            }
            node => Element::Nodes(several(self, std::slice::from_ref(node))),
        }
    }

    /// The name of a node that is named, in a file, in code or written out.
    fn node(&mut self, reader: &mut dyn Agents, node: &Json) -> Option<Str> {
        match node {
            Json::String(words) if &**words == START => Some(START.into()),
            Json::String(words) => self.named(reader, words),
            Json::Object(fields) => {
                let known = fields.get("name").and_then(Json::as_str);
                let known = known.and_then(|name| self.nodes.iter().find(|node| &*node.name() == name));
                if let Some(node) = known {
                    return Some(node.name());
                }
                let written = written(reader, node, fields, self.workflow)?;
                Some(self.add(written))
            }
            other => {
                let message = format!("a node of {} is {}", self.workflow, other.kind());
                reader.refuse("unknown-node", self.workflow, message);
                None
            }
        }
    }

    fn named(&mut self, reader: &mut dyn Agents, words: &str) -> Option<Str> {
        if let Some(node) = self.nodes.iter().find(|node| &*node.name() == words) {
            return Some(node.name());
        }
        if let Some((_, name)) = self.named.iter().find(|(named, _)| named == words) {
            return Some(name.clone());
        }
        let node = if matches!(words.rsplit_once('.'), Some((_, "yaml" | "yml"))) {
            Node::Agent(Arc::new(reader.file(words, self.workflow)?))
        } else if words.contains('.') {
            function(last_segment(words), words, &Object::new())
        } else {
            let message =
                format!("{} names the node {words}, which no edge before it defines", self.workflow);
            reader.refuse("unknown-node", self.workflow, message);
            return None;
        };
        let name = self.add(node);
        self.named.push((words.to_owned(), name.clone()));
        Some(name)
    }

    fn add(&mut self, node: Node) -> Str {
        let name = node.name();
        self.nodes.push(node);
        name
    }
}

/// The fields of google-adk's `LlmAgent`, by which a mapping with a `name` is known for an agent.
const AGENT_FIELDS: [&str; 33] = [
    "after_agent_callback",
    "after_model_callback",
    "after_tool_callback",
    "before_agent_callback",
    "before_model_callback",
    "before_tool_callback",
    "code_executor",
    "description",
    "disallow_transfer_to_parent",
    "disallow_transfer_to_peers",
    "generate_content_config",
    "global_instruction",
    "include_contents",
    "input_schema",
    "instruction",
    "mode",
    "model",
    "name",
    "on_model_error_callback",
    "on_tool_error_callback",
    "output_key",
    "output_schema",
    "parallel_worker",
    "parent_agent",
    "planner",
    "rerun_on_resume",
    "retry_config",
    "state_schema",
    "static_instruction",
    "sub_agents",
    "timeout",
    "tools",
    "wait_for_output",
];

/// Whether a mapping in a chain is a node; else it is a map of routes.
fn is_node(fields: &Object) -> bool {
    let has = |key: &str| fields.get(key).is_some();
    let is_field = |key: &str| {
        let callback = key.strip_suffix('s').filter(|name| name.ends_with("_callback"));
        let names = [Some(key), key.strip_suffix("_code"), callback];
        names.into_iter().flatten().any(|name| AGENT_FIELDS.contains(&name))
    };
    has("agent_class")
        || has("config_path")
        || has("func_code")
        || (fields.len() == 1 && fields.get("code").is_some_and(|code| code.as_str().is_some()))
        || (has("name") && fields.keys().all(|key| is_field(key)))
}

fn written(reader: &mut dyn Agents, node: &Json, fields: &Object, workflow: &str) -> Option<Node> {
    let text = |key: &str| fields.get(key).and_then(Json::as_str);
    let class = last_segment(text("agent_class").unwrap_or_default());
    if fields.get("config_path").is_some() || (fields.get("code").is_some() && class.is_empty()) {
        return reader.reference(node, workflow).map(|agent| Node::Agent(Arc::new(agent)));
    }
    let code = fields.get("func_code").or_else(|| fields.get("func"));
    let code = code.and_then(|code| code.as_str().or_else(|| code.get("name")?.as_str()));
    match (class, code) {
        ("JoinNode", _) => {
            let join = JoinNode { name: text("name")?.into(), ..JoinNode::default() };
            Some(Node::Join(Arc::new(join)))
        }
        (_, Some(code)) => Some(function(text("name").unwrap_or_else(|| last_segment(code)), code, fields)),
        _ => Some(Node::Agent(Arc::new(reader.written(node.clone())))),
    }
}

/// A node that is a function; the script's function of the same name stands for it.
fn function(name: &str, code: &str, fields: &Object) -> Node {
    let flag = |key: &str| fields.get(key).and_then(Json::as_bool);
    Node::Code(Arc::new(CodeNode {
        name: name.into(),
        code: Object::from_iter([("function", last_segment(code))]),
        rerun_on_resume: flag("rerun_on_resume"),
        parallel_worker: flag("parallel_worker"),
        timeout: fields.get("timeout").and_then(Json::as_f64),
        retry: fields.get("retry_config").cloned().and_then(|retry| {
            strata_model::app::Retry::from_json(retry, &mut strata_model::Decoder::new()).ok()
        }),
        ..CodeNode::default()
    }))
}

/// A route as google-adk's YAML 1.1 reads it.
fn route_value(route: &str) -> Json {
    match route {
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Json::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Json::Bool(false),
        word => word.parse::<i64>().map_or_else(|_| Json::from(word), Json::Int),
    }
}

/// `c` of `a.b.c`.
pub(super) fn last_segment(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
