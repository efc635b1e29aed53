//! The given half of vectors, as the engine takes it.

use std::sync::Arc;

use strata_engine::turn::tool_calls::runnable_tools;
use strata_engine::{
    AgentId, Answers, AppIndex, Artifact, Artifacts, Backend, Invocation, Memory, ModelAnswer, RunConfig,
    Services, ToolAnswer, ToolAnswers,
};
use strata_model::app::{AgentMode, ContextCacheConfig, IncludeContents};
use strata_model::{
    App, Content, Decoder, Event, EventActions, FromJson, Json, NodePath, Object, Part, Session, Str, Usage,
};

/// Reads a value that has to be readable.
pub fn read<T: FromJson>(value: &Json) -> T {
    let mut decoder = Decoder::new();
    let read = T::from_json(value.clone(), &mut decoder);
    let diagnostics = decoder.into_diagnostics();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    read.unwrap_or_else(|_| panic!("not {}", T::EXPECTED))
}

pub fn app(vector: &Json) -> AppIndex {
    AppIndex::new(Arc::new(read::<App>(vector.get("app").expect("an app"))))
}

pub fn session(value: &Json) -> Session {
    let mut decoder = Decoder::new();
    let session = Session::from_json(value.clone(), &mut decoder);
    let diagnostics = decoder.into_diagnostics();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    session
}

pub fn events(value: Option<&Json>) -> Vec<Arc<Event>> {
    let events = value.and_then(Json::as_array).unwrap_or_default();
    let read = |event: &Json| Event::from_json(event.clone(), &mut Decoder::new()).expect("an event");
    events.iter().map(|event| Arc::new(read(event))).collect()
}

pub fn text(value: &Json, key: &str) -> Option<Str> {
    value.get(key).and_then(Json::as_str).map(Str::from)
}

pub fn present<'v>(value: &'v Json, key: &str) -> Option<&'v Json> {
    value.get(key).filter(|value| !value.is_null())
}

pub fn invocation(value: &Json) -> Invocation {
    let mut invocation = Invocation::new(
        text(value, "agent").unwrap_or_default(),
        text(value, "invocation_id").unwrap_or_default(),
    );
    invocation.branch = text(value, "branch");
    invocation.isolation_scope = text(value, "isolation_scope");
    invocation.node_path = NodePath::new(text(value, "node_path").unwrap_or_default());
    invocation.user_content =
        present(value, "user_content").map(|content| Arc::new(read::<Content>(content)));
    if let Some(effective) = present(value, "effective") {
        invocation.mode = match effective.get("mode") {
            None => None,
            Some(Json::Null) => Some(AgentMode::Chat),
            Some(mode) => Some(read(mode)),
        };
        invocation.include_contents = present(effective, "include_contents").map(read::<IncludeContents>);
    }
    invocation.plugins =
        present(value, "plugins").and_then(Json::as_array).map(|names| names.iter().map(read).collect());
    invocation.context_cache_config = present(value, "context_cache_config").map(read::<ContextCacheConfig>);
    invocation.is_compaction_active =
        value.get("events_compaction_active").and_then(Json::as_bool) != Some(false);
    if let Some(config) = present(value, "run_config") {
        invocation.run_config = run_config(config);
    }
    invocation
}

pub fn run_config(value: &Json) -> RunConfig {
    RunConfig {
        labels: present(value, "labels").and_then(Json::as_object).cloned(),
        http_options: present(value, "http_options").and_then(Json::as_object).map(camel_keys),
        model_input_context: present(value, "model_input_context")
            .map(read::<Vec<Content>>)
            .unwrap_or_default(),
        include_thoughts_from_other_agents: value
            .get("include_thoughts_from_other_agents")
            .and_then(Json::as_bool)
            .unwrap_or(false),
        service_tier: text(value, "service_tier"),
        support_cfc: value.get("support_cfc").and_then(Json::as_bool).unwrap_or(false),
    }
}

/// `extra_body` as `extraBody`; what is inside is data.
fn camel_keys(object: &Object) -> Object {
    let camel = |key: &str| {
        let mut words = key.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |all, word| all + &word[..1].to_uppercase() + &word[1..])
    };
    object.iter().map(|(key, value)| (camel(key), value.clone())).collect()
}

