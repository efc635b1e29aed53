//! What edits do: tried without being made, and between two experiments.

use std::sync::Arc;
use std::time::{Duration, Instant};

use strata_engine::{Compilation, Edit, Experiment, Sections, Stage};
use strata_measure::analysis::{BilledCalls, CacheAnalysis, Effect, diff_requests};
use strata_wire::Segment;

use super::part_rows::{Rows, counts, fold_unchanged, gather_left_out, say};
use super::stages::script_report;
use crate::Strata;
use crate::api::call::{PartChange, PartPage};
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::api::experiment::{
    CallEffect, Compare, CompareParts, CompareText, ComparedCall, Comparison, Effect as EffectRow, Preview,
    PreviewResult,
};
use crate::api::part::PartDiff;
use crate::command::Handler;
use crate::error::AppError;
use crate::open::{Baseline, OpenSession};
use crate::show::words::whole;
use crate::show::{DeltaScale, SegmentScale, compared, pairs, part_diff};

/// How long a preview goes on compiling calls. What is shown then covers the calls so far.
const PREVIEW_TIME: Duration = Duration::from_millis(600);

impl Handler for Preview {
    fn run(self, strata: &Strata) -> Result<PreviewResult, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let call = open.call(self.call)?;
        let (base, applied): (&OpenSession, &[Edit]) = match &open.edits {
            Some(edits) => (&edits.base, edits.applied()),
            None => (&open, &[]),
        };
        let n_kept = applied.len().saturating_sub(self.without_last as usize);
        let mut edits = applied[..n_kept].to_vec();
        edits.extend(self.edits);
        let edited = strata.tables.edited(&base.experiment, &edits);
        let before = open.baseline(self.call)?;
        let mut after = before.sharing();
        let old = open.compilation(self.call)?;
        let new = after.compiler().compile(&edited.experiment, call).ok_or_else(|| {
            AppError::bad_input("With these edits the call's agent is not in the configuration.")
        })?;
        let analysed = before.call(self.call).ok_or_else(|| AppError::internal("A call got lost."))?;
        let scale = open.scale(&before, &strata.tables, analysed)?;
        let this_call = CallEffect {
            call: self.call,
            tokens_before: analysed.total.tokens,
            tokens_after: scale.prompt(&new.working_context()).total().tokens,
            first_changed_stage: first_changed(&old, &new),
            stages_run: new.stages.iter().filter(|stage| !stage.is_reused).count() as u32,
            stages: new.stages.len() as u32,
        };
        let start = Instant::now();
        let n_known = before.calls().len();
        while after.calls().len() < n_known
            && start.elapsed() < PREVIEW_TIME
            && after.step(&edited.experiment, &strata.tables.counting)
        {}
        let caches = before.caches(&strata.tables)?;
        let unedited = match &open.edits {
            Some(edits) => edits.base.baseline(self.call)?,
            None => open.baseline(self.call)?,
        };
        let recorded = unedited.caches(&strata.tables)?;
        let (rules, prices) = (after.rules(), &strata.tables.prices);
        let tried =
            CacheAnalysis::of_edited(&edited.experiment, &after, unedited.billed(&recorded), rules, prices);
        let effect = Effect::of(before.billed(&caches), BilledCalls { analysis: &after, caches: &tried });
        // What earlier edits had to say was said when they were made.
        let notes = edited.notes.iter().filter(|note| note.edit >= n_kept);
        let mut diagnostics: Vec<DiagnosticRow> = notes.map(DiagnosticRow::from).collect();
        diagnostics.extend(violations(&new));
        Ok(PreviewResult {
            this_call,
            all_calls: effect_row(&effect, &edited.experiment),
            diagnostics,
            scripts: new.stages.iter().filter_map(|stage| script_report(stage, None)).collect(),
        })
    }
}

fn violations(compilation: &Compilation) -> impl Iterator<Item = DiagnosticRow> + '_ {
    compilation.violations.iter().map(|violation| DiagnosticRow {
        severity: DiagnosticSeverity::Warning,
        code: "order".to_owned(),
        message: format!(
            "`{}` stands before `{}`, whose result it needs. The flow compiles all the same: see what it makes of it.",
            violation.processor, violation.required
        ),
        at: violation.processor.to_string(),
    })
}

/// The first stage that gives something else than it did; for one that is new, something else than it got.
fn first_changed(old: &Compilation, new: &Compilation) -> Option<String> {
    let is_changed = |stage: &&Stage| match old.stage(&stage.processor) {
        Some(before) => !before.request.is_same_prompt(&stage.request),
        None => stage.changed.intersects(Sections::SENT),
    };
    new.stages.iter().find(is_changed).map(|stage| stage.processor.to_string())
}

pub(super) fn effect_row(effect: &Effect, experiment: &Experiment) -> EffectRow {
    EffectRow {
        calls_compared: effect.calls_compared,
        calls: experiment.calls().len() as u32,
        calls_changed: effect.calls_changed,
        tokens_before: effect.before.bill.prompt_tokens as f64,
        tokens_after: effect.after.bill.prompt_tokens as f64,
        cached_before: effect.before.bill.cached_tokens as f64,
        cached_after: effect.after.bill.cached_tokens as f64,
        cost_before_usd: effect.before.bill.cost_usd(),
        cost_after_usd: effect.after.bill.cost_usd(),
        breaks_before: effect.before.breaks,
        breaks_after: effect.after.breaks,
    }
}

/// Two sessions or experiments over one recording, compiled as far as both are.
struct Pair {
    a: Arc<OpenSession>,
    b: Arc<OpenSession>,
}

