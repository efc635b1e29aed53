//! `strata compile`: the request of a call, with every stage.

use serde::Serialize;
use strata_engine::{Call, Compilation, EarlyEnd, FlowKind, Outcome, Sections, Stage, StageCache};
use strata_measure::analysis::{CallAnalysis, Change, SessionAnalysis, diff_events, diff_requests};
use strata_model::{Json, LlmRequest};

use super::app::AppReport;
use super::change::{ChangeReport, Weigh};
use super::diagnostic::FileDiagnostic;
use super::evidence::EvidenceReport;
use super::opened::OpenedSession;
use super::prompt::{PromptTokens, prompt_tokens};
use super::source::{Source, Subject};
use super::{VERSION, Watch, origin};
use crate::api::common::{DiagnosticRow, RequestBasis};
use crate::error::AppError;
use crate::show::words;
use crate::show::{DeltaScale, SegmentScale};
use crate::tables::Tables;

/// Which call of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallChoice {
    Last,
    /// Counted from 1.
    Number(u32),
    /// The last call of an agent.
    OfAgent(String),
}

/// The document of `strata compile`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompileReport {
    pub version: u32,
    pub session: String,
    /// Of the session.
    pub title: String,
    pub call: u32,
    pub agent: String,
    pub model: String,
    pub invocation: String,
    pub branch: Option<String>,
    /// Events that were in the session when the call was made.
    pub events_before: u32,
    pub app: AppReport,
    pub stages: Vec<StageReport>,
    /// Whether `request` and `tokens` are of what was really sent or of what was compiled.
    pub request_basis: RequestBasis,
    /// What that is known from.
    pub evidence: EvidenceReport,
    /// Why it is not certain that a model was asked at all, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// What the model is sent, as far as it was compiled.
    pub request: Json,
    /// The body that was sent, in its provider's own dialect, if it is recorded and asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Json>,
    pub tokens: PromptTokens,
    /// The text a callback answered with in the model's place, if one did.
    pub answer: Option<String>,
    /// A processor ended the run, so that no model is called.
    pub ended_early: bool,
    pub failure: Option<CompileFailure>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Why a call cannot be compiled further.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompileFailure {
    /// Empty when no processor could run.
    pub processor: String,
    pub message: String,
    pub advice: String,
}

/// What a processor did.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StageReport {
    pub processor: String,
    /// What it is called: only google-adk has processors, and the requests of other clients are put together of parts.
    pub title: String,
    /// One line on what it did, or why it did nothing.
    pub note: String,
    pub enabled: bool,
    pub changed: bool,
    /// No processor's work, but what was really sent.
    pub recorded: bool,
    /// Its result was known from the calls before.
    pub reused: bool,
    /// Without the overhead of message framing.
    pub tokens_before: u32,
    pub tokens_after: u32,
    pub changes: Vec<ChangeReport>,
    /// Events, or parts of events, that did not make it into the contents.
    pub left_out: Vec<LeftOut>,
    pub diagnostics: Vec<DiagnosticRow>,
    /// The request after it, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Json>,
}

/// What a stage is called. The request of another client than google-adk is put together here, of parts.
fn stage_title(processor: &str, kind: FlowKind) -> &str {
    match (kind, processor) {
        (FlowKind::Transcript, "basic") => "model and settings",
        (FlowKind::Transcript, "instructions") => "system prompt",
        (FlowKind::Transcript, "contents") => "messages",
        (FlowKind::Transcript, "agent_tools") => "tools",
        (FlowKind::Transcript, "model_call") => "request",
        (_, processor) => processor,
    }
}

/// An event, or a part of one, that a call does not see.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    pub origin: String,
    pub reason: String,
    pub tokens: u32,
}

/// What a document of a call holds beside its stages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CompileContents {
    /// The request after each stage.
    pub requests: bool,
    /// The body that was really sent. Where none is recorded, that is an error.
    pub recorded: bool,
}

