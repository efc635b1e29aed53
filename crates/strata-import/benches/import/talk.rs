//! Conversations between a client and a model, as the bodies that go over the wire: every request holds all of the
//! conversation so far.

use serde_json::{Value, json};

use crate::words::{words, words_of};

/// Answers to what a person said; all but the last of them call a tool.
const ROUND: usize = 8;

/// How bodies are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Chat,
    Responses,
    Anthropic,
    Gemini,
    /// The messages of OpenTelemetry, of which requests and answers hold lists.
    Otel,
    /// LangChain's own way of writing messages down.
    LangChain,
}

enum Step {
    Asked(String),
    Called { id: String, say: String, file: String },
    Returned { id: String, text: String },
    Said(String),
}

/// One conversation.
pub(crate) struct Talk {
    pub(crate) number: usize,
    steps: Vec<Step>,
}

impl Talk {
    pub(crate) fn new(number: usize, n_exchanges: usize) -> Self {
        let mut steps = Vec::new();
        for at in 0..n_exchanges {
            let salt = number * 1_000 + at * 3;
            if at % ROUND == 0 {
                steps.push(Step::Asked(words_of(salt, 400)));
            }
            if at % ROUND == ROUND - 1 {
                steps.push(Step::Said(words_of(salt, 900)));
                continue;
            }
            let id = format!("call_{salt:06x}");
            let file = format!("src/ledger/{salt:x}.rs");
            steps.push(Step::Called { id: id.clone(), say: words_of(salt + 1, 120), file });
            steps.push(Step::Returned { id, text: words(salt + 2) });
        }
        Self { number, steps }
    }

    /// Bodies of the exchange with this number: the request, and what answered it.
    pub(crate) fn exchange(&self, dialect: Dialect, number: usize) -> (Value, Value) {
        let answers = self.steps.iter().enumerate();
        let mut answers =
            answers.filter(|(_, step)| matches!(step, Step::Called { .. } | Step::Said(_))).skip(number);
        let (at, answer) = answers.next().unwrap();
        let id = format!("resp_{:x}_{number:x}", self.number);
        (dialect.request(&self.system(), &self.steps[..at]), dialect.response(&id, answer, at as u64 * 400))
    }

    fn system(&self) -> String {
        words_of(self.number, 4_000)
    }
}

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "path": {"type": "string", "description": "The file, below the folder of the project"},
        "from": {"type": "integer", "description": "The first line, from 1"},
        "to": {"type": "integer", "description": "The last line"},
    }, "required": ["path"], "additionalProperties": false})
}

fn tools(write: impl Fn(String, String) -> Value) -> Vec<Value> {
    (0..8).map(|at| write(format!("read_file_{at}"), words_of(at, 300))).collect()
}

