//! Kind `rewind`: the event of a rewind, and state, artifacts and contents afterwards.

use std::sync::Arc;

use strata_engine::turn::rewind;
use strata_model::{FromJson as _, Json, Object};

use super::{events, given, then};
use crate::diff::diff;
use crate::{Failure, into_result};

pub(crate) fn check_vector(vector: &Json) -> Result<(), Failure> {
    let index = given::app(vector);
    let mut session = given::session(vector.get("session").expect("a session"));
    let services = given::services(vector, None);
    let target = given::text(vector, "rewind_before_invocation_id").unwrap_or_default();
    let expected = vector.get("expected").expect("what is expected");
    let rewound = match rewind(&session, services.artifacts.as_deref(), &target, 7_000_000.0) {
        Ok(rewound) => rewound,
        Err(error) => {
            let error = Object::from_iter([
                ("type", "InvocationNotFoundError".to_owned()),
                ("message", error.to_string()),
            ]);
            return into_result(diff("expected", expected, &Object::from_iter([("error", error)]).into()));
        }
    };
    session.state.update(&rewound.event.actions.state_delta);
    let artifacts = rewound.artifacts.iter().flat_map(|artifacts| {
        artifacts.names().into_iter().map(|name| {
            let mut artifact = Object::new();
            let part = artifacts.load(&name).map_or(Json::Null, |part| part.to_json());
            artifact.push("filename", name);
            artifact.push("part", part);
            Json::from(artifact)
        })
    });
    let mut found = Object::new();
    found.push("event", events::event_json(&rewound.event));
    found.push("state", session.state.clone());
    found.push("artifacts", artifacts.collect::<Vec<_>>());
    let mut wanted = expected.as_object().cloned().unwrap_or_default();
    if let Some(event) = wanted.remove("event") {
        wanted.push("event", events::without_ids(event));
    }
    let mut failure = diff("expected", &wanted.into(), &found.into());
    session.events.push(Arc::new(rewound.event));
    if let Some(then) = vector.get("then") {
        failure.extend(then::check(then, &index, &session));
    }
    into_result(failure)
}
