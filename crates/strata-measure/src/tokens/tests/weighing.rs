//! Whole requests.

use std::sync::Arc;

use strata_model::json::parse;
use strata_model::{
    Content, Declaration, Decoder, FromJson as _, LlmRequest, Origin, RequestContent, RichText,
};

use crate::tokens::{Basis, CountMemo, RequestWeight, TokenCount, Tokenizer, Weigher};

fn origin() -> Origin {
    Origin::processor("test")
}

fn system(request: &mut LlmRequest, text: &str) {
    request.append_system(RichText::from_span(text, origin()));
}

/// Adds a content: `user` says a text, or a JSON array of parts.
fn content(request: &mut LlmRequest, role: &str, parts: &str) {
    let json = if parts.starts_with('[') {
        format!(r#"{{"role": "{role}", "parts": {parts}}}"#)
    } else {
        format!(r#"{{"role": "{role}", "parts": [{{"text": "{parts}"}}]}}"#)
    };
    let content = Content::from_json(parse(json.as_bytes()).unwrap(), &mut Decoder::new()).unwrap();
    request.contents.push(Arc::new(RequestContent::from_content(&content, |_| origin())));
}

fn tool(request: &mut LlmRequest, json: &str) {
    let json = parse(json.as_bytes()).unwrap();
    request.add_declaration(Arc::new(Declaration::new(json.as_object().unwrap().clone(), origin())));
}

const WEATHER: &str = r#"{"name": "get_current_weather", "description": "Get the current weather in a given location",
    "parameters": {"type": "object", "properties": {
        "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
        "unit": {"type": "string", "description": "The unit of temperature to return", "enum": ["celsius", "fahrenheit"]}},
        "required": ["location"]}}"#;

fn weigh(model: &str, request: &LlmRequest) -> RequestWeight {
    let tokenizer = Tokenizer::of_model(model);
    let memo = CountMemo::default();
    let weight = Weigher::new(&tokenizer, &memo).request(request);
    let again = Weigher::new(&tokenizer, &memo).request(request);
    assert_eq!(weight, again, "remembered counts differ");
    weight
}

/// The requests of OpenAI's cookbook on counting tokens, and what the API reported there.
#[test]
fn openai_reports_what_is_counted() {
    let mut messages = LlmRequest::default();
    system(
        &mut messages,
        "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
    );
    for text in [
        "New synergies will help drive top-line growth.",
        "Things working well together will increase revenue.",
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
        "Let's talk later when we're less busy about how to do better.",
        "This late pivot means we don't have time to boil the ocean for the client deliverable.",
    ] {
        content(&mut messages, "user", text);
    }
    // Four messages have names there, two of two tokens and two of three, and a name costs one more.
    let names = TokenCount::exact(2 * 3 + 2 * 4);
    assert_eq!(weigh("gpt-4", &messages).total() + names, TokenCount::exact(129));
    assert_eq!(weigh("gpt-4o", &messages).total() + names, TokenCount::exact(124));

    let mut tools = LlmRequest::default();
    system(&mut tools, "You are a helpful assistant that can answer to questions about the weather.");
    content(&mut tools, "user", "What's the weather like in San Francisco?");
    tool(&mut tools, WEATHER);
    for (model, reported, estimated) in [("gpt-4", 105, 105), ("gpt-4o", 101, 102)] {
        let total = weigh(model, &tools).total();
        assert_eq!((total.tokens, total.basis), (estimated, Basis::Estimated));
        assert!(total.low <= reported && reported <= total.high);
    }
}

#[test]
fn only_what_is_guessed_is_estimated() {
    let mut request = LlmRequest::default();
    content(&mut request, "user", "Where is Oslo?");
    assert_eq!(weigh("gpt-4o", &request).total().basis, Basis::Exact);
    // The text is exact, the template of the chat is not known.
    let weight = weigh("gpt-5.4", &request);
    assert_eq!((weight.contents[0][0], weight.total().basis), (TokenCount::exact(4), Basis::Estimated));
    assert_eq!(weigh("gemini-2.5-pro", &request).contents[0][0].basis, Basis::Estimated);
    content(&mut request, "model", r#"[{"functionCall": {"name": "find", "args": {"city": "Oslo"}}}]"#);
    assert_eq!(weigh("gpt-4o", &request).contents[1][0].basis, Basis::Estimated);
    // Each response is a message of its own with OpenAI, and the two are one turn with Gemini.
    let responses = r#"[{"functionResponse": {"name": "a", "response": {}}}, {"functionResponse": {"name": "b", "response": {}}}]"#;
    let before = ["gpt-4o", "gemini-2.5-pro"].map(|model| weigh(model, &request).overhead.messages.tokens);
    content(&mut request, "user", responses);
    let after = ["gpt-4o", "gemini-2.5-pro"].map(|model| weigh(model, &request).overhead.messages.tokens);
    assert_eq!([after[0] - before[0], after[1] - before[1]], [2 * 4 + 2, 1 + 2 * 5]);
}

#[test]
fn tools_cost_themselves_and_what_introduces_them() {
    let mut request = LlmRequest::default();
    content(&mut request, "user", "Where is Oslo?");
    for (model, introduction) in
        [("gpt-4o", 16), ("claude-opus-4-8", 290), ("claude-sonnet-4-5", 496), ("llama-3.1-8b", 56)]
    {
        let mut request = request.clone();
        assert_eq!(weigh(model, &request).overhead.tools, TokenCount::exact(0));
        tool(&mut request, WEATHER);
        let one = weigh(model, &request);
        assert_eq!(one.overhead.tools.tokens, introduction, "{model}");
        tool(&mut request, WEATHER);
        let two = weigh(model, &request);
        assert_eq!(two.overhead, one.overhead);
        assert_eq!(two.tools[0], [one.tools[0][0]; 2]);
    }
    tool(&mut request, WEATHER);
    let mut force = |config: &str| {
        request.set_config("toolConfig", parse(config.as_bytes()).unwrap(), origin());
        ["gpt-4o", "claude-opus-4-8"].map(|model| weigh(model, &request).overhead.tools.tokens)
    };
    assert_eq!(force(r#"{"functionCallingConfig": {"mode": "NONE"}}"#), [17, 290]);
    assert_eq!(force(r#"{"functionCallingConfig": {"mode": "ANY"}}"#), [16, 410]);
    let named =
        r#"{"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["get_current_weather"]}}"#;
    assert_eq!(force(named), [16 + 7 + 3, 410]);
}

const PARTS: &[&str] = &[
    r#"[{"text": "A plain text, of some length, with the usual words in it."}]"#,
    r#"[{"text": "Let me think.", "thought": true, "thoughtSignature": "AAAA"}, {"text": "Done."}]"#,
    r#"[{"functionCall": {"id": "c1", "name": "search", "args": {"q": "weather in Oslo", "limit": 5}}}]"#,
    r#"[{"functionResponse": {"id": "c1", "name": "search", "response": {"result": [1, 2, {"x": "y"}]}}}]"#,
    r#"[{"functionResponse": {"name": "draw", "response": {}, "parts": [{"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAABAAAAAQA"}}]}}]"#,
    r#"[{"executableCode": {"language": "PYTHON", "code": "print(sum(range(10)))"}}]"#,
    r#"[{"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "45"}}]"#,
    r#"[{"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAABAAAAAQA"}}, {"text": "What is this?"}]"#,
    r#"[{"inlineData": {"mimeType": "text/csv", "data": "YSxiCjEsMg=="}}, {"fileData": {"fileUri": "gs://b/f.pdf", "mimeType": "application/pdf"}}]"#,
    r#"[{"toolCall": {"name": "google_search"}, "partMetadata": {"k": "v"}}]"#,
    "[]",
];

const MODELS: &[&str] = &[
    "gpt-4o",
    "gpt-4",
    "gpt-6-sol",
    "gpt-oss-20b",
    "gemini-2.5-pro",
    "gemini-3.5-flash",
    "claude-opus-4-8",
    "llama3.1",
    "qwen3-coder",
    "deepseek-chat",
    "gemma-3",
    "nobody-knows",
];

fn everything() -> LlmRequest {
    let mut request = LlmRequest::default();
    system(&mut request, "You are careful.");
    system(&mut request, "You answer in one sentence.");
    for (at, parts) in PARTS.iter().enumerate() {
        content(&mut request, if at % 2 == 0 { "user" } else { "model" }, parts);
    }
    tool(&mut request, WEATHER);
    tool(&mut request, r#"{"name": "now"}"#);
    request.set_config(
        "responseSchema",
        parse(br#"{"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}"#).unwrap(),
        origin(),
    );
    request
}

#[test]
fn pieces_and_overhead_add_up_to_the_total() {
    let request = everything();
    for model in MODELS {
        let tokenizer = Tokenizer::of_model(model);
        let memo = CountMemo::default();
        let weigher = Weigher::new(&tokenizer, &memo);
        let parts = request.contents.iter().flat_map(|content| &content.parts).map(|part| weigher.part(part));
        let tools = request.tools.iter().flat_map(|tool| weigher.tool(tool));
        let texts = request.system_instruction.iter().map(|text| weigher.system(text));
        let pieces: TokenCount = parts.chain(tools).chain(texts).sum();
        let rest = weigher.response_schema(&request) + weigher.overhead(&request).total();
        let total = weigher.request(&request).total();
        assert_eq!(pieces + rest, total, "{model}");
        assert!(total.low <= total.tokens && total.tokens <= total.high, "{model} {total:?}");
    }
}

#[test]
fn nothing_is_tokenized_twice() {
    let request = everything();
    let memo = CountMemo::default();
    let tokenizer = Tokenizer::of_model("gpt-4o");
    let weigher = Weigher::new(&tokenizer, &memo);
    weigher.request(&request);
    let tokenized = memo.stats().tokenized_bytes;
    weigher.request(&request);
    assert_eq!(memo.stats().tokenized_bytes, tokenized);
    // Another model with the same vocabulary and the same way to show tools.
    let tokenizer = Tokenizer::of_model("gpt-6-sol");
    Weigher::new(&tokenizer, &memo).request(&request);
    assert_eq!(memo.stats().tokenized_bytes, tokenized);
}

#[test]
fn spans_share_the_tokens_of_their_text() {
    let text = "You are in Oslo, where it is cold, and you answer in Norwegian. ".repeat(50);
    for model in ["gpt-4o", "gemini-2.5-pro"] {
        let tokenizer = Tokenizer::of_model(model);
        let memo = CountMemo::default();
        let weigher = Weigher::new(&tokenizer, &memo);
        let lengths = [11, 0, 4, 1000, text.len() as u32 - 1015];
        let spans = weigher.spans(&text, lengths);
        let sum: TokenCount = spans.iter().copied().sum();
        assert_eq!(sum.tokens, weigher.text(&text).tokens);
        assert_eq!((spans[1].tokens, spans[2].tokens), (0, 1), "{model}");
    }
    let tokenizer = Tokenizer::of_model("gpt-4o");
    let memo = CountMemo::default();
    let weigher = Weigher::new(&tokenizer, &memo);
    assert_eq!(weigher.spans("Hello there", [5, 6]), [TokenCount::exact(1); 2]);
    assert_eq!(weigher.spans("", []), []);
}
