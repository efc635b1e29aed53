//! How a call was compiled: its stages, and the prompt after each.

use std::sync::Arc;

use strata_engine::{
    Call, Compilation, CompileContext, RecordedStage, ScriptLine, Stage, StageOutput, explain_omissions,
};
use strata_measure::analysis::{
    CallAnalysis, Kind, PartDelta, Scale, SessionAnalysis, asked_model, diff_omitting, diff_requests,
    is_quotation,
};
use strata_model::{Json, LlmRequest, Str, json};
use strata_wire::{Segment, prompt_segments};

use super::convert::kind_tokens;
use super::headline::headline;
use super::part_rows::{Rows, counts, fold_unchanged, gather_left_out, say};
use crate::Strata;
use crate::api::call::{
    CompareWith, InsertedStage, JsonPage, PartChange, PartPage, PartRow, StageJson, StageList, StageParts,
    StageRow, StageText, Stages, TextPage, TextSegment,
};
use crate::api::common::DiagnosticRow;
use crate::api::script::{ConsoleLine, ScriptFailure, ScriptReport, ScriptTokens};
use crate::command::Handler;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::show::words;
use crate::show::{DeltaScale, SegmentScale, role};
use crate::tables::Tables;

/// Characters of a segment in a page of text.
const TEXT_LIMIT: usize = 20_000;

/// A call with all its stages.
pub(super) struct CompiledCall {
    pub open: Arc<OpenSession>,
    pub number: u32,
    pub compilation: Arc<Compilation>,
}

impl CompiledCall {
    pub(super) fn get(strata: &Strata, session: &str, number: u32) -> Result<Self, AppError> {
        let open = strata.sessions.get(session)?;
        open.call(number)?;
        let compilation = open.compilation(number)?;
        Ok(Self { open, number, compilation })
    }

    pub(super) fn call(&self) -> Result<&Call, AppError> {
        self.open.call(self.number)
    }

    pub(super) fn context(&self) -> Result<CompileContext<'_>, AppError> {
        let context = self.open.experiment.context(self.call()?);
        context.ok_or_else(|| AppError::internal("A compiled call has no agent."))
    }

    pub(super) fn analysis(&self) -> Result<(Arc<SessionAnalysis>, u32), AppError> {
        Ok((self.open.analysis_of(self.number)?, self.number))
    }

    /// The model the prompt is made for.
    fn model(&self) -> Result<Str, AppError> {
        Ok(asked_model(self.call()?, &self.compilation.working_context()))
    }

    /// The stage with a number counted from 1, and the request it received.
    pub(super) fn stage(&self, number: u32) -> Result<(&Stage, LlmRequest), AppError> {
        let stages = &self.compilation.stages;
        let at = (number as usize).checked_sub(1).filter(|at| *at < stages.len());
        let at = at.ok_or_else(|| {
            AppError::not_found(format!(
                "C{} has no stage {number}. Its last stage is {}.",
                self.number,
                stages.len()
            ))
        })?;
        let before =
            at.checked_sub(1).map_or_else(LlmRequest::default, |before| stages[before].request.clone());
        Ok((&stages[at], before))
    }

    /// The stage with this number, or the last one.
    pub(super) fn stage_or_last(&self, number: Option<u32>) -> Result<&Stage, AppError> {
        let number = number.unwrap_or(self.compilation.stages.len() as u32);
        Ok(self.stage(number)?.0)
    }
}

pub(super) fn analysed(analysis: &SessionAnalysis, call: u32) -> Result<&CallAnalysis, AppError> {
    analysis.call(call).ok_or_else(|| AppError::internal("A call got lost."))
}

impl Handler for Stages {
    fn run(self, strata: &Strata) -> Result<StageList, AppError> {
        let compiled = CompiledCall::get(strata, &self.session, self.call)?;
        // A person waits for this call, and not for those before it.
        let model = compiled.model()?;
        let analysis = compiled.open.analysis_for(self.call, &model, &strata.tables)?;
        let reused_stages = analysis
            .call(self.call)
            .map_or_else(|| compiled.compilation.reused_stages(), |call| call.reused_stages);
        let scale = compiled.open.scale_of(&analysis, &strata.tables, &model)?;
        let mut before = LlmRequest::default();
        let mut rows = Vec::with_capacity(compiled.compilation.stages.len());
        for (at, stage) in compiled.compilation.stages.iter().enumerate() {
            rows.push(stage_row(&compiled, reused_stages, scale, at, &before));
            before = stage.request.clone();
        }
        let prompt = scale.prompt(&before);
        Ok(StageList {
            call: self.call,
            agent: compiled.call()?.invocation.agent.to_string(),
            rows,
            total: prompt.total().into(),
            overhead_tokens: prompt.overhead().tokens,
        })
    }
}

