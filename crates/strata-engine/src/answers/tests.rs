//! Work on the way to a request: done with the answers given, or reported as awaited.

use std::sync::Arc;

use strata_model::json::parse;
use strata_model::{App, Content, Decoder, FromJson, Json, Object, Part, Session};

use super::{Answers, ModelAnswer, ToolAnswer};
use crate::app_index::AppIndex;
use crate::artifacts::Artifacts;
use crate::backend::Backend;
use crate::compile::{Compilation, Outcome, StageCache, compile};
use crate::context::{CallSource, CompileContext, Invocation, Services, SessionIds};
use crate::flow::Flow;
use crate::log::EventLog;
use crate::processor::EarlyEnd;
use crate::state_history::StateView;

const BANK: &str = r#"{"name":"demo","root_agent":{"type":"llm","name":"bank","model":"gemini-2.5-flash",
    "instruction":"Balance {balance?}.","tools":[{"type":"function","declaration":{"name":"pay"}},{"type":"load_artifacts"}]}}"#;

const APPROVED: &str = r#"{"id":"s","events":[
    {"author":"user","invocationId":"i","id":"1","timestamp":1,"content":{"role":"user","parts":[{"text":"Pay"}]}},
    {"author":"bank","invocationId":"i","id":"2","timestamp":2,"content":{"role":"model","parts":[{"functionCall":{"id":"p","name":"pay","args":{"eur":5}}}]}},
    {"author":"bank","invocationId":"i","id":"3","timestamp":3,"content":{"role":"user","parts":[{"functionResponse":{"id":"p","name":"pay","response":{"error":"ask"}}}]},"actions":{"requestedToolConfirmations":{"p":{"hint":"?"}}}},
    {"author":"bank","invocationId":"i","id":"4","timestamp":4,"content":{"role":"model","parts":[{"functionCall":{"id":"k","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"p","name":"pay","args":{"eur":5}}}}}]},"longRunningToolIds":["k"]},
    {"author":"user","invocationId":"i","id":"5","timestamp":5,"content":{"role":"user","parts":[{"functionResponse":{"id":"k","name":"adk_request_confirmation","response":{"confirmed":true}}}]}}]}"#;

const CHAT: &str = r#"{"name":"demo","root_agent":{"type":"llm","name":"bank","model":"gemini-2.5-pro","instruction":"Chat."},
    "events_compaction_config":{"token_threshold":10,"event_retention_size":1}}"#;

const LONG: &str = r#"{"id":"s","events":[
    {"author":"user","invocationId":"i","id":"1","timestamp":1,"content":{"role":"user","parts":[{"text":"A long question about nothing in particular."}]}},
    {"author":"bank","invocationId":"i","id":"2","timestamp":2,"content":{"role":"model","parts":[{"text":"A long answer."}]},"usageMetadata":{"promptTokenCount":50}},
    {"author":"user","invocationId":"j","id":"3","timestamp":3,"content":{"role":"user","parts":[{"text":"And?"}]}}]}"#;

fn json(text: &str) -> Json {
    parse(text.as_bytes()).unwrap()
}

fn compiled(app: &str, session: &str, source: CallSource, answers: &Answers) -> Compilation {
    let app = App::from_json(json(app), &mut Decoder::new()).unwrap();
    let index = AppIndex::new(Arc::new(app));
    let session = Session::from_json(json(session), &mut Decoder::new());
    let log = EventLog::new(session.events.iter().cloned());
    let agent_id = index.find("bank").unwrap();
    let state = Object::new();
    let context = CompileContext {
        index: &index,
        agent_id,
        invocation: &Invocation::new("bank", "i"),
        events: log.prefix(log.len()),
        state: StateView::of(&state),
        session: SessionIds { app_name: "demo", user_id: "u", session_id: "s" },
        services: &Services { artifacts: Some(Arc::new(Artifacts::new(Vec::new()))), ..Services::default() },
        backend: Backend::AiStudio,
        source,
        answers,
        recorded: None,
        unedited: None,
    };
    compile(&Flow::of_agent(&index, agent_id), &context, &mut StageCache::new())
}

fn paid(answer: ToolAnswer) -> Answers {
    let mut answers = Answers { now: 6.0, ..Answers::default() };
    answers.tools.0.insert("pay".into(), vec![answer]);
    answers
}

