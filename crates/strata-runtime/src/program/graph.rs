//! The graph of a workflow: its checks, and where it leads.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use strata_engine::{DEFAULT_ROUTE, next_nodes};
use strata_model::app::{AgentMode, CodeNode, Edge, OutputSchema, START, SchemaKind};
use strata_model::{Agent, Json, Str, python};

use super::node::{Graph, Node, NodeKind};
use crate::adk_text::{
    GRAPH_CHAT, GRAPH_CYCLE, GRAPH_DEFAULT_IN_LIST, GRAPH_DUPLICATE_EDGE, GRAPH_DUPLICATES, GRAPH_INTO_START,
    GRAPH_NO_START, GRAPH_SCHEMAS, GRAPH_START_ROUTE, GRAPH_UNREACHABLE, UNDECLARED_PARAMETER, filled,
};
use crate::halt::Failure;
use crate::schema;

/// The name by which google-adk calls the beginning.
pub(crate) const START_NAME: &str = "__START__";

impl Graph {
    pub(super) fn build(
        workflow: &Arc<Agent>,
        given: &[Arc<Node>],
        library: Vec<Arc<Node>>,
    ) -> Result<Self, Failure> {
        let edges = workflow.edges().to_vec();
        let mut named: Vec<&str> = Vec::new();
        for name in edges.iter().flat_map(|edge| [&*edge.from, &*edge.to]) {
            if !named.contains(&name) {
                named.push(name);
            }
        }
        // Nodes that no edge names are no part of the graph; several of one name all are.
        let nodes: Vec<Arc<Node>> = named
            .iter()
            .flat_map(|name| given.iter().filter(move |node| *node.name == **name).cloned())
            .collect();
        let leaves = |node: &Arc<Node>| edges.iter().any(|edge| edge.from == node.name);
        let terminal = nodes.iter().filter(|node| !leaves(node)).map(|node| node.name.clone()).collect();
        let most_at_once = workflow.max_concurrency.filter(|most| *most > 0).map(|most| most as usize);
        let graph = Self { workflow: workflow.clone(), nodes, edges, terminal, library, most_at_once };
        if !graph.edges.is_empty() {
            graph.check()?;
        }
        graph.check_parameters()?;
        Ok(graph)
    }

    pub(crate) fn node(&self, name: &str) -> Option<&Arc<Node>> {
        self.nodes.iter().find(|node| *node.name == *name)
    }

    /// The nodes before one, in the order of edges, each once. The beginning counts by its own name.
    pub(crate) fn predecessors(&self, name: &str) -> Vec<Str> {
        let mut names: Vec<Str> = Vec::new();
        for edge in self.edges.iter().filter(|edge| *edge.to == *name) {
            let from: Str = if *edge.from == *START { START_NAME.into() } else { edge.from.clone() };
            if !names.contains(&from) {
                names.push(from);
            }
        }
        names
    }

    /// The nodes a workflow begins with, in the order of edges.
    pub(crate) fn first(&self) -> Vec<&Str> {
        self.edges.iter().filter(|edge| *edge.from == *START).map(|edge| &edge.to).collect()
    }

    /// The nodes that follow one which took a route.
    pub(crate) fn next(&self, name: &str, route: Option<&Json>) -> Vec<Str> {
        next_nodes(&self.edges, name, route)
    }

    fn check(&self) -> Result<(), Failure> {
        let refused = |text: &str, places: &[(&str, &str)]| {
            Err(Failure::new("GraphValidationError", filled(text, places)))
        };
        let mut seen = HashSet::new();
        let twice: BTreeSet<&Str> =
            self.nodes.iter().map(|node| &node.name).filter(|name| !seen.insert(*name)).collect();
        if !twice.is_empty() {
            return refused(GRAPH_DUPLICATES, &[("NAMES", &list_of(twice.into_iter()))]);
        }
        if !self.edges.iter().any(|edge| *edge.from == *START || *edge.to == *START) {
            return refused(GRAPH_NO_START, &[]);
        }
        let routed = self.edges.iter().find(|edge| *edge.from == *START && edge.route.is_some());
        if let Some(edge) = routed {
            let route = edge.route.as_ref().map(python::str).unwrap_or_default();
            return refused(GRAPH_START_ROUTE, &[("TO", &edge.to), ("ROUTE", &route)]);
        }
        let unreachable = self.unreachable();
        if !unreachable.is_empty() {
            return refused(GRAPH_UNREACHABLE, &[("NAMES", &list_of(unreachable.into_iter()))]);
        }
        if self.edges.iter().any(|edge| *edge.to == *START) {
            return refused(GRAPH_INTO_START, &[]);
        }
        if let Some(edge) = self.repeated_edge() {
            return refused(GRAPH_DUPLICATE_EDGE, &[("FROM", adk_name(&edge.from)), ("TO", &edge.to)]);
        }
        let is_default = |route: &Json| route.as_str() == Some(DEFAULT_ROUTE);
        let mixed = self.edges.iter().find(|edge| {
            edge.route.as_ref().and_then(Json::as_array).is_some_and(|routes| routes.iter().any(is_default))
        });
        if let Some(edge) = mixed {
            return refused(GRAPH_DEFAULT_IN_LIST, &[("FROM", adk_name(&edge.from)), ("TO", &edge.to)]);
        }
        if let Some(cycle) = self.unconditional_cycle() {
            return refused(GRAPH_CYCLE, &[("CYCLE", &cycle.join(" -> "))]);
        }
        self.check_schemas()?;
        self.check_chats()
    }

