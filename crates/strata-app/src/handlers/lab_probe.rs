//! Questions about a window of a run, answered from its events and from its summary.

use std::sync::{Arc, Mutex, PoisonError};

use strata_engine::LoggedEvent;
use strata_measure::lab::{FactReader, Grade, Probe, ShownEvents, grade, probe_prompt, probes, window_text};
use strata_measure::prices::{ChargedTokens, Prices};

use super::lab_runs::lab_run;
use super::model;
use crate::Strata;
use crate::api::job::JobState;
use crate::api::lab::{
    LabProbe, LabProbePlan, LabProbes, PlanProbes, ProbeChoice, ProbeGrade, ProbeResult, Probes,
};
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::jobs::JobOutcome;
use crate::lab::TargetModel;
use crate::models::{Asker, PaidAnswers, UsableEndpoint, question, spoken_text};
use crate::watch::Watch as _;

/// Questions that one job may ask.
const MOST_QUESTIONS: u32 = 40;
/// Tokens an answer may have, and those it is taken to have.
const MOST_ANSWER: u32 = 400;
const USUAL_ANSWER: u64 = 20;

/// Everything that is asked about a window.
struct Prepared {
    found: UsableEndpoint,
    model: String,
    probes: Vec<Probe>,
    /// The events as text, and the summary.
    contexts: [String; 2],
}

fn prepare(strata: &Strata, choice: &ProbeChoice) -> Result<Prepared, AppError> {
    let run = lab_run(strata, &choice.run)?;
    let done = run.done.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let done = done.ok_or_else(|| AppError::bad_input("This run has not ended. Resume it first."))?;
    let at = choice.window as usize;
    let missing =
        || AppError::not_found(format!("This run has {} windows, counted from 0.", done.0.windows.len()));
    let window = done.0.windows.get(at).ok_or_else(missing)?;
    let loss = done.1.of_window(at).map(|loss| loss.facts.clone()).ok_or_else(|| {
        AppError::bad_input("There is no summary of this window, so there is nothing to ask it.")
    })?;
    let open = strata.sessions.get(&run.session)?;
    let log = open.experiment.log();
    let events: Vec<&LoggedEvent> = window.events.iter().filter_map(|event| log.get(*event)).collect();
    let n_facts = choice.facts.min(MOST_QUESTIONS) as usize;
    let mut all = probes(&loss, &events, n_facts);
    let own = choice.questions.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    all.extend(own.map(|text| Probe { question: text.to_owned(), fact: None }));
    all.truncate(MOST_QUESTIONS as usize);
    if all.is_empty() {
        let message = "No question can be made of this window's facts. Write one of your own.";
        return Err(AppError::bad_input(message));
    }
    let before = window.seed.and_then(|seed| done.0.windows.get(seed)).map(|seed| seed.summary_text());
    let before: Vec<&str> = before.as_deref().into_iter().collect();
    let found = model::find(strata, &choice.writer)?;
    let model = choice.model.clone().or_else(|| found.model.clone());
    let model = model.ok_or_else(|| AppError::bad_input("Say which model is to answer."))?;
    let contexts = [window_text(&before, &events), window.summary_text()];
    Ok(Prepared { found, model, probes: all, contexts })
}

impl Prepared {
    fn prompts(&self, probe: &Probe) -> [String; 2] {
        self.contexts.each_ref().map(|context| probe_prompt(context, &probe.question))
    }

    fn plan(&self, strata: &Strata, prices: &Prices) -> Result<LabProbePlan, AppError> {
        let asked = TargetModel {
            found: &self.found,
            model: Some(&self.model),
            models: &strata.models,
            store: Some(strata.workspace.store_lock()),
            counting: &strata.tables.counting,
            prices,
        };
        let known = asked.knowledge(&self.model)?;
        let (mut prompts, mut from_before, mut input) = (0, 0, 0);
        for prompt in self.probes.iter().flat_map(|probe| self.prompts(probe)) {
            prompts += 1;
            let key = PaidAnswers::key(&self.found.server.base_url, &self.model, &prompt, Some(MOST_ANSWER));
            if strata.models.paid.find(key, Some(&strata.workspace.store())).is_some() {
                from_before += 1;
            } else {
                input += u64::from(asked.tokens((&self.model, &known), &question(&prompt)).tokens);
            }
        }
        let output = USUAL_ANSWER * u64::from(prompts - from_before);
        let cost = asked.cost((&self.model, &known), &ChargedTokens::uncached(input, output));
        Ok(LabProbePlan {
            endpoint: self.found.server.name.clone(),
            model: self.model.clone(),
            questions: self.probes.iter().map(|probe| probe.question.clone()).collect(),
            prompts,
            from_before,
            input_tokens: input as f64,
            output_tokens: output as f64,
            cost_usd: cost,
        })
    }
}

