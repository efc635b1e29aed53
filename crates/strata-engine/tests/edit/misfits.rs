//! Edits that do not fit say so, and all others count.

use strata_engine::{Catalog, Edited};

use crate::{edits, last_contents, sample};

#[track_caller]
fn check(text: &str, code: &str, says: &str) {
    let text = format!("[{text}, {{\"edit\":\"disable_processor\",\"processor\":\"identity\"}}]");
    let Edited { experiment, notes } = sample().lay(&edits(&text), &Catalog::new()).finish();
    let [found] = &notes[..] else { panic!("{notes:?}") };
    assert_eq!((found.code, &*found.diagnostic().at), (code, "edits[0]"));
    assert!(found.message.contains(says), "{}", found.message);
    let agent = experiment.index().ids().next().expect("an agent");
    let flow = experiment.flow(agent);
    assert!(
        !flow.steps()[flow.position("identity").expect("it is there")].is_enabled,
        "the other edit counts"
    );
}

#[test]
fn what_is_not_there_is_named_with_what_is() {
    check(
        r#"{"edit":"disable_processor","processor":"nope"}"#,
        "edit-no-processor",
        "basic, auth, request_confirmation",
    );
    check(
        r#"{"edit":"disable_processor","processor":"basic","agent":"nope"}"#,
        "edit-no-agent",
        "coordinator, log_analyst",
    );
    check(
        r#"{"edit":"set_instruction","agent":"nope","text":"x"}"#,
        "edit-no-agent",
        "coordinator, log_analyst",
    );
    check(
        r#"{"edit":"set_tool","agent":"log_analyst","tool":"nope"}"#,
        "edit-no-tool",
        "search_logs, read_file",
    );
    check(r#"{"edit":"drop_event","event":0}"#, "edit-no-event", "E1 to E");
    check(r#"{"edit":"pin_event","event":99999}"#, "edit-no-event", "E1 to E");
    check(r#"{"edit":"edit_event","event":1,"content":5}"#, "edit-content", "role");
    check(r#"{"edit":"insert_processor","use":"nope"}"#, "edit-params", "strip_agent_traffic, cap_rows");
    check(
        r#"{"edit":"insert_processor","use":"cap_rows","params":{"rows":1}}"#,
        "edit-params",
        "max_rows, tools",
    );
    check(
        r#"{"edit":"insert_processor","use":"cap_rows","params":{"max_rows":-1}}"#,
        "edit-params",
        "from 0 to 100000",
    );
    check(
        r#"{"edit":"insert_processor","use":"cap_rows","before":"nope"}"#,
        "edit-no-processor",
        "model_call",
    );
    check(r#"{"edit":"insert_processor","use":"cap_rows","name":"contents"}"#, "edit-name-taken", "unique");
    check(
        r#"{"edit":"configure_processor","processor":"contents","params":{}}"#,
        "edit-not-inserted",
        "switched off",
    );
    check(r#"{"edit":"remove_processor","processor":"contents"}"#, "edit-not-inserted", "switched off");
    check(r#"{"edit":"insert_processor","use":"retention"}"#, "edit-params", "max_turns");
    check(
        r#"{"edit":"set_include_contents","agent":"coordinator","value":"some"}"#,
        "edit-include-contents",
        "`none`",
    );
}

#[test]
fn a_wrong_order_is_reported_and_compiles() {
    let base = sample();
    let text = r#"[{"edit":"move_processor","processor":"contents","before":"basic"}]"#;
    let Edited { experiment, notes } = base.lay(&edits(text), &Catalog::new()).finish();
    assert!(notes.is_empty());
    let mut cache = strata_engine::StageCache::new();
    let compiled = experiment.compile(experiment.call(5).unwrap(), &mut cache).unwrap();
    assert!(
        compiled
            .violations
            .iter()
            .any(|found| &*found.processor == "contents" && &*found.required == "instructions")
    );
    assert!(!last_contents(&experiment).is_empty());
}
