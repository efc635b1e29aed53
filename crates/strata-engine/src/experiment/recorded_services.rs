//! What lay beside a recorded session at each of its calls, as far as its events tell.

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::{Session, Str};

use crate::artifacts::{Artifact, Artifacts};
use crate::context::Services;

/// The artifacts the events speak of, without what was in them: those that had been saved before a call.
pub(crate) struct RecordedServices {
    /// From how many events on each holds; the first from the beginning.
    revisions: Vec<(usize, Services)>,
}

impl RecordedServices {
    pub(crate) fn of(session: &Session) -> Self {
        let mut saved: Vec<Saved> = Vec::new();
        let mut places: HashMap<&Str, usize> = HashMap::new();
        for (at, event) in session.events.iter().enumerate() {
            for (name, version) in event.actions.artifact_delta.iter() {
                let version = version.as_i64().map_or(0, |version| version.max(0) as usize);
                let place = *places.entry(name).or_insert(saved.len());
                if place == saved.len() {
                    // Versions count from 0, so the earlier ones of this name were saved before the session's events.
                    let from = if version == 0 { at + 1 } else { 0 };
                    saved.push(Saved { name: name.clone(), from, n_versions: 0 });
                }
                saved[place].n_versions = saved[place].n_versions.max(version + 1);
            }
        }
        saved.sort_by_key(|artifact| artifact.from);
        let from: Vec<usize> = std::iter::once(0).chain(saved.iter().map(|artifact| artifact.from)).collect();
        // Only names are shown, so a call does not need to know how many versions there were at its time.
        let artifacts = saved
            .into_iter()
            .map(|saved| Artifact { name: saved.name, versions: vec![None; saved.n_versions] });
        let services = Artifacts::beginnings(artifacts.collect())
            .into_iter()
            .map(|artifacts| Services { artifacts: Some(Arc::new(artifacts)), memory: None });
        Self { revisions: from.into_iter().zip(services).collect() }
    }

    /// Whether calls that see no more than so many events could use the same.
    pub(crate) fn is_same_until(&self, other: &Self, n_events: usize) -> bool {
        let until = |services: &Self| services.revisions.partition_point(|(from, _)| *from <= n_events);
        let from =
            |services: &Self, n: usize| services.revisions[..n].iter().map(|(from, _)| *from).collect();
        let (n, m): (usize, usize) = (until(self), until(other));
        let (a, b): (Vec<usize>, Vec<usize>) = (from(self, n), from(other, m));
        let names = |services: &Services| {
            let artifacts = services.artifacts.iter().flat_map(|artifacts| artifacts.list());
            artifacts.map(|artifact| artifact.name.clone()).collect::<Vec<_>>()
        };
        a == b && names(self.at(n_events)) == names(other.at(n_events))
    }

    /// What a call that sees `n_events` events could use.
    pub(crate) fn at(&self, n_events: usize) -> &Services {
        let after = self.revisions.partition_point(|(from, _)| *from <= n_events);
        &self.revisions[after - 1].1
    }
}

/// An artifact whose name the events hold.
struct Saved {
    name: Str,
    /// Events after which it is known.
    from: usize,
    n_versions: usize,
}
