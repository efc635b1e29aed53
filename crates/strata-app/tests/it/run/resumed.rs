//! Sessions that are gone on with where they were interrupted.

use serde_json::{Value, json};
use strata_app::AppError;
use strata_app::report::{RunChoice, RunReport};

use super::{Desk, one_agent, run, tool, value};

/// An app whose agent calls `look`, resumable or not, and its session after the answers of a script.
fn begun(is_resumable: bool, script: &Value) -> (Desk, RunReport) {
    let mut app = one_agent(&[tool("look")]);
    app["resumability_config"] = json!({"is_resumable": is_resumable});
    let desk = Desk::new(&app);
    desk.file("tools.js", "export function look({n}) { return {found: n} }");
    let choice = RunChoice { tools: Some(desk.path("tools.js")), ..desk.scripted(script) };
    let report = run(&choice, &["Go."]).unwrap();
    (desk, report)
}

fn resumed(desk: &Desk, session: &str, script: &Value) -> Result<RunReport, AppError> {
    let tools = Some(desk.path("tools.js"));
    let session = Some(session.to_owned());
    run(&RunChoice { session, resumes: true, tools, ..desk.scripted(script) }, &[])
}

#[test]
fn what_failed_goes_on_where_it_stood() {
    let call = json!({"calls": [{"name": "look", "args": {"n": 1}}]});
    let (desk, first) = begun(true, &json!([call, {"error": "The server is on fire."}]));
    assert!(first.error.is_some());
    let on = resumed(&desk, &first.session, &json!(["Found."])).unwrap();
    assert!(on.error.is_none(), "{:?}", on.error);
    assert_eq!(value(&on)["calls"].as_array().map(Vec::len), Some(1), "the tool is not called again");
    let again = resumed(&desk, &first.session, &json!(["Too much."])).unwrap_err();
    assert!(again.message.contains("came to its end"), "{}", again.message);
}

#[test]
fn where_nothing_was_interrupted_there_is_nothing_to_resume() {
    for (is_resumable, because) in [(true, "came to its end"), (false, "The app desk is not resumable")] {
        let (desk, first) = begun(is_resumable, &json!(["Hello."]));
        let refused = resumed(&desk, &first.session, &json!(["Hello again."])).unwrap_err();
        assert!(refused.message.contains(because), "{}", refused.message);
        let id = strata_store::SessionId::from(&*first.session);
        let stored = desk.store().read_session(&id).unwrap().unwrap();
        assert_eq!(stored.events.len(), first.events.len(), "nothing is added");
    }
}
