//! google-adk: a session with the log its debug plugin writes, and what Strata's recorder writes.

use std::sync::Arc;

use serde_json::{Value, json};
use strata_engine::{Experiment, FlowKind, StageCache, infer_app};
use strata_model::{Decoder, EventIndex, LlmRequest, Session, json as model_json};
use strata_wire::request_of;

use super::gemini::{contents, part};
use super::iso;
use crate::causes::CHANGED;
use crate::causes::conversation::{Request, Said, instruction};

/// Calls of one turn.
const CALLS: usize = 2;

/// An event of the session.
struct Told<'r> {
    said: &'r Said,
    /// The request before or behind which it stands.
    at: usize,
    time: f64,
    is_answer: bool,
}

/// What was said, whatever later requests made of it.
fn told(requests: &[Request]) -> Vec<Told<'_>> {
    let mut all = Vec::new();
    for (at, request) in requests.iter().enumerate() {
        let new = request.new_messages().iter();
        all.extend(new.map(|said| Told { said, at, time: request.time, is_answer: false }));
        all.push(Told { said: &request.answer, at, time: request.time + 1.0, is_answer: true });
    }
    all
}

fn invocation(at: usize) -> String {
    format!("e-{}", at / CALLS)
}

fn event_id(at: usize) -> String {
    format!("d3c86c26-{at:04}")
}

fn event(place: usize, told: &Told<'_>) -> Value {
    let (role, part) = part(told.said);
    let author =
        if matches!(told.said, Said::User(_) | Said::Picture | Said::OtherPicture) { "user" } else { "desk" };
    json!({"id": event_id(place), "invocationId": invocation(told.at), "author": author, "timestamp": told.time,
        "content": {"role": role, "parts": [part]}})
}

pub(super) fn session(requests: &[Request]) -> Value {
    let events: Vec<Value> = told(requests).iter().enumerate().map(|(at, told)| event(at, told)).collect();
    json!({"id": "s-1", "appName": "shop", "userId": "ada", "events": events, "state": {}, "lastUpdateTime": 0.0})
}

/// A document of YAML for each turn; what is JSON is YAML, too.
pub(super) fn debug_log(requests: &[Request]) -> String {
    let told = told(requests);
    let answers: Vec<usize> = (0..told.len()).filter(|at| told[*at].is_answer).collect();
    let mut log = String::new();
    for (at, request) in requests.iter().enumerate() {
        if at % CALLS == 0 {
            log += &format!(
                "---\ninvocation_id: {}\nsession_id: s-1\napp_name: shop\nuser_id: ada\nentries:\n",
                invocation(at)
            );
        }
        let logged: Vec<Value> = contents(request).iter().map(as_logged).collect();
        let (role, part) = part(&request.answer);
        let answer = as_logged(&json!({"role": role, "parts": [part]}));
        let names: Vec<&Value> = request.tools.iter().map(|tool| &tool["name"]).collect();
        let of_call = [
            (
                "llm_request",
                request.time,
                json!({"model": request.model, "contents": logged,
                "tools": names, "config": {"system_instruction": system(request), "temperature": 0.5}}),
            ),
            (
                "llm_response",
                request.time + 1.0,
                json!({"content": answer,
                "partial": null, "finish_reason": "FinishReason.STOP", "model_version": request.model}),
            ),
            (
                "event",
                request.time + 1.0,
                json!({"event_id": event_id(answers[at]), "author": "desk",
                "usage_metadata": {"total_token_count": 1}}),
            ),
        ];
        for (kind, time, data) in of_call {
            let entry = json!({"timestamp": iso(time), "entry_type": kind, "invocation_id": invocation(at),
                "agent_name": "desk", "data": data});
            log += &format!("- {entry}\n");
        }
    }
    log
}

/// A content in the plugin's spelling, which leaves the bytes of media out.
fn as_logged(content: &Value) -> Value {
    let spelled = [("functionCall", "function_call"), ("functionResponse", "function_response")];
    let parts = content["parts"].as_array().into_iter().flatten().map(|part| {
        let known = spelled.iter().find_map(|(own, theirs)| Some((*theirs, part.get(*own)?)));
        match known {
            Some((name, value)) => json!({name: value}),
            None if part.get("inlineData").is_some() => {
                json!({"inline_data": {"mime_type": "image/png", "_data_omitted": true}})
            }
            None => part.clone(),
        }
    });
    json!({"role": content["role"], "parts": parts.collect::<Vec<_>>()})
}

