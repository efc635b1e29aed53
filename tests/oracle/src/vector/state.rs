//! Kind `state`: operations of the session service, and the state of every scope after each.

use std::collections::HashMap;

use strata_engine::turn::{EventLimit, SessionError, Sessions};
use strata_model::{Event, Json, Object, Session, StateScopes, Str};

use super::given;
use crate::diff::diff;
use crate::{Failure, into_result};

pub(crate) fn check_vector(vector: &Json) -> Result<(), Failure> {
    let mut service = Service::default();
    let mut failure = Vec::new();
    for (at, step) in vector.get("steps").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        let mut found =
            service.run(step).unwrap_or_else(|error| Object::from_iter([("error", error_json(&error))]));
        let app_states: Object =
            service.sessions.app_states().iter().map(|(app, state)| (app.clone(), state.clone())).collect();
        found.push("app_state", app_states);
        let expected = without_wording(step.get("expected").expect("what is expected"));
        let op = given::text(step, "op").unwrap_or_default();
        failure.extend(diff(&format!("step {at} ({op})"), &expected, &found.into()));
    }
    into_result(failure)
}

/// A session service and the copies of sessions its caller holds.
#[derive(Default)]
struct Service {
    sessions: Sessions,
    /// The copy last created or fetched, by id.
    live: HashMap<Str, Session>,
}

impl Service {
    fn run(&mut self, step: &Json) -> Result<Object, SessionError> {
        let text = |key: &str| given::text(step, key).unwrap_or_default();
        let (app_name, user_id, session_id) = (text("app_name"), text("user_id"), text("session_id"));
        let mut found = Object::new();
        match &*text("op") {
            "create" => {
                let state = step.get("state").and_then(Json::as_object).cloned().unwrap_or_default();
                let asked = given::text(step, "session_id");
                let session = self.sessions.create(&app_name, &user_id, &state, asked.as_deref(), "new")?;
                found.push("session_state", session.state.clone());
                self.live.insert(session.id.clone(), session);
            }
            "append" => {
                let event = given::read::<Event>(step.get("event").expect("an event"));
                let id = strata_model::python::strip(&session_id);
                let live = self.live.get_mut(id).expect("a live session");
                let kept = self.sessions.append(live, &event)?;
                found.push("live_state", live.state.clone());
                found.push("stored_delta", kept.actions.state_delta.clone());
                found.push("live_event_count", live.events.len() as i64);
            }
            "get" => {
                let limit = step.get("config").map(limit).unwrap_or_default();
                match self.sessions.get(&app_name, &user_id, &session_id, limit)? {
                    None => found.push("found", false),
                    Some(session) => {
                        found.push("session_state", session.state.clone());
                        let ids = session.events.iter().map(|event| Json::from(event.id.clone()));
                        found.push("event_ids", ids.collect::<Vec<_>>());
                        if step.get("peek").and_then(Json::as_bool) != Some(true) {
                            self.live.insert(session.id.clone(), session);
                        }
                    }
                }
            }
            "user_state" => found.push("user_state", self.sessions.user_state(&app_name, &user_id)),
            "delete" => self.sessions.delete(&app_name, &user_id, &session_id),
            "split" => {
                let state = step.get("state").and_then(Json::as_object).cloned().unwrap_or_default();
                let scopes = StateScopes::split(&state);
                let fields = [("app", scopes.app), ("user", scopes.user), ("session", scopes.session)];
                found.push("scopes", Object::from_iter(fields));
            }
            op => panic!("an operation {op}"),
        }
        Ok(found)
    }
}

fn limit(config: &Json) -> EventLimit {
    EventLimit {
        num_recent_events: config.get("num_recent_events").and_then(Json::as_i64),
        after_timestamp: config.get("after_timestamp").and_then(Json::as_f64),
    }
}

fn error_json(error: &SessionError) -> Object {
    match error {
        SessionError::AlreadyExists { .. } => {
            Object::from_iter([("type", "AlreadyExistsError".to_owned()), ("message", error.to_string())])
        }
        SessionError::NotFound { .. } => {
            Object::from_iter([("type", "SessionNotFoundError".to_owned()), ("message", error.to_string())])
        }
        SessionError::NegativeLimit { .. } => {
            let mut invalid = Object::new();
            invalid.push("loc", vec!["num_recent_events".into()]);
            invalid.push("type", "value_error");
            let mut out = Object::from_iter([("type", "ValidationError")]);
            out.push("errors", vec![invalid.into()]);
            out
        }
    }
}

/// `expected` without `msg` of validation errors, which is pydantic's wording.
pub(crate) fn without_wording(expected: &Json) -> Json {
    match expected {
        Json::Array(items) => items.iter().map(without_wording).collect::<Vec<_>>().into(),
        Json::Object(object) if object.contains_key("loc") && object.contains_key("msg") => {
            let mut object = object.clone();
            object.remove("msg");
            object.into()
        }
        Json::Object(object) => object
            .iter()
            .map(|(key, value)| {
                (
                    key.clone(),
                    if **key == *"error" || **key == *"errors" {
                        without_wording(value)
                    } else {
                        value.clone()
                    },
                )
            })
            .collect::<Object>()
            .into(),
        other => other.clone(),
    }
}
