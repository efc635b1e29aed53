//! Which vocabulary a model counts with, and what a count made with it is worth.

mod name;
mod rule;
mod table;

use std::sync::Arc;

use super::chat_format::ChatFormat;
use super::content_class::ContentClass;
use super::count::TokenCount;
use super::fit::{Doubt, TokenFit};
use super::media_rule::MediaRule;
use super::memo::Measure;
use super::ratios::{Ratio, ratio};
use super::returned_thoughts::{ReturnedThoughts, returned_thoughts};
use super::sizes::SizeKind;
use super::vocabulary::Vocabulary;

pub use name::bare_name;
use rule::{Rule, Worth};

/// How the tokens of one model are counted.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    /// The model's name as it was given.
    model: String,
    bare_name: String,
    rule: &'static Rule,
    /// By what its provider reported, where that tells.
    fit: Option<Arc<TokenFit>>,
}

impl Tokenizer {
    /// The tokenizer of a model, or the nearest there is. Any spelling of the name will do: with the path of a cloud,
    /// the prefix of a router, a version, a tag.
    pub fn of_model(model: &str) -> Self {
        let bare_name = bare_name(model);
        Self { model: model.to_owned(), rule: table::rule_of(&bare_name), bare_name, fit: None }
    }

    /// The same, with counts corrected by what the provider reported. A vocabulary that is the model's own needs none.
    #[must_use]
    pub fn fitted(self, fit: Option<Arc<TokenFit>>) -> Self {
        Self { fit: fit.filter(|_| self.is_translated()), ..self }
    }

    /// What its counts are corrected by.
    pub fn fit(&self) -> Option<&TokenFit> {
        self.fit.as_deref()
    }

    /// Whether it counts with another vocabulary than the model's.
    pub fn is_translated(&self) -> bool {
        matches!(self.rule.worth, Worth::Estimated(_))
    }

    /// Which of its earlier thoughts the model is shown again.
    pub fn returned_thoughts(&self) -> ReturnedThoughts {
        returned_thoughts(&self.bare_name)
    }

    /// Whether thoughts are left out of its prompts once the user has said something else.
    pub fn forgets_thoughts(&self) -> bool {
        self.returned_thoughts() == ReturnedThoughts::OfTurn
    }

    /// Whether what is learned of one model holds for the other: both are known, and counted by the same figures.
    pub(super) fn counts_alike(&self, other: &Self) -> bool {
        match (self.rule.worth, other.rule.worth) {
            (Worth::Estimated(ours), Worth::Estimated(theirs)) if self.is_known() && other.is_known() => {
                std::ptr::eq(ours, theirs) && self.rule.vocabulary == other.rule.vocabulary
            }
            _ => self.bare_name == other.bare_name,
        }
    }

