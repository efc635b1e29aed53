//! One answer, written down as each dialect streams it and as it sends it in one piece.

use strata_model::{Json, Object, json};

/// An answer to write down.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) thought: String,
    /// The pieces its text comes in.
    pub(crate) words: Vec<String>,
    /// Name and arguments of each call.
    pub(crate) calls: Vec<(String, Object)>,
    pub(crate) input: i64,
    pub(crate) output: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Chat,
    Responses,
    Anthropic,
    Gemini,
    GeminiList,
    Ollama,
    Converse,
}

pub(crate) const ALL: [Dialect; 7] = [
    Dialect::Chat,
    Dialect::Responses,
    Dialect::Anthropic,
    Dialect::Gemini,
    Dialect::GeminiList,
    Dialect::Ollama,
    Dialect::Converse,
];

/// How the values of a stream lie in its bytes.
enum Framing {
    Events,
    Lines,
    List,
    Frames,
}

impl Said {
    fn text(&self) -> String {
        self.words.concat()
    }

    /// The bytes of the stream, piece by piece: what stands at one index is one event.
    pub(crate) fn streamed(&self, dialect: Dialect) -> Vec<Vec<u8>> {
        let (framing, values) = match dialect {
            Dialect::Chat => (Framing::Events, self.chat()),
            Dialect::Responses => (Framing::Events, self.responses()),
            Dialect::Anthropic => (Framing::Events, self.anthropic()),
            Dialect::Gemini => (Framing::Events, self.gemini()),
            Dialect::GeminiList => (Framing::List, self.gemini()),
            Dialect::Ollama => (Framing::Lines, self.ollama()),
            Dialect::Converse => (Framing::Frames, self.converse()),
        };
        let n_values = values.len();
        let mut pieces: Vec<Vec<u8>> = values
            .into_iter()
            .enumerate()
            .map(|(at, value)| {
                let text = json::to_compact(&value);
                match framing {
                    Framing::Events => event(&value, &text),
                    Framing::Lines => (text + "\n").into_bytes(),
                    Framing::List => {
                        let opened = if at == 0 { "[" } else { "," };
                        let closed = if at + 1 == n_values { "]" } else { "\r\n" };
                        format!("{opened}{text}{closed}").into_bytes()
                    }
                    Framing::Frames => frame(&value),
                }
            })
            .collect();
        if dialect == Dialect::Chat {
            pieces.push(b"data: [DONE]\n\n".to_vec());
        }
        pieces
    }

    /// The same in one document.
    pub(crate) fn whole(&self, dialect: Dialect) -> Json {
        match dialect {
            Dialect::Chat => parse(&format!(
                r#"{{"id":"a1","object":"chat.completion","model":"m","choices":[{{"index":0,"message":{{"role":"assistant","reasoning_content":{},"content":{},"tool_calls":[{}]}},"finish_reason":"{}"}}],"usage":{}}}"#,
                quoted(&self.thought),
                quoted(&self.text()),
                self.chat_calls().join(","),
                self.stop("tool_calls", "stop"),
                self.chat_usage(),
            )),
            Dialect::Responses => self.response("completed"),
            Dialect::Anthropic => parse(&format!(
                r#"{{"id":"a1","type":"message","role":"assistant","model":"m","content":[{}],"stop_reason":"{}","usage":{{"input_tokens":{},"output_tokens":{}}}}}"#,
                self.blocks().join(","),
                self.stop("tool_use", "end_turn"),
                self.input,
                self.output,
            )),
            Dialect::Gemini | Dialect::GeminiList => parse(&format!(
                r#"{{"candidates":[{{"content":{{"role":"model","parts":[{}]}},"finishReason":"STOP"}}],"usageMetadata":{},"modelVersion":"m","responseId":"a1"}}"#,
                self.gemini_parts().join(","),
                self.gemini_usage(),
            )),
            Dialect::Ollama => parse(&format!(
                r#"{{"model":"m","message":{{"role":"assistant","content":{},"thinking":{},"tool_calls":[{}]}},"done":true,"done_reason":"stop","prompt_eval_count":{},"eval_count":{}}}"#,
                quoted(&self.text()),
                quoted(&self.thought),
                self.ollama_calls().join(","),
                self.input,
                self.output,
            )),
            Dialect::Converse => parse(&format!(
                r#"{{"output":{{"message":{{"role":"assistant","content":[{}]}}}},"stopReason":"{}","usage":{{"inputTokens":{},"outputTokens":{}}}}}"#,
                self.converse_blocks().join(","),
                self.stop("tool_use", "end_turn"),
                self.input,
                self.output,
            )),
        }
    }

