//! The Model Context Protocol: an agent is a tool. The protocol itself is spoken in strata-mcp; here a call's arguments
//! become a request, and its answer a document.

use strata_context::{ContextError, Door, IdPlace};
use strata_model::{Json, Object, Str, json};

use super::answer::{Answer, AnswerStatus, Ask, Asker, ServeError, iso};
use super::server::ServedApp;
use crate::error::AppError;

/// What a call of a tool is answered.
#[derive(Debug, Clone, PartialEq)]
pub struct McpAnswer {
    pub is_error: bool,
    /// For the model that called: of an error its code, too, and when a context of its own expired.
    pub text: String,
    /// For programs: a JSON object.
    pub document: String,
    /// The context that the next call of the same connection goes on with.
    pub context_id: Option<String>,
    /// What became of the call, and the task that a next one answers where this one waits.
    pub task: Option<McpTask>,
}

/// The task that a call began or went on with.
#[derive(Debug, Clone, PartialEq)]
pub struct McpTask {
    pub id: String,
    /// `completed`, `input_required`, `failed` or `canceled`.
    pub status: &'static str,
}

/// Arguments that a tool takes, beside the caller's own `context`, which is not handed in.
const ARGUMENTS: [&str; 5] = ["message", "context_id", "contextId", "task_id", "state"];

/// The schema of every tool's arguments, as JSON. What is not named in it is told to the agent where there is no message.
pub const TOOL_SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "message": {"type": "string", "description": "What the agent is told. Without it, all other arguments are, as a JSON object"},
    "context_id": {"type": ["string", "null"], "description": "The context of an earlier answer, to go on with it"},
    "contextId": {"type": ["string", "null"], "description": "The same, as A2A spells it"},
    "task_id": {"type": ["string", "null"], "description": "A task that waits for this message"},
    "state": {"type": ["object", "null"], "description": "What the agent should remember: keys of the working state"},
    "context": {"type": ["object", "null"], "description": "The caller's own: returned unchanged, never read"}
  },
  "additionalProperties": true
}"#;

/// Answers a call. It blocks until the agent has answered. `connection` is the context that the connection's last call
/// was in: a call that names none goes on with it, while it is there.
pub fn answer_mcp(
    app: &ServedApp,
    asker: &Asker,
    agent: &str,
    arguments: &str,
    connection: Option<&str>,
) -> McpAnswer {
    match read(agent, arguments, asker).and_then(|ask| asked(app, ask, connection)) {
        Ok(answer) => told(&answer),
        Err(error) => McpAnswer {
            is_error: true,
            text: for_model(&error),
            document: json::object_to_compact(&Object::from_iter([
                ("status", Json::from("failed")),
                ("error", error.to_json().into()),
            ])),
            context_id: None,
            task: None,
        },
    }
}

fn asked(app: &ServedApp, ask: Ask, connection: Option<&str>) -> Result<Answer, ServeError> {
    let goes_on = connection.filter(|_| ask.context_ids.is_empty() && ask.task_id.is_none());
    let Some(connection) = goes_on else { return app.answer(ask) };
    let again = Ask { context_ids: vec![(IdPlace::Body, connection.to_owned())], ..ask.clone() };
    match app.answer(again) {
        // Nobody asked for it: a new one begins.
        Err(ServeError::Context(ContextError::Expired { .. })) => app.answer(ask),
        answered => answered,
    }
}

/// Many clients show their model the text alone: it has all that a model acts on.
fn for_model(error: &ServeError) -> String {
    let expired = error.expired_at().map(|at| format!(" It expired at {}.", iso(at))).unwrap_or_default();
    format!("{}: {error}{expired}", error.code())
}

fn told(answer: &Answer) -> McpAnswer {
    McpAnswer {
        is_error: matches!(answer.status, AnswerStatus::Failed | AnswerStatus::Canceled),
        text: answer.text.clone(),
        document: json::object_to_compact(&document(answer)),
        context_id: Some(answer.context_id.clone()),
        task: Some(McpTask { id: answer.task_id.clone(), status: answer.status.name() }),
    }
}

/// An answer that is a JSON object stands beside what is told of every answer, which goes before members of the same name.
fn document(answer: &Answer) -> Object {
    let mut document = answer.to_json();
    for (key, value) in answer.object().iter().flat_map(Object::iter) {
        if !document.contains_key(key) {
            document.push(key.clone(), value.clone());
        }
    }
    document
}

/// What is said by arguments that are no message: programs call a tool by parameters of its own. `None` where they are no
/// parameters either.
fn parameters(arguments: &Object) -> Option<String> {
    let own = |key: &str| ARGUMENTS.contains(&key);
    if arguments.contains_key("message") || (!arguments.is_empty() && arguments.keys().all(|key| own(key))) {
        return None;
    }
    let said: Object = arguments
        .iter()
        .filter(|(key, _)| !own(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Some(json::object_to_compact(&said))
}

fn read(agent: &str, arguments: &str, asker: &Asker) -> Result<Ask, ServeError> {
    let unreadable = |problem: String| ServeError::from(AppError::bad_input(problem));
    let Ok(Json::Object(arguments)) = json::parse(arguments.as_bytes()) else {
        return Err(unreadable("The arguments are no JSON object.".to_owned()));
    };
    let said = parameters(&arguments);
    let unknown = |key: &&Str| said.is_none() && !ARGUMENTS.contains(&&***key);
    if let Some(other) = arguments.keys().find(unknown) {
        let known = ARGUMENTS.join(", ");
        return Err(unreadable(format!("There is no argument `{other}`. There are: {known}, context.")));
    }
    let text = |key: &str| match arguments.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.to_string()).filter(|text| !text.is_empty())),
        Some(other) => Err(unreadable(format!("`{key}` is {}, not a text.", other.kind()))),
    };
    let missing = || unreadable("`message` is missing: say something to the agent.".to_owned());
    let message = text("message")?.or(said).ok_or_else(missing)?;
    let mut ask = Ask::new(Door::Mcp, asker.principal.clone(), message);
    ask.agent = Some(agent.to_owned());
    ask.context_ids.extend(asker.named_ids());
    for key in ["context_id", "contextId"] {
        ask.context_ids.extend(text(key)?.map(|id| (IdPlace::Body, id)));
    }
    ask.task_id = text("task_id")?;
    ask.state = match arguments.get("state") {
        None | Some(Json::Null) => Object::new(),
        Some(Json::Object(state)) => state.clone(),
        Some(other) => return Err(unreadable(format!("`state` is {}, not an object.", other.kind()))),
    };
    Ok(ask)
}
