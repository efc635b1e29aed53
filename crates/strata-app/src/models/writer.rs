//! Summaries written by a model.

use strata_measure::lab::{Payment, Stop, SummaryDue, Writer, WrittenSummary};
use strata_model::{Content, Usage};
use strata_provider::{CallError, CallErrorKind, Progress};
use strata_store::PromptShape;
use strata_wire::{Delta, Finish};

use super::asker::{Asker, Foresight, question, spoken_text};
use super::paid::Paid;

/// What happens while summaries are written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WriterEvent {
    /// The summary of this number is asked for.
    Begins(usize),
    Text(String),
    /// A piece of what the model thinks first.
    Thought(String),
    Waiting(String),
    /// A summary is there, from now or from before.
    Written {
        usage: Option<Usage>,
        /// What was foreseen of its prompt; of one from before nothing is.
        foresight: Option<Foresight>,
        is_from_before: bool,
    },
    /// A summary was not written to its end, and this is what had come of it.
    Broken {
        number: usize,
        text: String,
    },
}

/// Asks a model for every summary, and for none of them twice.
pub(crate) struct ModelWriter<'w> {
    pub asker: Asker<'w>,
    /// `None`: the one that google-adk would ask.
    pub model: Option<String>,
    /// Whoever is told keeps the beginning of a summary that breaks off.
    pub keeps_beginnings: bool,
    pub tell: &'w mut (dyn FnMut(WriterEvent) + Send),
}

impl Writer for ModelWriter<'_> {
    fn write(&mut self, due: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
        let (asker, tell) = (&self.asker, &mut *self.tell);
        if asker.stop.is_cancelled() {
            return Err(Stop(format!(
                "Stopped before summary {} was asked for.{}",
                due.number,
                kept(asker, due.number)
            )));
        }
        let model = self.model.clone().unwrap_or_else(|| due.model.to_string());
        // As in google-adk: a template that cannot be filled leaves the history as it is.
        let Ok(prompt) = due.job().prompt else { return Ok(None) };
        let known = asker.knowledge(&model).map_err(|error| Stop(error.message))?;
        let payment = if known.is_free { Payment::Nobody } else { Payment::Writer };
        let key = asker.key(&model, &prompt, due.max_tokens);
        tell(WriterEvent::Begins(due.number));
        if let Some(paid) = asker.known(key) {
            tell(WriterEvent::Written { usage: paid.usage.clone(), foresight: None, is_from_before: true });
            return Ok(Some(paid.written(&model, payment)));
        }
        let request = question(&prompt);
        let asked =
            asker.ask((&model, &known), (PromptShape::Text, &request), due.max_tokens, &mut |progress| {
                match progress {
                    Progress::Delta(Delta::Text(text)) => tell(WriterEvent::Text(text.to_string())),
                    Progress::Delta(Delta::Thought(text)) => tell(WriterEvent::Thought(text.to_string())),
                    Progress::Delta(_) => {}
                    Progress::Waiting { why, .. } => tell(WriterEvent::Waiting(why)),
                }
            });
        let (asked, foresight) = asked.map_err(|error| {
            Stop(format!(
                "Summary {} was not written. {}{}",
                due.number,
                error.message,
                kept(asker, due.number)
            ))
        })?;
        let answer = match asked.answer {
            Ok(answer) => answer,
            Err(mut error) => {
                let partial = error.partial.take().map(|partial| partial.into_content());
                let text = partial.map_or_else(String::new, |content| spoken_text(&content));
                let has_begun = !text.is_empty() && self.keeps_beginnings;
                if has_begun {
                    tell(WriterEvent::Broken { number: due.number, text });
                }
                return Err(Stop(failure(&error, due.number, has_begun, &kept(asker, due.number))));
            }
        };
        let ended = answer.ended();
        if let Some(Finish::Refused(words)) = &ended {
            tell(WriterEvent::Waiting(format!("The model refused: {words}")));
        }
        let is_refused = matches!(ended, Some(Finish::Refused(_) | Finish::Filtered(_)));
        let usage = answer.usage.as_ref().map(|report| report.usage.clone());
        let answered_by = answer.model.as_ref().map_or_else(|| model.clone(), ToString::to_string);
        let content = if is_refused { Content::default() } else { answer.into_content() };
        let paid = Paid { content, usage: usage.clone(), model: answered_by };
        if let Err(error) = asker.keep(key, (&model, &request), &paid) {
            tell(WriterEvent::Waiting(format!("This summary is kept in memory only: {error}.")));
        }
        tell(WriterEvent::Written { usage, foresight: Some(foresight), is_from_before: false });
        Ok(Some(paid.written(&model, payment)))
    }
}

/// What became of the summaries before. Without a store nothing is kept, and who has none says so.
fn kept(asker: &Asker<'_>, number: usize) -> String {
    if asker.store.is_none() {
        return String::new();
    }
    match number - 1 {
        0 => String::new(),
        1 => " The summary before it is kept. Run again to go on from there.".to_owned(),
        n => format!(" The {n} summaries before it are kept. Run again to go on from there."),
    }
}

fn failure(error: &CallError, number: usize, has_begun: bool, kept: &str) -> String {
    let mut said = match error.kind {
        CallErrorKind::Cancelled => format!("Stopped while summary {number} was written."),
        _ => format!("Summary {number} was not written. {}", error.message),
    };
    if error.may_be_charged {
        said += " What had come of it may be charged.";
    }
    if has_begun {
        said += " Its beginning is shown, and laid over nothing.";
    }
    said + kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(kind: CallErrorKind, message: &str) -> CallError {
        CallError { kind, message: message.to_owned(), partial: None, may_be_charged: true, attempts: 1 }
    }

    #[test]
    fn a_stop_says_one_thing_of_each() {
        let before = " The summary before it is kept. Run again to go on from there.";
        insta::assert_snapshot!(
            failure(&error(CallErrorKind::Cancelled, "Stopped in the middle of the answer."), 2, true, before),
            @"Stopped while summary 2 was written. What had come of it may be charged. Its beginning is shown, and laid over nothing. The summary before it is kept. Run again to go on from there."
        );
        insta::assert_snapshot!(
            failure(&error(CallErrorKind::CutOff, "Mine ended its answer before it was whole. Try again."), 1, false, ""),
            @"Summary 1 was not written. Mine ended its answer before it was whole. Try again. What had come of it may be charged."
        );
    }
}
