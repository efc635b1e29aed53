//! The body of an answer, in any dialect.

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text, unpacked};
use strata_model::{Json, Object, Str, json};

use super::answer::Answer;
use super::cache_verdict::CacheVerdict;
use crate::message::{Reader, Role, Turn};
use crate::stream::{self, JoinedAnswer};
use crate::usage;

impl Reader<'_> {
    /// Reads the body of an answer: JSON, JSON in text, the text of a stream, or the list of its pieces.
    pub fn answer(&mut self, body: Json) -> Answer {
        match unpacked(body) {
            Json::String(text) if let Some(pieces) = stream::pieces(&text) => match stream::joined(pieces) {
                Ok(joined) => self.joined(joined),
                Err(_) => broken("the recorded stream holds no answer"),
            },
            Json::String(text) if let Some(pieces) = lines(&text) => self.answer(Json::Array(pieces)),
            Json::String(text) => {
                let mut turn = Turn::new(Role::Model);
                self.messages("response").content(Json::String(text), &mut turn);
                Answer { turn: Some(turn).filter(|turn| !turn.parts.is_empty()), ..Answer::default() }
            }
            Json::Array(items) => match stream::joined(items) {
                Ok(joined) => self.joined(joined),
                Err(items) => messages(items, self),
            },
            Json::Object(object) => read_object(object, self),
            Json::Null => Answer::default(),
            other => {
                self.unread.field("response", "body", &other);
                Answer::default()
            }
        }
    }

    /// Reads an answer that was put together of pieces.
    pub fn joined(&mut self, joined: JoinedAnswer) -> Answer {
        Answer { is_cut: joined.is_cut, ..read_object(joined.body, self) }
    }

    /// What an answer with an error status says: it is no model's word.
    pub fn refused(&mut self, status: i64, body: Option<Json>) -> Answer {
        let told = format!("the provider answered with status {status}").into();
        let mut answer = match body.map(unpacked) {
            Some(body @ (Json::Object(_) | Json::Array(_))) => self.answer(body),
            Some(Json::String(text)) if stream::is_stream(&text) => self.answer(Json::String(text)),
            _ => Answer::default(),
        };
        answer.turn = None;
        answer.error.get_or_insert((format!("HTTP {status}").into(), told));
        answer
    }
}

/// What a provider says in a body that came with an error status. `None` where it says nothing readable.
pub fn error_message(body: &[u8]) -> Option<String> {
    let value = json::parse(body).ok()?;
    // Gemini sends errors in a list when it streams.
    let value = match value {
        Json::Array(items) => items.into_iter().next()?,
        other => other,
    };
    let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(&value);
    let message = error.get("message").and_then(Json::as_str).or(error.as_str());
    Some(message.map_or_else(|| json::to_compact(error), str::to_owned))
}

/// A name and a sentence for an error.
pub(crate) fn told(error: Json) -> (Str, Str) {
    match error {
        Json::Object(mut error) => {
            let code =
                take_first_text(&mut error, &["type", "code", "status"]).unwrap_or_else(|| "error".into());
            let message = take_first_text(&mut error, &["message"]).unwrap_or_else(|| code.clone());
            (code, message)
        }
        Json::String(message) => ("error".into(), message),
        other => ("error".into(), json::to_compact(&other).into()),
    }
}

/// The values that stand one a line in a text that is not JSON as a whole.
fn lines(text: &str) -> Option<Vec<Json>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let values: Option<Vec<Json>> = lines.map(|line| json::parse(line.as_bytes()).ok()).collect();
    values.filter(|values| values.len() > 1 && values.iter().all(|value| value.as_object().is_some()))
}

fn broken(what: &str) -> Answer {
    Answer { error: Some(("no-answer".into(), what.into())), ..Answer::default() }
}

/// A list of messages, of which the answer is made.
fn messages(items: Vec<Json>, reader: &mut Reader<'_>) -> Answer {
    let mut answer = Answer::default();
    for item in items {
        let item = match item {
            Json::Object(mut object) => {
                answer.finish = answer.finish.take().or_else(|| take_text(&mut object, "finish_reason"));
                Json::Object(object)
            }
            other => other,
        };
        append(reader.messages("response").read(item), &mut answer);
    }
    answer
}

