//! What the interface recorded (`ui_messages.json`): requests with their usage, and summaries.

use std::collections::VecDeque;

use strata_model::take::unpacked;
use strata_model::{Json, Object, Str};
use strata_wire::usage::UsageReport;
use strata_wire::usage::spelling::{CLINE_REQUEST, CLINE_REQUEST_OF_OPENAI};

use crate::source::SourceRecord;
use crate::time::time_of;
use crate::unmapped::Unmapped;
use crate::values::Value;

#[derive(Default)]
pub(super) struct Interface {
    /// Requests that reported usage, by time.
    requests: VecDeque<(f64, UsageReport, SourceRecord)>,
    /// Summaries that were written, by time.
    condensed: VecDeque<(f64, Str, SourceRecord)>,
    /// The usage of requests that were deleted, summed up.
    pub(super) deleted: Option<(UsageReport, SourceRecord)>,
    /// What else it recorded.
    pub(super) unmapped: Unmapped,
}

impl Interface {
    pub(super) fn add(&mut self, value: &Value) {
        let source = value.source();
        let time = value.json.get("ts").and_then(time_of).unwrap_or(0.0);
        let said = value.json.get("say").and_then(Json::as_str).unwrap_or_default();
        match said {
            // Before 2025 the usage came when a request was finished.
            "api_req_started" | "api_req_finished" => {
                if let Some(usage) = usage_of(&value.json) {
                    self.requests.push_back((time, usage, source));
                }
            }
            "deleted_api_reqs" | "subagent_usage" => {
                if let Some(usage) = usage_of(&value.json) {
                    let sum = match self.deleted.take() {
                        Some((before, _)) => before.counts().plus(usage.counts()).into(),
                        None => usage,
                    };
                    self.deleted = Some((sum, source));
                }
            }
            "condense_context" => {
                let condensed = value.json.get("contextCondense");
                if let Some(summary) = condensed.and_then(|it| it.get("summary")?.as_str()) {
                    self.condensed.push_back((time, summary.into(), source));
                }
            }
            _ => {}
        }
        let is_request =
            matches!(said, "api_req_started" | "api_req_finished" | "deleted_api_reqs" | "subagent_usage");
        let has_summary = said == "condense_context"
            && value.json.get("contextCondense").is_some_and(|it| it.get("summary").is_some());
        let kind = match value.json.get("ask").and_then(Json::as_str) {
            Some(asked) => format!("ui.ask.{asked}"),
            None => format!("ui.say.{said}"),
        };
        if is_request {
            self.note_rest(&kind, &value.json);
        } else if !has_summary {
            self.unmapped.record(&kind, value.source());
        }
    }

    /// What a request's text says besides its usage.
    fn note_rest(&mut self, kind: &str, message: &Json) {
        let text = message.get("text").cloned().map(unpacked);
        for (key, value) in text.iter().filter_map(Json::as_object).flat_map(Object::iter) {
            if !USAGE.contains(&&**key) {
                self.unmapped.field(kind, key, value);
            }
        }
    }

    /// The conversation has the last summaries itself.
    pub(super) fn leave_out_summaries_of(&mut self, messages: &[Value]) {
        let is_summary = |message: &&Value| message.json.get("isSummary").is_some_and(Json::is_truthy);
        let summaries: Vec<String> = messages
            .iter()
            .filter(is_summary)
            .filter_map(|message| message.json.get("content"))
            .map(|content| content.as_str().map_or_else(|| texts_of(content), str::to_owned))
            .collect();
        self.condensed.retain(|(_, words, _)| !summaries.iter().any(|summary| summary.contains(&**words)));
    }

    pub(super) fn condensed_until(&mut self, time: Option<f64>) -> Vec<(f64, Str, SourceRecord)> {
        let Some(time) = time else { return Vec::new() };
        let n = self.condensed.iter().take_while(|(written, _, _)| *written <= time).count();
        self.condensed.drain(..n).collect()
    }

    /// Requests before the one that was answered at `time`: nothing was kept of their answers.
    pub(super) fn requests_before(&mut self, time: Option<f64>) -> Vec<(UsageReport, SourceRecord)> {
        let Some(time) = time else { return Vec::new() };
        let n = self.requests.iter().take_while(|(sent, _, _)| *sent <= time).count();
        self.requests.drain(..n.saturating_sub(1)).map(|(_, usage, source)| (usage, source)).collect()
    }

    /// The usage of the request that was answered at `time`; that of the next one where times are not known.
    pub(super) fn request_of(&mut self, time: Option<f64>) -> Option<UsageReport> {
        let is_it = self.requests.front().is_some_and(|(sent, _, _)| time.is_none_or(|time| *sent <= time));
        let (_, usage, _) = if is_it { self.requests.pop_front()? } else { return None };
        Some(usage)
    }

    /// The requests whose answers were not met.
    pub(super) fn rest(&mut self) -> impl Iterator<Item = (UsageReport, SourceRecord)> {
        self.requests.drain(..).map(|(_, usage, source)| (usage, source))
    }
}

fn texts_of(content: &Json) -> String {
    let blocks = content.as_array().unwrap_or_default().iter();
    blocks.filter_map(|block| block.get("text")?.as_str()).collect()
}

/// Members of a request's text that are read.
const USAGE: [&str; 5] = ["apiProtocol", "tokensIn", "tokensOut", "cacheReads", "cacheWrites"];

/// What a request of the interface reports.
fn usage_of(message: &Json) -> Option<UsageReport> {
    let Json::Object(mut text) = unpacked(Json::String(Str::from(message.get("text")?.as_str()?))) else {
        return None;
    };
    // Roo says whose way of counting it is: in that of OpenAI the input includes what was cached.
    let is_inclusive = text.get("apiProtocol").and_then(Json::as_str) == Some("openai");
    let counts = if is_inclusive { CLINE_REQUEST_OF_OPENAI } else { CLINE_REQUEST }.take(&mut text);
    counts.input.map(|_| UsageReport::from(counts))
}