fn system(compilation: &Compilation) -> String {
    compilation
        .working_context()
        .system_instruction
        .map(|text| text.to_text().to_string())
        .unwrap_or_default()
}

fn codes(compilation: &Compilation, stage: &str) -> Vec<&'static str> {
    let stage = compilation.stage(stage).unwrap();
    stage.output.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn what_an_approved_tool_did_is_seen_by_the_stages_behind_it() {
    let answer = ToolAnswer {
        state: Object::from_iter([("balance", 95_i64), ("temp:fee", 1_i64)]),
        artifacts: vec![("receipt.txt".into(), Arc::new(Part::from_text("5 EUR")))],
        ..ToolAnswer::returned("done")
    };
    let compilation = compiled(BANK, APPROVED, CallSource::Live, &paid(answer));
    assert_eq!(compilation.outcome, Outcome::Request);
    assert!(system(&compilation).starts_with("Balance 95."));
    assert!(system(&compilation).contains(r#"["receipt.txt"]"#));
    let emitted = &compilation.stage("request_confirmation").unwrap().output.emitted[0];
    assert_eq!(emitted.actions.state_delta, Object::from_iter([("balance", 95_i64)]));
    assert_eq!(emitted.actions.artifact_delta, Object::from_iter([("receipt.txt", 0_i64)]));
    let contents = compilation.working_context().contents.to_json();
    assert!(strata_model::json::to_compact(&contents).contains(r#"{"result":"done"}"#));
}

#[test]
fn an_approved_tool_without_a_result_is_awaited() {
    let compilation = compiled(BANK, APPROVED, CallSource::Live, &Answers::default());
    assert_eq!(codes(&compilation, "request_confirmation"), ["tool-awaited"]);
    let awaited = &compilation.stage("request_confirmation").unwrap().output.awaited_calls;
    assert_eq!(awaited[0].id.as_deref(), Some("p"));
}

#[test]
fn a_recorded_approval_is_only_noted() {
    let compilation = compiled(BANK, APPROVED, CallSource::Recorded, &Answers::default());
    assert_eq!(compilation.outcome, Outcome::Request);
    let stage = compilation.stage("request_confirmation").unwrap();
    assert!(stage.output.emitted.is_empty() && stage.output.diagnostics.is_empty());
}

#[test]
fn a_final_result_ends_the_run_before_the_model_is_called() {
    let mut answer = ToolAnswer::returned("done");
    answer.actions.skip_summarization = Some(true);
    let compilation = compiled(BANK, APPROVED, CallSource::Live, &paid(answer));
    assert_eq!(compilation.outcome, Outcome::Early(EarlyEnd::Ended));
    assert!(compilation.stage("dynamic_instructions").is_some() && compilation.stage("model_call").is_none());
}

#[test]
fn a_tool_that_fails_fails_the_stage() {
    let answer = ToolAnswer { error: Some("no money".into()), ..ToolAnswer::default() };
    let compilation = compiled(BANK, APPROVED, CallSource::Live, &paid(answer));
    let Outcome::Failed { processor, error } = compilation.outcome else { panic!("a failure") };
    assert_eq!((&*processor, &*error.message), ("request_confirmation", "no money"));
}

#[test]
fn a_due_summary_is_written_or_awaited() {
    let awaited = compiled(CHAT, LONG, CallSource::Live, &Answers::default());
    assert_eq!(codes(&awaited, "compaction"), ["summary-awaited"]);
    let check = awaited.stage("compaction").unwrap().output.compaction.clone().unwrap();
    assert_eq!(check.prompt_tokens, Some(50));
    // Without a summarizer of its own, the agent's model writes.
    assert_eq!(&*check.job.unwrap().model, "gemini-2.5-pro");
    assert_eq!(awaited.working_context().contents.len(), 3);

    let summary =
        ModelAnswer { content: Some(Content::new("model", [Part::from_text("Short.")])), usage: None };
    let answers = Answers { now: 4.0, summary: Some(summary), ..Answers::default() };
    let written = compiled(CHAT, LONG, CallSource::Live, &answers);
    assert_eq!(written.working_context().contents.len(), 2);

    let empty = Answers { summary: Some(ModelAnswer::default()), ..Answers::default() };
    assert_eq!(codes(&compiled(CHAT, LONG, CallSource::Live, &empty), "compaction"), ["summary-empty"]);
}