fn stage_row(
    compiled: &CompiledCall,
    reused_stages: u64,
    scale: Scale<'_>,
    at: usize,
    before: &LlmRequest,
) -> StageRow {
    let stage = &compiled.compilation.stages[at];
    let (old, new) = (scale.prompt(before).by_kind(), scale.prompt(&stage.request).by_kind());
    let mut added = [0; Kind::ALL.len()];
    let mut removed_tokens = 0;
    for (kind, (old, new)) in old.iter().zip(&new).enumerate() {
        added[kind] = new.saturating_sub(*old);
        removed_tokens += old.saturating_sub(*new);
    }
    let is_changed = stage.changed.intersects(strata_engine::Sections::SENT);
    StageRow {
        number: at as u32 + 1,
        processor: stage.processor.to_string(),
        note: stage.output.note.clone(),
        is_changed,
        is_reused: reused_stages & (1 << at.min(63)) != 0,
        is_enabled: stage.is_enabled,
        inserted: inserted(compiled, stage),
        tokens_before: old.iter().sum(),
        tokens_after: new.iter().sum(),
        added: kind_tokens(added),
        removed_tokens,
        diagnostics: diagnostics(compiled, stage),
        order_warning: order_warning(compiled, stage),
        is_inferred: is_inferred(compiled, stage) && is_changed,
        is_recorded: stage.recorded.is_some(),
        script: script_report(stage, Some((old.iter().sum(), new.iter().sum()))),
    }
}

fn inserted(compiled: &CompiledCall, stage: &Stage) -> Option<InsertedStage> {
    let experiment = &compiled.open.experiment;
    let flow = experiment.flow(experiment.index().find(&compiled.call().ok()?.invocation.agent)?);
    let inserted = flow.steps()[flow.position(&stage.processor)?].inserted.as_ref()?;
    Some(InsertedStage { kind: inserted.kind.to_string(), params: inserted.params.clone() })
}

/// What a script wrote and how it failed; `None` for a stage that ran none. `tokens` are those before and after.
pub(super) fn script_report(stage: &Stage, tokens: Option<(u32, u32)>) -> Option<ScriptReport> {
    let StageOutput { console, script_failure, .. } = &*stage.output;
    if console.is_empty() && script_failure.is_none() {
        return None;
    }
    Some(ScriptReport {
        stage: stage.processor.to_string(),
        failure: script_failure.as_ref().map(script_failure_of),
        console: console.iter().map(console_line).collect(),
        tokens: tokens.map(|(before, after)| ScriptTokens { before, after }),
    })
}

pub(super) fn script_failure_of(failure: &strata_engine::ScriptFailure) -> ScriptFailure {
    ScriptFailure {
        code: failure.code.to_owned(),
        message: failure.message.clone(),
        line: failure.line,
        column: failure.column,
        stack: failure.stack.clone(),
    }
}

pub(super) fn console_line(line: &ScriptLine) -> ConsoleLine {
    ConsoleLine { level: line.level.clone(), text: line.text.clone() }
}

/// What comes from the events is recorded; what comes from the configuration may be inferred.
fn is_inferred(compiled: &CompiledCall, stage: &Stage) -> bool {
    compiled.open.app.is_inferred && &*stage.processor != "contents" && stage.recorded.is_none()
}

fn diagnostics(compiled: &CompiledCall, stage: &Stage) -> Vec<DiagnosticRow> {
    let rows = stage.output.diagnostics.iter().map(|diagnostic| DiagnosticRow {
        at: format!("C{}/{}", compiled.number, stage.processor),
        ..DiagnosticRow::from(diagnostic)
    });
    rows.collect()
}

fn order_warning(compiled: &CompiledCall, stage: &Stage) -> Option<String> {
    let violation =
        compiled.compilation.violations.iter().find(|violation| violation.processor == stage.processor)?;
    Some(format!("It runs before {}, whose result it expects.", violation.required))
}

/// Two requests that are compared, with what they are called.
struct Comparison<'c> {
    stage: &'c Stage,
    before: LlmRequest,
    /// What `before` is: "stage before", "C24".
    name: String,
    other_call: u32,
}

fn comparison<'c>(
    compiled: &'c CompiledCall,
    analysis: &SessionAnalysis,
    stage: u32,
    with: CompareWith,
) -> Result<Comparison<'c>, AppError> {
    let (stage_after, before) = compiled.stage(stage)?;
    match with {
        CompareWith::StageBefore => Ok(Comparison {
            stage: stage_after,
            before,
            name: "stage before".to_owned(),
            other_call: compiled.number,
        }),
        CompareWith::PreviousCall => {
            let previous = previous_of_agent(compiled, analysis)?;
            let other = compiled.open.compilation(previous)?;
            // The same run of the same processor: calls of one agent may have other stages.
            let at = compiled.compilation.stages[..stage as usize]
                .iter()
                .filter(|known| known.processor == stage_after.processor)
                .count();
            let mut same = other.stages.iter().filter(|known| known.processor == stage_after.processor);
            let before = same.nth(at - 1).map(|known| known.request.clone()).unwrap_or_default();
            Ok(Comparison { stage: stage_after, before, name: format!("C{previous}"), other_call: previous })
        }
    }
}