    fn unreachable(&self) -> BTreeSet<&Str> {
        let mut reached: HashSet<&str> = HashSet::new();
        let mut stack = vec![START];
        while let Some(name) = stack.pop() {
            if reached.insert(name) {
                stack.extend(self.edges.iter().filter(|edge| *edge.from == *name).map(|edge| &*edge.to));
            }
        }
        self.nodes.iter().map(|node| &node.name).filter(|name| !reached.contains(&***name)).collect()
    }

    /// An edge between nodes that another edge joins already, with a route in common or without any.
    fn repeated_edge(&self) -> Option<&Edge> {
        let mut known: BTreeMap<(&str, &str), Vec<Option<&Json>>> = BTreeMap::new();
        for edge in &self.edges {
            let routes: Vec<Option<&Json>> = match &edge.route {
                None => vec![None],
                Some(Json::Array(routes)) => routes.iter().map(Some).collect(),
                Some(route) => vec![Some(route)],
            };
            let before = known.entry((&edge.from, &edge.to)).or_default();
            let is_open = |routes: &[Option<&Json>]| routes.contains(&None);
            let is_shared = routes.iter().any(|route| before.contains(route));
            if !before.is_empty() && (is_open(before) || is_open(&routes) || is_shared) {
                return Some(edge);
            }
            before.extend(routes);
        }
        None
    }

    /// A cycle of edges that are always taken, from its smallest name on.
    fn unconditional_cycle(&self) -> Option<Vec<String>> {
        fn go<'g>(graph: &'g Graph, path: &mut Vec<&'g str>, done: &mut HashSet<&'g str>) -> Option<usize> {
            let name = *path.last()?;
            for edge in graph.edges.iter().filter(|edge| edge.route.is_none() && *edge.from == *name) {
                if let Some(start) = path.iter().position(|known| **known == *edge.to) {
                    return Some(start);
                }
                if !done.contains(&*edge.to) {
                    path.push(&edge.to);
                    if let Some(start) = go(graph, path, done) {
                        return Some(start);
                    }
                    path.pop();
                }
            }
            done.insert(name);
            None
        }
        let mut done = HashSet::new();
        for node in &self.nodes {
            let mut path = vec![&*node.name];
            if let Some(start) = go(self, &mut path, &mut done) {
                let mut cycle = path.split_off(start);
                let smallest =
                    cycle.iter().enumerate().min_by_key(|(_, name)| **name).map_or(0, |(at, _)| at);
                cycle.rotate_left(smallest);
                cycle.push(cycle[0]);
                return Some(cycle.into_iter().map(str::to_owned).collect());
            }
        }
        None
    }

    fn check_schemas(&self) -> Result<(), Failure> {
        for edge in &self.edges {
            let (Some(from), Some(to)) = (self.node(&edge.from), self.node(&edge.to)) else { continue };
            let (Some(output), Some(input)) = (&from.output_schema, &to.input_schema) else { continue };
            if output != input {
                let (output, input) = (class_text(output), class_text(input));
                let places =
                    [("FROM", &*edge.from), ("TO", &*edge.to), ("OUTPUT", &*output), ("INPUT", &*input)];
                return Err(Failure::new("GraphValidationError", filled(GRAPH_SCHEMAS, &places)));
            }
        }
        Ok(())
    }

    /// A chat reads the history and not what comes before it.
    fn check_chats(&self) -> Result<(), Failure> {
        for edge in self.edges.iter().filter(|edge| *edge.from != *START) {
            let agent = self.node(&edge.to).and_then(|node| node.agent());
            if agent.is_some_and(|agent| agent.config.is_llm() && agent.mode == Some(AgentMode::Chat)) {
                let places = [("AGENT", &*edge.to), ("NODE", &*edge.from)];
                return Err(Failure::new("GraphValidationError", filled(GRAPH_CHAT, &places)));
            }
        }
        Ok(())
    }

    /// Parameters of function nodes are taken from the state, which has to have them.
    fn check_parameters(&self) -> Result<(), Failure> {
        let Some(schema) = &self.workflow.state_schema else { return Ok(()) };
        let fields = schema::fields(schema);
        let codes = self.nodes.iter().filter_map(|node| match &node.kind {
            NodeKind::Code(code) => Some(code),
            _ => None,
        });
        for code in codes {
            let code: &CodeNode = code;
            let mut params = code.params.iter().flatten();
            if let Some(parameter) = params.find(|parameter| !fields.contains(&parameter.name)) {
                let places = [
                    ("NODE", &*python::repr_str(&code.name)),
                    ("PARAMETER", &*python::repr_str(&parameter.name)),
                    ("SCHEMA", &*python::repr_str(schema.class.as_deref().unwrap_or_default())),
                    ("FIELDS", &*list_of(fields.iter())),
                ];
                return Err(Failure::new("StateSchemaError", filled(UNDECLARED_PARAMETER, &places)));
            }
        }
        Ok(())
    }
}

fn adk_name(name: &str) -> &str {
    if name == START { START_NAME } else { name }
}

/// Names as Python prints a sorted list of them.
fn list_of<'a>(names: impl Iterator<Item = &'a Str>) -> String {
    python::str(&Json::Array(names.cloned().map(Json::String).collect()))
}

/// A schema as Python prints it.
fn class_text(schema: &OutputSchema) -> String {
    match schema.kind {
        SchemaKind::PydanticModel => format!("<class '{}'>", schema.class.as_deref().unwrap_or_default()),
        SchemaKind::ListOfPydanticModel => format!("list[{}]", schema.class.as_deref().unwrap_or_default()),
        SchemaKind::Primitive | SchemaKind::JsonSchema => {
            schema.annotation.as_deref().unwrap_or_default().to_owned()
        }
    }
}