impl Handler for PlanProbes {
    fn run(self, strata: &Strata) -> Result<LabProbePlan, AppError> {
        prepare(strata, &self.choice)?.plan(strata, &strata.tables.prices)
    }
}

impl Handler for Probes {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        let prepared = prepare(strata, &self.choice)?;
        let shown = Arc::new(Mutex::new(LabProbes::default()));
        let work = shown.clone();
        let title = format!("Asking {} about summary {}", prepared.model, self.choice.window + 1);
        let (models, tables, workspace) =
            (strata.models.clone(), strata.tables.clone(), strata.workspace.clone());
        let job = strata.jobs.start(title, "questions", move |job| {
            let lock = || work.lock().unwrap_or_else(PoisonError::into_inner);
            let reader = FactReader::new();
            let total = prepared.probes.len() as u64;
            let shown = ShownEvents::new(&reader, &prepared.contexts[0]);
            let asker = Asker {
                found: &prepared.found,
                models: &models,
                store: Some(workspace.store_lock()),
                counting: &tables.counting,
                prices: &tables.prices,
                stop: job.stop().clone(),
            };
            for (done, probe) in (0..).zip(&prepared.probes) {
                job.progress(done, total);
                let answers = prepared
                    .prompts(probe)
                    .map(|prompt| asker.ask_once(&prepared.model, &prompt, MOST_ANSWER));
                let [Ok(events), Ok(summary)] = &answers else {
                    let failure = answers
                        .into_iter()
                        .find_map(Result::err)
                        .map_or_else(String::new, |error| error.message);
                    let kept = if done == 0 {
                        ""
                    } else {
                        " The answers so far are kept, and are not asked for again."
                    };
                    let state = if job.is_cancelled() { JobState::Cancelled } else { JobState::Failed };
                    let mut shown = lock();
                    (shown.is_ended, shown.failure) = (true, Some(failure.clone() + kept));
                    return JobOutcome::saying(state, failure);
                };
                let (events, summary) = (spoken_text(&events.content), spoken_text(&summary.content));
                let found = grade(&reader, &shown, probe, &events, &summary);
                lock().add(probe, (events, summary), found);
            }
            job.progress(total, total);
            let mut shown = lock();
            shown.is_ended = true;
            let missed = match shown.missed {
                0 => String::new(),
                n => format!(" {n} more stand in the events, and the model found them in neither."),
            };
            let outcome = format!(
                "{} of {} questions that were answered from the events or the summary are answered from the \
                 summary.{missed}",
                shown.kept,
                shown.kept + shown.lost
            );
            JobOutcome::saying(JobState::Done, outcome)
        });
        strata.lab.keep_probes(&job, shown);
        Ok(JobStarted { job })
    }
}

impl LabProbes {
    fn add(&mut self, probe: &Probe, (from_events, from_summary): (String, String), found: Grade) {
        let (counter, grade) = match found {
            Grade::Kept => (&mut self.kept, ProbeGrade::Kept),
            Grade::Lost => (&mut self.lost, ProbeGrade::Lost),
            Grade::Unanswered => (&mut self.unanswered, ProbeGrade::Unanswered),
            Grade::Missed => (&mut self.missed, ProbeGrade::Missed),
        };
        *counter += 1;
        self.rows.push(LabProbe {
            question: probe.question.clone(),
            expected: probe.fact.as_ref().map(|fact| fact.text.clone()),
            event: probe.fact.as_ref().map(|fact| format!("E{}", fact.event.number())),
            from_events,
            from_summary,
            grade,
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
