//! Plain HTTP: a document in, a document out. Whoever listens to the socket hands in what a request holds.

use strata_context::{Door, Held, IdPlace, Retention, RetentionStrategy, Ttl, expires_at, state_at};
use strata_model::{Json, Object, json};

use super::answer::{Answer, AnswerStatus, Ask, Asker, ServeError, iso};
use super::server::ServedApp;
use crate::error::AppError;

/// What a request holds.
#[derive(Debug, Clone)]
pub struct HttpAsk {
    pub asker: Asker,
    pub body: Vec<u8>,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpAnswer {
    pub status: u16,
    pub body: String,
    /// To be told in the header and the cookie, too.
    pub context_id: Option<String>,
}

/// Members that a request may have.
const MEMBERS: [&str; 9] =
    ["message", "agent", "context_id", "contextId", "task_id", "state", "ttl", "retention", "context"];

/// Answers a message. It blocks until the agent has answered.
pub fn answer_http(app: &ServedApp, asked: HttpAsk) -> HttpAnswer {
    let body = match read_body(&asked.body) {
        Ok(body) => body,
        Err(error) => return refused(&error, None),
    };
    // The caller's own: returned as it came, whatever happens, and never read.
    let echo = body.get("context").cloned();
    if echo.as_ref().is_some_and(|echo| holds(echo, &is_beyond_floats)) {
        let problem = "`context` holds a number that cannot be given back as it came. Send it as a text.";
        return refused(&AppError::bad_input(problem).into(), None);
    }
    let answered = read(&body, asked).and_then(|ask| app.answer(ask));
    match answered {
        Ok(answer) => {
            let status = if answer.status == AnswerStatus::Failed { 502 } else { 200 };
            let mut document = answered_json(&answer);
            document.push_some("context", echo);
            let body = json::object_to_compact(&document);
            HttpAnswer { status, body, context_id: Some(answer.context_id) }
        }
        Err(error) => refused(&error, echo),
    }
}

/// What a context holds.
pub fn context_over_http(app: &ServedApp, asked: HttpAsk) -> HttpAnswer {
    match app.context(asked.asker.context_ids, &asked.asker.principal) {
        Ok(held) => HttpAnswer {
            status: 200,
            body: json::object_to_compact(&context_json(app, &held)),
            context_id: Some(held.context.context_id.to_string()),
        },
        Err(error) => refused(&error, None),
    }
}

fn refused(error: &ServeError, echo: Option<Json>) -> HttpAnswer {
    let mut document = Object::from_iter([("error", error.to_json())]);
    document.push_some("context", echo);
    HttpAnswer { status: error.status(), body: json::object_to_compact(&document), context_id: None }
}

fn read_body(body: &[u8]) -> Result<Object, ServeError> {
    let example = r#"Send a JSON object such as {"message": "Hello"}."#;
    match json::parse(body) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(other) => Err(AppError::bad_input(format!("The body is {}. {example}", other.kind())).into()),
        Err(error) => Err(AppError::bad_input(format!("The body is no JSON: {error}. {example}")).into()),
    }
}

fn read(body: &Object, asked: HttpAsk) -> Result<Ask, ServeError> {
    if let Some(other) = body.keys().find(|key| !MEMBERS.contains(&&***key)) {
        let known = MEMBERS.join(", ");
        return Err(
            AppError::bad_input(format!("`{other}` is not known. A request may have: {known}.")).into()
        );
    }
    let message = text(body, "message")?;
    let missing = || AppError::bad_input("There is no `message`. Send what the agent is to be told.");
    let mut ask = Ask::new(Door::Http, asked.asker.principal, message.ok_or_else(missing)?);
    ask.context_ids = asked.asker.context_ids;
    for key in ["context_id", "contextId"] {
        ask.context_ids.extend(text(body, key)?.map(|id| (IdPlace::Body, id)));
    }
    ask.agent = text(body, "agent")?;
    ask.task_id = text(body, "task_id")?;
    ask.state = match body.get("state") {
        None | Some(Json::Null) => Object::new(),
        Some(Json::Object(state)) => state.clone(),
        Some(other) => {
            return Err(AppError::bad_input(format!("`state` is {}, not an object.", other.kind())).into());
        }
    };
    if ask
        .state
        .iter()
        .any(|(_, value)| holds(value, &|number| is_beyond_floats(number) || is_beyond_integers(number)))
    {
        let problem = "`state` holds a number that cannot be kept as it is. Send it as a text.";
        return Err(AppError::bad_input(problem).into());
    }
    ask.ttl = text(body, "ttl")?.map(|class| ttl(&class)).transpose()?;
    ask.retention = body
        .get("retention")
        .filter(|it| !it.is_null())
        .map(Retention::from_json)
        .transpose()
        .map_err(ServeError::from)?;
    Ok(ask)
}

