//! What prompts hold, looked at once: all parts of the last prompt of each agent.

use std::collections::{BTreeMap, HashSet};

use strata_engine::Experiment;
use strata_model::{Agent, EventIndex, Fingerprint, RequestContent, RequestPart, Str};

use crate::analysis::{CallAnalysis, SessionAnalysis};

pub(super) struct FixEvidence<'s> {
    pub experiment: &'s Experiment,
    pub analysis: &'s SessionAnalysis,
    /// The last call of each agent, by the agents' names.
    pub last: BTreeMap<Str, &'s CallAnalysis>,
    /// Every part once, with its content.
    pub parts: Vec<(&'s RequestContent, &'s RequestPart)>,
}

impl<'s> FixEvidence<'s> {
    pub(super) fn in_prompts(experiment: &'s Experiment, analysis: &'s SessionAnalysis) -> Self {
        let mut last: BTreeMap<Str, &CallAnalysis> = BTreeMap::new();
        // The longest prompt holds most; a later one may be shorter by a summary.
        let mut longest: BTreeMap<Str, &CallAnalysis> = BTreeMap::new();
        for (call, result) in experiment.calls().iter().zip(analysis.calls()) {
            let agent = &call.invocation.agent;
            last.insert(agent.clone(), result);
            let known = longest.entry(agent.clone()).or_insert(result);
            if result.total.tokens > known.total.tokens {
                *known = result;
            }
        }
        let mut known: HashSet<Fingerprint> = HashSet::new();
        let mut parts = Vec::new();
        for call in longest.values().chain(last.values()) {
            for content in call.request.contents.iter() {
                if known.insert(content.provenance) {
                    parts.extend(content.parts.iter().map(|part| (&**content, part)));
                }
            }
        }
        Self { experiment, analysis, last, parts }
    }

    /// The agent of that name, if the configuration has it.
    pub(super) fn agent(&self, name: &str) -> Option<&'s Agent> {
        let index = self.experiment.index();
        Some(&**index.agent(index.find(name)?))
    }
}

/// The event a part is from.
pub(super) fn event(part: &RequestPart) -> Option<EventIndex> {
    part.main_origin().event()
}
