//! What a session's file tells of its calls.

use std::collections::HashMap;
use std::path::Path;

use strata_engine::{FlowKind, answers};
use strata_import::{Format, ImportedSession, marks};
use strata_measure::analysis::ReportedCounts;
use strata_measure::prices::ChargedTokens;
use strata_model::marks::SUM;
use strata_model::{Event, Fingerprint, FingerprintBuilder, Json, Session, Str, Usage};

use super::advisor::advice;
use super::project::project_of;
use crate::import::flow_kind;

/// An id of so many characters is of one answer in the world; a shorter one is of one in its session.
const LONG_ID: usize = 16;

/// The calls of a session, or of a sub-agent that has a file of its own.
#[derive(Debug, Clone)]
pub(crate) struct UsedSession {
    /// Its own, or the path of its file.
    pub id: Str,
    /// The session it worked for.
    pub parent: Option<Str>,
    pub title: String,
    pub tool: String,
    /// The folder it worked in.
    pub project: Option<String>,
    /// Epoch milliseconds of the first call with a time.
    pub began_ms: Option<i64>,
    pub calls: Vec<UsedCall>,
}

#[derive(Debug, Clone)]
pub(crate) struct UsedCall {
    /// The same in every file that tells of the call.
    pub key: Fingerprint,
    /// Epoch milliseconds.
    pub time_ms: Option<i64>,
    pub model: Option<Str>,
    pub kind: CallKind,
    pub tokens: ChargedTokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallKind {
    Reported,
    /// A report on several calls.
    Combined,
    Unreported,
    Unpaid,
    /// Another session's call that this one repeats.
    Relayed,
    /// A summary that the client counted.
    Summary,
}

impl UsedSession {
    pub(crate) fn of(imported: &ImportedSession, path: &Path, tool: Option<&str>) -> Self {
        let flow = flow_kind(imported.format.id());
        let id = own_id(&imported.session).unwrap_or_else(|| path.display().to_string().into());
        let mut found = Found { session: &id, n_alike: HashMap::new(), calls: Vec::new() };
        found.calls_of(imported, flow);
        let calls = found.calls;
        Self {
            id,
            parent: imported.parent.as_ref().map(|parent| parent.session_id.clone()),
            title: imported.title.clone(),
            tool: tool.unwrap_or_else(|| tool_of(imported.format)).to_owned(),
            project: project_of(imported, path),
            began_ms: calls.iter().filter_map(|call| call.time_ms).min(),
            calls,
        }
    }
}

impl UsedCall {
    pub(crate) fn has_tokens(&self) -> bool {
        self.tokens.prompt + self.tokens.output > 0
    }
}

/// Calls of a session so far.
struct Found<'s> {
    session: &'s str,
    /// Calls without an id, by all that is known of them.
    n_alike: HashMap<Fingerprint, u64>,
    calls: Vec<UsedCall>,
}