/// Whether a number of this kind is somewhere in a value.
fn holds(value: &Json, kind: &dyn Fn(&Json) -> bool) -> bool {
    match value {
        Json::Array(items) => items.iter().any(|item| holds(item, kind)),
        Json::Object(object) => object.iter().any(|(_, value)| holds(value, kind)),
        other => kind(other),
    }
}

/// JSON has numbers of any size, and the largest ones are read as infinite.
fn is_beyond_floats(number: &Json) -> bool {
    matches!(number, Json::Float(number) if !number.is_finite())
}

/// A working state is stored with integers of 64 bits.
fn is_beyond_integers(number: &Json) -> bool {
    matches!(number, Json::BigInt(digits) if digits.parse::<u64>().is_err())
}

fn text(body: &Object, key: &str) -> Result<Option<String>, AppError> {
    match body.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.to_string()).filter(|text| !text.is_empty())),
        Some(other) => Err(AppError::bad_input(format!("`{key}` is {}, not a text.", other.kind()))),
    }
}

fn ttl(class: &str) -> Result<Ttl, AppError> {
    Ttl::of_class(class).ok_or_else(|| {
        AppError::bad_input(format!("`{class}` is no `ttl`: it is interactive, async or human_in_the_loop."))
    })
}

/// Both spellings of the id, for clients of either protocol.
fn answered_json(answer: &Answer) -> Object {
    let mut document = Object::from_iter([
        ("status", Json::from(answer.status.name())),
        ("context_id", answer.context_id.as_str().into()),
        ("contextId", answer.context_id.as_str().into()),
        ("task_id", answer.task_id.as_str().into()),
        ("agent", answer.agent.as_str().into()),
        ("message", answer.text.as_str().into()),
    ]);
    answer.add_details(&mut document);
    document
}

impl Answer {
    /// What waits, and what was not taken, where there is any.
    fn add_details(&self, document: &mut Object) {
        if !self.waiting.is_empty() {
            let waiting = self.waiting.iter().map(|call| {
                Json::from(Object::from_iter([
                    ("id", Json::from(call.id.as_str())),
                    ("name", call.name.as_str().into()),
                    ("arguments", call.arguments.clone()),
                ]))
            });
            document.push("waiting", waiting.collect::<Vec<_>>());
        }
        if !self.conflicts.is_empty() {
            document.push(
                "conflicts",
                self.conflicts.iter().map(|key| Json::from(key.as_str())).collect::<Vec<_>>(),
            );
        }
    }

    /// As a document with both spellings of the id.
    pub fn to_json(&self) -> Object {
        answered_json(self)
    }
}

fn context_json(app: &ServedApp, held: &Held) -> Object {
    let (context, now) = (&held.context, app.clock().now());
    let messages = context.messages.iter().map(|message| {
        let mut row = Object::from_iter([
            ("role", Json::from(message.role.name())),
            ("content", message.content.clone().into()),
            ("at", iso(message.at).into()),
        ]);
        row.push_some("door", message.door.map(Door::name));
        Json::from(row)
    });
    let texts = |ids: &[strata_context::TaskId]| {
        Json::from(ids.iter().map(|id| Json::from(id.as_str())).collect::<Vec<_>>())
    };
    let retention = context.message_retention;
    let strategy = match retention.strategy {
        RetentionStrategy::Count => "count",
        RetentionStrategy::Time => "time",
        RetentionStrategy::Size => "size",
    };
    let retention = Object::from_iter([
        ("strategy", Json::from(strategy)),
        ("limit", Json::Int(retention.limit as i64)),
        ("summarize_on_truncate", retention.summarize_on_truncate.into()),
    ]);
    Object::from_iter([
        ("context_id", Json::from(context.context_id.as_str())),
        ("principal_id", context.principal_id.as_str().into()),
        ("state", state_at(context, now).name().into()),
        ("ttl", context.ttl.class().into()),
        ("created_at", iso(context.created_at).into()),
        ("updated_at", iso(context.updated_at).into()),
        ("expires_at", expires_at(context).map_or(Json::Null, |at| iso(at).into())),
        ("working_state", context.working_state.clone().into()),
        ("message_retention", retention.into()),
        ("messages", messages.collect::<Vec<_>>().into()),
        ("active_tasks", texts(&context.active_tasks)),
        ("completed_tasks", texts(&context.completed_tasks)),
    ])
}
