//! What keeps every prefix, and is no cause of anything.

use serde_json::json;

use crate::causes::conversation::{CHANGED, Request, Said, conversation};

/// Conversations of which nothing is to be said, each with a name.
pub(in crate::causes) fn harmless() -> Vec<(&'static str, Vec<Request>)> {
    let all = |change: fn(&mut Request)| {
        let mut requests = conversation();
        requests.iter_mut().for_each(change);
        requests
    };
    let from_call = |change: fn(&mut Request)| {
        let mut requests = conversation();
        requests.iter_mut().skip(CHANGED as usize - 1).for_each(change);
        requests
    };
    vec![
        ("nothing else", conversation()),
        (
            "another temperature",
            from_call(|request| {
                for (name, value) in &mut request.settings {
                    if *name == "temperature" {
                        *value = json!(0.9);
                    }
                }
            }),
        ),
        ("a pause that is short enough", from_call(|request| request.time += 200.0)),
        (
            "a block of the client that stays",
            all(|request| request.system.insert(0, "x-client: 2.1.7".to_owned())),
        ),
        ("no picture", all(|request| request.history.retain(|said| *said != Said::Picture))),
        (
            "a reminder in every new message, which stays",
            all(|request| {
                for said in &mut request.history {
                    if let Said::User(text) = said {
                        text.push_str("\n<system-reminder>Be brief.</system-reminder>");
                    }
                }
            }),
        ),
        (
            "the time in every new message",
            all(|request| {
                for (at, said) in request.history.iter_mut().enumerate() {
                    if let Said::User(text) = said {
                        *text = format!("Question at 10:{:02}:07. {text}", at + 10);
                    }
                }
            }),
        ),
    ]
}