impl Found<'_> {
    fn calls_of(&mut self, imported: &ImportedSession, flow: FlowKind) {
        let session = &imported.session;
        let is_sum = |event: &Event| strata_model::marks::of(event, SUM).is_some_and(Json::is_truthy);
        let has_sum = session.events.iter().any(|event| is_sum(event));
        // A sum is what calls did not report by themselves. Some reported their answers.
        let mut outputs: HashMap<Option<Str>, u64> = HashMap::new();
        for answer in answers(session, flow) {
            let kind = match ReportedCounts::of(answer.usage, answer.event) {
                Some(_) if marks::is_relayed(answer.event) => CallKind::Relayed,
                None if marks::is_relayed(answer.event) => continue,
                None if has_sum => {
                    let output = answer.usage.and_then(Usage::output_tokens).unwrap_or(0);
                    *outputs.entry(model_of(answer.event)).or_default() += output;
                    continue;
                }
                Some(_) => CallKind::Reported,
                None if answer.is_unpaid() => CallKind::Unpaid,
                None if answer.event.model_version.as_deref() == Some(marks::SYNTHETIC_MODEL) => continue,
                None => CallKind::Unreported,
            };
            self.push(answer.event, answer.usage, kind);
        }
        for event in session.events.iter().filter(|event| event.usage_metadata.is_some()) {
            if is_sum(event) {
                self.push(event, event.usage_metadata.as_deref(), CallKind::Combined);
                let told = outputs.remove(&model_of(event)).unwrap_or(0);
                if let Some(sum) = self.calls.last_mut() {
                    sum.tokens.output += told;
                }
            } else if event.is_compaction() {
                let source = strata_model::marks::of(event, marks::SOURCE);
                let is_difference = source.is_some_and(|source| source.get("usageFrom").is_some());
                let kind = if is_difference { CallKind::Summary } else { CallKind::Reported };
                self.push(event, event.usage_metadata.as_deref(), kind);
            }
        }
        // Of a model that no sum is told of.
        if let Some(last) = self.calls.iter_mut().rev().find(|call| call.kind == CallKind::Combined) {
            last.tokens.output += outputs.values().sum::<u64>();
        }
    }

    fn push(&mut self, event: &Event, usage: Option<&Usage>, kind: CallKind) {
        let counts = ReportedCounts::of(usage, event).map(|counts| counts.charged());
        let output = usage.and_then(Usage::output_tokens).unwrap_or(0);
        let tokens = ChargedTokens { output, ..counts.unwrap_or_default() };
        let key = self.key(event, &tokens);
        let time_ms = (event.timestamp > 0.0).then(|| (event.timestamp * 1000.0).round() as i64);
        self.calls.push(UsedCall { key, time_ms, model: model_of(event), kind, tokens });
        let advice = advice(event).enumerate().map(|(at, (model, tokens))| {
            let key = FingerprintBuilder::new().fingerprint(key).number(at as u64).finish();
            UsedCall { key, time_ms, model, kind, tokens }
        });
        self.calls.extend(advice);
    }

    /// The provider's id tells a call; else that of its event; else what is known of it, and how often that was there.
    fn key(&mut self, event: &Event, tokens: &ChargedTokens) -> Fingerprint {
        let mut key = FingerprintBuilder::new();
        let of_provider = provider_id(event);
        let source = strata_model::marks::of(event, marks::SOURCE);
        let of_source = |name: &str| source.and_then(|source| source.get(name)?.as_str());
        match of_provider.or_else(|| marks::answer_ids(event).next()) {
            // Sub-agents may repeat a message of their parent under another request.
            Some(id) if id.len() >= LONG_ID => key.text(id).finish(),
            Some(id) if of_provider.is_some() => key.text(id).optional(of_source("requestId")).finish(),
            Some(id) => key.text(self.session).text(id).finish(),
            None => {
                let ChargedTokens { prompt, cached, output, .. } = tokens;
                key.text(self.session).number(event.timestamp.to_bits());
                let alike = key.number(*prompt).number(*cached).number(*output).finish();
                let n_before = self.n_alike.entry(alike).or_default();
                *n_before += 1;
                key.number(*n_before).finish()
            }
        }
    }
}

/// The id that a provider gave an answer.
fn provider_id(event: &Event) -> Option<&str> {
    let source = strata_model::marks::of(event, marks::SOURCE)?;
    ["messageId", "responseId"].into_iter().find_map(|name| source.get(name)?.as_str())
}

/// The same where it is of this answer in all the world.
pub(crate) fn drawn_id(event: &Event) -> Option<&str> {
    provider_id(event).filter(|id| id.len() >= LONG_ID)
}

/// The model as it answered, and how: the same model costs more when it is asked to be fast.
fn model_of(event: &Event) -> Option<Str> {
    let model = event.model_version.as_ref().filter(|model| !model.is_empty())?;
    let speed =
        strata_model::marks::of(event, marks::SOURCE).and_then(|source| source.get("speed")?.as_str());
    Some(speed.map_or_else(|| model.clone(), |speed| format!("{model}-{speed}").into()))
}

/// The id that a session has itself, which is the same in every copy of its file. An importer's number is none.
fn own_id(session: &Session) -> Option<Str> {
    let first = session.events.first();
    let is_number = first
        .is_some_and(|first| first.id == session.id && marks::answer_ids(first).all(|id| *id != *session.id));
    Some(session.id.clone()).filter(|id| !id.is_empty() && !is_number)
}

/// The tool that writes files of a format, as places call it.
fn tool_of(format: Format) -> &'static str {
    const TOOLS: [(Format, &str); 20] = [
        (Format::CLAUDE_CODE, "Claude Code"),
        (Format::CODEX, "Codex CLI"),
        (Format::GEMINI_CLI, "Gemini CLI"),
        (Format::COPILOT_CLI, "Copilot CLI"),
        (Format::VSCODE_CHAT, "VS Code chat"),
        (Format::CURSOR, "Cursor"),
        (Format::CURSOR_AGENT, "Cursor"),
        (Format::PI, "Pi"),
        (Format::CONTINUE, "Continue"),
        (Format::DROID, "Droid"),
        (Format::AMP, "Amp"),
        (Format::ZED, "Zed"),
        (Format::KIRO, "Kiro"),
        (Format::CRUSH, "Crush"),
        (Format::CLINE, "Cline"),
        (Format::GOOSE, "Goose"),
        (Format::GOOSE_FILE, "Goose"),
        (Format::OPENHANDS, "OpenHands"),
        (Format::OPENCODE, "opencode"),
        (Format::OPENCODE_EXPORT, "opencode"),
    ];
    TOOLS.iter().find(|(known, _)| *known == format).map_or(format.name(), |(_, tool)| tool)
}