    fn stop(&self, called: &'static str, said: &'static str) -> &'static str {
        if self.calls.is_empty() { said } else { called }
    }

    fn arguments(&self) -> impl Iterator<Item = (usize, &str, String)> {
        self.calls
            .iter()
            .enumerate()
            .map(|(at, (name, args))| (at, name.as_str(), json::object_to_compact(args)))
    }

    fn chat_usage(&self) -> String {
        format!(
            r#"{{"prompt_tokens":{},"completion_tokens":{},"total_tokens":{}}}"#,
            self.input,
            self.output,
            self.input + self.output
        )
    }

    fn chat_calls(&self) -> Vec<String> {
        let calls = self.arguments().map(|(at, name, args)| {
            format!(
                r#"{{"id":"c{at}","type":"function","function":{{"name":"{name}","arguments":{}}}}}"#,
                quoted(&args)
            )
        });
        calls.collect()
    }

    fn chat(&self) -> Vec<Json> {
        let delta = |delta: &str| {
            parse(&format!(
                r#"{{"id":"a1","object":"chat.completion.chunk","model":"m","choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#
            ))
        };
        let mut all = vec![delta(r#"{"role":"assistant","content":""}"#)];
        for piece in halves(&self.thought) {
            all.push(delta(&format!(r#"{{"reasoning_content":{}}}"#, quoted(piece))));
        }
        all.extend(self.words.iter().map(|word| delta(&format!(r#"{{"content":{}}}"#, quoted(word)))));
        for (at, name, args) in self.arguments() {
            all.push(delta(&format!(
                r#"{{"tool_calls":[{{"index":{at},"id":"c{at}","type":"function","function":{{"name":"{name}","arguments":""}}}}]}}"#
            )));
            for piece in halves(&args) {
                all.push(delta(&format!(
                    r#"{{"tool_calls":[{{"index":{at},"function":{{"arguments":{}}}}}]}}"#,
                    quoted(piece)
                )));
            }
        }
        all.push(parse(&format!(
            r#"{{"id":"a1","object":"chat.completion.chunk","model":"m","choices":[{{"index":0,"delta":{{}},"finish_reason":"{}"}}]}}"#,
            self.stop("tool_calls", "stop")
        )));
        all.push(parse(&format!(
            r#"{{"id":"a1","object":"chat.completion.chunk","model":"m","choices":[],"usage":{}}}"#,
            self.chat_usage()
        )));
        all
    }

    fn items(&self) -> Vec<Json> {
        let mut items = vec![
            parse(&format!(
                r#"{{"id":"rs","type":"reasoning","summary":[{{"type":"summary_text","text":{}}}]}}"#,
                quoted(&self.thought)
            )),
            parse(&format!(
                r#"{{"id":"msg","type":"message","role":"assistant","status":"completed","content":[{{"type":"output_text","text":{},"annotations":[]}}]}}"#,
                quoted(&self.text())
            )),
        ];
        items.extend(self.arguments().map(|(at, name, args)| {
            parse(&format!(
                r#"{{"id":"fc{at}","type":"function_call","call_id":"c{at}","name":"{name}","arguments":{},"status":"completed"}}"#,
                quoted(&args)
            ))
        }));
        items
    }

    fn response(&self, status: &str) -> Json {
        let output = if status == "completed" { self.items() } else { Vec::new() };
        parse(&format!(
            r#"{{"id":"a1","object":"response","model":"m","status":"{status}","output":{},"usage":{{"input_tokens":{},"output_tokens":{},"total_tokens":{}}}}}"#,
            json::to_compact(&output.into()),
            self.input,
            self.output,
            self.input + self.output
        ))
    }

    fn responses(&self) -> Vec<Json> {
        let lifecycle = |kind: &str, status: &str| {
            parse(&format!(
                r#"{{"type":"response.{kind}","response":{}}}"#,
                json::to_compact(&self.response(status))
            ))
        };
        let mut all = vec![lifecycle("created", "in_progress"), lifecycle("in_progress", "in_progress")];
        let mut delta = |at: usize, kind: &str, key: &str, text: &str| {
            for piece in halves(text) {
                all.push(parse(&format!(
                    r#"{{"type":"response.{kind}.delta","output_index":{at},"{key}":0,"delta":{}}}"#,
                    quoted(piece)
                )));
            }
        };
        let mut begun = Vec::new();
        delta(0, "reasoning_summary_text", "summary_index", &self.thought);
        for word in &self.words {
            delta(1, "output_text", "content_index", word);
        }
        for (at, name, args) in self.arguments() {
            begun.push(parse(&format!(
                r#"{{"type":"response.output_item.added","output_index":{},"item":{{"id":"fc{at}","type":"function_call","call_id":"c{at}","name":"{name}","arguments":""}}}}"#,
                at + 2
            )));
            delta(at + 2, "function_call_arguments", "sequence_number", &args);
        }
        // Every item is announced before its deltas, and told whole behind them.
        let announced = [
            r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"rs","type":"reasoning","summary":[]}}"#,
            r#"{"type":"response.output_item.added","output_index":1,"item":{"id":"msg","type":"message","role":"assistant","content":[]}}"#,
        ];
        let announced = announced.into_iter().map(parse).chain(begun);
        all.splice(2..2, announced);
        all.extend(self.items().into_iter().enumerate().map(|(at, item)| {
            parse(&format!(
                r#"{{"type":"response.output_item.done","output_index":{at},"item":{}}}"#,
                json::to_compact(&item)
            ))
        }));
        all.push(lifecycle("completed", "completed"));
        all
    }

    fn blocks(&self) -> Vec<String> {
        let mut blocks = vec![
            format!(r#"{{"type":"thinking","thinking":{},"signature":"c2ln"}}"#, quoted(&self.thought)),
            format!(r#"{{"type":"text","text":{}}}"#, quoted(&self.text())),
        ];
        blocks.extend(self.arguments().map(|(at, name, args)| {
            format!(r#"{{"type":"tool_use","id":"c{at}","name":"{name}","input":{args}}}"#)
        }));
        blocks
    }

    fn anthropic(&self) -> Vec<Json> {
        let mut all = vec![parse(&format!(
            r#"{{"type":"message_start","message":{{"id":"a1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{{"input_tokens":{},"output_tokens":1}}}}}}"#,
            self.input
        ))];
        let mut block = |at: usize, begun: &str, deltas: Vec<String>| {
            all.push(parse(&format!(
                r#"{{"type":"content_block_start","index":{at},"content_block":{begun}}}"#
            )));
            all.extend(deltas.iter().map(|delta| {
                parse(&format!(r#"{{"type":"content_block_delta","index":{at},"delta":{delta}}}"#))
            }));
            all.push(parse(&format!(r#"{{"type":"content_block_stop","index":{at}}}"#)));
        };
        let mut thinking: Vec<String> = halves(&self.thought)
            .map(|piece| format!(r#"{{"type":"thinking_delta","thinking":{}}}"#, quoted(piece)))
            .collect();
        thinking.push(r#"{"type":"signature_delta","signature":"c2ln"}"#.to_owned());
        block(0, r#"{"type":"thinking","thinking":"","signature":""}"#, thinking);
        let words =
            self.words.iter().map(|word| format!(r#"{{"type":"text_delta","text":{}}}"#, quoted(word)));
        block(1, r#"{"type":"text","text":""}"#, words.collect());
        for (at, name, args) in self.arguments() {
            let deltas = halves(&args)
                .map(|piece| format!(r#"{{"type":"input_json_delta","partial_json":{}}}"#, quoted(piece)));
            let begun = format!(r#"{{"type":"tool_use","id":"c{at}","name":"{name}","input":{{}}}}"#);
            block(at + 2, &begun, deltas.collect());
        }
        all.insert(2, parse(r#"{"type":"ping"}"#));
        all.push(parse(&format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"{}","stop_sequence":null}},"usage":{{"output_tokens":{}}}}}"#,
            self.stop("tool_use", "end_turn"),
            self.output
        )));
        all.push(parse(r#"{"type":"message_stop"}"#));
        all
    }

    fn gemini_usage(&self) -> String {
        format!(r#"{{"promptTokenCount":{},"candidatesTokenCount":{}}}"#, self.input, self.output)
    }

    fn gemini_parts(&self) -> Vec<String> {
        let mut parts = vec![
            format!(r#"{{"text":{},"thought":true}}"#, quoted(&self.thought)),
            format!(r#"{{"text":{}}}"#, quoted(&self.text())),
        ];
        parts.extend(self.arguments().map(|(at, name, args)| {
            format!(r#"{{"functionCall":{{"id":"c{at}","name":"{name}","args":{args}}}}}"#)
        }));
        parts
    }

    fn gemini(&self) -> Vec<Json> {
        let piece = |part: &str, rest: &str| {
            parse(&format!(
                r#"{{"candidates":[{{"content":{{"role":"model","parts":[{part}]}}{rest}}}],"usageMetadata":{},"modelVersion":"m","responseId":"a1"}}"#,
                self.gemini_usage()
            ))
        };
        let mut all: Vec<Json> = halves(&self.thought)
            .map(|text| piece(&format!(r#"{{"text":{},"thought":true}}"#, quoted(text)), ""))
            .collect();
        all.extend(self.words.iter().map(|word| piece(&format!(r#"{{"text":{}}}"#, quoted(word)), "")));
        all.extend(self.gemini_parts()[2..].iter().map(|part| piece(part, "")));
        all.push(piece("", r#","finishReason":"STOP""#));
        all
    }

    fn ollama_calls(&self) -> Vec<String> {
        self.arguments()
            .map(|(_, name, args)| format!(r#"{{"function":{{"name":"{name}","arguments":{args}}}}}"#))
            .collect()
    }

    fn ollama(&self) -> Vec<Json> {
        let piece = |message: &str| {
            parse(&format!(
                r#"{{"model":"m","message":{{"role":"assistant","content":"",{message}}},"done":false}}"#
            ))
        };
        let mut all: Vec<Json> =
            halves(&self.thought).map(|text| piece(&format!(r#""thinking":{}"#, quoted(text)))).collect();
        all.extend(self.words.iter().map(|word| {
            parse(&format!(
                r#"{{"model":"m","message":{{"role":"assistant","content":{}}},"done":false}}"#,
                quoted(word)
            ))
        }));
        all.extend(self.ollama_calls().iter().map(|call| piece(&format!(r#""tool_calls":[{call}]"#))));
        all.push(parse(&format!(
            r#"{{"model":"m","message":{{"role":"assistant","content":""}},"done":true,"done_reason":"stop","prompt_eval_count":{},"eval_count":{}}}"#,
            self.input, self.output
        )));
        all
    }

    fn converse_blocks(&self) -> Vec<String> {
        let mut blocks = vec![
            format!(
                r#"{{"reasoningContent":{{"reasoningText":{{"text":{},"signature":"c2ln"}}}}}}"#,
                quoted(&self.thought)
            ),
            format!(r#"{{"text":{}}}"#, quoted(&self.text())),
        ];
        blocks.extend(self.arguments().map(|(at, name, args)| {
            format!(r#"{{"toolUse":{{"toolUseId":"c{at}","name":"{name}","input":{args}}}}}"#)
        }));
        blocks
    }

    fn converse(&self) -> Vec<Json> {
        let mut all = vec![parse(r#"{"messageStart":{"role":"assistant"}}"#)];
        let delta = |at: usize, delta: String| {
            parse(&format!(r#"{{"contentBlockDelta":{{"contentBlockIndex":{at},"delta":{delta}}}}}"#))
        };
        for text in halves(&self.thought) {
            all.push(delta(0, format!(r#"{{"reasoningContent":{{"text":{}}}}}"#, quoted(text))));
        }
        all.push(delta(0, r#"{"reasoningContent":{"signature":"c2ln"}}"#.to_owned()));
        all.extend(self.words.iter().map(|word| delta(1, format!(r#"{{"text":{}}}"#, quoted(word)))));
        for (at, name, args) in self.arguments() {
            all.push(parse(&format!(
                r#"{{"contentBlockStart":{{"contentBlockIndex":{},"start":{{"toolUse":{{"toolUseId":"c{at}","name":"{name}"}}}}}}}}"#,
                at + 2
            )));
            for piece in halves(&args) {
                all.push(delta(at + 2, format!(r#"{{"toolUse":{{"input":{}}}}}"#, quoted(piece))));
            }
        }
        all.push(parse(&format!(
            r#"{{"messageStop":{{"stopReason":"{}"}}}}"#,
            self.stop("tool_use", "end_turn")
        )));
        all.push(parse(&format!(
            r#"{{"metadata":{{"usage":{{"inputTokens":{},"outputTokens":{}}}}}}}"#,
            self.input, self.output
        )));
        all
    }
}

fn parse(text: &str) -> Json {
    json::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

fn quoted(text: &str) -> String {
    json::to_compact(&Json::from(text))
}

/// A text in two pieces, or none when there is nothing.
fn halves(text: &str) -> impl Iterator<Item = &str> {
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    [&text[..middle], &text[middle..]].into_iter().filter(|piece| !piece.is_empty())
}

fn event(value: &Json, text: &str) -> Vec<u8> {
    match value.get("type").and_then(Json::as_str) {
        Some(kind) => format!("event: {kind}\ndata: {text}\n\n").into_bytes(),
        None => format!("data: {text}\r\n\r\n").into_bytes(),
    }
}

/// Amazon's frame around the only member of an object, whose name goes into the headers.
fn frame(value: &Json) -> Vec<u8> {
    let (kind, payload) = value.as_object().and_then(|object| object.iter().next()).unwrap();
    let payload = json::to_compact(payload).into_bytes();
    let mut headers = Vec::new();
    for (name, value) in [(":event-type", &**kind), (":message-type", "event")] {
        headers.push(name.len() as u8);
        headers.extend_from_slice(name.as_bytes());
        headers.push(7);
        headers.extend_from_slice(&(value.len() as u16).to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    let length = 12 + headers.len() + payload.len() + 4;
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&(length as u32).to_be_bytes());
    bytes.extend_from_slice(&(headers.len() as u32).to_be_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend(headers);
    bytes.extend(payload);
    bytes.extend_from_slice(&[0; 4]);
    bytes
}
