//! Kinds `compile` and `conversation`: the request of a call, after every processor and at the end.

use strata_engine::{
    AppIndex, CallSource, Compilation, CompileContext, EarlyEnd, EventLog, Flow, Outcome, SessionIds,
    StageCache, StateView, compile,
};
use strata_model::{Json, LlmRequest, Object, Session};

use super::given;
use crate::Failure;
use crate::diff::diff;
use crate::laws::partition;

/// One call with everything it is compiled from.
struct Call<'v> {
    index: &'v AppIndex,
    session: &'v Session,
    log: EventLog,
    n_events: usize,
    state: Object,
    /// The vector of a compile, the entry of a conversation.
    given: &'v Json,
    vector: &'v Json,
}

pub fn check_vector(vector: &Json) -> Failure {
    let index = given::app(vector);
    let session = given::session(vector.get("session").expect("a session"));
    let log = EventLog::new(session.events.iter().cloned());
    let n_events = log.len();
    let call = Call {
        index: &index,
        session: &session,
        log,
        n_events,
        state: session.state.clone(),
        given: vector,
        vector,
    };
    call.check(&mut StageCache::new())
}

/// All calls of a scripted run, compiled one after the other with one cache.
pub fn check_conversation(vector: &Json) -> Failure {
    let index = given::app(vector);
    let sessions: Vec<Session> = vector
        .get("sessions")
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .map(given::session)
        .collect();
    let mut cache = StageCache::new();
    let mut failure = Vec::new();
    for (at, entry) in vector.get("calls").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        let session_id = given::text(entry, "session_id").unwrap_or_default();
        let session = sessions.iter().find(|session| session.id == session_id).expect("the call's session");
        let seen = entry.get("events").expect("the events a call sees");
        let (log, n_events) = match seen.get("prefix").and_then(Json::as_i64) {
            Some(prefix) => (EventLog::new(session.events.iter().cloned()), prefix as usize),
            None => {
                let log = EventLog::new(given::events(seen.get("list")));
                let n_events = log.len();
                (log, n_events)
            }
        };
        let state = entry.get("state").and_then(Json::as_object).cloned().unwrap_or_default();
        let call = Call { index: &index, session, log, n_events, state, given: entry, vector };
        failure.extend(call.check(&mut cache).into_iter().map(|line| format!("call {at}: {line}")));
    }
    failure
}

impl Call<'_> {
    fn check(&self, cache: &mut StageCache) -> Failure {
        let invocation = given::invocation(self.given.get("invocation").expect("an invocation"));
        let services = given::services(self.given, Some(self.vector));
        let agent_id = self.index.find(&invocation.agent).expect("the agent of the call");
        let context = CompileContext {
            index: self.index,
            agent_id,
            invocation: &invocation,
            events: self.log.prefix(self.n_events),
            state: StateView::of(&self.state),
            session: SessionIds {
                app_name: &self.session.app_name,
                user_id: &self.session.user_id,
                session_id: &self.session.id,
            },
            services: &services,
            backend: given::backend(self.vector),
            source: CallSource::Live,
        };
        let compilation = compile(&Flow::of_agent(self.index, agent_id), &context, cache);
        let expected = self.given.get("expected").expect("what is expected");
        let mut failure = check_outcome(expected, &compilation);
        failure.extend(check_stages(self.given, expected, &compilation));
        for stage in &compilation.stages {
            failure.extend(
                partition(&stage.request).into_iter().map(|law| format!("{}: {law}", stage.processor)),
            );
        }
        failure
    }
}

