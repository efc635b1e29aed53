//! Replays laid over their sessions as edits.

use std::collections::BTreeSet;

use proptest::prelude::*;
use strata_engine::turn::compaction::CompactionConfig;
use strata_engine::{Catalog, CompactionEdit, Edit, Edited, EventsEdit, Experiment, StageCache};
use strata_measure::analysis::Counting;
use strata_measure::lab::{Extractive, FactReader, Replayed};
use strata_model::{LlmRequest, json};
use strata_testkit::{experiment_in, invoice_triage, large};

use super::with_lab;

fn sample() -> Experiment {
    experiment_in(invoice_triage::app(), invoice_triage::session())
}

fn edited(base: &Experiment, edits: &[Edit]) -> Edited {
    strata_measure::edited(base, edits, &Catalog::new(), &Counting::default())
}

fn replayed(experiment: &Experiment, config: &str) -> Replayed {
    let config = CompactionConfig::parse(config).unwrap_or_else(|error| panic!("{error}"));
    with_lab(experiment, |lab| {
        let reader = FactReader::new();
        lab.replay(&config, &mut Extractive { reader: &reader }).expect("nothing stops it")
    })
}

fn requests(experiment: &Experiment) -> Vec<LlmRequest> {
    let mut cache = StageCache::new();
    let compiled = experiment.calls().iter().map(|call| experiment.compile(call, &mut cache));
    compiled.map(|compiled| compiled.expect("every agent is configured").working_context()).collect()
}

/// The edit as it is stored and read again.
fn stored(edit: &Edit) -> Edit {
    let text = serde_json::to_string(edit).expect("an edit is JSON");
    serde_json::from_str(&text).expect("the same edit")
}

/// Every call over an applied replay is the call of the replay, byte for byte and source for source; without the edit
/// it is what was recorded.
#[track_caller]
fn is_applied(experiment: &Experiment, config: &str) -> usize {
    let replayed = replayed(experiment, config);
    let edit = stored(&replayed.edit());
    let Edited { experiment: applied, notes } = edited(experiment, std::slice::from_ref(&edit));
    assert_eq!(notes, [], "{config}");
    for (call, applied) in replayed.calls.iter().zip(requests(&applied)) {
        let number = call.number;
        assert_eq!(applied.to_json(), call.request.to_json(), "{config}: C{number}");
        assert_eq!(
            applied.contents.provenance(),
            call.request.contents.provenance(),
            "{config}: sources of C{number}"
        );
    }
    let undone = edited(&applied, &[EventsEdit::Drop { event: 1 }.into()]).experiment;
    let at_once = edited(experiment, &[edit, EventsEdit::Drop { event: 1 }.into()]).experiment;
    assert_eq!(texts(&undone), texts(&at_once), "{config}: an edit over it");
    let without = edited(experiment, &[]).experiment;
    assert_eq!(texts(&without), texts(experiment), "{config}: undone");
    replayed.windows.iter().filter(|window| window.is_laid()).count()
}

fn texts(experiment: &Experiment) -> Vec<String> {
    requests(experiment).iter().map(|request| json::to_compact(&request.to_json())).collect()
}

#[test]
fn an_applied_replay_compiles_to_the_replay() {
    let laid = [
        "interval=2,overlap=0",
        "interval=3,overlap=1",
        "threshold=3000,retention=4",
        "interval=4,overlap=1,threshold=4000,retention=6",
        "limit=3000,keep=6",
        "limit=3000,keep=4,clear=results",
        "interval=3,overlap=1,pin=E3+E9",
        "off",
    ]
    .map(|config| is_applied(&sample(), config));
    assert!(laid[..6].iter().all(|n_laid| *n_laid > 0), "{laid:?}");
    assert_eq!(laid[7], 0);
}

#[test]
fn a_large_session_with_several_agents_too() {
    let experiment = experiment_in(large::app(), large::session(400));
    assert!(is_applied(&experiment, "interval=2,overlap=1") > 3);
    assert!(is_applied(&experiment, "threshold=6000,retention=10") > 1);
}

#[test]
fn a_replay_over_an_applied_one_is_the_replay_over_the_recording() {
    let base = sample();
    let first = edited(&base, &[replayed(&base, "interval=2,overlap=0").edit()]).experiment;
    let over = replayed(&first, "interval=4,overlap=1");
    assert_eq!(over.edit(), replayed(&base, "interval=4,overlap=1").edit());
    let second = edited(&first, &[over.edit()]).experiment;
    let at_once = edited(&base, &[over.edit()]).experiment;
    assert_eq!(texts(&second), texts(&at_once));
}

