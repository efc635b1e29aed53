//! Toolsets of an app that runs: said and opened before it begins, asked while it runs, and ended with it.
//!
//! Only what the file of the app names is started or reached. An app that comes with a recording says where its tools
//! were, and that is all it does: nobody who opens somebody else's session has asked for its programs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use strata_model::app::{Node, Tool};
use strata_model::{Agent, App, Object, Str};
use strata_toolset::{ToolSource, Toolset};
use tokio::runtime::Handle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::app_tree::with_agents;
use super::deeds::Deeds;
use super::listener::RunListener;
use crate::error::AppError;

/// The toolsets of a run.
#[derive(Default)]
pub(crate) struct Toolsets {
    /// Cancelled when this is let go of.
    _over: Option<DropGuard>,
    open: Vec<OpenToolset>,
    /// Whose tools they are, by agent and by the name that the model knows.
    routes: HashMap<(Str, Str), usize>,
}

struct OpenToolset {
    source: Object,
    name: String,
    /// Or why it could not be opened.
    toolset: Result<Arc<Toolset>, String>,
}

/// An app with the tools that its sources have.
pub(crate) struct Equipped {
    pub app: Arc<App>,
    /// The app as it may be stored: without what only the person's own file should hold.
    pub kept: App,
    pub toolsets: Toolsets,
}

impl Found {
    /// What using it will start or reach.
    fn deed(&self) -> String {
        format!("Running this app {}, for {}.", self.read.deeds(), self.agent)
    }
}

/// What running the app of a file will start and reach. Refuses sources that cannot be read.
pub(crate) fn deeds(app: &App, file: &Path) -> Result<Deeds, AppError> {
    Ok(Deeds::of(app, sources(app, file)?.iter().map(Found::deed).collect()))
}

/// Whether an app has tools of other programs or servers.
pub(crate) fn has_sources(app: &App) -> bool {
    let mut has = false;
    each(app, &mut |_, tool| has |= matches!(tool, Tool::Toolset { source: Some(_), .. }));
    has
}

/// Says what somebody has agreed to.
pub(crate) type Agrees<'w> = &'w dyn Fn(&Deeds) -> Result<bool, AppError>;

/// Opens the sources of the app of a file, and fills in the tools that they have, if somebody `agrees`. One that cannot be
/// opened costs the app its tools, as in google-adk, and no more.
pub(crate) fn equipped(
    app: &Arc<App>,
    file: &Path,
    agrees: Agrees<'_>,
    listener: &dyn RunListener,
    runtime: &Handle,
    stop: &CancellationToken,
) -> Result<Equipped, AppError> {
    let found = sources(app, file)?;
    let deeds = Deeds::of(app, found.iter().map(Found::deed).collect());
    if !agrees(&deeds)? {
        return Err(AppError::bad_input(format!(
            "Nobody has agreed to what this app starts and reaches, as its file is now: nothing was started. {}",
            deeds.lines.join(" ")
        )));
    }
    deeds.lines.iter().for_each(|line| listener.note(line));
    let mut open: Vec<OpenToolset> = Vec::new();
    for Found { source, read, agent } in found {
        let name = read.name();
        // Whoever stops the run stops waiting, too.
        let opened = runtime.block_on(stop.run_until_cancelled(Toolset::open(read)));
        let toolset = opened.unwrap_or_else(|| Err("it was stopped".to_owned()));
        if let Err(problem) = &toolset {
            listener.note(&format!("{name} gives no tools: {problem}. {agent} goes on without them."));
        }
        open.push(OpenToolset { source, name, toolset: toolset.map(Arc::new) });
    }
    let equipped = Arc::new(changed(app, &mut |tool| fill(tool, &open, Clone::clone)));
    let kept = changed(app, &mut |tool| fill(tool, &open, ToolSource::kept));
    let routes = routes(&equipped, &open);
    let over = stop.child_token();
    let toolsets = Toolsets { _over: Some(over.clone().drop_guard()), open, routes };
    toolsets.end_with(&over, runtime);
    Ok(Equipped { app: equipped, kept, toolsets })
}

impl Toolsets {
    /// Whether a source can be asked. The error is a sentence. Those of a recording answer as recorded.
    pub(crate) async fn ready(&self, source: &Object) -> Result<(), String> {
        let Some(open) = self.open.iter().find(|open| open.source == *source) else { return Ok(()) };
        match &open.toolset {
            Ok(toolset) => {
                toolset.ready().await.map_err(|problem| format!("{} is gone: {problem}.", open.name))
            }
            Err(problem) => Err(format!("{} gives no tools: {problem}.", open.name)),
        }
    }

    /// Whose tool it is.
    pub(crate) fn find(&self, agent: &Str, tool: &str) -> Option<&Toolset> {
        let at = self.routes.get(&(agent.clone(), tool.into()))?;
        self.open[*at].toolset.as_deref().ok()
    }

