//! What counts rest on.

use strata_measure::tokens::Tokenizer;

/// A sentence for each tokenizer, every sentence once.
pub(crate) fn explanations<'t>(tokenizers: impl IntoIterator<Item = &'t Tokenizer>) -> Vec<String> {
    let mut explanations: Vec<String> = Vec::new();
    for explanation in tokenizers.into_iter().map(Tokenizer::explanation) {
        if !explanations.contains(&explanation) {
            explanations.push(explanation);
        }
    }
    explanations
}
