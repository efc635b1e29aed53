//! Questions about the summaries of every run of a batch.

use std::sync::PoisonError;

use strata_store::LabRunState;
use tokio_util::sync::CancellationToken;

use super::lab_batch_work::BatchWork;
use super::lab_estimates::Estimates;
use super::lab_parts::LabParts;
use super::lab_questions::Questions;
use crate::api::lab::{ProbeChoice, ProbeCounts};
use crate::api::lab_batch::{BatchNeed, BatchProbes};
use crate::error::AppError;
use crate::jobs::RunningJob;
use crate::lab::{RunSettings, Spent, left_out};
use crate::watch::Watch as _;

/// Tokens that a question and its answer are taken to have, beside what is asked about.
const USUAL_QUESTION: f64 = 60.0;

impl BatchNeed {
    pub(super) fn with(self, other: &Self) -> Self {
        Self {
            summaries: self.summaries + other.summaries,
            tokens: self.tokens + other.tokens,
            cost_usd: self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b),
            seconds: self.seconds + other.seconds,
        }
    }
}

/// How many questions go to each of so many summaries: the first of them have one more.
fn spread(questions: u32, summaries: usize) -> impl Iterator<Item = u32> {
    let n = summaries.max(1) as u32;
    (0..summaries as u32).map(move |at| questions / n + u32::from(at < questions % n))
}

/// The questions of a run that has ended, a summary after the other.
fn questions(parts: &LabParts, run: &str, probes: &BatchProbes) -> Result<Vec<Questions>, AppError> {
    let state = parts.run(run)?;
    let done = state.done.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(done) = done else { return Ok(Vec::new()) };
    let told: Vec<usize> = (0..done.0.windows.len()).filter(|at| done.1.of_window(*at).is_some()).collect();
    let counts = spread(probes.questions, told.len());
    let asked = told.iter().zip(counts).filter(|(_, facts)| *facts > 0).map(|(at, facts)| {
        let choice = ProbeChoice {
            run: run.to_owned(),
            window: *at as u32,
            facts,
            questions: Vec::new(),
            writer: probes.writer.clone(),
            model: probes.model.clone(),
        };
        Questions::about(parts, &choice)
    });
    asked.collect()
}

/// What the questions about one cell would take: of a run that is there to the token, else about as much as its prompts for
/// summaries, twice a question.
pub(super) fn probe_need(
    estimates: &mut Estimates<'_>,
    cell: &RunSettings,
    probes: &BatchProbes,
    run: Option<&str>,
) -> Result<BatchNeed, AppError> {
    let (parts, stop) = (estimates.parts(), estimates.stop());
    if let Some(run) = run {
        let plans = questions(parts, run, probes)?;
        let mut need = BatchNeed { cost_usd: Some(0.0), ..BatchNeed::default() };
        for plan in plans.iter().map(|asked| asked.plan(parts, stop)) {
            let plan = plan?;
            let tokens = plan.input_tokens + plan.output_tokens;
            need = need.with(&BatchNeed { summaries: 0, tokens, cost_usd: plan.cost_usd, seconds: 0.0 });
        }
        return Ok(need);
    }
    let model = probes.model.clone().or(parts.find(&probes.writer)?.model);
    let estimate = estimates.of(&RunSettings { writer: probes.writer.clone(), model, ..cell.clone() })?;
    let sent = f64::from((estimate.summaries - estimate.from_before).max(1));
    let n = if estimate.summaries == 0 { 0.0 } else { f64::from(probes.questions) };
    let share = 2.0 * n / sent;
    Ok(BatchNeed {
        summaries: 0,
        tokens: share * f64::from(estimate.input.tokens) + n * USUAL_QUESTION,
        cost_usd: estimate.cost_usd.map(|usd| share * usd),
        seconds: share * estimate.seconds,
    })
}

impl BatchWork {
    /// Asks about the summaries of a cell that has a result. What fails is said beside the result.
    pub(super) fn ask_about(&mut self, at: usize, job: &RunningJob) {
        let cell = &self.record.cells[at];
        let Some(probes) = self.probes.clone().filter(|_| cell.has_result()) else { return };
        let Some(run) = cell.run.clone() else { return };
        self.record.cells[at].is_asking = true;
        let answers = self.answers(at, &run, &probes, job.stop());
        let cell = &mut self.record.cells[at];
        cell.is_asking = false;
        match answers {
            Ok(answers) => (cell.answers, cell.note) = (Some(answers), None),
            Err(error) => {
                cell.note = Some(format!("Its summaries could not be asked about: {}", error.message));
            }
        }
    }

    /// What is paid for is stored answer by answer: the program may end in between, and it counts all the same.
    fn answers(
        &mut self,
        at: usize,
        run: &str,
        probes: &BatchProbes,
        stop: &CancellationToken,
    ) -> Result<ProbeCounts, AppError> {
        self.save(LabRunState::Running)?;
        let mut answers = ProbeCounts::default();
        for questions in questions(&self.parts, run, probes)? {
            let plan = questions.plan(&self.parts, stop)?;
            let need = BatchNeed {
                tokens: plan.input_tokens + plan.output_tokens,
                cost_usd: plan.cost_usd,
                ..BatchNeed::default()
            };
            if let Some(left_out) = left_out(self.record.budget, self.record.spent(), &need) {
                return Err(AppError::bad_input(left_out));
            }
            let parts = self.parts.clone();
            let mut unsaved = None;
            let paid_for = |spent: Spent| {
                let cell = &mut self.record.cells[at];
                cell.spent = cell.spent.plus(spent);
                unsaved = self.save(LabRunState::Running).err().or(unsaved.take());
            };
            questions.ask(&parts, stop, paid_for, |graded| answers.count(graded.grade))?;
            // A batch that cannot be stored asks for no more that would be forgotten.
            unsaved.map_or(Ok(()), Err)?;
        }
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_questions_are_asked_and_none_about_nothing() {
        assert_eq!(spread(6, 4).collect::<Vec<_>>(), [2, 2, 1, 1]);
        assert_eq!(spread(2, 3).collect::<Vec<_>>(), [1, 1, 0]);
        assert_eq!(spread(6, 0).count(), 0);
        for (questions, summaries) in [(1, 7), (12, 5), (40, 1)] {
            assert_eq!(spread(questions, summaries).sum::<u32>(), questions);
        }
    }
}