fn set_compaction(config: &str) -> Edit {
    serde_json::from_str(&format!(r#"{{"edit": "set_compaction", "config": {config}}}"#)).expect("an edit")
}

#[test]
fn a_setting_with_the_recorded_windows_leaves_the_recording_as_it_is() {
    let base = sample();
    let same = edited(&base, &[set_compaction(r#"{"compactionInterval": 6, "overlapSize": 1}"#)]);
    assert_eq!(same.notes, []);
    assert_eq!(same.experiment.session().events.len(), base.session().events.len());
    assert_eq!(texts(&same.experiment), texts(&base));
}

#[test]
fn another_setting_has_its_windows_summarised_by_extracts() {
    let base = sample();
    let other = edited(&base, &[set_compaction(r#"{"compactionInterval": 2, "overlapSize": 0}"#)]);
    let said: Vec<&str> = other.notes.iter().map(|found| &*found.message).collect();
    assert!(said.len() == 1 && said[0].contains("are extractive, made offline"), "{said:?}");
    let planned: Vec<String> =
        requests(&other.experiment).iter().map(|request| json::to_compact(&request.to_json())).collect();
    let replayed = replayed(&base, "interval=2,overlap=0");
    let expected: Vec<String> =
        replayed.calls.iter().map(|call| json::to_compact(&call.request.to_json())).collect();
    assert_eq!(planned, expected);
    let by: Vec<&str> = other.experiment.session().events[base.session().events.len()..]
        .iter()
        .filter_map(|event| event.model_version.as_deref())
        .collect();
    assert!(!by.is_empty() && by.iter().all(|by| *by == "extractive"), "{by:?}");
}

#[test]
fn no_compaction_takes_the_recorded_summaries_out() {
    let base = sample();
    let none = edited(&base, &[set_compaction("null")]).experiment;
    let replayed = replayed(&base, "off");
    let expected: Vec<String> =
        replayed.calls.iter().map(|call| json::to_compact(&call.request.to_json())).collect();
    assert_eq!(texts(&none), expected);
}

#[test]
fn a_setting_that_google_adk_refuses_plans_nothing() {
    let base = sample();
    let refused = edited(&base, &[set_compaction(r#"{"compactionInterval": 2}"#)]);
    let said: Vec<&str> = refused.notes.iter().map(|found| &*found.message).collect();
    assert_eq!(
        said,
        ["Nothing is planned with this setting: compactionInterval and overlapSize must be set together."]
    );
    assert_eq!(texts(&refused.experiment), texts(&base));
}

#[test]
fn a_summary_that_does_not_fit_is_reported_and_the_others_are_laid() {
    let base = sample();
    let Edit::Compaction(CompactionEdit::Lay { config, prompt, mut summaries, cleared }) =
        replayed(&base, "interval=2,overlap=0").edit()
    else {
        panic!("a replay is summaries")
    };
    let n_summaries = summaries.len();
    summaries[0].last = 900;
    summaries[0].after = 901;
    // Up to a tool call, without its result.
    let events = &base.session().events;
    let call = events.iter().rposition(|event| event.function_calls().next().is_some()).unwrap() as u32 + 1;
    summaries[1] = strata_engine::LaidSummary { last: call, after: call, ..summaries[1].clone() };
    let laid = edited(&base, &[CompactionEdit::Lay { config, prompt, summaries, cleared }.into()]);
    let said: Vec<&str> = laid.notes.iter().map(|found| &*found.message).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("Summary 1 is about E900, and the session has E1 to E84."), "{said:?}");
    assert!(said[1].starts_with("Summary 2 would part the tool call "), "{said:?}");
    assert_eq!(laid.experiment.session().events.len(), events.len() + n_summaries - 2);
}

/// Ids of calls, and of results, in a prompt.
fn ids(request: &LlmRequest) -> [BTreeSet<String>; 2] {
    let parts = || request.contents.iter().flat_map(|content| content.parts.clone());
    let calls = parts().filter_map(|part| part.part.function_call.as_ref()?.id.as_deref().map(str::to_owned));
    let results =
        parts().filter_map(|part| part.part.function_response.as_ref()?.id.as_deref().map(str::to_owned));
    [calls.collect(), results.collect()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn no_setting_parts_a_call_from_its_result(
        (interval, overlap) in (1..8_u32, 0..4_u32),
        (threshold, retention) in (500..12_000_u32, 0..20_u32),
        kind in 0..3_u8,
    ) {
        let config = match kind {
            0 => format!(r#"{{"compactionInterval": {interval}, "overlapSize": {overlap}}}"#),
            1 => format!(r#"{{"tokenThreshold": {threshold}, "eventRetentionSize": {retention}}}"#),
            _ => format!(
                r#"{{"compactionInterval": {interval}, "overlapSize": {overlap}, "tokenThreshold": {threshold}, "eventRetentionSize": {retention}}}"#
            ),
        };
        let experiment = edited(&sample(), &[set_compaction(&config)]).experiment;
        for (call, request) in requests(&experiment).iter().enumerate() {
            let [calls, results] = ids(request);
            prop_assert_eq!(calls, results, "C{} with {}", call + 1, config);
        }
    }
}