/// The records of the recorder, each request told whole.
pub(super) fn recording(requests: &[Request]) -> Vec<Value> {
    let first = requests.first().map_or(0.0, |request| request.time);
    let mut records = vec![
        json!({"record": "header", "time": first, "format": "strata-adk-recording", "version": 1, "run": "5d3f0aec",
            "googleAdk": "2.13.0", "utcOffset": "+0000"}),
        json!({"record": "session", "time": first, "session": "k", "app": "shop", "user": "ada", "id": "s-1"}),
    ];
    for (place, told) in told(requests).iter().enumerate() {
        let request = &requests[told.at];
        let mut event = event(place, told);
        let content = event.as_object_mut().and_then(|event| event.remove("content"));
        if told.is_answer {
            let id = format!("5d3f0aec-{}", told.at + 1);
            records.push(call(&id, told.at, request));
            records.push(json!({"record": "response", "time": told.time, "call": id, "sentAt": request.time,
                "response": {"modelVersion": request.model, "finishReason": "STOP"}, "content": {"value": content}}));
        }
        records.push(json!({"record": "event", "time": told.time, "session": "k", "event": event,
            "content": {"value": content}}));
    }
    records
}

fn call(id: &str, at: usize, request: &Request) -> Value {
    let values = |values: Vec<Value>| {
        let add: Vec<Value> = values.into_iter().map(|value| json!({"value": value})).collect();
        json!({"keep": 0, "add": add})
    };
    let functions = request.tools.iter().map(|tool| json!({"of": 0, "function": tool})).collect();
    json!({"record": "call", "time": request.time, "id": id, "invocation": invocation(at), "session": "k",
        "agent": "desk", "mode": "chat", "includeContents": "default", "sent": true,
        "model": {"name": request.model, "class": "Gemini", "kind": "gemini"},
        "request": {"contents": values(contents(request)), "system": values(vec![json!({"text": system(request)})]),
            "tools": values(functions),
            "set": {"model": {"value": request.model}, "config.temperature": {"value": 0.5}}}})
}

fn system(request: &Request) -> String {
    format!("{}\n\nYou are an agent. Your internal name is \"desk\".", request.system.join("\n\n"))
}

/// The same conversation in an app whose instruction shows a state key, which changes before the call.
pub(in crate::causes) fn configured(requests: &[Request]) -> Experiment {
    with_clock(requests).0
}

/// The same with the requests that were sent, and without the configuration.
pub(in crate::causes) fn configured_and_recorded(requests: &[Request]) -> Experiment {
    let (compiled, session) = with_clock(requests);
    let mut cache = StageCache::new();
    let sent: Vec<(EventIndex, LlmRequest)> = compiled
        .calls()
        .iter()
        .map(|call| {
            let request =
                compiled.compile(call, &mut cache).expect("the agent is configured").working_context();
            (call.answer, request_of(&request.to_json()).expect("a request"))
        })
        .collect();
    let app = infer_app(&session, FlowKind::Adk, &sent).app;
    Experiment::new(session, app, FlowKind::Adk).with_requests(sent)
}

fn with_clock(requests: &[Request]) -> (Experiment, Arc<Session>) {
    let mut session = session(requests);
    session["events"][0]["actions"] = json!({"stateDelta": {"now": "10:12:31"}});
    // The answer before the call writes the key.
    let answers: Vec<usize> =
        told(requests).iter().enumerate().filter(|(_, told)| told.is_answer).map(|(at, _)| at).collect();
    session["events"][answers[CHANGED as usize - 2]]["actions"] = json!({"stateDelta": {"now": "10:13:07"}});
    let session = model_json::parse(session.to_string().as_bytes()).expect("JSON");
    let session = Arc::new(Session::from_json(session, &mut Decoder::new()));
    let app = json!({"name": "shop", "root_agent": {"type": "llm", "name": "desk", "model": "gemini-2.5-flash",
        "instruction": instruction("The clock says {now}."),
        "tools": [{"type": "function", "declaration": {"name": "search", "description": "Finds orders."}}]}});
    let app = strata_testkit::app(&app.to_string());
    (Experiment::new(session.clone(), Arc::new(app), FlowKind::Adk), session)
}
