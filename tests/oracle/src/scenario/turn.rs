//! What the user does, turn by turn.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use strata_engine::RunConfig as RequestConfig;
use strata_engine::turn::EventLimit;
use strata_model::{Content, Event, FunctionResponse, Json, Object, Part, Session, Str};
use strata_runtime::{EventSink, Failure, Halt, Reception, RunConfig, Runner, SessionKey, Turn};
use tokio_util::sync::CancellationToken;

use super::scripted::Scripted;
use super::services::{ScenarioServices, key};
use super::value::{flag, items, object, text};
use crate::vector::given::read;

/// What came of a turn.
pub(super) struct Outcome {
    pub(super) yielded: Vec<Arc<Event>>,
    pub(super) stored: Vec<Arc<Event>>,
    pub(super) state: Option<Object>,
    pub(super) error: Option<Failure>,
    pub(super) seconds: f64,
    /// The whole session, if it is the one that compactions refer to.
    pub(super) session: Option<Session>,
}

pub(super) async fn run_all(
    scenario: &Json,
    runner: &Runner,
    host: &Arc<Scripted>,
    kept: &ScenarioServices,
) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    for (at, turn) in items(scenario, "turns").iter().enumerate() {
        host.journal.begin_turn(at);
        host.time.begin_turn();
        let key = key(scenario, text(turn, "user_id"), text(turn, "session_id"));
        kept.know(&key);
        if let Some(state) = turn.get("create_session") {
            kept.create(&key, &state.as_object().cloned().unwrap_or_default()).await;
        }
        let before = kept.session(&key).await;
        let n_before = before.as_ref().map_or(0, |session| session.events.len());
        let begin = host.time.elapsed();
        let (yielded, error) = run_one(turn, &key, runner, kept, before.as_ref(), &outcomes).await;
        let after = kept.session(&key).await;
        outcomes.push(Outcome {
            yielded,
            stored: after.as_ref().map(|session| session.events[n_before..].to_vec()).unwrap_or_default(),
            state: after.as_ref().map(|session| session.state.clone()),
            error,
            seconds: host.time.elapsed() - begin,
            session: after.filter(|session| &*session.id == "session-1" && &*session.user_id == "user-1"),
        });
    }
    outcomes
}

async fn run_one(
    turn: &Json,
    key: &SessionKey,
    runner: &Runner,
    kept: &ScenarioServices,
    before: Option<&Session>,
    outcomes: &[Outcome],
) -> (Vec<Arc<Event>>, Option<Failure>) {
    let invocation_of = |name: &str| -> Option<Str> {
        let at = usize::try_from(turn.get(name)?.as_i64()?).ok()?;
        outcomes.get(at)?.stored.first().map(|event| event.invocation_id.clone())
    };
    if turn.get("rewind_to_turn").is_some() {
        let id = invocation_of("rewind_to_turn").unwrap_or_default();
        return (Vec::new(), runner.rewind(key, &id).await.err());
    }
    if flag(Some(turn), "remember_session") {
        kept.remember(key).await;
        return (Vec::new(), None);
    }
    let abort = CancellationToken::new();
    let listener = Listener {
        heard: Mutex::default(),
        abort: abort.clone(),
        abort_after: count(turn, "abort_after"),
        stop_after: count(turn, "stop_after"),
    };
    let run = Turn {
        message: turn.get("user").map(|_| message(turn, before)),
        invocation_id: invocation_of("resume_turn"),
        state_delta: object(turn, "state_delta"),
        config: turn.get("run_config").map(run_config).unwrap_or_default(),
        tells_user_message: flag(Some(turn), "yield_user_message"),
        abort,
        ..Turn::new(key.clone())
    };
    let error = match runner.run(run, &listener).await {
        Ok(()) => None,
        Err(Halt::Failed(failure)) => Some(failure),
        Err(halt) => panic!("a run ended with {halt:?}"),
    };
    (listener.heard.into_inner(), error)
}

