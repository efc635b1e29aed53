//! Bodies read back, and answers in pieces of any size.

use std::sync::Arc;

use proptest::prelude::*;
use strata_model::{
    Content, Declaration, FunctionCall, FunctionResponse, Json, LlmRequest, Object, Origin, Part,
    RequestContent, RichText, json,
};

use super::{Answer, AnswerReader, Api, BodyOptions, Delta, Finish, SseReader, StreamError, decode, encode};

fn origin() -> Origin {
    Origin::processor("tests")
}

fn words() -> impl Strategy<Value = String> {
    "[a-zé😀\"\\\\{} \n]{0,12}[a-z]"
}

fn args() -> impl Strategy<Value = Object> {
    proptest::collection::vec(("[a-z]{1,5}", words()), 0..3)
        .prop_map(|members| members.into_iter().map(|(key, value)| (key, Json::from(value))).collect())
}

/// A conversation that every form can say: turns that alternate, calls with ids, results in one turn.
fn request() -> impl Strategy<Value = LlmRequest> {
    let exchange = (
        proptest::collection::vec(words(), 1..2),
        words(),
        proptest::collection::vec((args(), args()), 0..3),
    );
    (
        proptest::option::of(words()),
        proptest::collection::vec(exchange, 1..4),
        proptest::collection::vec(("[a-z_]{1,8}", words()), 0..3),
        proptest::option::of(0..100_i64),
    )
        .prop_map(|(system, exchanges, tools, limit)| {
            let mut request = LlmRequest { model: Some("m".into()), ..LlmRequest::default() };
            if let Some(text) = system {
                request.append_system(RichText::from_span(text, origin()));
            }
            let mut add = |role: &str, parts: Vec<Part>| {
                let content = Content::new(role, parts);
                request.contents.push(Arc::new(RequestContent::from_content(&content, |_| origin())));
            };
            for (turn, (said, answer, calls)) in exchanges.into_iter().enumerate() {
                add("user", said.into_iter().map(Part::from_text).collect());
                let id = |nth: usize| Some(format!("c{turn}_{nth}").into());
                let call = |(nth, args): (usize, Object)| {
                    Part::from_call(FunctionCall {
                        id: id(nth),
                        name: Some("find".into()),
                        args: Some(args.into()),
                        ..FunctionCall::default()
                    })
                };
                let (asked, returned): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
                let mut parts = vec![Part::from_text(answer)];
                parts.extend(asked.into_iter().enumerate().map(call));
                add("model", parts);
                let returned: Vec<Part> = returned
                    .into_iter()
                    .enumerate()
                    .map(|(nth, response)| {
                        Part::from_response(FunctionResponse {
                            id: id(nth),
                            name: Some("find".into()),
                            response: Some(response.into()),
                            ..FunctionResponse::default()
                        })
                    })
                    .collect();
                if !returned.is_empty() {
                    add("user", returned);
                    add("model", vec![Part::from_text("then")]);
                }
            }
            for (name, description) in tools {
                let schema = json::parse(br#"{"type":"object","properties":{"q":{"type":"string"}}}"#)
                    .unwrap_or_default();
                let declaration = Object::from_iter([
                    ("name", Json::from(name)),
                    ("description", Json::from(description)),
                    ("parametersJsonSchema", schema),
                ]);
                request.add_declaration(Arc::new(Declaration::new(declaration, origin())));
            }
            request.set_config("maxOutputTokens", limit.unwrap_or(7), origin());
            request
        })
}

proptest! {
    #[test]
    fn bodies_read_back_are_the_request(request in request(), is_streamed in any::<bool>()) {
        for api in Api::ALL {
            let body = encode(api, "m", &request, BodyOptions { is_streamed, max_output_tokens: None });
            // Over the wire and back.
            let body = json::parse(json::to_compact(&body).as_bytes()).unwrap();
            let mut again = decode(api, &body).unwrap();
            again.model = Some("m".into());
            prop_assert_eq!(
                json::to_compact(&again.to_json()),
                json::to_compact(&request.to_json()),
                "{}",
                api.name()
            );
        }
    }

    #[test]
    fn events_do_not_depend_on_how_bytes_arrive(
        data in proptest::collection::vec("[a-zé:\\{\\} ]{0,20}", 0..6),
        ends in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        size in 1..9_usize,
    ) {
        let mut text = String::new();
        for data in &data {
            text += &format!(": note{ends}event: e{ends}data: {data}{ends}{ends}");
        }
        let mut whole = SseReader::default();
        let at_once = whole.push(text.as_bytes());
        let mut pieces = SseReader::default();
        let in_pieces: Vec<_> = text.as_bytes().chunks(size).flat_map(|piece| pieces.push(piece)).collect();
        prop_assert_eq!(&at_once, &in_pieces);
        prop_assert_eq!(at_once.iter().map(|event| event.data.clone()).collect::<Vec<_>>(), data);
    }
}

/// Reads a stream in pieces of several sizes; each gives the same answer.
#[track_caller]
fn streamed(api: Api, text: &str) -> (Answer, Vec<Delta>, bool) {
    let mut all: Vec<(Answer, String, bool)> = Vec::new();
    let mut first = Vec::new();
    for size in [1, 3, 7, 100_000] {
        let mut reader = AnswerReader::new(api);
        let mut deltas: Vec<Delta> = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            reader.push(piece, &mut |delta| deltas.push(delta)).unwrap();
        }
        deltas.extend(reader.end().unwrap());
        let is_complete = reader.is_complete();
        let texts = deltas.iter().filter_map(|delta| match delta {
            Delta::Text(text) => Some(text.as_str()),
            _ => None,
        });
        all.push((reader.into_answer(), texts.collect(), is_complete));
        first = deltas;
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
    let (answer, texts, is_complete) = all.swap_remove(0);
    assert_eq!(texts, answer.text());
    (answer, first, is_complete)
}

fn content(answer: &Answer) -> String {
    use strata_model::FromJson as _;
    json::to_compact(&answer.content.to_json())
}

const CHAT: &str = r#"data: {"model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":"Gr"}}]}

data: {"choices":[{"index":0,"delta":{"content":"üße"}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"find","arguments":"{\"q\":"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"x\"}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":9,"total_tokens":129,"prompt_tokens_details":{"cached_tokens":64}}}

data: [DONE]

"#;

#[test]
fn chat_completions_are_read() {
    let (answer, deltas, is_complete) = streamed(Api::ChatCompletions, CHAT);
    assert!(is_complete);
    assert_eq!(
        content(&answer),
        r#"{"parts":[{"text":"Grüße"},{"functionCall":{"id":"c1","args":{"q":"x"},"name":"find"}}],"role":"model"}"#
    );
    assert_eq!((answer.finish, answer.model), (Some(Finish::ToolCalls), Some("m-1".to_owned())));
    let usage = answer.usage.unwrap();
    assert_eq!((usage.prompt_token_count, usage.cached_content_token_count), (Some(120), Some(64)));
    assert!(deltas.contains(&Delta::Call { name: "find".to_owned() }));
}

#[test]
fn a_stream_that_is_cut_keeps_what_came() {
    let cut = &CHAT[..CHAT.find("finish_reason").unwrap()];
    let (answer, _, is_complete) = streamed(Api::ChatCompletions, cut);
    assert!(!is_complete);
    assert_eq!(answer.text(), "Grüße");
    assert_eq!((answer.finish, answer.usage), (None, None));
}

#[test]
fn responses_are_read() {
    let text = r#"event: response.created
data: {"type":"response.created","response":{"model":"m-1"}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","delta":"Hel"}

data: {"type":"response.output_text.delta","delta":"lo"}

data: {"type":"response.output_item.added","item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"find","arguments":""}}

data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"{\"q\":1}"}

data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call"}],"usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":10},"output_tokens":8,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":58}}}

"#;
    let (answer, _, is_complete) = streamed(Api::Responses, text);
    assert!(is_complete);
    assert_eq!(
        content(&answer),
        r#"{"parts":[{"text":"Hello"},{"functionCall":{"id":"c1","args":{"q":1},"name":"find"}}],"role":"model"}"#
    );
    let usage = answer.usage.unwrap();
    assert_eq!((usage.candidates_token_count, usage.thoughts_token_count), (Some(5), Some(3)));
}