fn append(turn: Turn, answer: &mut Answer) {
    match &mut answer.turn {
        Some(whole) => {
            whole.parts.extend(turn.parts);
            whole.result_bytes = whole.result_bytes.max(turn.result_bytes);
            whole.refusal = whole.refusal.take().or(turn.refusal);
        }
        None => answer.turn = Some(Turn { role: Role::Model, ..turn }),
    }
}

fn read_object(mut body: Object, reader: &mut Reader<'_>) -> Answer {
    // What loggers wrap around an answer.
    if let Some(inner) = take_object(&mut body, "response").or_else(|| take_object(&mut body, "llm_response"))
    {
        return read_object(inner, reader);
    }
    let mut answer = Answer {
        id: take_first_text(&mut body, &["id", "responseId", "response_id", "interactionId"]),
        model: take_first_text(&mut body, &["model", "modelVersion", "model_version"]),
        ..Answer::default()
    };
    if let Some(error) = take_any(&mut body, &["error"]) {
        answer.error = Some(told(error));
    }
    let blocked = body.get("promptFeedback").and_then(|feedback| feedback.get("blockReason")?.as_str());
    if let Some(reason) = blocked.map(Str::from) {
        answer.error.get_or_insert((reason, "the provider refused the prompt".into()));
    }
    let is_compaction = body.get("object").and_then(Json::as_str) == Some("response.compaction");
    // The error object of the Messages API is the body itself.
    answer.finish = take_first_text(
        &mut body,
        &["stop_reason", "stopReason", "finish_reason", "finishReason", "done_reason"],
    );
    answer.usage = usage::take_from_answer(&mut body, reader.unread);
    answer.cache_verdict = CacheVerdict::take_from(&mut body, reader.unread);
    if let Some(generations) = take_list(&mut body, "generations") {
        read_generations(generations, &mut body, &mut answer, reader);
    } else if let Some(choices) = take_list(&mut body, "choices") {
        read_choices(choices, &mut answer, reader);
    } else if let Some(candidates) = take_list(&mut body, "candidates") {
        read_choices(candidates, &mut answer, reader);
    } else if let Some(output) = body.remove("output") {
        read_output(output, is_compaction, &mut answer, reader);
        let why = body.get("incomplete_details").and_then(|details| details.get("reason")?.as_str());
        let why = why.map(Str::from);
        answer.finish = answer.finish.take().or(take_text(&mut body, "status")).map(|it| why.unwrap_or(it));
    } else if body.contains_key("done") && body.get("message").is_some_and(|it| it.as_object().is_some()) {
        let message = body.remove("message").unwrap_or_default();
        append(reader.messages("response").read(message), &mut answer);
    } else if ["content", "role", "parts", "message", "tool_calls"].iter().any(|key| body.contains_key(key)) {
        let turn = reader.messages("response").read(Json::Object(std::mem::take(&mut body)));
        body.clone_from(&turn.rest);
        append(turn, &mut answer);
    }
    for (key, value) in body.iter() {
        let is_said = ["object", "created", "created_at", "type", "role", "done"].contains(&&**key);
        // The answer repeats the settings of the request.
        let is_setting = body.contains_key("parallel_tool_calls");
        if !is_said && !is_setting {
            reader.unread.field("response", key, value);
        }
    }
    answer
}

/// The first choice is the answer; others are counted.
fn read_choices(choices: Vec<Json>, answer: &mut Answer, reader: &mut Reader<'_>) {
    for (index, choice) in choices.into_iter().enumerate() {
        let Json::Object(mut choice) = choice else { continue };
        if index > 0 {
            reader.unread.field("response", "choices[]", &Json::Bool(true));
            continue;
        }
        answer.finish =
            take_first_text(&mut choice, &["finish_reason", "finishReason"]).or(answer.finish.take());
        if let Some(text) = take_text(&mut choice, "text") {
            append(reader.messages("response").read(assistant(text.into())), answer);
        }
        for key in ["message", "content", "delta"] {
            if let Some(Json::Object(mut message)) = choice.remove(key) {
                if !message.contains_key("role") {
                    message.insert("role", "assistant");
                }
                let turn = reader.messages("response").read(Json::Object(message));
                for (key, value) in turn.rest.iter() {
                    reader.unread.field("response.message", key, value);
                }
                append(turn, answer);
            }
        }
        for (key, value) in choice.iter().filter(|(key, _)| &***key != "index") {
            reader.unread.field("response.choice", key, value);
        }
    }
}