    /// Ends what was started when the run is over: stopped, or let go of.
    fn end_with(&self, over: &CancellationToken, runtime: &Handle) {
        for open in &self.open {
            if let Ok(toolset) = &open.toolset {
                let (toolset, over) = (Arc::downgrade(toolset), over.clone());
                runtime.spawn(async move {
                    over.cancelled().await;
                    if let Some(toolset) = toolset.upgrade() {
                        toolset.close().await;
                    }
                });
            }
        }
    }

    /// Ends what was started, and gives it a moment to end by itself.
    pub(crate) async fn close(&self) {
        for toolset in self.open.iter().filter_map(|open| open.toolset.as_ref().ok()) {
            toolset.close().await;
        }
    }
}

struct Found {
    source: Object,
    read: ToolSource,
    /// The first agent that has it.
    agent: Str,
}

/// The sources of an app, each once, with the agent that has it first; what they name is looked for beside the app's file.
fn sources(app: &App, file: &Path) -> Result<Vec<Found>, AppError> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found: Vec<Found> = Vec::new();
    let mut problem = None;
    each(app, &mut |agent, tool| {
        let Tool::Toolset { source: Some(source), .. } = tool else { return };
        if found.iter().any(|known| known.source == *source) {
            return;
        }
        match ToolSource::read(source, folder, &|name| std::env::var(name).ok()) {
            Ok(read) => found.push(Found { source: source.clone(), read, agent: agent.name.clone() }),
            Err(reason) => {
                problem
                    .get_or_insert_with(|| format!("A toolset of {} cannot be used: {reason}.", agent.name));
            }
        }
    });
    problem.map_or(Ok(found), |problem| Err(AppError::bad_input(problem)))
}

fn fill(tool: &mut Tool, open: &[OpenToolset], keep: impl Fn(&Object) -> Object) {
    let Tool::Toolset { tools, source: Some(source), .. } = tool else { return };
    let known =
        open.iter().find(|known| known.source == *source).and_then(|known| known.toolset.as_ref().ok());
    *tools = known.map(|toolset| toolset.tools().iter().map(declared).collect()).unwrap_or_default();
    *source = keep(source);
}

fn declared(declaration: &Object) -> Tool {
    Tool::Function {
        declaration: declaration.clone(),
        is_long_running: false,
        confirmation: strata_model::app::Confirmation::Never,
    }
}

/// Who answers which tool: of tools with the same name, the last one of an agent.
fn routes(app: &App, open: &[OpenToolset]) -> HashMap<(Str, Str), usize> {
    let mut routes = HashMap::new();
    each(app, &mut |agent, tool| match tool {
        Tool::Toolset { tools, prefix, source: Some(source) } => {
            let Some(at) = open.iter().position(|known| known.source == *source) else { return };
            for tool in tools {
                let name = match prefix.as_deref().filter(|prefix| !prefix.is_empty()) {
                    Some(prefix) => format!("{prefix}_{}", tool.name()).into(),
                    None => tool.name(),
                };
                routes.insert((agent.name.clone(), name), at);
            }
        }
        other => {
            routes.remove(&(agent.name.clone(), other.name()));
        }
    });
    routes
}

/// Visits every tool of every agent.
fn each(app: &App, visit: &mut impl FnMut(&Agent, &Tool)) {
    fn agent(of: &Agent, visit: &mut impl FnMut(&Agent, &Tool)) {
        for tool in of.tools() {
            visit(of, tool);
            match tool {
                Tool::AgentTool { agent: below, .. } => agent(below, visit),
                Tool::NodeTool { node: below, .. } => node(below, visit),
                _ => {}
            }
        }
        of.sub_agents().iter().for_each(|below| agent(below, visit));
        of.nodes().iter().chain(of.library()).for_each(|below| node(below, visit));
    }
    fn node(of: &Node, visit: &mut impl FnMut(&Agent, &Tool)) {
        match of {
            Node::Agent(below) => agent(below, visit),
            Node::Tool(below) => {
                if let Tool::AgentTool { agent: below, .. } = &below.tool {
                    agent(below, visit);
                }
            }
            Node::Code(_) | Node::Join(_) => {}
        }
    }
    if let Some(root) = &app.root_agent {
        agent(root, visit);
    }
    if let Some(root) = &app.root_node {
        node(root, visit);
    }
}

/// An app with other tools.
fn changed(app: &App, change: &mut impl FnMut(&mut Tool)) -> App {
    with_agents(app, &mut |agent| agent.tools.iter_mut().flatten().for_each(&mut *change))
}

/// What a run of an app without a file says of its toolsets, if it has some.
pub(crate) fn left_closed(app: &App) -> Option<String> {
    has_sources(app).then(|| {
        "The app of this recording has tools of other programs or servers. They are not started for a recording: its \
         own answers are used. Name the file of the app to start them."
            .to_owned()
    })
}
