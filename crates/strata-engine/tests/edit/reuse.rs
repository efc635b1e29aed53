//! Which stages run again after an edit.

use strata_engine::{Catalog, StageCache};

use crate::{edits, sample};

/// Stages of a call that were not taken from before, after an edit of a session that was compiled whole.
#[track_caller]
fn check_reruns(call: u32, text: &str, expected: &[&str]) {
    let base = sample();
    let mut cache = StageCache::new();
    for call in base.calls() {
        base.compile(call, &mut cache);
    }
    let edited = base.lay(&edits(text), &Catalog::new()).finish();
    let is_error = |note: &strata_engine::EditNote| note.severity == strata_model::Severity::Error;
    assert!(!edited.notes.iter().any(is_error), "{:?}", edited.notes);
    let call = edited.experiment.call(call).expect("the call");
    let compiled = edited.experiment.compile(call, &mut cache).expect("its agent is there");
    let ran: Vec<&str> =
        compiled.stages.iter().filter(|stage| !stage.is_reused).map(|stage| &*stage.processor).collect();
    assert_eq!(ran, expected);
}

/// Stages behind `identity` that look at the system instruction.
const READ_SYSTEM: &[&str] = &[
    "nl_planning",
    "code_execution",
    "output_schema",
    "agent_transfer",
    "agent_tools",
    "dynamic_instructions",
];

#[test]
fn an_edit_at_a_stage_reruns_it_and_what_reads_its_result() {
    check_reruns(25, "[]", &[]);
    check_reruns(
        25,
        r#"[{"edit":"insert_processor","use":"cap_rows","params":{"max_rows":2}}]"#,
        &["cap_rows"],
    );
    check_reruns(25, r#"[{"edit":"disable_processor","processor":"identity"}]"#, READ_SYSTEM);
    let set = r#"[{"edit":"set_instruction","agent":"log_analyst","text":"Short."}]"#;
    check_reruns(25, set, &[&["instructions", "identity"], READ_SYSTEM].concat());
    check_reruns(25, r#"[{"edit":"set_instruction","agent":"report_writer","text":"Short."}]"#, &[]);
    check_reruns(
        25,
        r#"[{"edit":"drop_event","event":60000}]"#.replace("60000", "3").as_str(),
        &["contents"],
    );
    check_reruns(25, r#"[{"edit":"set_cache","config":{"cache_intervals":3}}]"#, &["context_cache"]);
}

#[test]
fn an_edit_of_a_late_event_leaves_earlier_calls_alone() {
    let base = sample();
    let last = base.session().events.len();
    let text = format!(r#"[{{"edit":"drop_event","event":{}}}]"#, last - 2);
    check_reruns(10, &text, &[]);
}