/// Missing: an empty service. Null: none.
pub fn services(value: &Json, default: Option<&Json>) -> Services {
    let given = |key: &str| value.get(key).or_else(|| default.and_then(|default| default.get(key)));
    let artifacts = match given("artifacts") {
        Some(Json::Null) => None,
        given => Some(Arc::new(Artifacts::new(
            given.and_then(Json::as_array).unwrap_or_default().iter().map(artifact).collect(),
        ))),
    };
    let memory = match given("memory") {
        Some(Json::Null) => None,
        given => {
            let sessions = given.and_then(Json::as_array).unwrap_or_default().iter().map(session).collect();
            Some(Memory::Sessions(Arc::new(sessions)))
        }
    };
    Services { artifacts, memory, ..Services::default() }
}

fn artifact(value: &Json) -> Artifact {
    let part = |part: &Json| (!part.is_null()).then(|| Arc::new(read::<Part>(part)));
    let versions = match value.get("versions").and_then(Json::as_array) {
        Some(versions) => versions.iter().map(part).collect(),
        None => value.get("part").map(part).into_iter().collect(),
    };
    Artifact { name: text(value, "filename").unwrap_or_default(), versions }
}

pub fn backend(vector: &Json) -> Backend {
    let is_set = |name: &str| {
        let value = vector.get("env").and_then(|env| env.get(name)).and_then(Json::as_str);
        value.is_some_and(|value| matches!(value.to_lowercase().as_str(), "true" | "1"))
    };
    if is_set("GOOGLE_GENAI_USE_ENTERPRISE") || is_set("GOOGLE_GENAI_USE_VERTEXAI") {
        Backend::Vertex
    } else {
        Backend::AiStudio
    }
}

/// A scripted answer of a model: `{parts, usageMetadata?, no_content?}`.
pub fn model_answer(value: &Json) -> ModelAnswer {
    let is_empty = value.get("no_content").and_then(Json::as_bool) == Some(true);
    let content = || Content {
        parts: Some(present(value, "parts").map(read).unwrap_or_default()),
        role: Some(text(value, "role").unwrap_or_else(|| "model".into())),
        ..Content::default()
    };
    ModelAnswer {
        content: (!is_empty).then(content),
        usage: present(value, "usageMetadata").map(read::<Usage>),
    }
}

/// What is answered while compiling: `model_script` of the summariser and `tool_script`.
pub fn answers(value: &Json, index: &AppIndex, agent: AgentId) -> Answers {
    let summaries = value.get("model_script").and_then(|script| script.get("")).and_then(Json::as_array);
    Answers {
        now: 1_750_000_000.0,
        summary: summaries.and_then(|answers| answers.first()).map(model_answer),
        tools: tool_answers(value.get("tool_script"), index, agent),
    }
}

/// Scripted results by tool. A tool without any answers `{"status": "ok"}`.
pub fn tool_answers(script: Option<&Json>, index: &AppIndex, agent: AgentId) -> ToolAnswers {
    let fine = || vec![ToolAnswer::returned(Object::from_iter([("status", "ok")]))];
    let names = runnable_tools(index, agent).into_iter().map(|tool| tool.name);
    let mut answers: ToolAnswers = ToolAnswers(names.map(|name| (name, fine())).collect());
    for (name, results) in script.and_then(Json::as_object).into_iter().flat_map(Object::iter) {
        let results: Vec<ToolAnswer> =
            results.as_array().unwrap_or_default().iter().map(tool_answer).collect();
        if !results.is_empty() {
            answers.0.insert(name.clone(), results);
        }
    }
    answers
}

fn tool_answer(value: &Json) -> ToolAnswer {
    if value.get("$step").and_then(Json::as_bool) != Some(true) {
        return ToolAnswer::returned(value.clone());
    }
    let object = |key: &str| value.get(key).and_then(Json::as_object).cloned().unwrap_or_default();
    let artifacts = object("artifacts");
    ToolAnswer {
        result: value.get("result").cloned().unwrap_or_default(),
        state: object("state"),
        artifacts: artifacts
            .iter()
            .map(|(name, part)| (name.clone(), Arc::new(read::<Part>(part))))
            .collect(),
        actions: present(value, "actions").map(read::<EventActions>).unwrap_or_default(),
        confirmation_hint: text(value, "confirm"),
        error: value.get("raise").and_then(Json::as_str).map(str::to_owned),
    }
}
