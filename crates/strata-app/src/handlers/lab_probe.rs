//! Questions about a window of a run, answered from its events and from its summary.

use std::sync::{Arc, Mutex, PoisonError};

use strata_measure::lab::Grade;
use tokio_util::sync::CancellationToken;

use super::lab_parts::LabParts;
use super::lab_questions::{Graded, Questions};
use crate::Strata;
use crate::api::job::JobState;
use crate::api::lab::{
    LabProbe, LabProbePlan, LabProbes, PlanProbes, ProbeChoice, ProbeCounts, ProbeGrade, ProbeResult, Probes,
};
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::jobs::JobOutcome;
use crate::watch::Watch as _;

fn questions(parts: &LabParts, choice: &ProbeChoice) -> Result<Questions, AppError> {
    let questions = Questions::about(parts, choice)?;
    if questions.probes.is_empty() {
        let message = "No question can be made of this window's facts. Write one of your own.";
        return Err(AppError::bad_input(message));
    }
    Ok(questions)
}

impl Handler for PlanProbes {
    fn run(self, strata: &Strata) -> Result<LabProbePlan, AppError> {
        let parts = LabParts::of(strata);
        questions(&parts, &self.choice)?.plan(&parts, &CancellationToken::new())
    }
}

impl Handler for Probes {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        let parts = LabParts::of(strata);
        let questions = questions(&parts, &self.choice)?;
        let shown = Arc::new(Mutex::new(LabProbes::default()));
        let work = shown.clone();
        let title = format!("Asking {} about summary {}", questions.model, self.choice.window + 1);
        let job = strata.jobs.start(title, "questions", move |job| {
            let lock = || work.lock().unwrap_or_else(PoisonError::into_inner);
            let total = questions.probes.len() as u64;
            job.progress(0, total);
            let answered = |graded: Graded<'_>| {
                let mut shown = lock();
                shown.add(graded);
                job.progress(shown.rows.len() as u64, total);
            };
            let asked = questions.ask(&parts, job.stop(), |_| (), answered);
            let mut shown = lock();
            shown.is_ended = true;
            if let Err(error) = asked {
                let kept = match shown.rows.len() {
                    0 => "",
                    _ => " The answers so far are kept, and are not asked for again.",
                };
                shown.failure = Some(error.message.clone() + kept);
                let state = if job.is_cancelled() { JobState::Cancelled } else { JobState::Failed };
                return JobOutcome::saying(state, error.message);
            }
            let ProbeCounts { kept, lost, missed, .. } = shown.counts;
            let missed = match missed {
                0 => String::new(),
                n => format!(" {n} more stand in the events, and the model found them in neither."),
            };
            let outcome = format!(
                "{} of {} questions that were answered from the events or the summary are answered from the \
                 summary.{missed}",
                kept,
                kept + lost
            );
            JobOutcome::saying(JobState::Done, outcome)
        });
        strata.lab.keep_probes(&job, shown);
        Ok(JobStarted { job })
    }
}

impl LabProbes {
    fn add(&mut self, graded: Graded<'_>) {
        self.counts.count(graded.grade);
        let fact = graded.probe.fact.as_ref();
        self.rows.push(LabProbe {
            question: graded.probe.question.clone(),
            expected: fact.map(|fact| fact.text.clone()),
            event: fact.map(|fact| format!("E{}", fact.event.number())),
            from_events: graded.from_events,
            from_summary: graded.from_summary,
            grade: match graded.grade {
                Grade::Kept => ProbeGrade::Kept,
                Grade::Lost => ProbeGrade::Lost,
                Grade::Unanswered => ProbeGrade::Unanswered,
                Grade::Missed => ProbeGrade::Missed,
            },
        });
    }
}

impl Handler for ProbeResult {
    fn run(self, strata: &Strata) -> Result<LabProbes, AppError> {
        let missing = || {
            AppError::not_found("These answers are no longer known. Ask again; what was paid for is kept.")
        };
        strata.lab.probes(&self.job).ok_or_else(missing)
    }
}
