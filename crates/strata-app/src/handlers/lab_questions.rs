//! Questions about the summaries of a run: what they are, what asking them takes, and what a model answers.

use std::sync::PoisonError;

use strata_engine::LoggedEvent;
use strata_measure::lab::{FactReader, Grade, Probe, ShownEvents, grade, probe_prompt, probes, window_text};
use strata_measure::prices::ChargedTokens;
use tokio_util::sync::CancellationToken;

use super::lab_parts::LabParts;
use crate::api::lab::{LabProbePlan, ProbeChoice, ProbeCounts};
use crate::error::AppError;
use crate::lab::{Spent, TargetModel};
use crate::models::{Asker, Paid, PaidAnswers, UsableEndpoint, question, spoken_text};

/// Questions that may be asked about one summary.
const MOST_QUESTIONS: u32 = 40;
/// Tokens an answer may have, and those it is taken to have.
const MOST_ANSWER: u32 = 400;
const USUAL_ANSWER: u64 = 20;

/// Everything that is asked about a summary.
pub(super) struct Questions {
    found: UsableEndpoint,
    pub model: String,
    pub probes: Vec<Probe>,
    /// The events as text, and the summary.
    contexts: [String; 2],
}

/// A question with both answers.
pub(super) struct Graded<'q> {
    pub probe: &'q Probe,
    pub from_events: String,
    pub from_summary: String,
    pub grade: Grade,
}

impl ProbeCounts {
    pub(super) fn count(&mut self, grade: Grade) {
        *match grade {
            Grade::Kept => &mut self.kept,
            Grade::Lost => &mut self.lost,
            Grade::Unanswered => &mut self.unanswered,
            Grade::Missed => &mut self.missed,
        } += 1;
    }
}

impl Questions {
    pub(super) fn about(parts: &LabParts, choice: &ProbeChoice) -> Result<Self, AppError> {
        let run = parts.run(&choice.run)?;
        let done = run.done.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let done = done.ok_or_else(|| AppError::bad_input("This run has not ended. Resume it first."))?;
        let at = choice.window as usize;
        let missing =
            || AppError::not_found(format!("This run has {} windows, counted from 0.", done.0.windows.len()));
        let window = done.0.windows.get(at).ok_or_else(missing)?;
        let loss = done.1.of_window(at).map(|loss| loss.facts.clone()).ok_or_else(|| {
            AppError::bad_input("There is no summary of this window, so there is nothing to ask it.")
        })?;
        let open = parts.sessions.get(&run.session)?;
        let log = open.experiment.log();
        let events: Vec<&LoggedEvent> = window.events.iter().filter_map(|event| log.get(*event)).collect();
        let n_facts = choice.facts.min(MOST_QUESTIONS) as usize;
        let mut all = probes(&loss, &events, n_facts);
        let own = choice.questions.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
        all.extend(own.map(|text| Probe { question: text.to_owned(), fact: None }));
        all.truncate(MOST_QUESTIONS as usize);
        let before = window.seed.and_then(|seed| done.0.windows.get(seed)).map(|seed| seed.summary_text());
        let before: Vec<&str> = before.as_deref().into_iter().collect();
        let found = parts.find(&choice.writer)?;
        let model = choice.model.clone().or_else(|| found.model.clone());
        let model = model.ok_or_else(|| AppError::bad_input("Say which model is to answer."))?;
        let contexts = [window_text(&before, &events), window.summary_text()];
        Ok(Self { found, model, probes: all, contexts })
    }

    fn prompts(&self, probe: &Probe) -> [String; 2] {
        self.contexts.each_ref().map(|context| probe_prompt(context, &probe.question))
    }

    fn target<'a>(&'a self, parts: &'a LabParts, stop: &'a CancellationToken) -> TargetModel<'a> {
        TargetModel {
            found: &self.found,
            model: Some(&self.model),
            models: &parts.models,
            store: Some(parts.workspace.store_lock()),
            counting: &parts.tables.counting,
            prices: &parts.tables.prices,
            stop,
        }
    }

    pub(super) fn plan(&self, parts: &LabParts, stop: &CancellationToken) -> Result<LabProbePlan, AppError> {
        let asked = self.target(parts, stop);
        let known = asked.knowledge(&self.model)?;
        let (mut prompts, mut from_before, mut input) = (0, 0, 0);
        for prompt in self.probes.iter().flat_map(|probe| self.prompts(probe)) {
            prompts += 1;
            let key = PaidAnswers::key(&self.found.server.base_url, &self.model, &prompt, Some(MOST_ANSWER));
            if parts.models.paid.find(key, Some(&parts.workspace.store())).is_some() {
                from_before += 1;
            } else {
                let request = question(&prompt);
                input += u64::from(asked.count((&self.model, &known), &request).predicted.tokens);
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

    /// Asks one after the other, and stops at the first that gets no answer. Each answer that is paid for now is told as
    /// soon as it is there, then the question with both.
    pub(super) fn ask(
        &self,
        parts: &LabParts,
        stop: &CancellationToken,
        mut paid_for: impl FnMut(Spent),
        mut answered: impl FnMut(Graded<'_>),
    ) -> Result<(), AppError> {
        let reader = FactReader::new();
        let shown = ShownEvents::new(&reader, &self.contexts[0]);
        let asker = Asker {
            found: &self.found,
            models: &parts.models,
            store: Some(parts.workspace.store_lock()),
            counting: &parts.tables.counting,
            prices: &parts.tables.prices,
            stop: stop.clone(),
        };
        for probe in &self.probes {
            let mut ask = |prompt: &String| {
                let (paid, is_new) = asker.ask_once(&self.model, prompt, MOST_ANSWER)?;
                if is_new {
                    paid_for(self.spent(parts, prompt, &paid, stop)?);
                }
                Ok::<_, AppError>(spoken_text(&paid.content))
            };
            let prompts = self.prompts(probe);
            let (from_events, from_summary) = (ask(&prompts[0])?, ask(&prompts[1])?);
            let grade = grade(&reader, &shown, probe, &from_events, &from_summary);
            answered(Graded { probe, from_events, from_summary, grade });
        }
        Ok(())
    }

    /// As reported; else the prompt as it is counted, with a usual answer.
    fn spent(
        &self,
        parts: &LabParts,
        prompt: &str,
        paid: &Paid,
        stop: &CancellationToken,
    ) -> Result<Spent, AppError> {
        let asked = self.target(parts, stop);
        let known = asked.knowledge(&self.model)?;
        let usage = paid.usage.as_ref();
        let counted = || asked.count((&self.model, &known), &question(prompt)).predicted.tokens.into();
        let prompt_tokens = usage.and_then(|usage| usage.prompt_token_count).unwrap_or_else(counted);
        let output = usage.and_then(|usage| usage.output_tokens()).unwrap_or(USUAL_ANSWER);
        let charged = ChargedTokens::uncached(prompt_tokens, output);
        Ok(Spent::of_tokens((prompt_tokens + output) as f64, asked.cost((&self.model, &known), &charged)))
    }
}
