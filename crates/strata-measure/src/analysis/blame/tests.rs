//! Breaks that no recorded session can hold yet, on stages made by hand.

use std::sync::Arc;

use strata_engine::{Experiment, FlowKind, RECORDED, Sections, Stage, StageOutput};
use strata_model::{
    App, Content, Decoder, EventIndex, FromJson as _, LlmRequest, Origin, RequestContent, RichText, Session,
    Str, json,
};

use strata_wire::CacheRule;

use super::*;
use crate::analysis::prefix::common_prefix;

fn text(text: &str, origin: Origin) -> Arc<RequestContent> {
    Arc::new(RequestContent::user_text(&RichText::from_span(text, origin.clone()), origin))
}

fn said(event: u32) -> Arc<RequestContent> {
    text(&format!("event {event}"), Origin::Event { event: EventIndex(event), part: 0 })
}

/// The result of a call, which takes no place of its own among the events.
fn result(text: &str, origin: &Origin) -> Arc<RequestContent> {
    let content = format!(
        r#"{{"role": "user", "parts": [{{"functionResponse":
            {{"id": "c1", "name": "find", "response": {{"result": "{text}"}}}}}}]}}"#
    );
    let content = json::parse(content.as_bytes()).expect("JSON");
    let content = Content::from_json(content, &mut Decoder::new()).expect("a content");
    Arc::new(RequestContent::from_content(&content, |_| origin.clone()))
}

fn request(contents: &[Arc<RequestContent>]) -> LlmRequest {
    LlmRequest { contents: contents.iter().cloned().collect(), ..LlmRequest::default() }
}

fn stage(processor: &str, request: &LlmRequest) -> Stage {
    Stage {
        processor: processor.into(),
        request: request.clone(),
        changed: Sections::CONTENTS,
        is_reused: false,
        is_enabled: true,
        recorded: None,
        output: Arc::new(StageOutput::default()),
    }
}