#[test]
fn messages_are_read_with_all_input_in_the_prompt() {
    let text = r#"event: message_start
data: {"type":"message_start","message":{"model":"c-1","usage":{"input_tokens":5,"cache_read_input_tokens":90,"cache_creation_input_tokens":5,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Done."}}

event: ping
data: {"type":"ping"}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":12}}

data: {"type":"message_stop"}

"#;
    let (answer, _, is_complete) = streamed(Api::Anthropic, text);
    assert!(is_complete);
    assert_eq!(
        content(&answer),
        r#"{"parts":[{"text":"Hm.","thought":true,"thoughtSignature":"c2ln"},{"text":"Done."}],"role":"model"}"#
    );
    assert_eq!(answer.text(), "Done.");
    let usage = answer.usage.unwrap();
    assert_eq!(
        (usage.prompt_token_count, usage.cached_content_token_count, usage.candidates_token_count),
        (Some(100), Some(90), Some(12))
    );
}

#[test]
fn gemini_is_read_as_it_comes() {
    let text = r#"data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Oslo "}]}}],"modelVersion":"g-1"}

data: {"candidates":[{"content":{"parts":[{"text":"it is."},{"functionCall":{"name":"book","args":{"n":1}},"thoughtSignature":"YQ=="}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":30,"cachedContentTokenCount":20,"candidatesTokenCount":4}}

"#;
    let (answer, _, is_complete) = streamed(Api::Gemini, text);
    assert!(is_complete);
    assert_eq!(
        content(&answer),
        r#"{"parts":[{"text":"Oslo it is."},{"functionCall":{"args":{"n":1},"name":"book"},"thoughtSignature":"YQ=="}],"role":"model"}"#
    );
    assert_eq!(answer.finish, Some(Finish::ToolCalls));
    assert_eq!(answer.usage.unwrap().cached_content_token_count, Some(20));
}

#[test]
fn refusals_and_filters_are_no_answers() {
    let refusal =
        "data: {\"choices\":[{\"delta\":{\"refusal\":\"I can't.\"},\"finish_reason\":\"stop\"}]}\n\n";
    let (answer, _, _) = streamed(Api::ChatCompletions, refusal);
    assert_eq!(answer.finish, Some(Finish::Refused("I can't.".to_owned())));
    assert!(answer.is_empty());
    let blocked = "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n";
    let (answer, _, is_complete) = streamed(Api::Gemini, blocked);
    assert!(is_complete && answer.is_empty());
    assert_eq!(answer.finish, Some(Finish::Filtered("SAFETY".to_owned())));
}

#[test]
fn what_is_no_answer_is_an_error() {
    let read = |text: &str| AnswerReader::new(Api::ChatCompletions).push(text.as_bytes(), &mut |_| ());
    assert_eq!(
        read("data: {\"choices\": oops\n\n"),
        Err(StreamError::Malformed { excerpt: "{\"choices\": oops".to_owned() })
    );
    let overloaded = "data: {\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}\n\n";
    assert_eq!(
        read(overloaded),
        Err(StreamError::Provider { code: "overloaded_error".to_owned(), message: "Overloaded".to_owned() })
    );
    assert_eq!(
        super::error_message(br#"{"error":{"message":"No such model"}}"#).as_deref(),
        Some("No such model")
    );
    assert_eq!(super::error_message(b"<html>"), None);
}

#[test]
fn whole_answers_are_read_like_streamed_ones() {
    let mut reader = AnswerReader::new(Api::ChatCompletions);
    let whole = br#"{"model":"m","choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3}}"#;
    reader.whole(whole).unwrap();
    assert!(reader.is_complete());
    assert_eq!(reader.into_answer().text(), "Hi");
    let mut reader = AnswerReader::new(Api::Anthropic);
    reader
        .whole(br#"{"type":"message","content":[{"type":"tool_use","id":"t","name":"f","input":{"a":1}}],"stop_reason":"tool_use"}"#)
        .unwrap();
    assert_eq!(
        content(&reader.into_answer()),
        r#"{"parts":[{"functionCall":{"id":"t","args":{"a":1},"name":"f"}}],"role":"model"}"#
    );
}

#[test]
fn calls_without_ids_get_some_that_match() {
    let mut request = LlmRequest::default();
    let call = Part::from_call(FunctionCall { name: Some("f".into()), ..FunctionCall::default() });
    let response =
        Part::from_response(FunctionResponse { name: Some("f".into()), ..FunctionResponse::default() });
    for (role, part) in [("model", call), ("user", response)] {
        let content = Content::new(role, [part]);
        request.contents.push(Arc::new(RequestContent::from_content(&content, |_| origin())));
    }
    let body = encode(
        Api::ChatCompletions,
        "m",
        &request,
        BodyOptions { is_streamed: false, max_output_tokens: None },
    );
    let text = json::to_compact(&body);
    assert!(text.contains(r#""id":"call_1""#) && text.contains(r#""tool_call_id":"call_1""#), "{text}");
}
