//! `strata tokens --calibration`: what a provider's reports tell of how it counts, and how far off that is.

use serde::Serialize;
use strata_measure::analysis::model_growths;
use strata_measure::tokens::{Errors, Growth, SizeKind, TokenFit, TokenPrior, Tokenizer};

use super::diagnostic::FileDiagnostic;
use super::source::Source;
use super::{VERSION, Watch};
use crate::api::counts::LearnedFrom;
use crate::error::AppError;

/// The document of `strata tokens --calibration`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationReport {
    pub version: u32,
    pub session: String,
    /// Of the session.
    pub title: String,
    /// Models that are counted with another vocabulary than their own, in the order of their first growth.
    pub models: Vec<ModelCalibration>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// How one provider counts.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelCalibration {
    pub model: String,
    /// Prompts that continue another one, both of them with a report. All sums are over these.
    pub growths: u32,
    /// From what it was learned before how the model is counted. Absent where nothing was.
    pub learned: Option<LearnedFrom>,
    /// Absent where that is too little to tell anything.
    pub fit: Option<FitReport>,
}

/// What was learned, and how it was tested: each fifth of the growths is predicted from the other four, without what stored
/// sessions told.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FitReport {
    /// Counts of this model are corrected by it. Not, where what is reported is far from all that could be meant.
    pub used: bool,
    /// ± of a count as a share of it: held out growths with 19 of 20 tokens are within it.
    pub error: f64,
    /// As all growths were counted before, and as they are predicted.
    pub counted: ErrorsReport,
    pub predicted: ErrorsReport,
    /// Of these, without growths that hide something.
    pub shown: ErrorsReport,
    /// Growths so far off that they hide something, and what is reported of them beyond what they show.
    pub set_aside: u32,
    pub hidden_tokens: i64,
    /// Tokens that are reported for each that was counted before.
    pub ratios: Vec<KindRatio>,
}

/// How far off counts of growths are, as shares of what was reported.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorsReport {
    pub growths: u32,
    /// Input tokens reported, all growths together.
    pub reported: u64,
    /// Of all growths together; positive where too much is counted.
    pub bias: f64,
    /// Of the middle growth, whatever its sign.
    pub median: f64,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KindRatio {
    pub kind: String,
    pub ratio: f64,
    /// Of all growths, as they were counted before.
    pub tokens: u64,
}

/// By what the counts of a model are corrected.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationUsed {
    pub model: String,
    /// Of the session itself; 0 where they are too few to tell anything.
    pub growths: u32,
    pub learned: Option<LearnedFrom>,
    /// ± of a count as a share of it, held out.
    pub error: f64,
}

/// What the reports on the calls of a source's only session, or of the one called `session`, tell.
pub fn calibration(
    source: &Source,
    session: Option<&str>,
    watch: &dyn Watch,
) -> Result<CalibrationReport, AppError> {
    let (subject, diagnostics) = source.read_one(session, watch)?;
    let tables = source.tables()?;
    let growths = model_growths(&subject.experiment, &tables.counting);
    let models = growths.into_iter().map(|of_model| {
        let prior = tables.counting.learned.prior_of(&Tokenizer::of_model(&of_model.model));
        ModelCalibration {
            growths: of_model.growths.len() as u32,
            learned: prior.learned().map(Into::into),
            fit: FitReport::of(&of_model.growths, &prior),
            model: of_model.model,
        }
    });
    Ok(CalibrationReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        models: models.collect(),
        diagnostics,
    })
}

impl FitReport {
    fn of(growths: &[Growth], prior: &TokenPrior) -> Option<Self> {
        let (fit, used) = TokenFit::tried(growths, prior)?;
        let held_out = fit.held_out()?;
        let tokens = |kind| growths.iter().map(|growth| u64::from(growth.sizes.get(kind))).sum::<u64>();
        let ratios = SizeKind::ALL.into_iter().map(|kind| KindRatio {
            kind: kind.name().to_owned(),
            ratio: fit.ratio(kind),
            tokens: tokens(kind),
        });
        Some(Self {
            used,
            error: fit.error(),
            counted: held_out.counted.into(),
            predicted: held_out.predicted.into(),
            shown: held_out.shown.into(),
            set_aside: held_out.set_aside,
            hidden_tokens: held_out.hidden_tokens,
            ratios: ratios.filter(|ratio| ratio.tokens > 0).collect(),
        })
    }
}

impl CalibrationUsed {
    /// `None` for a model whose counts nothing corrects.
    pub(super) fn of(tokenizer: &Tokenizer) -> Option<Self> {
        let fit = tokenizer.fit()?;
        Some(Self {
            model: tokenizer.model().to_owned(),
            growths: fit.held_out().map_or(0, |held_out| held_out.predicted.growths),
            learned: fit.learned().map(Into::into),
            error: fit.error(),
        })
    }
}

impl From<Errors> for ErrorsReport {
    fn from(Errors { growths, reported, bias, median, .. }: Errors) -> Self {
        Self { growths, reported, bias, median }
    }
}