fn count(turn: &Json, key: &str) -> Option<usize> {
    turn.get(key).and_then(Json::as_i64).and_then(|count| usize::try_from(count).ok())
}

struct Listener {
    heard: Mutex<Vec<Arc<Event>>>,
    abort: CancellationToken,
    abort_after: Option<usize>,
    stop_after: Option<usize>,
}

impl EventSink for Listener {
    fn receive(&self, event: Arc<Event>) -> BoxFuture<'_, Reception> {
        let mut heard = self.heard.lock();
        heard.push(event);
        let n_heard = Some(heard.len());
        if n_heard == self.abort_after {
            self.abort.cancel();
        }
        let reception = if n_heard == self.stop_after { Reception::Stop } else { Reception::GoOn };
        Box::pin(std::future::ready(reception))
    }
}

fn message(turn: &Json, session: Option<&Session>) -> Content {
    let parts = items(turn, "user").iter().map(|part| match part {
        Json::String(text) => Part::from_text(text.clone()),
        other if other.get("$answer").is_some() => answer(other, session),
        other if other.get("$credential").is_some() => credential(other, session),
        other => read(other),
    });
    let role = text(turn, "role").unwrap_or_else(|| "user".into());
    Content { role: Some(role), ..Content::new("", parts.collect::<Vec<_>>()) }
}

/// The id and arguments of the latest calls of a name, newest first.
fn latest_call(session: Option<&Session>, name: &str, nth: usize) -> (Option<Str>, Object) {
    let events = session.map(|session| session.events.as_slice()).unwrap_or_default();
    let calls = events.iter().rev().flat_map(|event| {
        let calls: Vec<_> = event.function_calls().collect();
        calls.into_iter().rev()
    });
    let call = calls.filter(|call| call.name.as_deref() == Some(name)).nth(nth);
    call.map(|call| (call.id.clone(), call.args.as_deref().cloned().unwrap_or_default())).unwrap_or_default()
}

fn answer(part: &Json, session: Option<&Session>) -> Part {
    let name = text(part, "$answer").unwrap_or_default();
    let (id, _) = latest_call(session, &name, count(part, "nth").unwrap_or(0));
    Part::from_response(FunctionResponse {
        id,
        name: Some(text(part, "as").unwrap_or(name)),
        response: part.get("response").and_then(Json::as_object).cloned().map(Arc::new),
        ..FunctionResponse::default()
    })
}

fn credential(part: &Json, session: Option<&Session>) -> Part {
    let name = "adk_request_credential";
    let (id, args) = latest_call(session, name, 0);
    let mut config = args.get("authConfig").and_then(Json::as_object).cloned().unwrap_or_default();
    config.insert("exchangedAuthCredential", part.get("$credential").cloned().unwrap_or_default());
    Part::from_response(FunctionResponse {
        id,
        name: Some(name.into()),
        response: Some(Arc::new(config)),
        ..FunctionResponse::default()
    })
}

fn run_config(value: &Json) -> RunConfig {
    let limit = value.get("get_session_config");
    let number = |key: &str| value.get(key).and_then(Json::as_i64);
    let requests: RequestConfig = crate::vector::given::run_config(value);
    RunConfig {
        max_llm_calls: number("max_llm_calls").unwrap_or(500),
        is_streaming: text(value, "streaming_mode").is_some_and(|mode| mode.eq_ignore_ascii_case("sse")),
        custom_metadata: object(value, "custom_metadata"),
        event_limit: EventLimit {
            num_recent_events: limit.and_then(|limit| limit.get("num_recent_events")?.as_i64()),
            after_timestamp: limit.and_then(|limit| limit.get("after_timestamp")?.as_f64()),
        },
        save_input_blobs_as_artifacts: flag(Some(value), "save_input_blobs_as_artifacts"),
        requests,
    }
}
