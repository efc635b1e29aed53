//! Summaries written by a model.

use strata_measure::lab::{Stop, SummaryDue, Writer, WrittenSummary};
use strata_model::{Content, Usage};
use strata_provider::Progress;
use strata_wire::{Delta, Finish};

use super::asker::{Asker, question};
use super::paid::Paid;

/// What happens while summaries are written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WriterEvent {
    /// The summary of this number is asked for.
    Begins(usize),
    Text(String),
    Waiting(String),
    /// A summary is there, from now or from before.
    Written {
        usage: Option<Usage>,
        is_from_before: bool,
    },
}

/// Asks a model for every summary, and for none of them twice.
pub(crate) struct ModelWriter<'w> {
    pub asker: Asker<'w>,
    /// `None`: the one that google-adk would ask.
    pub model: Option<String>,
    pub tell: &'w mut (dyn FnMut(WriterEvent) + Send),
}

impl Writer for ModelWriter<'_> {
    fn write(&mut self, due: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
        let (asker, tell) = (&self.asker, &mut *self.tell);
        if asker.stop.is_cancelled() {
            return Err(Stop(
                "Stopped. Summaries that were written are kept, and are not asked for again.".to_owned(),
            ));
        }
        let model = self.model.clone().unwrap_or_else(|| due.model.to_string());
        // As in google-adk: a template that cannot be filled leaves the history as it is.
        let Ok(prompt) = due.job().prompt else { return Ok(None) };
        let key = asker.key(&model, &prompt, due.max_tokens);
        tell(WriterEvent::Begins(due.number));
        if let Some(paid) = asker.known(key) {
            tell(WriterEvent::Written { usage: paid.usage.clone(), is_from_before: true });
            return Ok(Some(paid.written(&model)));
        }
        let request = question(&prompt);
        let asked = asker.ask(&model, &request, due.max_tokens, &mut |progress| match progress {
            Progress::Delta(Delta::Text(text)) => tell(WriterEvent::Text(text.to_string())),
            Progress::Delta(_) => {}
            Progress::Waiting { why, .. } => tell(WriterEvent::Waiting(why)),
        });
        let asked = asked.map_err(|error| Stop(error.message))?;
        let answer = asked.map_err(|error| Stop(failure(&error, due.number)))?;
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
        tell(WriterEvent::Written { usage, is_from_before: false });
        Ok(Some(paid.written(&model)))
    }
}

fn failure(error: &strata_provider::CallError, number: usize) -> String {
    let before = number - 1;
    let kept = match before {
        0 => "No summary was written before it.".to_owned(),
        1 => "The summary before it is kept.".to_owned(),
        n => format!("The {n} summaries before it are kept."),
    };
    let charged = if error.may_be_charged { " This one may be charged all the same." } else { "" };
    format!(
        "Summary {number} was not written. {} {kept}{charged} Run again to go on from there.",
        error.message
    )
}