fn assistant(content: Json) -> Json {
    Object::from_iter([("role", Json::from("assistant")), ("content", content)]).into()
}

/// `{generations: [[{message}]], llm_output}` of LangChain: the first is the answer, others are counted.
fn read_generations(generations: Vec<Json>, body: &mut Object, answer: &mut Answer, reader: &mut Reader<'_>) {
    let many = generations.into_iter().flat_map(|one| match one {
        Json::Array(inner) => inner,
        one => vec![one],
    });
    for (number, generation) in many.enumerate() {
        let Json::Object(mut generation) = generation else { continue };
        if number > 0 {
            reader.unread.field("response", "generations[]", &Json::Bool(true));
            continue;
        }
        let message = generation.remove("message").filter(|message| !message.is_null());
        let message = message.or_else(|| generation.remove("text").map(assistant)).unwrap_or_default();
        let mut turn = reader.messages("response").read(message);
        turn.role = Role::Model;
        let rest = &mut turn.rest;
        let mut about = take_object(rest, "response_metadata").unwrap_or_default();
        about.update(&take_object(&mut generation, "generation_info").unwrap_or_default());
        answer.id = answer.id.take().or_else(|| take_text(rest, "id"));
        answer.model =
            answer.model.take().or_else(|| take_first_text(&mut about, &["model_name", "model", "model_id"]));
        answer.finish =
            answer.finish.take().or_else(|| take_first_text(&mut about, &["finish_reason", "stop_reason"]));
        let usage = take_object(rest, "usage_metadata")
            .or_else(|| take_object(&mut about, "token_usage"))
            .or_else(|| take_object(&mut about, "usage"));
        answer.usage = answer.usage.take().or_else(|| usage::read(usage?, "usage_metadata", reader.unread));
        answer.turn = Some(turn);
    }
    let Some(mut output) = take_object(body, "llm_output") else { return };
    answer.model = answer.model.take().or_else(|| take_first_text(&mut output, &["model_name", "model"]));
    let usage = take_object(&mut output, "token_usage").or_else(|| take_object(&mut output, "usage"));
    answer.usage = answer.usage.take().or_else(|| usage::read(usage?, "token_usage", reader.unread));
}

/// Items of the Responses API, or the one message of Bedrock's. A compaction repeats what users said; the model's is the
/// summary.
fn read_output(output: Json, is_compaction: bool, answer: &mut Answer, reader: &mut Reader<'_>) {
    let mut items = match output {
        Json::Array(items) => items,
        other => vec![other],
    };
    if is_compaction {
        items.retain(|item| item.get("role").and_then(Json::as_str).is_none_or(|role| role == "assistant"));
    }
    let many = messages(items, reader);
    answer.turn = many.turn;
    answer.finish = answer.finish.take().or(many.finish);
}

/// Whether an answer is none of a model that talks: embeddings, counted tokens, moderation, images.
pub fn is_other_answer(answer: &Json) -> bool {
    let Some(answer) = answer.as_object() else { return false };
    let has = |key: &str| answer.contains_key(key);
    let is_list = |key: &str| matches!(answer.get(key), Some(Json::Array(_)));
    let says_nothing = !has("content") && !has("output") && !has("choices") && !has("candidates");
    says_nothing
        && (is_list("data")
            || is_list("embeddings")
            || has("embedding")
            || (is_list("results") && has("model"))
            || (has("input_tokens") && !has("usage") && !has("role"))
            || (has("totalTokens") && !has("usageMetadata")))
}
