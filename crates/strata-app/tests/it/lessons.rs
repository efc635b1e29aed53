//! Lessons as the window runs them.

use serde_json::{Value, json};
use strata_app::ErrorCode;

use crate::{ask, refuse, start, start_at};

fn progress(list: &Value, id: &str) -> Value {
    let lessons = list["lessons"].as_array().expect("lessons");
    lessons.iter().find(|lesson| lesson["row"]["id"] == id).expect("the lesson").clone()
}

#[test]
fn a_lesson_is_met_by_an_experiment_and_that_is_remembered() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("x.db");
    let strata = start_at(&database);
    let page = ask(&strata, "lesson/get", &json!({ "lesson": "filtering", "withSolutions": true }));
    assert_eq!((&page["explanation"], &page["progress"]["isSolved"]), (&Value::Null, &Value::from(false)));
    let experiment = ask(&strata, "lesson/start", &json!({ "lesson": "filtering" }))["experiment"].clone();
    let grade = json!({ "lesson": "filtering", "experiment": experiment, "answers": {} });
    assert_eq!(ask(&strata, "lesson/grade", &grade)["isSolved"], false);

    let edits = &page["solutions"][0]["edits"];
    ask(
        &strata,
        "experiment/edit",
        &json!({ "experiment": experiment, "edits": edits, "replacesLast": false }),
    );
    let met = ask(&strata, "lesson/grade", &grade);
    assert_eq!(met["isSolved"], true, "{met}");
    assert!(met["explanation"].as_str().is_some_and(|text| !text.is_empty()));

    // Taking the edit back does not take the lesson back, and neither does another start.
    ask(&strata, "experiment/undo", &json!({ "experiment": experiment }));
    assert_eq!(ask(&strata, "lesson/grade", &grade)["isSolved"], false);
    drop(strata);
    let list = ask(&start_at(&database), "lesson/list", &json!({}));
    let progress = progress(&list, "filtering");
    assert_eq!(progress["isSolved"], true);
    assert_eq!(progress["met"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_lesson_with_a_session_of_its_own_brings_it_along_once() {
    let strata = start();
    let started = ask(&strata, "lesson/start", &json!({ "lesson": "seven-fixes" }));
    let session = started["session"].clone();
    let again = ask(&strata, "lesson/start", &json!({ "lesson": "seven-fixes" }));
    assert_eq!(again["session"], session);
    assert_ne!(again["experiment"], started["experiment"]);

    // It is the session with the app that it ran in, so that its numbers are those that goals are about.
    let header = ask(&strata, "session/open", &json!({ "session": session }));
    assert_eq!(header["app"]["name"], "ads_june", "{header}");
    let graded = json!({
        "lesson": "seven-fixes",
        "experiment": started["experiment"],
        "answers": { "heaviest": "run_query" },
    });
    let goals = ask(&strata, "lesson/grade", &graded)["goals"].clone();
    assert_eq!((&goals[0]["goal"], &goals[0]["isMet"]), (&Value::from("heaviest"), &Value::from(true)));
}

#[test]
fn what_cannot_be_graded_is_refused() {
    let strata = start();
    let other = ask(&strata, "lesson/start", &json!({ "lesson": "coding-agent" }))["experiment"].clone();
    let grade = json!({ "lesson": "filtering", "experiment": other, "answers": {} });
    let (code, message) = refuse(&strata, "lesson/grade", &grade);
    assert_eq!(code, ErrorCode::BadInput);
    assert!(message.contains("over another session than that of the lesson"), "{message}");
    let grade = json!({ "lesson": "prefixes", "experiment": null, "answers": { "kay": "hits" } });
    assert!(refuse(&strata, "lesson/grade", &grade).1.contains("Did you mean key?"));
    let (code, _) = refuse(&strata, "lesson/get", &json!({ "lesson": "nothing", "withSolutions": false }));
    assert_eq!(code, ErrorCode::NotFound);
}
