//! Errors that requests ended with. They name no request: each is of the last one that its agent had sent by then.

use std::collections::{BTreeMap, HashMap};

use strata_model::Str;

use super::request::RequestRecord;
use crate::claude::ids::EntryId;

#[derive(Debug, Clone, Default)]
pub(super) struct Failures(Vec<Failure>);

#[derive(Debug, Clone)]
struct Failure {
    agent_id: Option<Str>,
    /// Epoch seconds.
    time: f64,
    entry: EntryId,
}

impl Failures {
    pub(super) fn add(&mut self, agent_id: Option<Str>, time: f64, entry: EntryId) {
        self.0.push(Failure { agent_id, time, entry });
    }

    /// The event that says how a request failed, by the id of the request.
    pub(super) fn by_request<'r>(&self, requests: &'r [RequestRecord]) -> HashMap<&'r str, EntryId> {
        let mut sent: BTreeMap<Option<&str>, Vec<(f64, &'r str)>> = BTreeMap::new();
        for request in requests {
            if let Some(time) = request.time {
                sent.entry(request.agent_id.as_deref()).or_default().push((time, &request.id));
            }
        }
        for of_agent in sent.values_mut() {
            of_agent.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        }
        let mut found = HashMap::new();
        for failure in &self.0 {
            let of_agent = sent.get(&failure.agent_id.as_deref()).map_or(&[][..], Vec::as_slice);
            let n_before = of_agent.partition_point(|(time, _)| *time <= failure.time);
            if let Some((_, request)) = of_agent[..n_before].last() {
                found.entry(*request).or_insert(failure.entry);
            }
        }
        found
    }
}
