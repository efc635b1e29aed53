//! What the sessions of a store told of how providers count, kept until it is learned anew.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strata_measure::analysis::ModelGrowths;
use strata_measure::tokens::{Learned, LearnedRatios, SizeKind, TokenPrior, Tokenizer};
use strata_store::{Store, StoreError};

use crate::api::counts::{LearnedFrom, LearnedModel, LearnedRatio};

/// The setting under which it is kept.
const SETTING: &str = "counts.learned";

/// Models that are counted alike.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// One of them.
    model: String,
    sessions: u32,
    growths: u32,
    error: f64,
    /// By the name of the kind.
    ratios: BTreeMap<String, f64>,
}

/// What was learned last. Nothing where that was forgotten, or written by a version that keeps it in another way.
pub(crate) fn learned_counts(store: &Store) -> Result<LearnedRatios, StoreError> {
    let kept = store.setting(SETTING)?.unwrap_or_default();
    let kept: Vec<Kept> = serde_json::from_str(&kept).unwrap_or_default();
    Ok(LearnedRatios::known(kept.into_iter().filter_map(Kept::read)))
}

/// Keeps it in place of what was learned before. All that is counted later goes by it; what is open stays as it is.
pub(crate) fn keep_learned_counts(store: &mut Store, learned: &LearnedRatios) -> Result<(), StoreError> {
    let kept: Vec<Kept> = learned.kinds().filter_map(|(model, prior)| Kept::of(model, prior)).collect();
    let text = serde_json::to_string(&kept).unwrap_or_default();
    store.set_setting(SETTING, &text)
}

/// What prompts grew by tells, by session and model.
pub(crate) fn ratios_of(sessions: &[Vec<ModelGrowths>]) -> LearnedRatios {
    LearnedRatios::of(sessions.iter().map(|session| {
        session.iter().map(|of_model| (&*of_model.model, &*of_model.growths)).collect::<Vec<_>>()
    }))
}

/// As it is shown.
pub(crate) fn learned_models(learned: &LearnedRatios) -> Vec<LearnedModel> {
    let models = learned.kinds().filter_map(|(model, prior)| {
        let ratios =
            SizeKind::ALL.map(|kind| LearnedRatio { kind: kind.name().to_owned(), ratio: prior.ratio(kind) });
        Some(LearnedModel { model: model.to_owned(), from: prior.learned()?.into(), ratios: ratios.into() })
    });
    models.collect()
}

impl From<Learned> for LearnedFrom {
    fn from(Learned { sessions, growths, error }: Learned) -> Self {
        Self { sessions, growths, error }
    }
}

impl Kept {
    fn of(model: &str, prior: &TokenPrior) -> Option<Self> {
        let Learned { sessions, growths, error } = prior.learned()?;
        let ratios = SizeKind::ALL.map(|kind| (kind.name().to_owned(), prior.ratio(kind)));
        Some(Self { model: model.to_owned(), sessions, growths, error, ratios: ratios.into() })
    }

    fn read(self) -> Option<(String, TokenPrior)> {
        let is_usable = |ratio: &f64| ratio.is_finite() && *ratio >= 0.0;
        if !self.ratios.values().chain([&self.error]).all(is_usable) {
            return None;
        }
        let learned = Learned { sessions: self.sessions, growths: self.growths, error: self.error };
        let ratio = |kind: SizeKind| self.ratios.get(kind.name()).copied().unwrap_or(1.0);
        let prior = TokenPrior::new(Tokenizer::of_model(&self.model).doubt()).with_learned(ratio, learned);
        Some((self.model, prior))
    }
}