/// Compiles a call of a source's only session, or of the one called `session`.
pub fn compile(
    source: &Source,
    session: Option<&str>,
    call: &CallChoice,
    contents: CompileContents,
    watch: &dyn Watch,
) -> Result<CompileReport, AppError> {
    let (subject, diagnostics) = source.read_one(session, watch)?;
    let number = choose(&subject, call)?;
    let tables = source.tables()?;
    let analysis = subject.analyse(number as usize, &tables, watch)?;
    let lost = || AppError::internal("A call got lost.");
    let compiled = Compiled {
        subject: &subject,
        tables: &tables,
        analysis: &analysis,
        call: subject.experiment.call(number).ok_or_else(lost)?,
        analysed: analysis.call(number).ok_or_else(lost)?,
    };
    let compilation = subject.experiment.compile(compiled.call, &mut StageCache::new());
    let stages = match &compilation {
        Some(compilation) => compiled.stages(compilation, contents.requests)?,
        None => Vec::new(),
    };
    let outcome = &compiled.analysed.outcome;
    let recorded = if contents.recorded { Some(recorded_body(&subject, compiled.call)?) } else { None };
    Ok(CompileReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        call: number,
        agent: compiled.call.invocation.agent.to_string(),
        model: compiled.analysed.sent_to.to_string(),
        invocation: compiled.call.invocation.invocation_id.to_string(),
        branch: compiled.call.invocation.branch.as_ref().map(ToString::to_string),
        events_before: compiled.call.n_events() as u32,
        app: (&subject.app).into(),
        stages,
        request_basis: RequestBasis::of(&subject.experiment, compiled.analysed),
        evidence: subject.evidence(compiled.analysed),
        doubt: compiled.call.certainty.said().map(str::to_owned),
        recorded,
        request: compiled.analysed.request.to_json(),
        tokens: prompt_tokens(&subject, &tables, &analysis, compiled.analysed)?,
        answer: match outcome {
            Outcome::Early(EarlyEnd::Answered { text }) => Some(text.to_string()),
            _ => None,
        },
        ended_early: matches!(outcome, Outcome::Early(_)),
        failure: match outcome {
            Outcome::Failed { processor, error } => Some(CompileFailure {
                processor: processor.to_string(),
                message: error.message.clone(),
                advice: error.advice.clone(),
            }),
            _ => None,
        },
        diagnostics,
    })
}

/// What each processor did for a call of a session that is open; nothing where it was not compiled.
pub(super) fn stages_of(opened: &OpenedSession, call: u32) -> Result<Vec<StageReport>, AppError> {
    let OpenedSession { subject, tables, compiled, .. } = opened;
    let missing = || AppError::not_found(format!("C{call} is not in this session."));
    let compiled = Compiled {
        subject,
        tables,
        analysis: &compiled.analysis,
        call: subject.experiment.call(call).ok_or_else(missing)?,
        analysed: compiled.analysis.call(call).ok_or_else(missing)?,
    };
    let compilation = subject.experiment.compile(compiled.call, &mut StageCache::new());
    compilation.map_or(Ok(Vec::new()), |compilation| compiled.stages(&compilation, false))
}

/// The body that was sent last for a call.
fn recorded_body(subject: &Subject, call: &Call) -> Result<Json, AppError> {
    let mut of_call = subject.requests.iter().rev().filter(|request| request.answer == Some(call.answer.0));
    let body = of_call.next().filter(|_| subject.experiment.has_recorded_request(call.number));
    body.map(|request| request.body.clone()).ok_or_else(|| {
        AppError::not_found(format!(
            "It is not recorded what was sent for C{}. Requests are recorded for {} of {}.",
            call.number,
            subject.experiment.n_recorded_requests(),
            words::counted(subject.n_calls(), "call"),
        ))
    })
}

