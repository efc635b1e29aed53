//! Logs of requests, written as their loggers write them.

use serde_json::{Value, json};

use crate::talk::{Dialect, Talk};
use crate::words::minutes_later;

/// How a log is written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Logger {
    /// A pair of bodies a line.
    Pairs,
    /// One document, with the bodies as text in it.
    Har,
    LiteLlm,
    /// Spans of ten calls a line, with the messages as text in attributes.
    Otlp,
    LangSmith,
    /// One document.
    Langfuse,
}

/// A log of conversations of so many answers each, one after the other, that is `n_bytes` long.
pub(crate) fn log(logger: Logger, dialect: Dialect, n_exchanges: usize, n_bytes: usize) -> Vec<u8> {
    let mut records: Vec<Value> = Vec::new();
    let mut size = 0;
    for number in 0.. {
        let talk = Talk::new(number, n_exchanges);
        for at in 0..n_exchanges {
            let (request, response) = talk.exchange(dialect, at);
            let record = logger.record(&request, &response, number, records.len());
            size += record.to_string().len();
            records.push(record);
        }
        if size >= n_bytes {
            break;
        }
    }
    logger.file(&records)
}

fn time(at: usize) -> String {
    minutes_later("2026-02-03T10:00:05.000Z", at).unwrap()
}

impl Logger {
    fn record(self, request: &Value, response: &Value, talk: usize, nth: usize) -> Value {
        let time = time(nth);
        match self {
            Self::Pairs => {
                json!({"request": {"method": "POST", "url": "https://api.example/v1", "body": request},
                "response": {"status": 200, "content_type": "application/json", "body": response},
                "timestamp": time})
            }
            Self::Har => json!({"startedDateTime": time, "time": 900,
                "request": {"method": "POST", "url": "https://api.example/v1/chat/completions", "headers": [],
                            "postData": {"mimeType": "application/json", "text": request.to_string()}},
                "response": {"status": 200, "headers": [],
                             "content": {"mimeType": "application/json", "text": response.to_string()}}}),
            Self::LiteLlm => json!({"id": nth.to_string(), "litellm_call_id": format!("l{nth}"),
                "trace_id": format!("tr{talk}"), "call_type": "acompletion", "custom_llm_provider": "openai",
                "model": "gpt-5-mini", "messages": request["messages"], "response": response,
                "prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105,
                "startTime": 1_770_112_800 + nth * 60, "endTime": 1_770_112_801 + nth * 60,
                "metadata": {"user_api_key_hash": null},
                "model_parameters": {"temperature": 0, "tools": request["tools"]}, "status": "success"}),
            Self::Otlp => span(request, response, talk, nth),
            Self::LangSmith => json!({"id": format!("run-{nth}"), "trace_id": format!("tr-{talk}"),
                "name": "ChatModel", "run_type": "llm", "start_time": time, "end_time": time,
                "dotted_order": nth.to_string(), "inputs": request, "outputs": response,
                "extra": {"metadata": {"thread_id": format!("th-{talk}")}, "invocation_params": {"model": "big-1"}}}),
            Self::Langfuse => json!({"id": format!("o{nth}"), "type": "GENERATION", "startTime": time,
                "endTime": time, "traceId": "lf", "level": "DEFAULT", "name": "chat", "model": "big-1",
                "input": request["messages"].to_string(),
                "output": response["choices"][0]["message"].to_string(),
                "usageDetails": {"input": 20, "output": 5}}),
        }
    }

    fn file(self, records: &[Value]) -> Vec<u8> {
        let lines = |records: &[Value]| {
            records.iter().fold(String::new(), |text, record| text + &format!("{record}\n"))
        };
        match self {
            Self::Pairs | Self::LiteLlm | Self::LangSmith => lines(records),
            Self::Har => json!({"log": {"version": "1.2", "creator": {"name": "proxy", "version": "1"},
                                        "entries": records}})
            .to_string(),
            Self::Langfuse => json!({"trace": {"id": "lf", "name": "Weather", "sessionId": "lf-session",
                                               "timestamp": time(0), "input": null, "observations": []},
                                     "observations": records})
            .to_string(),
            Self::Otlp => {
                let batches = records.chunks(10).map(|spans| {
                    json!({"resourceSpans": [{"resource": {"attributes": []},
                                              "scopeSpans": [{"scope": {"name": "demo"}, "spans": spans}]}]})
                });
                lines(&batches.collect::<Vec<_>>())
            }
        }
        .into_bytes()
    }
}

fn span(request: &Value, response: &Value, talk: usize, nth: usize) -> Value {
    let nanos = |offset: u64| (1_770_112_800_000_000_000 + nth as u64 * 60_000_000_000 + offset).to_string();
    let text = |key: &str, value: String| json!({"key": key, "value": {"stringValue": value}});
    let number = |key: &str, value: usize| json!({"key": key, "value": {"intValue": value.to_string()}});
    json!({"traceId": format!("{talk:032x}"), "spanId": format!("{:016x}", nth + 1), "parentSpanId": "",
           "name": "chat big-1", "kind": 1, "startTimeUnixNano": nanos(0), "endTimeUnixNano": nanos(900_000_000),
           "attributes": [
               text("gen_ai.operation.name", "chat".into()),
               text("gen_ai.provider.name", "x".into()),
               text("gen_ai.request.model", "big-1".into()),
               text("gen_ai.conversation.id", format!("conv-{talk}")),
               text("gen_ai.agent.name", "ledger".into()),
               text("gen_ai.input.messages", request.to_string()),
               text("gen_ai.output.messages", response.to_string()),
               number("gen_ai.usage.input_tokens", 400),
               number("gen_ai.usage.output_tokens", 120),
               text("gen_ai.response.id", format!("otr{nth}")),
           ], "status": {}})
}