fn previous_of_agent(compiled: &CompiledCall, analysis: &SessionAnalysis) -> Result<u32, AppError> {
    let agent = &compiled.call()?.invocation.agent;
    let in_lineage = analysis.call(compiled.number).and_then(|call| call.previous);
    let calls = compiled.open.experiment.calls().range(0..compiled.number as usize - 1);
    let of_agent =
        || calls.clone().rev().find(|call| call.invocation.agent == *agent).map(|call| call.number);
    in_lineage.or_else(of_agent).ok_or_else(|| {
        AppError::bad_input(format!(
            "C{} is the first call of {agent}, so there is none to compare with. Compare with the stage before.",
            compiled.number
        ))
    })
}

impl Handler for StageParts {
    fn run(self, strata: &Strata) -> Result<PartPage, AppError> {
        let compiled = CompiledCall::get(strata, &self.session, self.call)?;
        let key = (self.call, self.stage, self.compare_with, self.fold_unchanged);
        let all = compiled.open.part_rows.get(key, || self.all_rows(strata, &compiled))?;
        let mut rows: Vec<PartRow> =
            all.rows.iter().skip(self.offset as usize).take(self.limit as usize).cloned().collect();
        let analysis = self.analysis(strata, &compiled)?;
        let compared = comparison(&compiled, &analysis, self.stage, self.compare_with)?;
        let after = (&compared.stage.request, self.call);
        say(&mut rows, (&compared.before, compared.other_call), after, compiled.open.experiment.log());
        Ok(PartPage {
            rows,
            processor: all.processor.clone(),
            headline: all.headline.clone(),
            compared_with: all.compared_with.clone(),
            ..*all
        })
    }
}

impl StageParts {
    /// A stage is compared with the one before without waiting for the calls before.
    fn analysis(&self, strata: &Strata, compiled: &CompiledCall) -> Result<Arc<SessionAnalysis>, AppError> {
        match self.compare_with {
            CompareWith::StageBefore => {
                compiled.open.analysis_for(self.call, &compiled.model()?, &strata.tables)
            }
            CompareWith::PreviousCall => compiled.open.analysis_of(self.call),
        }
    }

    /// All rows, without the words of what is in the requests.
    fn all_rows(&self, strata: &Strata, compiled: &CompiledCall) -> Result<PartPage, AppError> {
        let (model, tables) = (compiled.model()?, &strata.tables);
        let analysis = self.analysis(strata, compiled)?;
        let scale = compiled.open.scale_of(&analysis, tables, &model)?;
        let compared = comparison(compiled, &analysis, self.stage, self.compare_with)?;
        let is_before = self.compare_with == CompareWith::StageBefore;
        let is_contents = &*compared.stage.processor == "contents" && is_before;
        let context = compiled.context()?;
        let after = &compared.stage.request;
        let omissions = if is_contents { explain_omissions(&context) } else { Vec::new() };
        let deltas: Vec<PartDelta<'_>> = if is_contents {
            diff_omitting(&omissions, &context, after)
        } else {
            diff_requests(&compared.before, after)
        };
        let makes = Rows {
            scale,
            weigh: DeltaScale {
                before: SegmentScale::new(scale, &compared.before),
                after: SegmentScale::new(scale, after),
            },
            is_inferred: is_inferred(compiled, compared.stage) && is_before,
        };
        let is_shown = |row: &PartRow| !is_before || is_contents || row.change != PartChange::Unchanged;
        let rows: Vec<PartRow> = deltas.iter().map(|delta| makes.row(delta)).collect();
        let about = headline(compared.stage, (context.events.len(), &omissions), counts(&rows));
        let sum = |change: PartChange, tokens: &dyn Fn(&PartRow) -> i64| -> i64 {
            rows.iter().filter(|row| row.change == change).map(tokens).sum()
        };
        let kept = |row: &PartRow| if is_contents { i64::from(row.tokens_after) } else { 0 };
        let added_tokens = sum(PartChange::Added, &|row| row.tokens_after.into())
            + sum(PartChange::Unchanged, &kept)
            + sum(PartChange::Rewritten, &kept);
        let left_out_tokens = sum(PartChange::LeftOut, &|row| row.tokens_before.into());
        let rewriting_tokens =
            sum(PartChange::Rewritten, &|row| i64::from(row.tokens_after) - i64::from(row.tokens_before));
        let n_parts = rows.len();
        let mut shown: Vec<PartRow> = gather_left_out(rows).into_iter().filter(is_shown).collect();
        if is_contents {
            // Everything the stage put in is news, whether it stands there as it was said or not.
            for row in shown.iter_mut().filter(|row| row.change == PartChange::Unchanged) {
                row.change = PartChange::Added;
                row.tokens_before = 0;
            }
        }
        if self.fold_unchanged {
            shown = fold_unchanged(shown);
        }
        Ok(PartPage {
            processor: compared.stage.processor.to_string(),
            stage: self.stage,
            stages: compiled.compilation.stages.len() as u32,
            headline: if is_before {
                about
            } else {
                format!("{} against the same stage of {}.", words::counted(n_parts, "part"), compared.name)
            },
            added_tokens: added_tokens as u32,
            left_out_tokens: left_out_tokens as u32,
            rewriting_tokens: rewriting_tokens as i32,
            compared_with: compared.name,
            total: shown.len() as u32,
            rows: shown,
        })
    }
}

