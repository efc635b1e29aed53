//! Names of the marks that importers leave in an event's `customMetadata`, where the source says something that
//! ADK's event has no field for.

pub use strata_model::marks::{
    ATTEMPT, CACHE_VERDICT, CACHE_WRITE, CONTEXT_WINDOW, CONTEXTS, INSTRUCTION, NOT_SENT, QUOTED,
    SENT_ELSEWHERE, SUM, SYSTEM_TEXT, UNANSWERED, UNREPORTED, WRITER,
};
use strata_model::{Event, Json, Object, marks};
use strata_wire::NamedContext;

/// Context the client added by itself; the value says what it was (`meta`, `command`, `attachment.file`, …). Such an
/// event has the author `user` but nobody typed it.
pub const INJECTED: &str = "injected";

/// True on an event that belongs to another session and is only repeated in this one: what a sub-agent did, where the
/// parent's file reports its progress, or what a fork copied of its parent. Its calls and usage count in the session, as
/// they do in the file's own sums; prompts of the user in it do not.
pub const RELAYED: &str = "relayed";

/// What the source's own record says beyond ADK's event: its ids, its version, its raw metadata.
pub const SOURCE: &str = "source";

/// The structured result a tool returned to the client, which the model did not see.
pub const TOOL_USE_RESULT: &str = "toolUseResult";

/// Whole results that the model was given the beginning of only, by the names of their files.
pub const FULL_OUTPUT: &str = "fullOutput";

/// Field of a saved session that holds what was really sent: `[{answer, body, shared, appended, removed, rewritten}]`,
/// where `answer` is the place of the event that answers it, from 0, or null.
pub const RECORDED_REQUESTS: &str = "recordedRequests";

/// Model name of a response that no model wrote.
pub const SYNTHETIC_MODEL: &str = "<synthetic>";

/// What kind of context the client added, if this event is that.
pub fn injected(event: &Event) -> Option<&str> {
    marks::of(event, INJECTED)?.as_str()
}

pub fn is_relayed(event: &Event) -> bool {
    marks::of(event, RELAYED).is_some_and(Json::is_truthy)
}

/// Tokens the call wrote to the provider's cache.
pub fn cache_write_tokens(event: &Event) -> u64 {
    let tokens = marks::of(event, CACHE_WRITE).and_then(|write| write.get("tokens")?.as_i64());
    tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(0)
}

/// The ids that an answer is known by: its event's own, and the provider's, for it or for a call in it. What an importer
/// numbered itself says nothing of another recording.
pub fn answer_ids(event: &Event) -> impl Iterator<Item = &str> {
    let source = marks::of(event, SOURCE);
    let of_provider =
        ["responseId", "messageId"].into_iter().filter_map(move |key| source?.get(key)?.as_str());
    let calls = event.function_calls().filter_map(|call| call.id.as_deref());
    let of_calls = calls.filter(|id| id.len() >= DRAWN);
    let own = [&*event.id].into_iter().chain(of_provider).filter(|id| !id.is_empty() && !is_numbered(id));
    own.chain(of_calls)
}

/// Ids of calls that are as long were drawn by a provider; shorter ones count.
const DRAWN: usize = 16;

/// The id of an event whose source gives it none, by its place in the session.
pub(crate) fn numbered(place: usize) -> String {
    format!("{NUMBERED}{}", place + 1)
}

const NUMBERED: &str = "event-";

fn is_numbered(id: &str) -> bool {
    let number = id.strip_prefix(NUMBERED);
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a person typed this event: it has words or media of the user's, and is no tool result.
pub fn is_user_turn(event: &Event) -> bool {
    event.is_from_user()
        && !event.is_compaction()
        && !event.parts().is_empty()
        && event.function_responses().next().is_none()
        && injected(event).is_none()
}

/// Whether the event stands for a model call: it holds what was answered, or says that no answer was
/// recorded; and it is no attempt after which the same was sent again.
pub fn is_model_call(event: &Event) -> bool {
    let is_marked = |name| marks::of(event, name).is_some_and(Json::is_truthy);
    !is_marked(ATTEMPT) && (is_model_response(event) || is_marked(UNANSWERED))
}

/// Whether a model call produced this event.
pub fn is_model_response(event: &Event) -> bool {
    let is_synthetic = event.model_version.as_deref() == Some(SYNTHETIC_MODEL);
    let is_from_model =
        event.content.as_ref().is_some_and(|content| content.role.as_deref() == Some("model"));
    !event.is_from_user()
        && !event.is_compaction()
        && !is_synthetic
        && ![SUM, QUOTED, NOT_SENT].iter().any(|name| marks::of(event, name).is_some_and(Json::is_truthy))
        && (event.usage_metadata.is_some() || is_from_model)
}

/// What [`CONTEXTS`] says of one.
pub(crate) fn named_context(named: &NamedContext) -> Json {
    Object::from_iter([("id", named.id.clone()), ("place", named.place.name().into())]).into()
}
