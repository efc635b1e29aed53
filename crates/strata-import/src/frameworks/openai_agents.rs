//! The OpenAI Agents SDK: the traces that its processors are given, and the database of its sessions.

mod branches;
mod database;
mod trace;

use strata_model::take::take_object;
use strata_model::{Json, Object};

pub(crate) use database::{is_database, read_tables};
pub(crate) use trace::{DOCUMENTS, is_trace};

/// The id of items and answers to which the provider gave none.
const NO_ID: &str = "__fake_id__";

/// What an API other than Responses said of the answer that an item is a part of.
fn take_provider_data(item: &mut Json) -> Object {
    match item {
        Json::Object(item) => take_object(item, "provider_data").unwrap_or_default(),
        _ => Object::new(),
    }
}
