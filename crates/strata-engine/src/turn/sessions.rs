//! Sessions as ADK's in-memory service keeps them: state in three scopes, and copies that can grow stale.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use strata_model::{Event, Object, Scope, Session, StateScopes, Str, python};

/// All sessions of a service. `app:` state is kept once an app, `user:` state once a user of an app.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sessions {
    /// By app, user and id.
    stored: BTreeMap<(Str, Str, Str), Session>,
    /// By app, without prefix.
    app_states: BTreeMap<Str, Object>,
    /// By app and user, without prefix.
    user_states: BTreeMap<(Str, Str), Object>,
}

/// Which events of a session are fetched.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EventLimit {
    /// At most this many, the newest.
    pub num_recent_events: Option<i64>,
    /// Epoch seconds; everything behind the last event before that time.
    pub after_timestamp: Option<f64>,
}

/// What ADK's service refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionError {
    AlreadyExists { session_id: Str },
    NotFound { session_id: Str },
    NegativeLimit { num_recent_events: i64 },
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyExists { session_id } => write!(f, "Session with id {session_id} already exists."),
            Self::NotFound { session_id } => write!(f, "Session {session_id} not found."),
            Self::NegativeLimit { .. } => {
                f.write_str("num_recent_events must be greater than or equal to 0.")
            }
        }
    }
}

impl std::error::Error for SessionError {}

impl Sessions {
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a session and returns a copy of it. `asked_id` is stripped; without one the session is called `new_id`.
    pub fn create(
        &mut self,
        app_name: &str,
        user_id: &str,
        state: &Object,
        asked_id: Option<&str>,
        new_id: &str,
    ) -> Result<Session, SessionError> {
        let asked = asked_id.map(python::strip).filter(|id| !id.is_empty());
        let session_id: Str = asked.unwrap_or(new_id).into();
        let key = (Str::from(app_name), Str::from(user_id), session_id.clone());
        if asked.is_some() && self.stored.contains_key(&key) {
            return Err(SessionError::AlreadyExists { session_id });
        }
        let scopes = StateScopes::split(state);
        self.write_shared(&key.0, &key.1, &scopes);
        let session = Session {
            id: session_id,
            app_name: key.0.clone(),
            user_id: key.1.clone(),
            state: scopes.session,
            ..Session::default()
        };
        let copy = self.with_shared_state(session.clone());
        self.stored.insert(key, session);
        Ok(copy)
    }

    /// A copy of a session with the state of all scopes; `None` if there is no such session.
    pub fn get(
        &self,
        app_name: &str,
        user_id: &str,
        session_id: &str,
        limit: EventLimit,
    ) -> Result<Option<Session>, SessionError> {
        if let Some(num_recent_events) = limit.num_recent_events.filter(|limit| *limit < 0) {
            return Err(SessionError::NegativeLimit { num_recent_events });
        }
        let key = (app_name.into(), user_id.into(), python::strip(session_id).into());
        Ok(self.stored.get(&key).map(|session| {
            let events = limit.of(&session.events).to_vec();
            self.with_shared_state(Session { events, ..session.clone() })
        }))
    }

    /// Appends an event to a session and to the copy of it that `live` is. Partial events change nothing, and an
    /// event that is delivered again is taken once. Returns the event as it is kept, without `temp:` state.
    pub fn append(&mut self, live: &mut Session, event: &Event) -> Result<Arc<Event>, SessionError> {
        let n_before = self.n_events(live);
        let kept = self.store(&live.app_name, &live.user_id, &live.id, event)?;
        if self.n_events(live) > n_before {
            live.state.update(&event.actions.state_delta);
            live.events.push(kept.clone());
            live.last_update_time = event.timestamp;
        }
        Ok(kept)
    }

    fn n_events(&self, live: &Session) -> usize {
        let key = (live.app_name.clone(), live.user_id.clone(), live.id.clone());
        self.stored.get(&key).map_or(0, |session| session.events.len())
    }