/// Two turns of one agent.
fn experiment() -> Experiment {
    let event = |at: usize, author: &str, role: &str| {
        format!(
            r#"{{"id": "e{at}", "invocationId": "i{}", "author": "{author}", "timestamp": {at}.0,
                "content": {{"role": "{role}", "parts": [{{"text": "event {at}"}}]}}}}"#,
            at / 2
        )
    };
    let events = [
        event(0, "user", "user"),
        event(1, "bot", "model"),
        event(2, "user", "user"),
        event(3, "bot", "model"),
    ];
    let session =
        format!(r#"{{"id": "s", "appName": "a", "userId": "u", "events": [{}]}}"#, events.join(","));
    let session = json::parse(session.as_bytes()).expect("JSON");
    let app = json::parse(br#"{"name": "a", "root_agent": {"type": "llm", "name": "bot", "model": "m"}}"#)
        .expect("JSON");
    let decoder = &mut Decoder::new();
    let app = App::from_json(app, decoder).expect("an app");
    Experiment::new(Arc::new(Session::from_json(session, decoder)), Arc::new(app), FlowKind::Adk)
}

fn find(earlier: &[Stage], later: &[Stage]) -> PrefixBreak {
    let experiment = experiment();
    let last = |stages: &[Stage]| stages.last().map(|stage| stage.request.clone()).unwrap_or_default();
    let (before, after) = (last(earlier), last(later));
    let (first, second) = (experiment.call(1).expect("C1"), experiment.call(2).expect("C2"));
    let rule = CacheRule::assumed();
    let pair = Pair {
        experiment: &experiment,
        earlier: (first, &before),
        later: (second, &after),
        stages: (earlier, later),
        rule: &rule,
    };
    let common = common_prefix(&rule, &before, &after);
    pair.find_break(&common, 7).expect("a break")
}

#[test]
fn memories_before_the_last_message_are_blamed_on_the_tool_that_preloads_them() {
    let memory = |found: &str| text(found, Origin::Memory { rank: 0 });
    let before = [said(0)];
    let after = [said(0), said(1), said(2)];
    let with = |contents: &[Arc<RequestContent>], found: &str| {
        let mut contents = contents.to_vec();
        contents.insert(contents.len() - 1, memory(found));
        request(&contents)
    };
    let earlier = [stage("contents", &request(&before)), stage("agent_tools", &with(&before, "rain"))];
    let later = [stage("contents", &request(&after)), stage("agent_tools", &with(&after, "sun"))];
    let found = find(&earlier, &later);
    assert_eq!((found.cause.code(), found.stage.as_deref()), ("memory_preload", Some("agent_tools")));
    assert_eq!((&*found.path, found.at_token), ("0.0", 7));
}

#[test]
fn artifacts_shown_for_one_call_are_no_change_of_the_history() {
    let shown = text("Artifact a.md is:", Origin::Tool { name: "load_artifacts".into() });
    let (before, after) = ([said(0)], [said(0), said(1), said(2)]);
    let earlier = [stage("contents", &request(&before)), stage("agent_tools", &request(&[said(0), shown]))];
    let later = [stage("contents", &request(&after)), stage("agent_tools", &request(&after))];
    let found = find(&earlier, &later);
    assert_eq!((found.cause.code(), found.stage.as_deref()), ("artifact_list", Some("agent_tools")));
}

#[test]
fn a_stage_that_only_shortens_both_prompts_is_not_blamed() {
    let (before, after) = ([said(0), said(1), said(2)], [said(0), said(1), said(3)]);
    let earlier = [stage("contents", &request(&before)), stage("plugin:short", &request(&before[1..]))];
    let later = [stage("contents", &request(&after)), stage("plugin:short", &request(&after[1..]))];
    assert_eq!(find(&earlier, &later).stage.as_deref(), Some("contents"));
}

#[test]
fn a_result_that_was_cleared_did_not_come_late() {
    let rows = "row after row ".repeat(40);
    let was = result(&rows, &Origin::Event { event: EventIndex(1), part: 0 });
    let is = result("[Old tool result content cleared]", &Origin::Run { field: "request".into() });
    let (before, after) = (request(&[said(0), was]), request(&[said(0), is, said(3)]));
    let found = find(&[stage(RECORDED, &before)], &[stage(RECORDED, &after)]);
    let change = found.cause.change().map(|change| (change.kind.code(), &*change.after));
    assert_eq!(
        (found.cause.code(), change),
        ("history_rewritten", Some(("shortened", "[Old tool result content cleared]")))
    );
}

#[test]
fn the_oldest_round_is_left_out_wherever_the_next_message_stands() {
    let own = |event: u32| {
        let origin = Origin::Event { event: EventIndex(event), part: 0 };
        let content = text(&format!("event {event}"), origin);
        Arc::new(RequestContent::new(Some("model".into()), content.parts.clone()))
    };
    let joined = |events: [u32; 2]| {
        let [first, second] = events.map(said);
        Arc::new(first.with_parts(first.parts.iter().chain(&second.parts).cloned().collect()))
    };
    let before = request(&[said(0), own(1), said(2), own(3), said(4)]);
    // In contents of their own, and in one, as providers want it that let both sides speak in turn.
    let after = [request(&[said(0), said(4), own(5)]), request(&[joined([0, 4]), own(5)])];
    for after in after {
        let found = find(&[stage(RECORDED, &before)], &[stage(RECORDED, &after)]);
        let n_messages = match found.cause {
            Cause::Truncated { n_messages, .. } => n_messages,
            _ => 0,
        };
        assert_eq!((found.cause.code(), n_messages), ("truncated_history", 3));
    }
}

#[test]
fn the_way_to_a_break_reads_as_sentences() {
    let key: Str = "hits".into();
    let links = [
        Link::Wrote { event: EventIndex(32), key: key.clone(), before: "41".into(), after: "2318".into() },
        Link::Reads { agent: "log_analyst".into(), kind: strata_model::InstructionKind::Dynamic, key },
        Link::Stage { processor: "instructions".into(), did: "filled it differently" },
        Link::Ends { path: "sys.0".into(), at_token: 3803 },
    ];
    let said: Vec<String> = links.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "E33 wrote state.hits 41 → 2318",
            "the template in log_analyst's instruction reads hits",
            "`instructions` filled it differently",
            "prefix ends at token 3803, in sys.0",
        ]
    );
}
