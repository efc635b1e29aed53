//! What is known of a server before it is asked: how long a prompt it takes, how it caches, who is paid.

use strata_measure::prices::Prices;
use strata_measure::tokens::TokenCount;
use strata_wire::{CacheRule, CacheRules, ListedModel, Machine, ServerFacts};

use crate::api::model::{Endpoint, EndpointOrigin};
use crate::{cut, whole};

/// What is known of one model of a server.
#[derive(Debug, Clone)]
pub(crate) struct Knowledge {
    /// Tokens of prompt and answer together.
    pub context_tokens: Option<u32>,
    pub rule: CacheRule,
    /// Where the rule is from, behind its name: "as the server tells".
    pub rule_from: &'static str,
    pub slots: Option<u32>,
    /// It runs on this computer, and nobody is paid.
    pub is_free: bool,
    /// It may be asked how many tokens a prompt has.
    pub counts_tokens: bool,
}

impl Knowledge {
    pub(super) fn of(
        (settings, is_local): (&Endpoint, bool),
        facts: Option<&ServerFacts>,
        listed: &[ListedModel],
        model: &str,
        prices: &Prices,
    ) -> Self {
        let of_list = || listed.iter().find(|listed| listed.name == model)?.context_tokens;
        let of_price = || prices.of_model(model)?.context_tokens;
        let slots = settings.slots.or(facts.and_then(|facts| facts.slots));
        let (rule, rule_from) = rule(settings, facts, model);
        Self {
            context_tokens: settings
                .context_tokens
                .or(facts.and_then(|facts| facts.context_tokens))
                .or_else(of_list)
                .or_else(of_price),
            rule,
            rule_from,
            slots,
            // A gateway on this computer may pass on what it is sent, and what it passes on is paid for.
            is_free: is_local && facts.is_some(),
            // What is sent there to be counted leaves nobody's computer.
            counts_tokens: settings.counts_tokens
                || (is_local && facts.is_some_and(|facts| ["llama.cpp", "vLLM"].contains(&facts.software))),
        }
    }

    /// Why a prompt of this size is not sent, and what to do. It is sent where it may fit.
    pub(crate) fn overflow(&self, prompt: TokenCount, model: &str) -> Option<String> {
        let most = self.context_tokens.filter(|most| prompt.low >= *most)?;
        let about = if prompt.low == prompt.high { "" } else { "about " };
        Some(format!(
            "The prompt has {about}{} tokens, and {} takes {} with its answer. Nothing was sent. Send less (smaller \
             windows, an earlier summary), take a model with a longer context, or set another limit for the server.",
            whole(prompt.tokens),
            cut(model, 60),
            whole(most)
        ))
    }
}

fn rule(settings: &Endpoint, facts: Option<&ServerFacts>, model: &str) -> (CacheRule, &'static str) {
    let rules = CacheRules::embedded();
    if let Some(rule) = settings.cache_rule.as_deref().and_then(|name| rules.named(name)) {
        return (with_slots(rule.clone(), settings.slots), "as it is set");
    }
    let Some(facts) = facts else {
        let rule = with_slots(rules.of_model(model).as_ref().clone(), settings.slots);
        return (rule, if settings.slots.is_some() { "as it is set" } else { "by the name of the model" });
    };
    // Ollama and LM Studio run llama.cpp.
    let name = match facts.software {
        name @ ("vLLM" | "SGLang") => name,
        _ => "llama.cpp",
    };
    let mut rule = rules.named(name).cloned().unwrap_or_else(|| rules.of_model(model).as_ref().clone());
    match (&mut rule.machine, facts.block_tokens) {
        (Machine::Units { unit_tokens }, Some(block)) => *unit_tokens = block,
        (Machine::AutoPrefix { minimum_tokens, step_tokens }, Some(block)) => {
            (*minimum_tokens, *step_tokens) = (block, block);
        }
        _ => {}
    }
    if facts.finds_prefixes == Some(false) {
        rule.machine = Machine::AutoPrefix { minimum_tokens: u32::MAX, step_tokens: 1 };
        return (rule, "and the server tells that it looks for no prefix");
    }
    (with_slots(rule, settings.slots), "as the server tells")
}

/// A rule that goes by slots, with so many of them.
fn with_slots(mut rule: CacheRule, slots: Option<u32>) -> CacheRule {
    if let (Machine::LcpSlot { slots: of_rule }, Some(slots)) = (&mut rule.machine, slots) {
        *of_rule = Some(slots);
    }
    rule
}

/// Servers that people run themselves tell of themselves; providers do not, and are not asked.
pub(super) fn tells(origin: EndpointOrigin) -> bool {
    origin != EndpointOrigin::Provider
}

#[cfg(test)]
mod tests {
    use super::super::endpoints::bare;
    use super::*;

    fn of(settings: &Endpoint, facts: Option<&ServerFacts>, model: &str) -> Knowledge {
        Knowledge::of((settings, true), facts, &[], model, &Prices::embedded())
    }

    #[test]
    fn what_is_set_goes_before_what_the_server_tells_and_that_before_the_name() {
        let llama = ServerFacts {
            software: "llama.cpp",
            context_tokens: Some(4096),
            slots: Some(2),
            ..ServerFacts::default()
        };
        let mut endpoint = bare("Mine", "http://127.0.0.1:8080/v1");
        let by_name = of(&endpoint, None, "deepseek-chat");
        assert_eq!((&*by_name.rule.name, by_name.is_free), ("DeepSeek", false));
        let told = of(&endpoint, Some(&llama), "deepseek-chat");
        assert_eq!((&*told.rule.name, told.context_tokens, told.slots), ("llama.cpp", Some(4096), Some(2)));
        assert!(told.is_free);
        endpoint.slots = Some(1);
        endpoint.context_tokens = Some(2048);
        let set = of(&endpoint, Some(&llama), "tiny");
        assert_eq!(set.rule.machine, Machine::LcpSlot { slots: Some(1) });
        assert_eq!(set.context_tokens, Some(2048));
        endpoint.cache_rule = Some("vLLM".to_owned());
        assert_eq!(of(&endpoint, Some(&llama), "tiny").rule.machine, Machine::Units { unit_tokens: 16 });
    }

    #[test]
    fn a_server_without_a_cache_finds_nothing() {
        let vllm = ServerFacts { software: "vLLM", finds_prefixes: Some(false), ..ServerFacts::default() };
        let known = of(&bare("Mine", "http://127.0.0.1:8000/v1"), Some(&vllm), "m");
        assert_eq!(known.rule.usable_tokens(1_000_000), 0);
    }

    #[test]
    fn a_prompt_is_refused_only_where_it_cannot_fit() {
        let mut endpoint = bare("Mine", "http://127.0.0.1:8080/v1");
        endpoint.context_tokens = Some(1000);
        let known = of(&endpoint, None, "m");
        assert_eq!(known.overflow(TokenCount::estimated(1100, 900, 1300), "m"), None);
        assert_eq!(known.overflow(TokenCount::exact(999), "m"), None);
        let said = known.overflow(TokenCount::estimated(1400, 1200, 1600), "m").unwrap();
        assert!(
            said.starts_with("The prompt has about 1,400 tokens, and m takes 1,000 with its answer."),
            "{said}"
        );
    }
}