    /// How much its provider's reports may tell beyond what is known of it.
    pub fn doubt(&self) -> Doubt {
        match self.rule.worth {
            Worth::Estimated(ratios) if ratios.is_measured => Doubt::Little,
            _ => Doubt::Much,
        }
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// The vocabulary that is counted with; not always the model's.
    pub fn vocabulary(&self) -> Vocabulary {
        self.rule.vocabulary
    }

    /// Whether the model is one the table knows.
    pub fn is_known(&self) -> bool {
        !self.rule.prefix.is_empty()
    }

    /// What counts of plain text are worth, and why, in one sentence.
    pub fn explanation(&self) -> String {
        let vocabulary = self.rule.vocabulary.name();
        let model = if self.model.is_empty() { "A model that nothing names" } else { &*self.model };
        if let Some(fit) = &self.fit {
            return format!(
                "{model} has no tokenizer known here: counted with {vocabulary}, corrected by what its provider \
                 reported for {}, ± {:.1} % for those it was not learned from.",
                learned_from(fit),
                fit.error() * 100.0
            );
        }
        match self.rule.worth {
            Worth::Exact => format!("{model} counts text with {vocabulary}, which is carried along."),
            Worth::Estimated(ratios) if self.is_known() => {
                let Ratio { low, middle, high } = ratios.prose;
                format!(
                    "{model} has no tokenizer known here: counted with {vocabulary} times {middle:.2} for prose \
                     ({low:.2} to {high:.2}), {}.",
                    ratios.source
                )
            }
            Worth::Estimated(ratios) => {
                let Ratio { low, high, .. } = ratios.prose;
                format!(
                    "{model} is not a model known here: counted with {vocabulary}, and the truth may be {low:.2} to \
                     {high:.2} times that for prose.",
                )
            }
        }
    }

    /// What `measure`, counted with [`Self::vocabulary`], is for this model.
    pub fn translate(&self, measure: Measure) -> TokenCount {
        let count = TokenCount::exact(measure.tokens);
        match self.rule.worth {
            // Forced cuts add a token or two each, and there is one in 64 KB.
            Worth::Exact if measure.class == ContentClass::Unbroken => count.scaled(ratio(0.999, 1.0, 1.0)),
            Worth::Exact => count,
            Worth::Estimated(ratios) => {
                count.scaled(ratios.of(measure.class)).shifted(ratios.of_marks(measure.marks))
            }
        }
    }

    /// A count as its provider would make it, as far as its reports tell.
    pub(super) fn calibrate(&self, kind: SizeKind, count: TokenCount) -> TokenCount {
        let Some(fit) = &self.fit else { return count };
        let TokenCount { tokens, low, high, .. } = TokenCount::exact(count.tokens).scaled(fit.bounded(kind));
        TokenCount::calibrated(tokens, low, high)
    }

    /// A count that no growth tells of, as what is around tools, beside counts that are calibrated: its bounds say how
    /// little is known of it.
    pub(super) fn beside_calibrated(&self, count: TokenCount) -> TokenCount {
        match &self.fit {
            Some(_) => TokenCount::calibrated(count.tokens, count.low, count.high),
            None => count,
        }
    }

    /// What counts of a kind are multiplied by: 1 where no report tells.
    pub(super) fn ratio(&self, kind: SizeKind) -> Ratio {
        self.fit.as_ref().map_or(Ratio::ONE, |fit| fit.bounded(kind))
    }

    pub(super) fn bare_name(&self) -> &str {
        &self.bare_name
    }

    pub(super) fn chat(&self) -> &'static ChatFormat {
        self.rule.chat
    }

    pub(super) fn media(&self) -> MediaRule {
        self.rule.media
    }
}

