//! A session that somebody looks at: what the store has of it, compiled, and asked about.

mod app_config;
mod asked;
mod assumed_model;
mod caches;
mod continued;
mod event_facts;
mod event_table;
mod evidence;
mod fixes;
mod latest;
mod recent;
mod session;
mod tool_calls;

pub(crate) use app_config::{AppSource, read_app, read_app_to_run, stored_app};
pub(crate) use assumed_model::{choose_model, chosen_model};
pub(crate) use event_table::{AgentRows, EventTable, UsedEvents, content};
pub(crate) use evidence::evidence;
pub(crate) use session::{
    Baseline, OpenExperiment, OpenSession, Recording, answered, finding_cost, made_from,
};
