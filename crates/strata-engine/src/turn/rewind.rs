//! Rewinding: the event by which ADK takes a session back to before an invocation (`ADK.md` 8.9).

use std::fmt;
use std::sync::Arc;

use strata_model::{Event, EventActions, Json, Object, Part, Scope, Session, Str};

use crate::artifacts::{Artifacts, removed_marker};

/// What a rewind does.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewind {
    /// The event to append. Its ids are given by whoever stores it.
    pub event: Event,
    /// The artifacts afterwards: what changed since is saved again as it was.
    pub artifacts: Option<Artifacts>,
}

/// The session has no event of the invocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvocationNotFound {
    pub invocation_id: Str,
}

impl fmt::Display for InvocationNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Invocation ID not found: {}", self.invocation_id)
    }
}

impl std::error::Error for InvocationNotFound {}

/// Takes a session back to before the first event of an invocation, at `now` in epoch seconds.
///
/// Keys of the session that no event before the cut wrote become null, which is what initial state becomes too; state
/// of the app and the user stays, and so do the user's artifacts.
pub fn rewind(
    session: &Session,
    artifacts: Option<&Artifacts>,
    invocation_id: &str,
    now: f64,
) -> Result<Rewind, InvocationNotFound> {
    let cut = session.events.iter().position(|event| *event.invocation_id == *invocation_id);
    let Some(cut) = cut else { return Err(InvocationNotFound { invocation_id: invocation_id.into() }) };
    let mut artifacts = artifacts.cloned();
    let artifact_delta = match &mut artifacts {
        Some(artifacts) => restore_artifacts(session, cut, artifacts),
        None => Object::new(),
    };
    let actions = EventActions {
        rewind_before_invocation_id: Some(invocation_id.into()),
        state_delta: state_delta(session, cut),
        artifact_delta,
        ..EventActions::default()
    };
    let event = Event { author: "user".into(), actions, timestamp: now, ..Event::default() };
    Ok(Rewind { event, artifacts })
}

fn state_delta(session: &Session, cut: usize) -> Object {
    let is_own = |key: &str| Scope::of(key) == Scope::Session;
    let mut at_cut = Object::new();
    for event in &session.events[..cut] {
        for (key, value) in event.actions.state_delta.iter().filter(|(key, _)| is_own(key)) {
            if value.is_null() {
                at_cut.remove(key);
            } else {
                at_cut.insert(key.clone(), value.clone());
            }
        }
    }
    let mut delta = Object::new();
    for (key, value) in at_cut.iter().filter(|(key, value)| session.state.get(key) != Some(value)) {
        delta.push(key.clone(), value.clone());
    }
    for key in session.state.keys().filter(|key| is_own(key) && !at_cut.contains_key(key)) {
        delta.insert(key.clone(), Json::Null);
    }
    delta
}

/// Saves artifacts again as they were at the cut; those that were not there yet get a version that cannot be loaded.
fn restore_artifacts(session: &Session, cut: usize, artifacts: &mut Artifacts) -> Object {
    let versions = |events: &[Arc<Event>]| {
        let mut versions = Object::new();
        for event in events {
            versions.update(&event.actions.artifact_delta);
        }
        versions
    };
    let at_cut = versions(&session.events[..cut]);
    let mut delta = Object::new();
    for (name, version) in versions(&session.events).iter() {
        let version_at_cut = at_cut.get(name);
        if name.starts_with("user:") || version_at_cut == Some(version) {
            continue;
        }
        let restored: Option<Arc<Part>> = version_at_cut
            .and_then(Json::as_i64)
            .and_then(|version| artifacts.load_version(name, usize::try_from(version).ok()?).cloned());
        delta.push(name.clone(), artifacts.n_versions(name) as i64);
        *artifacts = artifacts.with_saved(name, Some(restored.unwrap_or_else(removed_marker)));
    }
    delta
}
