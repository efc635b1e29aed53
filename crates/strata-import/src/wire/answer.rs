//! Answers of providers, whole or streamed.

use strata_model::{Json, Object, Str};

use super::{Answer, stream};
use crate::draft::Draft;
use crate::message::{Role, Turn};
use crate::take::{take_any, take_first_text, take_list, take_object, take_text, unpacked};
use crate::usage;

/// Reads the body of an answer: JSON, JSON in text, or the text of a stream.
pub(crate) fn read_answer(body: Json, draft: &mut Draft) -> Answer {
    match unpacked(body) {
        Json::String(text) if let Some(pieces) = stream::pieces(&text) => match stream::joined(pieces) {
            Ok(whole) => read_object(whole, draft),
            Err(_) => broken("the recorded stream holds no answer"),
        },
        Json::String(text) if let Some(pieces) = stream::lines(&text) => {
            read_answer(Json::Array(pieces), draft)
        }
        Json::String(text) => {
            let mut turn = Turn::new(Role::Model);
            draft.messages("response").content(Json::String(text), &mut turn);
            Answer { turn: Some(turn).filter(|turn| !turn.parts.is_empty()), ..Answer::default() }
        }
        Json::Array(items) => match stream::joined(items) {
            Ok(object) => read_object(object, draft),
            Err(items) => messages(items, draft),
        },
        Json::Object(object) => read_object(object, draft),
        Json::Null => Answer::default(),
        other => {
            draft.unmapped.field("response", "body", &other);
            Answer::default()
        }
    }
}

/// What an answer with an error status says: it is no model's word.
pub(super) fn refused(status: i64, body: Option<Json>, draft: &mut Draft) -> Answer {
    let told = format!("the provider answered with status {status}").into();
    let body = body.map(unpacked);
    let mut answer = match body {
        Some(body @ (Json::Object(_) | Json::Array(_))) => read_answer(body, draft),
        Some(Json::String(text)) if stream::is_stream(&text) => read_answer(Json::String(text), draft),
        _ => Answer::default(),
    };
    answer.turn = None;
    answer.error.get_or_insert((format!("HTTP {status}").into(), told));
    answer
}

fn broken(what: &str) -> Answer {
    Answer { error: Some(("no-answer".into(), what.into())), ..Answer::default() }
}

/// A list of messages, of which the answer is made.
fn messages(items: Vec<Json>, draft: &mut Draft) -> Answer {
    let mut answer = Answer::default();
    for item in items {
        let item = match item {
            Json::Object(mut object) => {
                answer.finish = answer.finish.take().or_else(|| take_text(&mut object, "finish_reason"));
                Json::Object(object)
            }
            other => other,
        };
        append(draft.messages("response").read(item), &mut answer);
    }
    answer
}

fn append(turn: Turn, answer: &mut Answer) {
    match &mut answer.turn {
        Some(whole) => {
            whole.parts.extend(turn.parts);
            whole.result_bytes = whole.result_bytes.max(turn.result_bytes);
        }
        None => answer.turn = Some(Turn { role: Role::Model, ..turn }),
    }
}