fn choose(subject: &Subject, choice: &CallChoice) -> Result<u32, AppError> {
    let calls = subject.experiment.calls();
    let Some(last) = calls.last() else {
        let message = "This session has no calls: no event of it was written by a model.";
        return Err(AppError::bad_input(message));
    };
    match choice {
        CallChoice::Last => Ok(last.number),
        CallChoice::Number(number) if subject.experiment.call(*number).is_some() => Ok(*number),
        CallChoice::Number(number) => Err(AppError::not_found(format!(
            "C{number} is not in this session. Its calls are C1 to C{}.",
            last.number
        ))),
        CallChoice::OfAgent(agent) => {
            let of_agent = calls.iter().rev().find(|call| *call.invocation.agent == **agent);
            of_agent.map(|call| call.number).ok_or_else(|| {
                let mut agents: Vec<&str> = calls.iter().map(|call| &*call.invocation.agent).collect();
                agents.sort_unstable();
                agents.dedup();
                let agents = words::listed(&agents);
                AppError::not_found(format!(
                    "No call of this session is one of {agent}. Its agents are {agents}."
                ))
            })
        }
    }
}

/// A call with what is known of it.
struct Compiled<'c> {
    subject: &'c Subject,
    tables: &'c Tables,
    analysis: &'c SessionAnalysis,
    call: &'c Call,
    analysed: &'c CallAnalysis,
}

impl Compiled<'_> {
    fn stages(&self, compilation: &Compilation, keeps_requests: bool) -> Result<Vec<StageReport>, AppError> {
        let mut before = LlmRequest::default();
        let mut stages = Vec::with_capacity(compilation.stages.len());
        for (at, stage) in compilation.stages.iter().enumerate() {
            let mut report = self.stage(stage, &before)?;
            report.reused = self.analysed.reused_stages & (1 << at.min(63)) != 0;
            report.request = keeps_requests.then(|| stage.request.to_json());
            let violations = compilation.violations.iter();
            let violations = violations.filter(|violation| violation.processor == stage.processor);
            report.diagnostics.extend(violations.map(|violation| DiagnosticRow {
                severity: crate::api::common::DiagnosticSeverity::Warning,
                code: "order".to_owned(),
                message: format!("It runs before {}, whose result it expects.", violation.required),
                at: self.place(stage),
            }));
            stages.push(report);
            before = stage.request.clone();
        }
        Ok(stages)
    }

    fn place(&self, stage: &Stage) -> String {
        format!("C{}/{}", self.call.number, stage.processor)
    }

    fn stage(&self, stage: &Stage, before: &LlmRequest) -> Result<StageReport, AppError> {
        let scale = self.subject.scale(self.analysis, self.tables, self.analysed)?;
        let sum = |request: &LlmRequest| scale.prompt(request).by_kind().iter().sum();
        let weigh = Weigh {
            scale: DeltaScale {
                before: SegmentScale::new(scale, before),
                after: SegmentScale::new(scale, &stage.request),
            },
            log: self.subject.experiment.log(),
        };
        let deltas = diff_requests(before, &stage.request);
        let found = stage.output.diagnostics.iter().map(DiagnosticRow::from);
        Ok(StageReport {
            processor: stage.processor.to_string(),
            title: stage_title(&stage.processor, self.subject.experiment.kind()).to_owned(),
            note: stage.output.note.clone(),
            enabled: stage.is_enabled,
            changed: stage.changed.intersects(Sections::SENT),
            recorded: stage.recorded.is_some(),
            reused: false,
            tokens_before: sum(before),
            tokens_after: sum(&stage.request),
            changes: deltas.iter().filter_map(|delta| weigh.change(delta)).collect(),
            left_out: if &*stage.processor == "contents" { self.left_out(stage, &weigh) } else { Vec::new() },
            diagnostics: found.map(|row| DiagnosticRow { at: self.place(stage), ..row }).collect(),
            request: None,
        })
    }

    fn left_out(&self, stage: &Stage, weigh: &Weigh<'_>) -> Vec<LeftOut> {
        let Some(context) = self.subject.experiment.context(self.call) else { return Vec::new() };
        let deltas = diff_events(&context, &stage.request);
        let left_out = deltas.iter().filter_map(|delta| {
            let Change::LeftOut(reason) = delta.change else { return None };
            let segment = delta.before.as_ref()?;
            Some(LeftOut {
                origin: segment.main_origin().map_or(String::new(), origin::text),
                reason: reason.explanation(),
                tokens: weigh.scale.before.count(segment).tokens,
            })
        });
        left_out.collect()
    }
}
