//! Models that can be asked: which there are, and asking them.

mod asker;
mod connections;
mod endpoints;
mod knowledge;
mod listed;
mod measured;
mod paid;
mod sent;
mod server_counts;
mod servers;
mod writer;

pub(crate) use asker::{Asker, Foresight, question, spoken_text};
pub(crate) use endpoints::{
    UsableEndpoint, bare, check_endpoint, custom_endpoints, find_endpoint, forget_endpoint, save_endpoint,
};
pub(crate) use knowledge::Knowledge;
pub(crate) use listed::EndpointModels;
pub(crate) use measured::{Calibrations, Expected, counted, measure, predicted};
pub(crate) use paid::{Paid, PaidAnswers, without_thoughts};
pub(crate) use sent::{Foreseen, Sent, SizedPrompt, is_by_breakpoints};
pub(crate) use server_counts::ServerCount;
pub(crate) use servers::{EndpointList, Models};
pub(crate) use writer::{ModelWriter, WriterEvent};