fn check_outcome(expected: &Json, compilation: &Compilation) -> Failure {
    let outcome = match &compilation.outcome {
        Outcome::Request => "request",
        Outcome::Early(EarlyEnd::Ended) => "ended",
        Outcome::Early(EarlyEnd::Answered { .. }) => "short_circuit",
        Outcome::Failed { .. } => "error",
    };
    let mut failure = diff("outcome", expected.get("outcome").unwrap_or(&Json::Null), &outcome.into());
    if let Some(request) = expected.get("request") {
        failure.extend(diff("request", request, &compilation.working_context().to_json()));
    }
    let error = match &compilation.outcome {
        Outcome::Failed { processor, error } => {
            let fields = [
                ("type", Json::from(error.kind.python_name())),
                ("message", error.message.clone().into()),
                ("processor", stage_group(processor).into()),
            ];
            Json::Object(fields.into_iter().collect())
        }
        _ => Json::Null,
    };
    failure.extend(diff("error", expected.get("error").unwrap_or(&Json::Null), &error));
    if let Some(expected) = expected.get("state_delta") {
        let mut delta = Object::new();
        compilation.stages.iter().for_each(|stage| delta.update(&stage.output.state_delta));
        failure.extend(diff("state_delta", expected, &Json::Object(delta)));
    }
    if let Some(expected) = expected.get("memory_searches") {
        let searches = compilation.stages.iter().flat_map(|stage| &stage.output.memory_searches);
        let searches: Vec<Json> = searches
            .map(|search| {
                let memories: Vec<Json> = search.found.iter().map(|memory| memory.to_json()).collect();
                Json::Object(
                    [("query", Json::from(search.query.clone())), ("memories", memories.into())]
                        .into_iter()
                        .collect(),
                )
            })
            .collect();
        failure.extend(diff("memory_searches", expected, &searches.into()));
    }
    failure
}

/// The name vectors give to a stage of ours: plugins and callbacks are one stage each.
fn stage_group(processor: &str) -> &str {
    match processor.split_once(':') {
        Some(("plugin", _)) => "plugins",
        Some(("callback", _)) => "before_model_callbacks",
        _ => processor,
    }
}

fn check_stages(given: &Json, expected: &Json, compilation: &Compilation) -> Failure {
    let mut failure = Vec::new();
    let mut sections: Object =
        [("contents", Json::Array(Vec::new())), ("tool_names", Json::Array(Vec::new()))]
            .into_iter()
            .collect();
    let mut actual = sections_of(&LlmRequest::default());
    for stage in given.get("expected_stages").and_then(Json::as_array).unwrap_or_default() {
        let name = stage.get("processor").and_then(Json::as_str).unwrap_or_default();
        for (section, value) in stage.get("set").and_then(Json::as_object).into_iter().flat_map(Object::iter)
        {
            let value =
                if value.as_str() == Some("$final") { final_value(expected, section) } else { value.clone() };
            sections.insert(section.clone(), value);
        }
        for section in stage.get("unset").and_then(Json::as_array).unwrap_or_default() {
            sections.remove(section.as_str().unwrap_or_default());
        }
        if let Some(stage) = compilation.stages.iter().rfind(|stage| stage_group(&stage.processor) == name) {
            actual = sections_of(&stage.request);
        }
        let difference =
            diff(&format!("after {name}"), &Json::Object(sections.clone()), &Json::Object(actual.clone()));
        if !difference.is_empty() {
            // Later stages repeat the difference: the first one tells where it came in.
            failure.extend(difference);
            break;
        }
    }
    failure
}

fn final_value(expected: &Json, section: &str) -> Json {
    let request = expected.get("request").cloned().unwrap_or_default();
    let value = match section.strip_prefix("config.") {
        Some(field) => request.get("config").and_then(|config| config.get(field)).cloned(),
        None => request.get(section).cloned(),
    };
    value.unwrap_or_default()
}

/// A request as the sections vectors compare.
fn sections_of(request: &LlmRequest) -> Object {
    let mut sections = Object::new();
    let json = request.to_json();
    for (key, value) in json.as_object().into_iter().flat_map(Object::iter) {
        match value {
            Json::Object(config) if **key == *"config" => {
                for (field, value) in config.iter() {
                    sections.push(format!("config.{field}"), value.clone());
                }
            }
            value => sections.push(key.clone(), value.clone()),
        }
    }
    let names: Vec<Json> = request.tool_names.iter().map(|name| name.clone().into()).collect();
    sections.push("tool_names", names);
    if !request.pending_dynamic_instructions.is_empty() {
        let pending: Vec<Json> =
            request.pending_dynamic_instructions.iter().map(|text| text.to_text().into()).collect();
        sections.push("pending_dynamic_instructions", pending);
    }
    sections
}
