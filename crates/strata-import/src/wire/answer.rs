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
        Json::String(text) if stream::is_stream(&text) => match stream::assembled(&text) {
            Some(whole) => read_object(whole, draft),
            None => broken("the recorded stream holds no answer"),
        },
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
    // The error object of the Messages API is the body itself.
    answer.finish =
        take_first_text(&mut body, &["stop_reason", "stopReason", "finish_reason", "finishReason"]);
    let usage = take_any(&mut body, &["usage", "usageMetadata", "usage_metadata"]);
    if let Some(Json::Object(usage)) = usage {
        answer.usage = usage::read(usage, "response.usage", &mut draft.unmapped);
    }
    if let Some(choices) = take_list(&mut body, "choices") {
        read_choices(choices, &mut answer, draft);
    } else if let Some(candidates) = take_list(&mut body, "candidates") {
        read_choices(candidates, &mut answer, draft);
    } else if let Some(output) = body.remove("output") {
        read_output(output, &mut answer, draft);
        answer.finish = answer.finish.take().or_else(|| take_text(&mut body, "status"));
    } else if ["content", "role", "parts", "message", "tool_calls"].iter().any(|key| body.contains_key(key)) {
        let turn = draft.messages("response").read(Json::Object(std::mem::take(&mut body)));
        body.clone_from(&turn.rest);
        append(turn, &mut answer);
    }
    for (key, value) in body.iter() {
        let is_said = ["object", "created", "created_at", "type", "role"].contains(&&**key);
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

/// Items of the Responses API, or the one message of Bedrock's.
fn read_output(output: Json, answer: &mut Answer, draft: &mut Draft) {
    let items = match output {
        Json::Array(items) => items,
        other => vec![other],
    };
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
