//! Who can be asked.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use strata_import::{Detection, detect};
use strata_model::{Agent, App};

use crate::open::read_app;

/// An agent of a served app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServedAgent {
    pub name: String,
    /// What it says of itself; else what can be said of it.
    pub description: String,
}

/// The agents of an app, its root first, each once.
pub(super) fn agents(app: &App) -> Vec<ServedAgent> {
    let mut found = Vec::new();
    if let Some(root) = &app.root_agent {
        add(root, &mut found);
    } else if app.root_node.is_some() {
        let description = format!("The workflow {}.", app.name);
        found.push(ServedAgent { name: app.name.to_string(), description });
    }
    found
}

fn add(agent: &Agent, found: &mut Vec<ServedAgent>) {
    if found.iter().any(|known| *known.name == *agent.name) {
        return;
    }
    let described = agent.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let description = described.map_or_else(|| format!("The agent {}.", agent.name), str::to_owned);
    found.push(ServedAgent { name: agent.name.to_string(), description });
    agent.sub_agents().iter().for_each(|below| add(below, found));
}

/// The app as one of its agents sees it: with that one at its root.
pub(super) fn rooted(app: &Arc<App>, name: &str) -> Option<Arc<App>> {
    let Some(root) = &app.root_agent else { return (*app.name == *name).then(|| app.clone()) };
    if *root.name == *name {
        return Some(app.clone());
    }
    let agent = find(root, name)?;
    Some(Arc::new(App { root_agent: Some(agent), ..App::clone(app) }))
}

fn find(agent: &Arc<Agent>, name: &str) -> Option<Arc<Agent>> {
    if *agent.name == *name {
        return Some(agent.clone());
    }
    agent.sub_agents().iter().find_map(|below| find(below, name))
}

/// Larger files are no configurations: they are not read to find that out.
const LARGEST_APP: u64 = 4 << 20;

/// Whether a file is the configuration of an app, and no session.
pub fn is_app(path: &Path) -> bool {
    let is_small = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LARGEST_APP);
    let is_session = |bytes: Vec<u8>| {
        matches!(detect(&bytes), Detection::Readable(_) | Detection::Sqlite | Detection::Archive(_))
    };
    is_small && !std::fs::read(path).is_ok_and(is_session) && read_app(path).is_ok()
}