impl Dialect {
    fn request(self, system: &str, steps: &[Step]) -> Value {
        let messages: Vec<Value> = steps.iter().flat_map(|step| self.step(step)).collect();
        match self {
            Self::Chat => {
                let system = json!({"role": "system", "content": system});
                let messages: Vec<Value> = std::iter::once(system).chain(messages).collect();
                let tools = tools(|name, about| {
                    json!({"type": "function",
                           "function": {"name": name, "description": about, "parameters": schema()}})
                });
                json!({"model": "gpt-5-mini", "messages": messages, "tools": tools, "temperature": 0.2})
            }
            Self::Responses => {
                let tools = tools(
                    |name, about| json!({"type": "function", "name": name, "description": about, "parameters": schema()}),
                );
                json!({"model": "gpt-5", "instructions": system, "input": messages, "tools": tools, "store": false})
            }
            Self::Anthropic => {
                let tools = tools(
                    |name, about| json!({"name": name, "description": about, "input_schema": schema()}),
                );
                let system =
                    json!([{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]);
                json!({"model": "claude-sonnet-5", "max_tokens": 8_000, "system": system, "tools": tools,
                       "messages": messages})
            }
            Self::Gemini => {
                let tools = tools(
                    |name, about| json!({"name": name, "description": about, "parametersJsonSchema": schema()}),
                );
                json!({"systemInstruction": {"parts": [{"text": system}]}, "contents": messages,
                       "tools": [{"functionDeclarations": tools}], "generationConfig": {"temperature": 0.2}})
            }
            Self::Otel => messages.into(),
            Self::LangChain => {
                let messages: Vec<Value> =
                    std::iter::once(chain("System", json!({"content": system}))).chain(messages).collect();
                json!({"messages": [messages]})
            }
        }
    }

    fn response(self, id: &str, answer: &Step, input: u64) -> Value {
        let output = 120;
        let total = input + output;
        let says = self.step(answer);
        let calls = matches!(answer, Step::Called { .. });
        match self {
            Self::Chat => {
                json!({"id": id, "object": "chat.completion", "created": 1, "model": "gpt-5-mini-1",
                "choices": [{"index": 0, "finish_reason": if calls { "tool_calls" } else { "stop" },
                             "message": says[0]}],
                "usage": {"prompt_tokens": input, "completion_tokens": output, "total_tokens": total,
                          "prompt_tokens_details": {"cached_tokens": input / 2}}})
            }
            Self::Responses => {
                json!({"id": id, "object": "response", "status": "completed", "model": "gpt-5-1",
                "output": says, "usage": {"input_tokens": input, "output_tokens": output, "total_tokens": total}})
            }
            Self::Anthropic => {
                json!({"id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-5",
                "content": says[0]["content"], "stop_reason": if calls { "tool_use" } else { "end_turn" },
                "usage": {"input_tokens": 3, "cache_creation_input_tokens": 400,
                          "cache_read_input_tokens": input, "output_tokens": output}})
            }
            Self::Gemini => json!({"candidates": [{"content": says[0], "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": input, "candidatesTokenCount": output,
                                  "totalTokenCount": total},
                "modelVersion": "gemini-3-flash", "responseId": id}),
            Self::Otel => says.into(),
            Self::LangChain => {
                let mut message = says[0].clone();
                message["kwargs"]["usage_metadata"] =
                    json!({"input_tokens": input, "output_tokens": output, "total_tokens": total});
                json!({"generations": [[{"text": "", "message": message}]]})
            }
        }
    }

    /// A step as the messages or items it is.
    fn step(self, step: &Step) -> Vec<Value> {
        let args = |file: &str| json!({"path": file, "from": 1, "to": 80});
        match (self, step) {
            (Self::Chat, Step::Asked(text)) => vec![json!({"role": "user", "content": text})],
            (Self::Chat, Step::Called { id, say, file }) => vec![json!({"role": "assistant", "content": say,
                "tool_calls": [{"id": id, "type": "function",
                                "function": {"name": "read_file_1", "arguments": args(file).to_string()}}]})],
            (Self::Chat, Step::Returned { id, text }) => {
                vec![json!({"role": "tool", "tool_call_id": id, "content": text})]
            }
            (Self::Chat, Step::Said(text)) => vec![json!({"role": "assistant", "content": text})],

            (Self::Responses, Step::Asked(text)) => {
                vec![json!({"role": "user", "content": [{"type": "input_text", "text": text}]})]
            }
            (Self::Responses, Step::Called { id, say, file }) => vec![
                json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": say}]}),
                json!({"type": "function_call", "call_id": id, "name": "read_file_1",
                       "arguments": args(file).to_string()}),
            ],
            (Self::Responses, Step::Returned { id, text }) => {
                vec![json!({"type": "function_call_output", "call_id": id, "output": text})]
            }
            (Self::Responses, Step::Said(text)) => vec![
                json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
            ],

            (Self::Anthropic, Step::Asked(text)) => {
                vec![json!({"role": "user", "content": [{"type": "text", "text": text}]})]
            }
            (Self::Anthropic, Step::Called { id, say, file }) => {
                vec![json!({"role": "assistant", "content": [
                {"type": "text", "text": say},
                {"type": "tool_use", "id": id, "name": "read_file_1", "input": args(file)}]})]
            }
            (Self::Anthropic, Step::Returned { id, text }) => vec![json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": text}]})],
            (Self::Anthropic, Step::Said(text)) => {
                vec![json!({"role": "assistant", "content": [{"type": "text", "text": text}]})]
            }

            (Self::Gemini, Step::Asked(text)) => vec![json!({"role": "user", "parts": [{"text": text}]})],
            (Self::Gemini, Step::Called { id, say, file }) => {
                vec![json!({"role": "model", "parts": [{"text": say},
                {"functionCall": {"id": id, "name": "read_file_1", "args": args(file)}}]})]
            }
            (Self::Gemini, Step::Returned { id, text }) => vec![json!({"role": "user", "parts": [
                {"functionResponse": {"id": id, "name": "read_file_1", "response": {"result": text}}}]})],
            (Self::Gemini, Step::Said(text)) => vec![json!({"role": "model", "parts": [{"text": text}]})],

            (Self::Otel, Step::Asked(text)) => {
                vec![json!({"role": "user", "parts": [{"type": "text", "content": text}]})]
            }
            (Self::Otel, Step::Called { id, say, file }) => vec![json!({"role": "assistant", "parts": [
                {"type": "text", "content": say},
                {"type": "tool_call", "id": id, "name": "read_file_1", "arguments": args(file)}]})],
            (Self::Otel, Step::Returned { id, text }) => vec![json!({"role": "tool", "parts": [
                {"type": "tool_call_response", "id": id, "response": text}]})],
            (Self::Otel, Step::Said(text)) => {
                vec![json!({"role": "assistant", "parts": [{"type": "text", "content": text}]})]
            }

            (Self::LangChain, Step::Asked(text)) => vec![chain("Human", json!({"content": text}))],
            (Self::LangChain, Step::Called { id, say, file }) => vec![chain(
                "AI",
                json!({"content": say,
                "tool_calls": [{"type": "tool_call", "id": id, "name": "read_file_1", "args": args(file)}]}),
            )],
            (Self::LangChain, Step::Returned { id, text }) => {
                vec![chain("Tool", json!({"content": text, "tool_call_id": id}))]
            }
            (Self::LangChain, Step::Said(text)) => vec![chain("AI", json!({"content": text}))],
        }
    }
}

fn chain(class: &str, mut kwargs: Value) -> Value {
    kwargs["type"] = class.to_ascii_lowercase().into();
    json!({"lc": 1, "type": "constructor",
           "id": ["langchain", "schema", "messages", format!("{class}Message")], "kwargs": kwargs})
}
