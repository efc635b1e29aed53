//! The form of edits, which commands, files and stores share: what was written once is read for ever, and written again
//! as it was.

use strata_engine::Edit;

/// Every kind, with every field that it may have; then what may be left out.
const FORMS: &[&str] = &[
    r#"{"edit":"enable_processor","processor":"identity","agent":"bot"}"#,
    r#"{"edit":"disable_processor","processor":"identity"}"#,
    r#"{"edit":"move_processor","processor":"contents","before":"basic","agent":"bot"}"#,
    r#"{"edit":"move_processor","processor":"contents"}"#,
    r#"{"edit":"insert_processor","use":"cap_rows","name":"few","before":"basic","params":{"max_rows":3,"keep":["z","a"]},"agent":"bot"}"#,
    r#"{"edit":"insert_processor","use":"drop_thoughts"}"#,
    r#"{"edit":"configure_processor","processor":"few","params":{"max_rows":1},"agent":"bot"}"#,
    r#"{"edit":"remove_processor","processor":"few"}"#,
    r#"{"edit":"set_state_map","key":"orders","fields":["id","status"]}"#,
    r#"{"edit":"set_instruction","agent":"bot","text":"Look at {hits}."}"#,
    r#"{"edit":"set_static_instruction","agent":"bot","text":null}"#,
    r#"{"edit":"set_global_instruction","text":"Be brief."}"#,
    r#"{"edit":"set_tool","agent":"bot","tool":"grep","declaration":{"name":"grep","parameters":{"type":"OBJECT"}}}"#,
    r#"{"edit":"set_tool","agent":"bot","tool":"grep","declaration":null}"#,
    r#"{"edit":"set_output_schema","agent":"bot","schema":{"type":"object"}}"#,
    r#"{"edit":"set_include_contents","agent":"bot","value":"none"}"#,
    r#"{"edit":"set_cache","config":{"cache_intervals":3}}"#,
    r#"{"edit":"drop_event","event":4}"#,
    r#"{"edit":"edit_event","event":1,"content":{"role":"user","parts":[{"text":"1.5 and 1"}],"n":1.5}}"#,
    r#"{"edit":"pin_event","event":5}"#,
    r#"{"edit":"set_compaction","config":{"compaction_interval":2,"overlap_size":0}}"#,
    r#"{"edit":"set_compaction","config":null}"#,
    r#"{"edit":"lay_summaries","config":"interval=2,overlap=0","prompt":"Say it: {conversation_history}","summaries":[{"after":9,"first":1,"last":3,"content":{"role":"model"},"by":"hand","isolation_scope":"s"}],"cleared":[{"before_call":3,"events":[2,4]}]}"#,
    r#"{"edit":"lay_summaries","config":"off","summaries":[{"after":9,"first":1,"last":3,"content":null}]}"#,
];

#[test]
fn every_kind_is_written_as_it_is_read() {
    for form in FORMS {
        let edit: Edit = serde_json::from_str(form).unwrap_or_else(|error| panic!("{form}: {error}"));
        assert_eq!(serde_json::to_string(&edit).unwrap(), *form);
        assert!(form.starts_with(&format!(r#"{{"edit":"{}""#, edit.name())), "{form}");
    }
}

#[test]
fn a_name_may_stand_anywhere_and_what_is_null_may_be_left_out() {
    let [short, long]: [Edit; 2] = [
        r#"{"agent":"bot","edit":"set_tool","tool":"grep"}"#,
        r#"{"edit":"set_tool","agent":"bot","tool":"grep","declaration":null}"#,
    ]
    .map(|form| serde_json::from_str(form).unwrap());
    assert_eq!(short, long);
}

#[track_caller]
fn refused(form: &str, says: &[&str]) {
    let error = serde_json::from_str::<Edit>(form).expect_err(form).to_string();
    assert!(says.iter().all(|word| error.contains(word)), "{form}: {error}");
}

#[test]
fn a_form_that_does_not_fit_says_which_part_of_it() {
    refused(r#"{"edit":"drop_events","event":3}"#, &["drop_events", "`drop_event`", "`set_compaction`"]);
    refused(r#"{"edit":"drop_event","events":3}"#, &["unknown field `events`", "`event`"]);
    refused(r#"{"edit":"drop_event"}"#, &["missing field `event`"]);
    refused(r#"{"edit":"drop_event","event":-1}"#, &["-1"]);
    refused(r#"{"edit":"lay_summaries","config":"off","summaries":[{"aft":1}]}"#, &["aft", "`after`"]);
    refused(r#"{"event":3}"#, &["`edit` is the name"]);
    refused("[]", &["`edit` is the name"]);
}

/// Pairs of which the later edit sets the same thing, and pairs of which it does not.
#[test]
fn an_edit_takes_the_place_of_one_that_sets_the_same_thing() {
    let overrides = |earlier: &str, later: &str| {
        let [earlier, later]: [Edit; 2] = [earlier, later]
            .map(|form| serde_json::from_str(form).unwrap_or_else(|error| panic!("{form}: {error}")));
        later.overrides(&earlier)
    };
    let few = |params: &str, agent: &str| {
        format!(r#"{{"edit":"configure_processor","processor":"few","params":{params},"agent":"{agent}"}}"#)
    };
    assert!(overrides(&few(r#"{"max_rows":3}"#, "bot"), &few(r#"{"max_rows":1}"#, "bot")));
    assert!(!overrides(&few("{}", "bot"), &few("{}", "other")), "in another agent's flow");
    let instruction =
        |kind: &str, agent: &str| format!(r#"{{"edit":"{kind}","agent":"{agent}","text":"a"}}"#);
    assert!(overrides(&instruction("set_instruction", "bot"), &instruction("set_instruction", "bot")));
    assert!(!overrides(
        &instruction("set_instruction", "bot"),
        &instruction("set_static_instruction", "bot")
    ));
    assert!(!overrides(r#"{"edit":"drop_event","event":1}"#, r#"{"edit":"drop_event","event":1}"#));
    assert!(!overrides(
        r#"{"edit":"drop_event","event":1}"#,
        r#"{"edit":"edit_event","event":1,"content":{}}"#
    ));
    assert!(overrides(r#"{"edit":"set_compaction"}"#, r#"{"edit":"set_compaction","config":{}}"#));
}