/// "40 prompts that grew and 900 of 7 stored sessions"
fn learned_from(fit: &TokenFit) -> String {
    let own = fit.held_out().map(|held_out| format!("{} prompts that grew", held_out.predicted.growths));
    let others = fit.learned().map(|learned| {
        let what = if own.is_some() { "" } else { " prompts that grew" };
        format!("{}{what} of {} stored sessions", learned.growths, learned.sessions)
    });
    own.into_iter().chain(others).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Basis, Marks};

    fn plain(tokens: u32, class: ContentClass) -> Measure {
        Measure { tokens, class, marks: Marks::default() }
    }

    #[track_caller]
    fn check(model: &str, vocabulary: Vocabulary, basis: Basis) {
        let tokenizer = Tokenizer::of_model(model);
        let count = tokenizer.translate(plain(100, ContentClass::Prose));
        assert_eq!((tokenizer.vocabulary(), count.basis), (vocabulary, basis), "{model}");
    }

    #[test]
    fn models_and_their_vocabularies() {
        use Basis::{Estimated, Exact};
        use Vocabulary::{
            Cl100kBase, DeepseekV3, Glm4, Glm5, KimiK2, Llama3, MinimaxM2, MistralV3, O200kBase, Qwen2,
        };
        check("gpt-4o", O200kBase, Exact);
        check("openai/gpt-4.1-mini-2025-04-14", O200kBase, Exact);
        check("azure/gpt-5.6-sol", O200kBase, Exact);
        check("o3-mini", O200kBase, Exact);
        check("openrouter/openai/gpt-oss-120b:free", O200kBase, Exact);
        check("ft:gpt-4o-mini-2024-07-18:acme::abc", O200kBase, Exact);
        check("gpt-6-astra", O200kBase, Estimated);
        check("gpt-6.1-sol", O200kBase, Estimated);
        check("gpt-4", Cl100kBase, Exact);
        check("gpt-4-turbo", Cl100kBase, Exact);
        check("gpt-3.5-turbo-0125", Cl100kBase, Exact);
        check("text-embedding-3-large", Cl100kBase, Exact);
        check("meta-llama/Llama-3.1-8B-Instruct", Llama3, Exact);
        check("ollama/llama3.2:3b", Llama3, Exact);
        check("meta.llama3-3-70b-instruct-v1:0", Llama3, Exact);
        check("llama-4-scout", O200kBase, Estimated);
        check("Qwen/Qwen3-Coder-30B-A3B-Instruct", Qwen2, Exact);
        check("qwen3.5:35b", Qwen2, Estimated);
        check("deepseek-chat", DeepseekV3, Exact);
        check("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", Llama3, Exact);
        check("deepseek-r1-distill-qwen-32b", Qwen2, Exact);
        check("mistral/mistral-small-latest", MistralV3, Exact);
        check("mixtral-8x7b-instruct", O200kBase, Estimated);
        check("moonshotai/kimi-k2-0905", KimiK2, Exact);
        check("zai-org/GLM-4.6", Glm4, Exact);
        check("glm-5.2", Glm5, Exact);
        check("MiniMaxAI/MiniMax-M2", MinimaxM2, Exact);
        check("gemini-2.5-pro", O200kBase, Estimated);
        check("projects/p/locations/l/publishers/google/models/gemini-3.5-flash", O200kBase, Estimated);
        check("claude-sonnet-4-5-20250929", O200kBase, Estimated);
        check("no-such-model", O200kBase, Estimated);
        check("", O200kBase, Estimated);
    }

    #[test]
    fn newer_claude_models_have_more_tokens() {
        let tokens =
            |model: &str| Tokenizer::of_model(model).translate(plain(1000, ContentClass::Prose)).tokens;
        for model in ["claude-2.1", "claude-instant-1.2"] {
            assert_eq!(tokens(model), 1080, "{model}");
        }
        for model in ["claude-3-5-sonnet@20240620", "us.anthropic.claude-opus-4-6-v1:0", "claude-haiku-4.5"] {
            assert_eq!(tokens(model), 1110, "{model}");
        }
        for model in ["claude-opus-4.7", "anthropic/claude-opus-5", "claude-sonnet-5-5", "claude-fable-5.1"] {
            assert_eq!(tokens(model), 1500, "{model}");
        }
    }

    #[test]
    fn explanations() {
        let explain = |model: &str| Tokenizer::of_model(model).explanation();
        insta::assert_snapshot!(explain("gpt-4o"), @"gpt-4o counts text with o200k_base, which is carried along.");
        insta::assert_snapshot!(
            explain("gemini-2.5-pro"),
            @"gemini-2.5-pro has no tokenizer known here: counted with o200k_base times 1.05 for prose (1.01 to 1.09), measured with Gemma's vocabulary."
        );
        insta::assert_snapshot!(
            explain("gpt-6-sol"),
            @"gpt-6-sol has no tokenizer known here: counted with o200k_base times 1.00 for prose (0.95 to 1.05), assumed to stay near o200k_base."
        );
        insta::assert_snapshot!(
            explain("house-model"),
            @"house-model is not a model known here: counted with o200k_base, and the truth may be 0.97 to 1.60 times that for prose."
        );
    }

    #[test]
    fn a_forced_cut_is_not_called_exact() {
        let tokenizer = Tokenizer::of_model("llama-3.1-8b");
        let count = tokenizer.translate(plain(10_000, ContentClass::Unbroken));
        assert_eq!(count, TokenCount::estimated(10_000, 9990, 10_000));
    }
}