impl Handler for StageText {
    fn run(self, strata: &Strata) -> Result<TextPage, AppError> {
        let compiled = CompiledCall::get(strata, &self.session, self.call)?;
        let model = compiled.model()?;
        let analysis = compiled.open.analysis_for(self.call, &model, &strata.tables)?;
        let scale = compiled.open.scale_of(&analysis, &strata.tables, &model)?;
        let (stage, _) = compiled.stage(self.stage)?;
        let segments: Vec<Segment<'_>> = prompt_segments(&stage.request).collect();
        let weigh = SegmentScale::new(scale, &stage.request);
        let page = segments.iter().skip(self.offset as usize).take(self.limit as usize);
        Ok(TextPage {
            total: segments.len() as u32,
            segments: page.map(|segment| text_segment(segment, self.call, &weigh, scale)).collect(),
        })
    }
}

fn text_segment(segment: &Segment<'_>, call: u32, weigh: &SegmentScale<'_>, scale: Scale<'_>) -> TextSegment {
    let log = scale.log();
    let text = segment.text();
    let end = text.char_indices().nth(TEXT_LIMIT).map(|(end, _)| end);
    TextSegment {
        path: segment.path.to_string(),
        address: format!("C{call}/{}", segment.path),
        kind: Kind::of(segment, log).into(),
        role: role(segment),
        from: segment.main_origin().map_or(String::new(), |origin| words::source(origin, log)),
        tokens: weigh.count(segment).tokens,
        is_reframed: is_quotation(segment),
        text: text[..end.unwrap_or(text.len())].to_owned(),
        is_cut: end.is_some(),
    }
}

impl Handler for StageJson {
    fn run(self, strata: &Strata) -> Result<JsonPage, AppError> {
        let compiled = CompiledCall::get(strata, &self.session, self.call)?;
        let (stage, _) = compiled.stage(self.stage)?;
        let make = || {
            let is_as_sent = stage.recorded == Some(RecordedStage::AsSent);
            let sent = if is_as_sent { recorded_body(strata, &compiled)? } else { None };
            let json = sent.unwrap_or_else(|| stage.request.to_json());
            Ok::<_, AppError>(strata.workspace.shown(json::to_pretty(&json)).encode_utf16().collect())
        };
        let key = (self.call, self.stage, strata.workspace.masks_secrets());
        let units: Arc<Vec<u16>> = compiled.open.stage_json.get(key, make)?;
        let (from, to) = words::whole_characters(&units, self.offset, self.limit);
        Ok(JsonPage { total_length: units.len() as u32, text: String::from_utf16_lossy(&units[from..to]) })
    }
}

/// The body that was sent last for a call, in its provider's own dialect.
fn recorded_body(strata: &Strata, compiled: &CompiledCall) -> Result<Option<Json>, AppError> {
    let answer = compiled.call()?.answer.0;
    let mut body = None;
    strata.workspace.store().for_each_request(&compiled.open.id, |request| {
        if request.answer == Some(answer) {
            body = Some(request.body);
        }
    })?;
    Ok(body)
}

/// The request that a part of `stage` is compared with: for `part/diff`.
pub(super) fn request_before(
    compiled: &CompiledCall,
    stage: u32,
    with: CompareWith,
) -> Result<(LlmRequest, String, u32), AppError> {
    let analysis = compiled.open.analysis_of(compiled.number)?;
    let compared = comparison(compiled, &analysis, stage, with)?;
    Ok((compared.before, compared.name, compared.other_call))
}

pub(super) fn scale_of<'s>(
    open: &'s OpenSession,
    analysis: &'s SessionAnalysis,
    tables: &'s Tables,
    call: u32,
) -> Result<Scale<'s>, AppError> {
    open.scale(analysis, tables, analysed(analysis, call)?)
}
