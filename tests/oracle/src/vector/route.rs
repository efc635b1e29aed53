//! Kind `route`: who answers a message.

use strata_engine::turn::route;
use strata_model::{Content, Json, Object};

use super::given;
use crate::diff::diff;
use crate::{Failure, into_result};

pub(crate) fn check_vector(vector: &Json) -> Result<(), Failure> {
    let index = given::app(vector);
    let session = given::session(vector.get("session").expect("a session"));
    let message = given::read::<Content>(vector.get("new_message").expect("a message"));
    let mut found = Object::new();
    match route(&index, &session, &message) {
        Ok(route) => {
            found.push("agent", route.agent);
            found.push_some("branch", route.branch);
            found.push_some("resumed_invocation_id", route.resumed_invocation_id);
        }
        Err(error) => {
            let error = [("type", Json::from("ValueError")), ("message", error.message.into())];
            found.push("error", Object::from_iter(error));
        }
    }
    into_result(diff("expected", vector.get("expected").expect("what is expected"), &found.into()))
}
