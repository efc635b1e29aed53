//! What lay beside a recorded session at each of its calls: as far as its events tell, and what was given.

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::{GivenServices, Part, Session, StoredArtifact, Str};

use crate::artifacts::{Artifact, Artifacts};
use crate::context::{ArtifactsKnown, Services};
use crate::memory::Memory;

/// The artifacts that had been saved before a call, and memory. What was in an artifact is known where it was given.
pub(crate) struct RecordedServices {
    /// From how many events on each holds; the first from the beginning.
    revisions: Vec<(usize, Services)>,
}

impl RecordedServices {
    pub(crate) fn of(session: &Session, given: &GivenServices) -> Self {
        let memory = given.memory.clone().map(Memory::Given);
        let (artifacts_known, revisions) = match &given.artifacts {
            Some(stored) => (ArtifactsKnown::Names, stored_ones(session, stored)),
            None => (ArtifactsKnown::Told, told_ones(session)),
        };
        let with_memory = |(from, artifacts): (usize, Artifacts)| {
            let artifacts = Some(Arc::new(artifacts));
            (from, Services { artifacts, artifacts_known, memory: memory.clone() })
        };
        Self { revisions: revisions.into_iter().map(with_memory).collect() }
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

/// That a version of an artifact was saved, as an event tells.
struct Save<'s> {
    /// Events after which it is known.
    from: usize,
    name: &'s Str,
    version: usize,
}

fn saves(session: &Session) -> impl Iterator<Item = Save<'_>> {
    session.events.iter().enumerate().flat_map(|(at, event)| {
        event.actions.artifact_delta.iter().map(move |(name, version)| {
            let version = version.as_i64().map_or(0, |version| version.max(0) as usize);
            Save { from: at + 1, name, version }
        })
    })
}

/// The artifacts that events speak of, without what was in them.
fn told_ones(session: &Session) -> Vec<(usize, Artifacts)> {
    struct Told {
        name: Str,
        from: usize,
        n_versions: usize,
    }
    let mut told: Vec<Told> = Vec::new();
    let mut places: HashMap<&Str, usize> = HashMap::new();
    for Save { from, name, version } in saves(session) {
        let place = *places.entry(name).or_insert(told.len());
        if place == told.len() {
            // Versions count from 0, so the earlier ones of this name were saved before the session's events.
            let from = if version == 0 { from } else { 0 };
            told.push(Told { name: name.clone(), from, n_versions: 0 });
        }
        told[place].n_versions = told[place].n_versions.max(version + 1);
    }
    told.sort_by_key(|artifact| artifact.from);
    let from: Vec<usize> = std::iter::once(0).chain(told.iter().map(|artifact| artifact.from)).collect();
    // Only names are shown, so a call does not need to know how many versions there were at its time.
    let artifacts =
        told.into_iter().map(|told| Artifact { name: told.name, versions: vec![None; told.n_versions] });
    from.into_iter().zip(Artifacts::beginnings(artifacts.collect())).collect()
}

/// Those that were given, from where each version of them was there: the event that tells that it was saved, else the
/// first event behind the time at which it was. Those that events tell of and that are there no more have no content.
fn stored_ones(session: &Session, stored: &[StoredArtifact]) -> Vec<(usize, Artifacts)> {
    let mut told: HashMap<(&str, usize), usize> = HashMap::new();
    for Save { from, name, version } in saves(session) {
        told.entry((&**name, version)).or_insert(from);
    }
    let mut versions: Vec<(usize, &Str, usize, Option<&Arc<Part>>)> = Vec::new();
    for artifact in stored {
        for (version, stored) in artifact.versions.iter().enumerate() {
            let told = told.remove(&(&*artifact.name, version));
            let by_time = || {
                let saved_at = stored.as_ref()?.saved_at?;
                Some(session.events.partition_point(|event| event.timestamp < saved_at))
            };
            let from = told.or_else(by_time).unwrap_or(0);
            versions.push((from, &artifact.name, version, stored.as_ref().map(|stored| &stored.part)));
        }
    }
    versions.extend(saves(session).filter_map(|save| {
        let from = told.remove(&(&**save.name, save.version))?;
        Some((from, save.name, save.version, None))
    }));
    versions.sort_by_key(|(from, _, version, _)| (*from, *version));
    let mut artifacts = Artifacts::new(Vec::new());
    let mut revisions = vec![(0, artifacts.clone())];
    for at_once in versions.chunk_by(|(a, ..), (b, ..)| a == b) {
        for (_, name, version, part) in at_once {
            artifacts = artifacts.with_version(name, *version, *part);
        }
        revisions.push((at_once[0].0, artifacts.clone()));
    }
    revisions
}