    /// As [`Self::append`], for a caller that keeps its copy by itself.
    pub fn store(
        &mut self,
        app_name: &str,
        user_id: &str,
        session_id: &str,
        event: &Event,
    ) -> Result<Arc<Event>, SessionError> {
        if event.partial == Some(true) {
            return Ok(Arc::new(event.clone()));
        }
        let key = (Str::from(app_name), Str::from(user_id), Str::from(session_id));
        let Some(stored) = self.stored.get_mut(&key) else {
            return Err(SessionError::NotFound { session_id: session_id.into() });
        };
        // Newest first: what is delivered again was mostly delivered just now.
        if stored.events.iter().rev().any(|known| known.id == event.id && **known == *event) {
            return Ok(Arc::new(event.clone()));
        }
        let mut kept = event.clone();
        kept.actions.state_delta.retain(|name, _| Scope::of(name) != Scope::Temp);
        let kept = Arc::new(kept);
        let scopes = StateScopes::split(&kept.actions.state_delta);
        stored.events.push(kept.clone());
        stored.last_update_time = event.timestamp;
        stored.state.update(&scopes.session);
        self.write_shared(&key.0, &key.1, &scopes);
        Ok(kept)
    }

    /// Forgets a session, if there is one. Shared state stays.
    pub fn delete(&mut self, app_name: &str, user_id: &str, session_id: &str) {
        self.stored.remove(&(app_name.into(), user_id.into(), python::strip(session_id).into()));
    }

    /// State of a user in all sessions of an app, without prefix.
    pub fn user_state(&self, app_name: &str, user_id: &str) -> Object {
        self.user_states.get(&(app_name.into(), user_id.into())).cloned().unwrap_or_default()
    }

    /// State of all apps that have any, without prefix.
    pub fn app_states(&self) -> &BTreeMap<Str, Object> {
        &self.app_states
    }

    fn write_shared(&mut self, app_name: &Str, user_id: &Str, scopes: &StateScopes) {
        if !scopes.app.is_empty() {
            self.app_states.entry(app_name.clone()).or_default().update(&scopes.app);
        }
        if !scopes.user.is_empty() {
            let key = (app_name.clone(), user_id.clone());
            self.user_states.entry(key).or_default().update(&scopes.user);
        }
    }

    fn with_shared_state(&self, mut session: Session) -> Session {
        let scopes = StateScopes {
            app: self.app_states.get(&session.app_name).cloned().unwrap_or_default(),
            user: self.user_state(&session.app_name, &session.user_id),
            session: std::mem::take(&mut session.state),
        };
        session.state = scopes.merged();
        session
    }
}

impl EventLimit {
    /// The events of a session that are fetched.
    pub fn of(self, events: &[Arc<Event>]) -> &[Arc<Event>] {
        let first = self
            .num_recent_events
            .map_or(0, |limit| events.len().saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX)));
        let recent = &events[first..];
        let last_before =
            self.after_timestamp.and_then(|after| recent.iter().rposition(|event| event.timestamp < after));
        last_before.map_or(recent, |last| &recent[last + 1..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: &str, timestamp: f64, delta: &[(&str, i64)]) -> Event {
        let mut event = Event { id: id.into(), timestamp, ..Event::default() };
        event.actions.state_delta = delta.iter().map(|(key, value)| (*key, *value)).collect();
        event
    }

    #[test]
    fn what_lives_for_one_run_is_seen_but_not_kept() {
        let mut sessions = Sessions::new();
        let mut live = sessions.create("app", "u", &Object::new(), Some("s"), "").unwrap();
        let kept = sessions.append(&mut live, &event("e", 1.0, &[("temp:x", 1), ("y", 2)])).unwrap();
        assert!(live.state.contains_key("temp:x"));
        assert_eq!(kept.actions.state_delta, Object::from_iter([("y", 2_i64)]));
        let again = sessions.get("app", "u", "s", EventLimit::default()).unwrap().unwrap();
        assert_eq!(again.state, Object::from_iter([("y", 2_i64)]));
    }

    #[test]
    fn limits_cut_from_the_front() {
        let mut sessions = Sessions::new();
        let mut live = sessions.create("app", "u", &Object::new(), None, "made").unwrap();
        for at in 0..4 {
            sessions.append(&mut live, &event(&at.to_string(), f64::from(at), &[])).unwrap();
        }
        let ids = |num_recent_events, after_timestamp| -> Vec<String> {
            let limit = EventLimit { num_recent_events, after_timestamp };
            let session = sessions.get("app", "u", "made", limit).unwrap().unwrap();
            session.events.iter().map(|event| event.id.to_string()).collect()
        };
        assert_eq!(ids(Some(2), None), ["2", "3"]);
        assert_eq!(ids(Some(0), None), [] as [&str; 0]);
        assert_eq!(ids(None, Some(2.0)), ["2", "3"]);
        assert_eq!(ids(None, Some(-1.0)), ["0", "1", "2", "3"]);
        assert_eq!(ids(Some(9), Some(1.5)), ["2", "3"]);
    }
}
