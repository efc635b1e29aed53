//! Who writes a conversation down: logs of requests in every dialect, google-adk, and coding agents with what they keep
//! of their requests. Each writes its file, which is read back as any other.

mod adk;
mod anthropic;
mod claude_code;
mod codex;
mod gemini;
mod openai;
mod telemetry;

use std::sync::Arc;

use serde_json::Value;
use strata_engine::{Experiment, FlowKind, infer_app};
use strata_import::{ImportedSession, RecordedRequest, import};
use strata_measure::remedies;
use strata_model::{EventIndex, LlmRequest, RecordedCall};
use strata_wire::request_of;

use super::conversation::{OTHER_MODEL, Request};
use super::kinds::Needs;
pub(super) use adk::{configured, configured_and_recorded};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    ChatLog,
    ResponsesLog,
    LiteLlm,
    Har,
    Spans,
    Langfuse,
    AnthropicLog,
    GeminiLog,
    AdkDebugLog,
    AdkRecording,
    ClaudeCode,
    Codex,
}

impl Writer {
    pub(super) const ALL: [Self; 12] = [
        Self::ChatLog,
        Self::ResponsesLog,
        Self::LiteLlm,
        Self::Har,
        Self::Spans,
        Self::Langfuse,
        Self::AnthropicLog,
        Self::GeminiLog,
        Self::AdkDebugLog,
        Self::AdkRecording,
        Self::ClaudeCode,
        Self::Codex,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ChatLog => "OpenAI chat log",
            Self::ResponsesLog => "OpenAI responses log",
            Self::LiteLlm => "LiteLLM log",
            Self::Har => "HTTP archive",
            Self::Spans => "OpenTelemetry spans",
            Self::Langfuse => "Langfuse trace",
            Self::AnthropicLog => "Anthropic log",
            Self::GeminiLog => "Gemini log",
            Self::AdkDebugLog => "google-adk session and debug log",
            Self::AdkRecording => "google-adk recording",
            Self::ClaudeCode => "Claude Code transcript",
            Self::Codex => "Codex rollout",
        }
    }

    /// Whether what a cause needs is in what it writes.
    pub(super) fn holds(self, needs: Needs) -> bool {
        let is_anthropic = matches!(self, Self::AnthropicLog | Self::ClaudeCode);
        match needs {
            // Its requests are worked out from the transcript, which has one system text and no tools.
            _ if !self.has_requests() => matches!(needs, Needs::Model | Needs::Summaries),
            Needs::Instruction | Needs::ToolNames | Needs::Model | Needs::History | Needs::Summaries => true,
            Needs::Declarations | Needs::MediaBytes => self != Self::AdkDebugLog,
            // The journal of Claude Code knows a list of tools by a hash that leaves the order of keys out.
            Needs::KeyOrder => !matches!(self, Self::AdkDebugLog | Self::ClaudeCode),
            Needs::ClientBlock | Needs::AnthropicCache | Needs::Thoughts => is_anthropic,
        }
    }

    /// Whether it writes what was sent; else that is worked out from what was said.
    pub(super) fn has_requests(self) -> bool {
        self != Self::Codex
    }

    fn model(self) -> &'static str {
        match self {
            Self::AnthropicLog | Self::ClaudeCode => "claude-sonnet-4-5",
            Self::GeminiLog | Self::AdkDebugLog | Self::AdkRecording => "gemini-2.5-flash",
            _ => "gpt-4.1",
        }
    }

    /// What it asks where another model is asked.
    pub(super) fn other_model(self) -> &'static str {
        match self {
            Self::AnthropicLog | Self::ClaudeCode => "claude-sonnet-4-6",
            Self::GeminiLog | Self::AdkDebugLog | Self::AdkRecording => "gemini-2.5-pro",
            _ => "gpt-4.1-mini",
        }
    }

    /// The conversation as this writer records it, read back.
    pub(super) fn read(self, requests: &[Request]) -> Opened {
        let mut requests = requests.to_vec();
        for request in &mut requests {
            request.model = match &*request.model {
                OTHER_MODEL => self.other_model().to_owned(),
                _ => self.model().to_owned(),
            };
        }
        match self {
            Self::ChatLog => self.opened(&lines(openai::chat_lines(&requests))),
            Self::ResponsesLog => self.opened(&lines(openai::responses_lines(&requests))),
            Self::LiteLlm => self.opened(&lines(openai::litellm_lines(&requests))),
            Self::Har => self.opened(&openai::archive(&requests).to_string()),
            Self::Spans => self.opened(&telemetry::spans(&requests).to_string()),
            Self::Langfuse => self.opened(&telemetry::trace(&requests).to_string()),
            Self::AnthropicLog => self.opened(&lines(anthropic::lines(&requests))),
            Self::GeminiLog => self.opened(&lines(gemini::lines(&requests))),
            Self::AdkDebugLog => {
                let session = self.session(&adk::session(&requests).to_string());
                let log = self.session(&adk::debug_log(&requests));
                let found = log.requests_for(&session.session);
                Opened::new(session, &found)
            }
            Self::AdkRecording => self.opened(&lines(adk::recording(&requests))),
            Self::ClaudeCode => self.opened(&lines(claude_code::transcript(&requests))),
            Self::Codex => self.opened(&lines(codex::rollout(&requests))),
        }
    }

    fn opened(self, file: &str) -> Opened {
        let session = self.session(file);
        let requests = session.requests.clone();
        Opened::new(session, &requests)
    }

    /// The only session of a file.
    fn session(self, file: &str) -> ImportedSession {
        let mut imported = import(file.as_bytes());
        assert_eq!(imported.sessions.len(), 1, "{}: {:?}", self.name(), imported.diagnostics);
        imported.sessions.remove(0)
    }
}

