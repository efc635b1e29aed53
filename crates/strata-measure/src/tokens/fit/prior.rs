//! What is held of a provider's ratios before its reports on a session are looked at.

use super::held_out::{Errors, LEAST_ERROR, shown};
use super::robust::{Fitted, Growth, fitted};
use super::solve::{Matrix, Vector, inverse};
use crate::tokens::sizes::SizeKind;

/// How far a session's reports may lead away from what is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Counts were measured by what is reported of such models.
    Little,
    /// Counts go by another vocabulary, and by assumptions on what stands around texts.
    Much,
}

/// What is held of a provider's ratios, and how firmly.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenPrior {
    ratios: Vector,
    doubt: Doubt,
    learned: Option<Learned>,
    /// Before anything was learned.
    doubt_before: Doubt,
}

/// What ratios were learned from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learned {
    pub sessions: u32,
    pub growths: u32,
    /// ± as a share of a count: growths with 19 of 20 tokens are within it, each session being predicted from others.
    pub error: f64,
}

/// Standard deviations of ratios: of all texts together, of each from the others, of thoughts, and of what stands around
/// calls and around messages.
struct Deviations {
    texts: f64,
    each_text: f64,
    thoughts: f64,
    tool_framing: f64,
    message_framing: f64,
}

impl Doubt {
    fn deviations(self) -> Deviations {
        match self {
            // By these, held out growths of 13 public transcripts are predicted best; twice or half of it changes little.
            Self::Little => Deviations {
                texts: 0.05,
                each_text: 0.03,
                thoughts: 0.1,
                tool_framing: 0.1,
                message_framing: 0.5,
            },
            // What a provider writes around calls is known least.
            Self::Much => Deviations {
                texts: 0.3,
                each_text: 0.1,
                thoughts: 0.5,
                tool_framing: 1.5,
                message_framing: 0.5,
            },
        }
    }
}

/// Of a rule for images, whatever is known of texts.
const OF_MEDIA: f64 = 0.5;
/// Sessions are predicted from others in so many groups at most.
const FOLDS: usize = 8;

impl TokenPrior {
    /// Counts as they are.
    pub fn new(doubt: Doubt) -> Self {
        Self { ratios: [1.0; SizeKind::ALL.len()], doubt, learned: None, doubt_before: doubt }
    }

    /// The same with what was learned from sessions, as it was kept.
    #[must_use]
    pub fn with_learned(self, ratio: impl Fn(SizeKind) -> f64, learned: Learned) -> Self {
        Self { ratios: SizeKind::ALL.map(ratio), doubt: Doubt::Little, learned: Some(learned), ..self }
    }

    /// What the growths of some sessions tell, as it holds for another one. `None` for fewer than two sessions: from one
    /// alone, nobody knows how sessions differ.
    #[must_use]
    pub fn learned_from(&self, sessions: &[Vec<Growth>]) -> Option<Self> {
        let sessions: Vec<&Vec<Growth>> = sessions.iter().filter(|growths| !growths.is_empty()).collect();
        if sessions.len() < 2 {
            return None;
        }
        let all: Vec<Growth> = sessions.iter().copied().flatten().copied().collect();
        let n_folds = sessions.len().min(FOLDS);
        let mut predictions = Vec::with_capacity(all.len());
        for fold in 0..n_folds {
            let of_fold = |is_in: bool| {
                let some = sessions.iter().enumerate().filter(move |(at, _)| (at % n_folds == fold) == is_in);
                some.flat_map(|(_, growths)| growths.iter().copied()).collect::<Vec<Growth>>()
            };
            predictions.extend(shown(&of_fold(true), &self.fitted(&of_fold(false))));
        }
        let errors = Errors::of(predictions.iter().map(|(growth, tokens)| (growth, *tokens)));
        let error = errors.most.max(LEAST_ERROR);
        let learned = Learned { sessions: sessions.len() as u32, growths: all.len() as u32, error };
        let ratios = self.fitted(&all).ratios;
        Some(self.clone().with_learned(|kind| ratios[kind as usize], learned))
    }

    /// Without what was learned.
    #[must_use]
    pub(super) fn unlearned(&self) -> Self {
        Self::new(self.doubt_before)
    }

    /// The same, held less firmly.
    #[must_use]
    pub(super) fn doubted(&self) -> Self {
        Self { doubt: Doubt::Much, ..self.clone() }
    }

    pub fn ratio(&self, kind: SizeKind) -> f64 {
        self.ratios[kind as usize]
    }

    pub(super) fn ratios(&self) -> &Vector {
        &self.ratios
    }

    pub fn learned(&self) -> Option<Learned> {
        self.learned
    }

    /// What growths make of it.
    pub(super) fn fitted(&self, growths: &[Growth]) -> Fitted {
        fitted(growths, &self.ratios, &self.precision())
    }

    /// The inverse of the ratios' covariance.
    fn precision(&self) -> Matrix {
        let Deviations { texts: of_texts, each_text, thoughts, tool_framing, message_framing } =
            self.doubt.deviations();
        let texts = [SizeKind::Text, SizeKind::Call, SizeKind::Result];
        let mut covariance = Matrix::default();
        for kind in SizeKind::ALL {
            let deviation = match kind {
                SizeKind::Text | SizeKind::Call | SizeKind::Result => each_text,
                SizeKind::Thought => thoughts,
                SizeKind::Media => OF_MEDIA,
                SizeKind::ToolFraming => tool_framing,
                SizeKind::MessageFraming => message_framing,
            };
            covariance[kind as usize][kind as usize] = deviation.powi(2);
        }
        for a in texts {
            for b in texts {
                covariance[a as usize][b as usize] += of_texts.powi(2);
            }
        }
        inverse(&covariance)
    }
}
