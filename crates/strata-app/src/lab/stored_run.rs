//! A run as it is stored: what was asked for, and all that was written.

use serde::{Deserialize, Serialize};
use strata_measure::lab::{EXTRACTIVE, Payment, Stop, SummaryDue, Writer, WrittenSummary};
use strata_measure::tokens::Basis;
use strata_model::{Content, Decoder, FromJson as _, Json, Usage};

use crate::api::lab::{LabBill, LabPartial};
use crate::api::lab_prediction::LabPrompts;
use crate::models::{Foresight, without_thoughts};

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunSettings {
    pub config: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    pub writer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What came of it so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RunRecord {
    /// In the order in which they fell due.
    pub summaries: Vec<StoredSummary>,
    /// Summaries that were expected in all.
    pub expected: u32,
    pub from_before: u32,
    pub input_tokens: f64,
    pub output_tokens: f64,
    pub cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<LabPrompts>,
    pub lost: Option<LostFacts>,
    /// Values that later answers used and that no summary tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regret: Option<u32>,
    /// What the session would have come to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bill: Option<LabBill>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    pub failure: Option<String>,
    /// The beginning of a summary that broke off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<LabPartial>,
}

impl LabPrompts {
    /// With one more prompt; nothing where its size was not reported.
    pub(crate) fn plus(so_far: Option<Self>, foresight: Foresight, usage: &Usage) -> Option<Self> {
        let Some(reported) = usage.prompt_token_count else { return so_far };
        let Foresight { prompt, cached } = foresight;
        let found = usage.cached_content_token_count.map(|tokens| tokens as f64);
        let is_exact = prompt.basis == Basis::Exact && cached.basis == Basis::Exact;
        let before = so_far.unwrap_or(Self {
            predicted_tokens: 0.0,
            reported_tokens: 0.0,
            predicted_cached_tokens: 0.0,
            reported_cached_tokens: Some(0.0),
            is_exact: true,
        });
        Some(Self {
            predicted_tokens: before.predicted_tokens + f64::from(prompt.tokens),
            reported_tokens: before.reported_tokens + reported as f64,
            predicted_cached_tokens: before.predicted_cached_tokens + f64::from(cached.tokens),
            reported_cached_tokens: before.reported_cached_tokens.zip(found).map(|(sum, found)| sum + found),
            is_exact: before.is_exact && is_exact,
        })
    }
}

/// What the summaries of a whole run no longer tell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LostFacts {
    pub kept: u32,
    pub paraphrased: u32,
    pub dropped: u32,
}

/// What was answered when a summary was due.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredSummary {
    /// Numbers of the first and the last event of its window.
    pub events: [u32; 2],
    /// ADK's `{role, parts}`; absent where the writer gave nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Json>,
    pub by: String,
    /// Nobody was paid for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
}

impl StoredSummary {
    fn new(due: &SummaryDue<'_>, written: Option<&WrittenSummary>) -> Self {
        Self {
            events: window_of(due),
            content: written.map(|written| written.content.to_json()),
            usage: written.and_then(|written| Some(written.usage.as_ref()?.to_json())),
            by: written.map(|written| written.by.to_string()).unwrap_or_default(),
            free: written.is_some_and(|written| written.payment == Payment::Nobody),
        }
    }

    fn read(&self) -> Option<WrittenSummary> {
        let mut decoder = Decoder::new();
        let payment = match &*self.by {
            _ if self.free => Payment::Nobody,
            EXTRACTIVE => Payment::AsConfigured,
            _ => Payment::Writer,
        };
        Some(WrittenSummary {
            content: without_thoughts(Content::from_json(self.content.clone()?, &mut decoder).ok()?),
            usage: self.usage.clone().and_then(|usage| Usage::from_json(usage, &mut decoder).ok()),
            by: self.by.as_str().into(),
            is_stand_in: false,
            payment,
        })
    }
}

fn window_of(due: &SummaryDue<'_>) -> [u32; 2] {
    let number = |logged: Option<&&strata_engine::LoggedEvent>| {
        logged.and_then(|logged| logged.index).map_or(0, |index| index.number())
    };
    [number(due.window.events.first()), number(due.window.events.last())]
}

/// Tells of every summary that another writer writes.
pub(crate) struct ObservedWriter<'w> {
    pub writer: &'w mut dyn Writer,
    pub note: &'w mut dyn FnMut(StoredSummary),
}

impl Writer for ObservedWriter<'_> {
    fn write(&mut self, due: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
        let written = self.writer.write(due)?;
        (self.note)(StoredSummary::new(due, written.as_ref()));
        Ok(written)
    }
}

/// Gives summaries that were stored.
pub(crate) struct StoredWriter {
    pub summaries: std::vec::IntoIter<StoredSummary>,
}

impl Writer for StoredWriter {
    fn write(&mut self, due: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
        match self.summaries.next() {
            Some(stored) if stored.events == window_of(due) => Ok(stored.read()),
            _ => Err(Stop(
                "The session or its configuration has changed since this run, so its summaries no longer fit. They are \
                 kept; run the setting again."
                    .to_owned(),
            )),
        }
    }
}
