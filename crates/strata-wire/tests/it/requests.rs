//! Requests written down and read back.

use std::sync::Arc;

use proptest::prelude::*;
use strata_model::{
    Content, Declaration, FunctionCall, FunctionResponse, Json, LlmRequest, Object, Origin, Part,
    RequestContent, RequestTool, RichText, json, namespace,
};

use strata_wire::{Api, BodyOptions, decode, encode, error_message};

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
        proptest::collection::btree_map("[A-Z]{2}_{0,2}", ("[a-z]{0,5}", "_?[a-z]{1,5}"), 0..3),
        proptest::option::of(0..100_i64),
        proptest::option::of(prop_oneof![Just("ANY"), Just("NONE"), Just("AUTO")]),
        any::<bool>(),
    )
        .prop_map(|(system, exchanges, tools, namespaces, limit, mode, has_schema)| {
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
            let declare = |request: &mut LlmRequest, name: &str, description: String| {
                let schema = json::parse(br#"{"type":"object","properties":{"q":{"type":"string"}}}"#)
                    .unwrap_or_default();
                let declaration = Object::from_iter([
                    ("name", Json::from(name)),
                    ("description", Json::from(description)),
                    ("parametersJsonSchema", schema),
                ]);
                request.add_declaration(Arc::new(Declaration::new(declaration, origin())));
            };
            for (name, description) in tools {
                declare(&mut request, &name, description);
            }
            for (namespace, (_, own)) in &namespaces {
                declare(&mut request, &namespace::name_in(Some(namespace), own), String::new());
            }
            for (namespace, (description, own)) in namespaces {
                let json = Object::from_iter([
                    ("type", Json::from("namespace")),
                    ("name", Json::from(&*namespace)),
                    ("description", description.into()),
                ]);
                let json = Json::Object(json);
                Arc::make_mut(&mut request.tools).push(RequestTool::BuiltIn { json, origin: origin() });
                let name = namespace::name_in(Some(&namespace), &own);
                let call = FunctionCall {
                    id: Some("n".into()),
                    name: Some(name.clone()),
                    args: Some(Object::new().into()),
                    ..FunctionCall::default()
                };
                let answer = FunctionResponse {
                    id: Some("n".into()),
                    name: Some(name),
                    response: Some(Object::new().into()),
                    ..FunctionResponse::default()
                };
                for (role, part) in [
                    ("user", Part::from_text("Now")),
                    ("model", Part::from_call(call)),
                    ("user", Part::from_response(answer)),
                    ("model", Part::from_text("then")),
                ] {
                    let content = Content::new(role, [part]);
                    request.contents.push(Arc::new(RequestContent::from_content(&content, |_| origin())));
                }
            }
            request.set_config("maxOutputTokens", limit.unwrap_or(7), origin());
            request.set_config("temperature", 0.5, origin());
            if let Some(mode) = mode.filter(|_| !request.tools.is_empty()) {
                let config = format!(r#"{{"functionCallingConfig":{{"mode":"{mode}"}}}}"#);
                request.set_config("toolConfig", json::parse(config.as_bytes()).unwrap(), origin());
            }
            if has_schema {
                let schema = json::parse(br#"{"type":"object","properties":{}}"#).unwrap();
                request.set_config("responseJsonSchema", schema, origin());
            }
            request
        })
}

/// A request as text, its settings by their names: dialects have orders of their own.
fn told(request: &LlmRequest, has_schema: bool) -> String {
    let mut request = request.clone();
    let mut fields: Vec<_> = request.config.iter().cloned().collect();
    fields.retain(|field| has_schema || &*field.name != "responseJsonSchema");
    fields.sort_by(|a, b| a.name.cmp(&b.name));
    request.config = Arc::new(fields);
    request.model = Some("m".into());
    json::to_compact(&request.to_json())
}

proptest! {
    #[test]
    fn bodies_read_back_are_the_request(request in request(), is_streamed in any::<bool>()) {
        for api in Api::ALL {
            let body = encode(api, "m", &request, BodyOptions { is_streamed, max_output_tokens: None });
            // Over the wire and back.
            let body = json::parse(json::to_compact(&body).as_bytes()).unwrap();
            let again = decode(api, &body).unwrap();
            // The Messages API has no member for a schema of the answer.
            let has_schema = api != Api::Anthropic;
            let mut said = request.clone();
            if api != Api::Responses {
                // Nor has any but the Responses API one for namespaces: their functions are among the others.
                Arc::make_mut(&mut said.tools).retain(|tool| tool.namespace().is_none());
            }
            prop_assert_eq!(told(&again, has_schema), told(&said, has_schema), "{}", api.name());
        }
    }
}

#[test]
fn errors_are_told_in_the_words_of_the_provider() {
    let told = |body: &[u8]| error_message(body);
    assert_eq!(told(br#"{"error":{"message":"No such model"}}"#).as_deref(), Some("No such model"));
    assert_eq!(told(br#"[{"error":{"code":400,"message":"Bad"}}]"#).as_deref(), Some("Bad"));
    assert_eq!(told(br#"{"detail":"Not Found"}"#).as_deref(), Some(r#"{"detail":"Not Found"}"#));
    assert_eq!(told(b"<html>"), None);
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
