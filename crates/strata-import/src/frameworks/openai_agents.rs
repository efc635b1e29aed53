//! The OpenAI Agents SDK: the traces that its processors are given, and the database of its sessions.

mod database;
mod trace;

pub(crate) use database::{is_database, read_tables};
pub(crate) use trace::{DOCUMENTS, is_trace};
