//! Replays beside the sessions they stand for.

use std::sync::Arc;

use strata_engine::turn::compaction::CompactionConfig;
use strata_engine::{Experiment, FlowKind, StageCache};
use strata_measure::lab::{
    BlockReason, Extractive, FactReader, Lab, Moment, Replayed, Stop, SummaryDue, Writer, WrittenSummary,
};
use strata_model::{Content, Event, Part, Session, json};
use strata_testkit::{experiment, experiment_in, invoice_triage, large};

use super::with_lab;

/// Answers what it was given, in order, and notes what it was asked.
struct Given {
    summaries: Vec<Content>,
    asked: Vec<String>,
}

impl Writer for Given {
    fn write(&mut self, due: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
        self.asked.push(due.job().prompt.unwrap_or_default());
        let content = self.summaries.get(due.number - 1).cloned();
        Ok(content.map(|content| WrittenSummary { content, by: "given".into(), ..WrittenSummary::default() }))
    }
}

fn says(text: &str) -> Content {
    Content::new("model", [Part::from_text(text)])
}

fn config(text: &str) -> CompactionConfig {
    CompactionConfig::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn replay(lab: &Lab<'_>, text: &str, summaries: &[&str]) -> Replayed {
    let mut writer =
        Given { summaries: summaries.iter().map(|text| says(text)).collect(), asked: Vec::new() };
    lab.replay(&config(text), &mut writer).expect("nothing stops it")
}

/// Windows as `moment: first–last event`.
fn windows(replayed: &Replayed) -> Vec<String> {
    let windows = replayed.windows.iter().map(|window| {
        let moment = match window.moment {
            Moment::BeforeCall(call) => format!("before C{call}"),
            Moment::AfterTurn { next_call: Some(call) } => format!("ahead of C{call}"),
            Moment::AfterTurn { next_call: None } => "at the end".to_owned(),
        };
        let number = |event: Option<&strata_model::EventIndex>| event.map_or(0, |event| event.number());
        let blocked = window.blocked.map_or_else(String::new, |reason| format!(" {reason:?}"));
        let seed = window.seed.map_or_else(String::new, |at| format!(" over {}", at + 1));
        format!(
            "{moment}: E{}-E{}{seed}{blocked}",
            number(window.events.first()),
            number(window.events.last())
        )
    });
    windows.collect()
}

#[test]
fn the_sample_replayed_as_it_was_recorded_is_the_sample() {
    let session = invoice_triage::session();
    let recorded: Vec<Content> = session
        .events
        .iter()
        .filter_map(|event| event.actions.compaction.as_ref()?.compacted_content.clone())
        .collect();
    let experiment = experiment_in(invoice_triage::app(), session);
    with_lab(&experiment, |lab| {
        let mut writer = Given { summaries: recorded.clone(), asked: Vec::new() };
        let replayed = lab.replay(&config("interval=6,overlap=1"), &mut writer).expect("nothing stops it");
        assert_eq!(replayed.windows.len(), 2);
        assert!(
            writer.asked.iter().all(|prompt| prompt.starts_with("The following is a conversation history"))
        );
        for (call, recorded) in replayed.calls.iter().zip(lab.analysis.calls()) {
            assert_eq!(call.request.to_json(), recorded.request.to_json(), "C{}", call.number);
            assert_eq!(call.tokens, recorded.total.tokens, "C{}", call.number);
        }
    });
}

/// The session with the summaries of a replay stored where they were written.
fn stored(experiment: &Experiment, replayed: &Replayed) -> Session {
    let session = &**experiment.session();
    let mut events: Vec<Arc<Event>> = Vec::new();
    let mut windows = replayed.windows.iter().filter(|window| window.is_laid()).peekable();
    let mut number = 0;
    for (at, event) in session.events.iter().enumerate() {
        let is_answer = experiment.calls().iter().any(|call| call.answer.as_usize() == at);
        let begins_turn =
            at > 0 && session.events[at - 1].invocation_id != event.invocation_id && !event.is_compaction();
        number += u32::from(is_answer);
        while let Some(window) = windows.peek() {
            let is_now = match window.moment {
                Moment::BeforeCall(call) => is_answer && call == number,
                Moment::AfterTurn { next_call: Some(call) } => {
                    begins_turn && call == number + u32::from(!is_answer)
                }
                Moment::AfterTurn { next_call: None } => false,
            };
            if !is_now {
                break;
            }
            events.extend(windows.next().and_then(|window| window.event.clone()).map(|(_, event)| event));
        }
        events.push(event.clone());
    }
    Session { events, ..session.clone() }
}

/// Every call of a replay is what compiling the stored session from scratch gives.
#[track_caller]
fn same_as_stored(experiment: &Experiment, text: &str) -> usize {
    with_lab(experiment, |lab| {
        let reader = FactReader::new();
        let replayed =
            lab.replay(&config(text), &mut Extractive { reader: &reader }).expect("nothing stops it");
        let session = Arc::new(stored(experiment, &replayed));
        let again = Experiment::new(session, experiment.index().app().clone().into(), FlowKind::Adk);
        assert_eq!(again.calls().len(), replayed.calls.len());
        for (call, now) in again.calls().iter().zip(&replayed.calls) {
            let stored = again.compile(call, &mut StageCache::new()).map(|done| done.working_context());
            let contents = stored.map(|request| json::to_compact(&request.contents.to_json()));
            assert_eq!(
                contents,
                Some(json::to_compact(&now.request.contents.to_json())),
                "{text}: C{}",
                call.number
            );
        }
        replayed.windows.iter().filter(|window| window.is_laid()).count()
    })
}

#[test]
fn replays_equal_sessions_compiled_from_scratch() {
    let experiment = experiment_in(large::app(), large::session(160));
    assert!(same_as_stored(&experiment, "interval=2,overlap=1") > 5);
    assert!(same_as_stored(&experiment, "threshold=3000,retention=4") > 2);
    assert!(same_as_stored(&experiment, "interval=3,overlap=0,threshold=6000,retention=10") > 2);
    assert!(same_as_stored(&experiment, "limit=9000,keep=8") > 0);
    assert!(same_as_stored(&experiment, "limit=9000,keep=8,pin=E12+E31") > 1);
}

const TURNS: &str = r#"
    user [at 1]: The first thing to do, told at length so that a summary of it can be shorter than it is.
    bot [at 2]: The first answer, which is long enough as well to be worth a summary of its own.
    user [at 3]: The second thing to do, told at length so that a summary of it can be shorter than it is.
    bot [at 4]: The second answer, which is long enough as well to be worth a summary of its own.
    user [at 5]: The third thing to do, told at length so that a summary of it can be shorter than it is.
    bot [at 6]: The third answer, which is long enough as well to be worth a summary of its own.
    user [at 7]: The fourth thing to do, told at length so that a summary of it can be shorter than it is.
    bot [at 8]: The fourth answer, which is long enough as well to be worth a summary of its own.
"#;

#[test]
fn windows_are_due_after_turns() {
    with_lab(&experiment(TURNS), |lab| {
        let replayed = replay(lab, "interval=2,overlap=1", &["One.", "Two."]);
        assert_eq!(windows(&replayed), ["ahead of C3: E1-E4", "at the end: E3-E8"]);
        // Both summaries stay: the overlap is told twice.
        assert_eq!(replayed.calls[3].request.contents.len(), 4);
    });
}

#[test]
fn a_threshold_goes_by_the_size_prompts_would_have_had() {
    with_lab(&experiment(TURNS), |lab| {
        let size = |replayed: &Replayed| replayed.calls.iter().map(|call| call.tokens).collect::<Vec<_>>();
        let unchanged = replay(lab, "off", &[]);
        let limit = unchanged.calls[2].tokens;
        let text = format!("threshold={limit},retention=1");
        let replayed = replay(lab, &text, &["So far two things.", "So far three things."]);
        assert!(size(&replayed)[3] < size(&unchanged)[3]);
        // After the first summary the prompts are short again; nothing that was recorded says so.
        assert_eq!(windows(&replayed).len(), 1, "{:?}", windows(&replayed));
    });
}

#[test]
fn what_is_longer_than_its_source_or_empty_is_blocked() {
    with_lab(&experiment(TURNS), |lab| {
        let long = "word ".repeat(500);
        let replayed = replay(lab, "interval=2,overlap=0", &[&long, "  "]);
        let reasons: Vec<_> = replayed.windows.iter().map(|window| window.blocked).collect();
        assert_eq!(reasons[..2], [Some(BlockReason::LongerThanSource), Some(BlockReason::Empty)]);
        let unchanged = replay(lab, "off", &[]);
        assert_eq!(replayed.calls[3].tokens, unchanged.calls[3].tokens);
    });
}

#[test]
fn steps_keep_the_first_request_what_is_pending_and_what_is_pinned() {
    let lines = "told at length, so that there is something to gain from it for once. ".repeat(12);
    let transcript = format!(
        "user: Never touch the archive, {lines}\nbot: First {lines}\nuser: Second {lines}\nbot: Answer {lines}\n\
         user: Third {lines}\nbot: -> wait(job=\"J-77\") #c9\ntool #c9: {{\"state\": \"done\"}}\nbot: Done {lines}\n\
         user: Fourth {lines}\nbot: Last {lines}"
    );
    let experiment = experiment(&transcript);
    with_lab(&experiment, |lab| {
        let peak = replay(lab, "off", &[]).calls.iter().map(|call| call.tokens).max().unwrap_or(0);
        let text = format!("limit={},keep=2,pin=E3", peak - 10);
        let replayed = replay(lab, &text, &["Short.", "Shorter."]);
        let shown = json::to_compact(&replayed.calls.last().expect("a call").request.contents.to_json());
        assert!(shown.contains("Never touch the archive") && shown.contains("Second"), "{shown}");
        assert!(!shown.contains("Answer told"), "{:?}", windows(&replayed));
    });
}

#[test]
fn long_results_are_cleared_before_anything_is_summarised() {
    let rows = (0..200).map(|row| format!("row {row} of the export")).collect::<Vec<_>>().join(", ");
    let transcript = format!(
        "user: Export it\nbot: -> export(name=\"a\") #c1\ntool #c1: {{\"rows\": \"{rows}\"}}\nbot: Exported.\n\
         user: And now?\nbot: Nothing.\nuser: Again?\nbot: No."
    );
    with_lab(&experiment(&transcript), |lab| {
        let replayed = replay(lab, "limit=500,keep=2,clear=results", &[]);
        assert_eq!(replayed.cleared.len(), 1);
        assert!(replayed.windows.is_empty());
        let last = replayed.calls.last().expect("a call");
        let shown = json::to_compact(&last.request.contents.to_json());
        assert!(shown.contains("cleared to save room") && !shown.contains("row 7 of"), "{shown}");
        assert!(last.tokens < 300);
    });
}

#[test]
fn whoever_stops_writing_ends_the_replay() {
    struct Stops;
    impl Writer for Stops {
        fn write(&mut self, _: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
            Err(Stop("enough".to_owned()))
        }
    }
    with_lab(&experiment(TURNS), |lab| {
        let ended = lab.replay(&config("interval=2,overlap=0"), &mut Stops);
        assert_eq!(ended.err(), Some(Stop("enough".to_owned())));
    });
}
