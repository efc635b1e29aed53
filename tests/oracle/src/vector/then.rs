//! `then`: one more user message, and the contents the next call sees.

use std::sync::Arc;

use strata_engine::{
    Answers, AppIndex, Backend, CallSource, CompileContext, EventLog, Flow, SessionIds, StageCache,
    StateView, compile,
};
use strata_model::{Event, Json, Session};

use super::given;
use crate::Failure;
use crate::diff::diff;

/// The services of that call hold nothing, whatever came before.
pub(crate) fn check(then: &Json, index: &AppIndex, session: &Session) -> Failure {
    let mut events = session.events.clone();
    if let Some(event) = given::present(then, "append") {
        events.push(Arc::new(given::read::<Event>(event)));
    }
    let mut invocation = given::invocation(then.get("invocation").expect("an invocation"));
    invocation.is_compaction_active = false;
    let agent_id = index.find(&invocation.agent).expect("the agent of the call");
    let log = EventLog::new(events);
    let answers = Answers::default();
    let context = CompileContext {
        index,
        agent_id,
        invocation: &invocation,
        events: log.prefix(log.len()),
        state: StateView::of(&session.state),
        session: SessionIds {
            app_name: &session.app_name,
            user_id: &session.user_id,
            session_id: &session.id,
        },
        services: &given::services(&Json::Null, None),
        backend: Backend::AiStudio,
        source: CallSource::Live,
        answers: &answers,
        recorded: None,
        unedited: None,
    };
    let compilation = compile(&Flow::of_agent(index, agent_id), &context, &mut StageCache::new());
    let request = compilation.working_context().to_json();
    let contents = request.get("contents").cloned().unwrap_or_default();
    let expected = then.get("expected_contents").unwrap_or(&Json::Null);
    let mut failure = diff("then.contents", expected, &contents);
    if let Some(expected) = then.get("expected_system_instruction") {
        let system = request.get("config").and_then(|config| config.get("systemInstruction")).cloned();
        failure.extend(diff("then.systemInstruction", expected, &system.unwrap_or_default()));
    }
    failure
}