impl Pair {
    fn open(strata: &Strata, a: &str, b: &str) -> Result<Self, AppError> {
        let (a, b) = (strata.sessions.get(a)?, strata.sessions.get(b)?);
        if a.id != b.id {
            let message =
                "These are over two sessions. Only experiments over the same session can be compared.";
            return Err(AppError::bad_input(message));
        }
        Ok(Self { a, b })
    }

    /// What is known of both as they are compiled, once all calls are or patience has run out.
    fn analyses(&self) -> Result<(Baseline<'_>, Baseline<'_>), AppError> {
        let last = self.a.experiment.calls().len().min(self.b.experiment.calls().len()) as u32;
        if last > 0 {
            drop(self.a.analysis_of(last)?);
            drop(self.b.analysis_of(last)?);
        }
        Ok((self.a.baseline(last)?, self.b.baseline(last)?))
    }
}

impl Handler for Compare {
    fn run(self, strata: &Strata) -> Result<Comparison, AppError> {
        let pair = Pair::open(strata, &self.a, &self.b)?;
        let tables = &strata.tables;
        let (a, b) = pair.analyses()?;
        let (of_a, of_b) = (a.caches(tables)?, b.caches(tables)?);
        let (of_a, of_b) = (a.billed(&of_a), b.billed(&of_b));
        let effect = Effect::of(of_a, of_b);
        let calls = pair.a.experiment.calls();
        let rows = pairs(of_a, of_b).map(|(of_a, of_b)| {
            let agent = calls.get(of_a.0.number as usize - 1).map(|call| call.invocation.agent.to_string());
            compared(agent.unwrap_or_default(), of_a, of_b)
        });
        let rows: Vec<ComparedCall> = rows.filter(|row| row.is_changed || !self.only_changed).collect();
        let page = rows.iter().skip(self.offset as usize).take(self.limit as usize).cloned().collect();
        Ok(Comparison {
            effect: effect_row(&effect, &pair.b.experiment),
            total: rows.len() as u32,
            rows: page,
        })
    }
}

impl Handler for CompareParts {
    fn run(self, strata: &Strata) -> Result<PartPage, AppError> {
        let pair = Pair::open(strata, &self.a, &self.b)?;
        let (old, new) = (pair.a.compilation(self.call)?, pair.b.compilation(self.call)?);
        let analysis = pair.b.analysis_of(self.call)?;
        let analysed = analysis.call(self.call).ok_or_else(|| AppError::internal("A call got lost."))?;
        let scale = pair.b.scale(&analysis, &strata.tables, analysed)?;
        let (before, after) = (old.working_context(), new.working_context());
        let makes = Rows {
            scale,
            weigh: DeltaScale {
                before: SegmentScale::new(scale, &before),
                after: SegmentScale::new(scale, &after),
            },
            is_inferred: false,
        };
        let rows: Vec<_> = diff_requests(&before, &after).iter().map(|delta| makes.row(delta)).collect();
        let counts = counts(&rows);
        let (mut added_tokens, mut left_out_tokens, mut rewriting_tokens) = (0, 0, 0);
        for row in &rows {
            match row.change {
                PartChange::Added => added_tokens += row.tokens_after,
                PartChange::LeftOut => left_out_tokens += row.tokens_before,
                _ => rewriting_tokens += row.tokens_after.cast_signed() - row.tokens_before.cast_signed(),
            }
        }
        let mut shown = gather_left_out(rows);
        if self.fold_unchanged {
            shown = fold_unchanged(shown);
        }
        let total = shown.len() as u32;
        let mut rows: Vec<_> =
            shown.into_iter().skip(self.offset as usize).take(self.limit as usize).collect();
        say(&mut rows, (&before, self.call), (&after, self.call), scale.log());
        // What only `a` has stands nowhere in the request that is shown.
        for row in rows.iter_mut().filter(|row| row.change == PartChange::LeftOut) {
            row.address.clear();
        }
        Ok(PartPage {
            processor: String::new(),
            stage: new.stages.len() as u32,
            stages: new.stages.len() as u32,
            headline: super::headline::difference(counts),
            added_tokens,
            left_out_tokens,
            rewriting_tokens,
            compared_with: self.a,
            total,
            rows,
        })
    }
}

impl Handler for CompareText {
    fn run(self, strata: &Strata) -> Result<PartDiff, AppError> {
        let pair = Pair::open(strata, &self.a, &self.b)?;
        let (old, new) = (pair.a.compilation(self.call)?, pair.b.compilation(self.call)?);
        let (before, after) = (old.working_context(), new.working_context());
        let deltas = diff_requests(&before, &after);
        let is_there = |segment: &Option<Segment<'_>>| {
            segment.as_ref().is_some_and(|segment| segment.path.to_string() == self.path)
        };
        let delta = deltas.iter().find(|delta| {
            if self.is_left_out {
                delta.after.is_none() && is_there(&delta.before)
            } else {
                is_there(&delta.after)
            }
        });
        let delta = delta.ok_or_else(|| {
            AppError::not_found(format!("C{} has no part {} to compare.", self.call, self.path))
        })?;
        let label =
            |open: &OpenSession, request, segment: &Option<Segment<'_>>| -> Result<String, AppError> {
                let name = open.edits.as_ref().map_or("Recorded", |edits| &edits.entry.name).to_owned();
                let Some(segment) = segment else { return Ok(format!("{name}: not in the prompt")) };
                let analysis = open.analysis_of(self.call)?;
                let analysed =
                    analysis.call(self.call).ok_or_else(|| AppError::internal("A call got lost."))?;
                let scale = SegmentScale::new(open.scale(&analysis, &strata.tables, analysed)?, request);
                Ok(format!("{name}, {} tokens", whole(scale.count(segment).tokens)))
            };
        let labels = (label(&pair.a, &before, &delta.before)?, label(&pair.b, &after, &delta.after)?);
        Ok(part_diff(delta, labels, pair.b.experiment.log()))
    }
}