fn read_object(mut body: Object, draft: &mut Draft) -> Answer {
    // What loggers wrap around an answer.
    if let Some(inner) = take_object(&mut body, "response").or_else(|| take_object(&mut body, "llm_response"))
    {
        return read_object(inner, draft);
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
    let usage = take_any(&mut body, &["usage", "usageMetadata", "usage_metadata"]);
    answer.usage = match usage {
        Some(Json::Object(usage)) => usage::read(usage, "response.usage", &mut draft.unmapped),
        _ => usage::of_ollama(&mut body),
    };
    if let Some(generations) = take_list(&mut body, "generations") {
        read_generations(generations, &mut body, &mut answer, draft);
    } else if let Some(choices) = take_list(&mut body, "choices") {
        read_choices(choices, &mut answer, draft);
    } else if let Some(candidates) = take_list(&mut body, "candidates") {
        read_choices(candidates, &mut answer, draft);
    } else if let Some(output) = body.remove("output") {
        read_output(output, is_compaction, &mut answer, draft);
        answer.finish = answer.finish.take().or_else(|| take_text(&mut body, "status"));
    } else if body.contains_key("done") && body.get("message").is_some_and(|it| it.as_object().is_some()) {
        let message = body.remove("message").unwrap_or_default();
        append(draft.messages("response").read(message), &mut answer);
    } else if ["content", "role", "parts", "message", "tool_calls"].iter().any(|key| body.contains_key(key)) {
        let turn = draft.messages("response").read(Json::Object(std::mem::take(&mut body)));
        body.clone_from(&turn.rest);
        append(turn, &mut answer);
    }
    for (key, value) in body.iter() {
        let is_said = ["object", "created", "created_at", "type", "role", "done"].contains(&&**key);
        // The answer repeats the settings of the request.
        let is_setting = body.contains_key("parallel_tool_calls");
        if !is_said && !is_setting {
            draft.unmapped.field("response", key, value);
        }
    }
    answer
}

/// The first choice is the answer; others are counted.
fn read_choices(choices: Vec<Json>, answer: &mut Answer, draft: &mut Draft) {
    for (index, choice) in choices.into_iter().enumerate() {
        let Json::Object(mut choice) = choice else { continue };
        if index > 0 {
            draft.unmapped.field("response", "choices[]", &Json::Bool(true));
            continue;
        }
        answer.finish =
            take_first_text(&mut choice, &["finish_reason", "finishReason"]).or(answer.finish.take());
        if let Some(text) = take_text(&mut choice, "text") {
            append(draft.messages("response").read(assistant(text.into())), answer);
        }
        for key in ["message", "content", "delta"] {
            if let Some(Json::Object(mut message)) = choice.remove(key) {
                if !message.contains_key("role") {
                    message.insert("role", "assistant");
                }
                let turn = draft.messages("response").read(Json::Object(message));
                for (key, value) in turn.rest.iter() {
                    draft.unmapped.field("response.message", key, value);
                }
                append(turn, answer);
            }
        }
        for (key, value) in choice.iter().filter(|(key, _)| &***key != "index") {
            draft.unmapped.field("response.choice", key, value);
        }
    }
}

fn assistant(content: Json) -> Json {
    Object::from_iter([("role", Json::from("assistant")), ("content", content)]).into()
}

/// `{generations: [[{message}]], llm_output}` of LangChain: the first is the answer, others are counted.
fn read_generations(generations: Vec<Json>, body: &mut Object, answer: &mut Answer, draft: &mut Draft) {
    let many = generations.into_iter().flat_map(|one| match one {
        Json::Array(inner) => inner,
        one => vec![one],
    });
    for (number, generation) in many.enumerate() {
        let Json::Object(mut generation) = generation else { continue };
        if number > 0 {
            draft.unmapped.field("response", "generations[]", &Json::Bool(true));
            continue;
        }
        let message = generation.remove("message").filter(|message| !message.is_null());
        let message = message.or_else(|| generation.remove("text").map(assistant)).unwrap_or_default();
        let mut turn = draft.messages("response").read(message);
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
        answer.usage =
            answer.usage.take().or_else(|| usage::read(usage?, "usage_metadata", &mut draft.unmapped));
        answer.turn = Some(turn);
    }
    let Some(mut output) = take_object(body, "llm_output") else { return };
    answer.model = answer.model.take().or_else(|| take_first_text(&mut output, &["model_name", "model"]));
    let usage = take_object(&mut output, "token_usage").or_else(|| take_object(&mut output, "usage"));
    answer.usage = answer.usage.take().or_else(|| usage::read(usage?, "token_usage", &mut draft.unmapped));
}

/// Items of the Responses API, or the one message of Bedrock's. A compaction repeats what users said; the model's is the
/// summary.
fn read_output(output: Json, is_compaction: bool, answer: &mut Answer, draft: &mut Draft) {
    let mut items = match output {
        Json::Array(items) => items,
        other => vec![other],
    };
    if is_compaction {
        items.retain(|item| item.get("role").and_then(Json::as_str).is_none_or(|role| role == "assistant"));
    }
    let many = messages(items, draft);
    answer.turn = many.turn;
    answer.finish = answer.finish.take().or(many.finish);
}

fn told(error: Json) -> (Str, Str) {
    match error {
        Json::Object(mut error) => {
            let code =
                take_first_text(&mut error, &["type", "code", "status"]).unwrap_or_else(|| "error".into());
            let message = take_first_text(&mut error, &["message"]).unwrap_or_else(|| code.clone());
            (code, message)
        }
        Json::String(message) => ("error".into(), message),
        other => ("error".into(), strata_model::json::to_compact(&other).into()),
    }
}
