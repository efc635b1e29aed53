//! The model that a session is counted and priced as if it had been sent to, where it names none.

use std::sync::Arc;

use strata_model::App;
use strata_model::app::{Agent, ModelFamily, ModelSpec};
use strata_store::{SessionId, Store, StoreError};

/// Agents without a model beside those that have one are left as they are: what is known is known.
pub(super) fn names_no_model(app: &App) -> bool {
    app.root_agent.as_ref().is_some_and(has_unknown)
}

fn is_unknown(agent: &Agent) -> bool {
    agent.model.as_ref().is_some_and(|model| model.family == ModelFamily::Unknown && model.name.is_empty())
}

fn has_unknown(agent: &Arc<Agent>) -> bool {
    is_unknown(agent) || agent.sub_agents().iter().any(has_unknown)
}

/// The same agents, with a name for models that have none. It changes no request but for that: nobody knows by which
/// class of models it was sent.
fn named(agent: &Arc<Agent>, model: &str) -> Arc<Agent> {
    let mut changed = Agent::clone(agent);
    if is_unknown(agent) {
        changed.model = Some(ModelSpec { name: model.into(), ..ModelSpec::unknown() });
    }
    if let Some(sub_agents) = &mut changed.sub_agents {
        *sub_agents = sub_agents.iter().map(|child| named(child, model)).collect();
    }
    changed.into()
}

/// The same app, with this model for agents whose own nothing names.
pub(super) fn with_model(app: &App, model: &str) -> App {
    App { root_agent: app.root_agent.as_ref().map(|agent| named(agent, model)), ..App::clone(app) }
}

/// The model that was chosen for a session.
pub(crate) fn chosen_model(store: &Store, id: &SessionId) -> Result<Option<String>, StoreError> {
    Ok(store.setting(&setting(id))?.filter(|model| !model.is_empty()))
}

/// Keeps the choice; `None` takes it back.
pub(crate) fn choose_model(store: &mut Store, id: &SessionId, model: Option<&str>) -> Result<(), StoreError> {
    store.set_setting(&setting(id), model.unwrap_or_default())
}

fn setting(id: &SessionId) -> String {
    format!("asIf/{id}")
}
