//! Whatever was edited and undone before: what is compiled is what compiling from scratch gives.

use proptest::prelude::*;
use strata_engine::{Edit, StageCache};
use strata_measure::analysis::{Counting, SessionAnalysis};

use super::{compile_all, edited, edits, sample};

const EDITS: &str = r#"[
    {"edit": "disable_processor", "processor": "identity"},
    {"edit": "disable_processor", "processor": "contents", "agent": "report_writer"},
    {"edit": "enable_processor", "processor": "contents"},
    {"edit": "move_processor", "processor": "instructions", "before": "agent_tools"},
    {"edit": "move_processor", "processor": "contents"},
    {"edit": "insert_processor", "use": "cap_rows", "params": {"max_rows": 3}},
    {"edit": "insert_processor", "use": "summarize_results", "params": {"min_rows": 2, "keep_turns": 1}},
    {"edit": "insert_processor", "use": "truncate_middle", "params": {"max_chars": 100, "what": "both", "keep_turns": 2}},
    {"edit": "insert_processor", "use": "strip_agent_traffic"},
    {"edit": "insert_processor", "use": "retention", "params": {"max_turns": 2, "step": 2}},
    {"edit": "insert_processor", "use": "deduplicate", "params": {"min_chars": 100}},
    {"edit": "insert_processor", "use": "drop_thoughts"},
    {"edit": "insert_processor", "use": "offload_results", "params": {"min_chars": 300}},
    {"edit": "insert_processor", "use": "move_volatile"},
    {"edit": "insert_processor", "use": "drop_tools", "params": {"tools": ["grep"]}},
    {"edit": "configure_processor", "processor": "cap_rows", "params": {"max_rows": 1}},
    {"edit": "remove_processor", "processor": "retention"},
    {"edit": "set_instruction", "agent": "log_analyst", "text": "Look at {hits}."},
    {"edit": "set_static_instruction", "agent": "coordinator", "text": "Always the same."},
    {"edit": "set_global_instruction", "text": "Be brief."},
    {"edit": "set_include_contents", "agent": "report_writer", "value": "none"},
    {"edit": "set_tool", "agent": "log_analyst", "tool": "grep"},
    {"edit": "set_compaction", "config": {"compaction_interval": 2, "overlap_size": 0}},
    {"edit": "lay_summaries", "config": "interval=2,overlap=0", "summaries": [{"after": 9, "first": 1, "last": 3, "content": {"role": "model", "parts": [{"text": "The user reports failing invoices."}]}, "by": "hand"}]},
    {"edit": "set_state_map", "key": "queries", "fields": ["status"]},
    {"edit": "drop_event", "event": 4},
    {"edit": "drop_event", "event": 37},
    {"edit": "pin_event", "event": 5},
    {"edit": "pin_event", "event": 12},
    {"edit": "edit_event", "event": 1, "content": {"role": "user", "parts": [{"text": "Something else"}]}}
]"#;

/// Making an edit, or taking the last one back.
fn steps() -> impl Strategy<Value = Vec<Option<usize>>> {
    let n_edits = edits(EDITS).len();
    prop::collection::vec(prop_oneof![3 => (0..n_edits).prop_map(Some), 1 => Just(None)], 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn edits_and_undos_compile_to_what_compiling_from_scratch_gives(steps in steps()) {
        let base = sample();
        let all = edits(EDITS);
        let mut cache = StageCache::new();
        let mut made: Vec<Edit> = Vec::new();
        for step in steps {
            match step {
                Some(edit) => made.push(all[edit].clone()),
                None => { made.pop(); }
            }
            cache.next_generation();
            let experiment = edited(&base, &made).experiment;
            let known = compile_all(&experiment, &mut cache);
            let fresh = edited(&sample(), &made).experiment;
            let scratch = compile_all(&fresh, &mut StageCache::new());
            for (call, (known, scratch)) in known.iter().zip(&scratch).enumerate() {
                let json = |request: &Option<strata_model::LlmRequest>| {
                    request.as_ref().map(|request| strata_model::json::to_compact(&request.to_json()))
                };
                prop_assert_eq!(json(known), json(scratch), "C{}", call + 1);
                let contents = |request: &Option<strata_model::LlmRequest>| {
                    request.as_ref().map(|request| request.contents.provenance())
                };
                prop_assert_eq!(contents(known), contents(scratch), "sources of C{}", call + 1);
            }
        }
    }
}

#[test]
fn an_analysis_that_shares_counts_as_one_from_scratch() {
    let (base, counting) = (sample(), Counting::default());
    let mut of_base = SessionAnalysis::default();
    while of_base.step(&base, &counting) {}
    let all = edits(EDITS);
    for edit in &all {
        let experiment = edited(&base, std::slice::from_ref(edit)).experiment;
        let mut shared = of_base.sharing();
        while shared.step(&experiment, &counting) {}
        let mut fresh = SessionAnalysis::default();
        while fresh.step(&experiment, &counting) {}
        for (shared, fresh) in shared.calls().iter().zip(fresh.calls()) {
            assert_eq!(
                (shared.total, shared.by_kind, shared.matched, shared.prefix_break.is_some()),
                (fresh.total, fresh.by_kind, fresh.matched, fresh.prefix_break.is_some()),
                "C{} after {edit:?}",
                fresh.number
            );
        }
    }
}

#[test]
fn edits_over_edits_are_one_list() {
    let (base, all) = (sample(), edits(EDITS));
    // Edits of flows before those of the app and of events, and the other way round.
    for at in [1, 9, 17, 25] {
        let whole = edited(&base, &all);
        let first = edited(&base, &all[..at]);
        let second = edited(&first.experiment, &all[at..]);
        let compiled = |experiment| -> Vec<Option<String>> {
            let requests = compile_all(experiment, &mut StageCache::new());
            let text =
                |request: &strata_model::LlmRequest| strata_model::json::to_compact(&request.to_json());
            requests.iter().map(|request| request.as_ref().map(text)).collect()
        };
        assert_eq!(compiled(&second.experiment), compiled(&whole.experiment), "cut at {at}");
        let said: Vec<&str> = whole.notes.iter().map(|found| &*found.message).collect();
        let said_in_turn = first.notes.iter().chain(&second.notes).map(|found| &*found.message);
        assert_eq!(said_in_turn.collect::<Vec<_>>(), said, "cut at {at}");
    }
}
