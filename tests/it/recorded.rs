//! Recorded sessions whose real requests are known: the calls that are reconstructed from them equal what was sent.
//!
//! Both were written by the same run of google-adk with scripted models, which kept every request they were given.

use std::sync::Arc;

use strata_engine::{Experiment, FlowKind, Outcome, StageCache};
use strata_import::{import, read_app_config};
use strata_model::{Content, Decoder, FromJson as _, Json, LlmRequest, Object, json};
use strata_oracle::laws::partition;
use strata_testkit::samples;

fn parse(bytes: &[u8]) -> Json {
    json::parse(bytes).expect("valid JSON")
}

/// A request in the shape the samples were written in: `{model, system_instruction, contents, tools}`.
fn as_sent(request: &LlmRequest) -> Json {
    let json = request.to_json();
    let config = json.get("config").cloned().unwrap_or_default();
    let of_config = |field: &str| config.get(field).cloned();
    Json::Object(
        [
            ("model", json.get("model").cloned().unwrap_or_default()),
            ("system_instruction", of_config("systemInstruction").unwrap_or("None".into())),
            ("contents", json.get("contents").cloned().unwrap_or_default()),
            ("tools", of_config("tools").unwrap_or(Json::Array(Vec::new()))),
        ]
        .into_iter()
        .collect(),
    )
}

/// A recorded request with the spellings we write.
fn recorded(request: &Json) -> Json {
    let contents = request.get("contents").and_then(Json::as_array).unwrap_or_default();
    let contents = contents.iter().map(|content| {
        let content = Content::from_json(content.clone(), &mut Decoder::new()).expect("a content");
        content.to_json()
    });
    let tools = request.get("tools").and_then(Json::as_array).unwrap_or_default();
    let tools = tools.iter().map(|tool| {
        let declarations = tool.get("function_declarations").and_then(Json::as_array).unwrap_or_default();
        let declarations: Vec<Json> = declarations
            .iter()
            .map(|declaration| {
                let fields = declaration.as_object().expect("a declaration").iter();
                let camel = |key: &str| key.replace("parameters_json_schema", "parametersJsonSchema");
                Json::Object(fields.map(|(key, value)| (camel(key), value.clone())).collect())
            })
            .collect();
        Json::Object(Object::from_iter([("functionDeclarations", declarations)]))
    });
    Json::Object(
        [
            ("model", request.get("model").cloned().unwrap_or_default()),
            ("system_instruction", request.get("system_instruction").cloned().unwrap_or_default()),
            ("contents", Json::Array(contents.collect())),
            ("tools", Json::Array(tools.collect())),
        ]
        .into_iter()
        .collect(),
    )
}

/// A session, the app that made it, and the requests that its models were given.
struct Recorded {
    session: Vec<u8>,
    app: &'static [u8],
    requests: Vec<u8>,
}

fn sessions() -> Vec<Recorded> {
    let own: (_, &[u8]) =
        (["weather.session.json", "weather.requests.json"], include_bytes!("recorded/weather_app.json"));
    let larger: (_, &[u8]) = (
        ["adk-2.13.0.s-main.session.json", "adk-2.13.0.llm_requests.json"],
        include_bytes!("recorded/larger_weather_app.json"),
    );
    let folders = samples::folders().into_iter().zip([own, larger]);
    let read = folders.map(|(folder, (names, app))| {
        let [session, requests] =
            names.map(|name| std::fs::read(folder.join("adk").join(name)).expect("the sample can be read"));
        Recorded { session, app, requests }
    });
    read.collect()
}

#[test]
fn every_request_of_a_recorded_session_is_compiled_as_it_was_sent() {
    for recorded in sessions() {
        check(&recorded);
    }
}

fn check(of_session: &Recorded) {
    let session = import(&of_session.session).sessions.remove(0).session;
    let app = read_app_config(of_session.app, &|_| None).expect("an app").app;
    let sent = parse(&of_session.requests);
    // In the larger sample the summarizer is called beside the agents, and `p1` and `p2` are of another session.
    let sent: Vec<Json> = sent.as_array().unwrap_or_default().iter().map(recorded).collect();
    let is_of_session =
        |request: &&Json| matches!(request.get("model").and_then(Json::as_str), Some("root" | "helper"));
    let sent: Vec<&Json> = sent.iter().filter(is_of_session).collect();

    let experiment = Experiment::new(Arc::new(session), Arc::new(app), FlowKind::Adk);
    assert_eq!(experiment.calls().len(), sent.len());
    let mut cache = StageCache::new();
    for (call, sent) in experiment.calls().iter().zip(sent) {
        let compilation = experiment.compile(call, &mut cache).expect("the agent is configured");
        assert_eq!(compilation.outcome, Outcome::Request);
        for stage in &compilation.stages {
            assert_eq!(partition(&stage.request), [] as [String; 0], "C{} {}", call.number, stage.processor);
        }
        let compiled = as_sent(&compilation.working_context());
        assert_eq!(json::to_pretty(&compiled), json::to_pretty(sent), "C{}", call.number);
    }
}