/// A session as it is opened: with the requests that were recorded.
pub(super) struct Opened {
    pub experiment: Experiment,
    /// Those that were recorded.
    pub n_requests: usize,
    pub writer: remedies::Writer,
}

impl Opened {
    fn new(imported: ImportedSession, requests: &[RecordedRequest]) -> Self {
        let format = imported.format.name();
        let kind = if format.starts_with("adk") { FlowKind::Adk } else { FlowKind::Transcript };
        let answered = || {
            let requests = requests.iter();
            requests
                .filter_map(|request| Some((EventIndex(u32::try_from(request.answer?).ok()?), &request.body)))
        };
        let sent: Vec<(EventIndex, LlmRequest)> =
            answered().filter_map(|(at, body)| Some((at, request_of(body)?))).collect();
        let n_requests = sent.len();
        let made_from = answered().filter_map(|(at, body)| Some((at, RecordedCall::of_body(body)?)));
        let app = match &imported.app {
            Some(app) => Arc::new(app.clone()),
            None => infer_app(&imported.session, kind, &sent).app,
        };
        let experiment = Experiment::new(Arc::new(imported.session), app, kind)
            .with_recorded_calls(made_from)
            .with_requests(sent);
        let writer = remedies::Writer::of(format, &experiment);
        Self { experiment, n_requests, writer }
    }
}

fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().fold(String::new(), |lines, value| lines + &format!("{value}\n"))
}

/// A time of 20 November 2026.
fn iso(epoch_seconds: f64) -> String {
    const MIDNIGHT: f64 = 1_795_132_800.0;
    let millis = ((epoch_seconds - MIDNIGHT) * 1000.0) as u64;
    let seconds = millis / 1000;
    format!(
        "2026-11-20T{:02}:{:02}:{:02}.{:03}Z",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60,
        millis % 1000
    )
}

/// Another one that is as large, and begins the same.
const OTHER_PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9aQAAAAJJRU5ErkJggg==";

/// A picture of one point.
const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
