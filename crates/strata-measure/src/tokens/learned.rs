//! What the sessions of a store tell of how providers count.

use super::fit::{Growth, TokenFit, TokenPrior};
use super::models::Tokenizer;

/// What is held of each model that is counted with another vocabulary than its own, learned from many sessions. Models that
/// are counted alike are learned of together.
#[derive(Debug, Clone, Default)]
pub struct LearnedRatios {
    /// One model of each kind.
    kinds: Vec<(Tokenizer, TokenPrior)>,
}

/// Growths of one session that are learned from: so one long session does not speak for all.
const MOST_OF_ONE: usize = 300;

impl LearnedRatios {
    /// From what prompts grew by, by session and model.
    pub fn of<'g>(sessions: impl IntoIterator<Item = Vec<(&'g str, &'g [Growth])>>) -> Self {
        let mut kinds: Vec<(Tokenizer, Vec<Vec<Growth>>)> = Vec::new();
        for session in sessions {
            let mut of_session: Vec<(usize, Vec<Growth>)> = Vec::new();
            for (model, growths) in session {
                let tokenizer = Tokenizer::of_model(model);
                if !tokenizer.is_translated() {
                    continue;
                }
                let known = kinds.iter().position(|(kind, _)| kind.counts_alike(&tokenizer));
                let kind = known.unwrap_or_else(|| {
                    kinds.push((tokenizer, Vec::new()));
                    kinds.len() - 1
                });
                let growths = growths.iter().copied().take(MOST_OF_ONE);
                match of_session.iter_mut().find(|(at, _)| *at == kind) {
                    Some((_, known)) => known.extend(growths),
                    None => of_session.push((kind, growths.collect())),
                }
            }
            for (kind, growths) in of_session {
                let prior = TokenPrior::new(kinds[kind].0.doubt());
                // Reports of something else than what is recorded tell nothing of a provider.
                if TokenFit::tried(&growths, &prior).is_some_and(|(_, is_used)| is_used) {
                    kinds[kind].1.push(growths);
                }
            }
        }
        let learned = kinds.into_iter().filter_map(|(tokenizer, sessions)| {
            let prior = TokenPrior::new(tokenizer.doubt()).learned_from(&sessions)?;
            Some((tokenizer, prior))
        });
        Self { kinds: learned.collect() }
    }

    /// As they were kept, each with one of the models it holds for.
    pub fn known(kinds: impl IntoIterator<Item = (String, TokenPrior)>) -> Self {
        let kinds = kinds.into_iter().map(|(model, prior)| (Tokenizer::of_model(&model), prior));
        Self { kinds: kinds.collect() }
    }

    /// Each with one of the models it holds for.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, &TokenPrior)> {
        self.kinds.iter().map(|(tokenizer, prior)| (tokenizer.model(), prior))
    }

    /// What is held of a model before a session's own reports are looked at.
    pub fn prior_of(&self, tokenizer: &Tokenizer) -> TokenPrior {
        let known = self.kinds.iter().find(|(kind, _)| kind.counts_alike(tokenizer));
        known.map_or_else(|| TokenPrior::new(tokenizer.doubt()), |(_, prior)| prior.clone())
    }
}
