//! What there is to know of a call before it is sent, and why it is to be held, if it is.

use std::cell::OnceCell;
use std::sync::Arc;

use strata_measure::analysis::{CommonPrefix, PrefixEnd, common_prefix};
use strata_measure::prices::ChargedTokens;
use strata_measure::tokens::{TokenCount, Weigher};
use strata_model::{LlmRequest, Origin, RichText, Str};
use strata_wire::{CacheRules, Item, PrefixOrder, definitions};

use super::condition::HoldCondition;
use super::decision::Step;
use super::held::{Continuation, HeldReport};
use super::memory::{Memory, Speaker, Steps};
use crate::api::common::Basis;
use crate::models::counted;
use crate::show::words::{counted as counted_words, whole};
use crate::tables::Tables;

/// A call that is about to be sent. What conditions and people look at is found out when somebody asks: to count a prompt
/// takes its time, and most calls pass.
pub(super) struct Look<'c> {
    tables: &'c Tables,
    memory: &'c Memory,
    speaker: &'c Speaker,
    request: &'c Arc<LlmRequest>,
    prompt: OnceCell<TokenCount>,
    before: OnceCell<Option<Continuation>>,
    largest_result: OnceCell<Option<(String, u32)>>,
}

impl<'c> Look<'c> {
    pub(super) fn new(
        tables: &'c Tables,
        memory: &'c Memory,
        speaker: &'c Speaker,
        request: &'c Arc<LlmRequest>,
    ) -> Self {
        let (prompt, before, largest_result) = Default::default();
        Self { tables, memory, speaker, request, prompt, before, largest_result }
    }

    /// Why the call is to be held; nothing where it may pass.
    pub(super) fn reasons(&self) -> Vec<String> {
        let step = self.memory.step.as_ref().and_then(|steps| self.ends(steps));
        let conditions = self.memory.conditions.iter().filter_map(|condition| self.meets(condition));
        step.into_iter().chain(conditions).collect()
    }

    pub(super) fn report(&self, reasons: Vec<String>) -> HeldReport {
        HeldReport {
            agent: self.speaker.agent.to_string(),
            node_path: self.speaker.node_path.clone(),
            reasons,
            prompt_tokens: self.prompt().tokens,
            basis: self.prompt().basis.into(),
            prompt_cost: self.prompt_cost(),
            before: self.before(),
            request: self.request.clone(),
            is_edited: false,
            refusal: None,
        }
    }

    fn model(&self) -> &str {
        self.request.model.as_deref().unwrap_or_default()
    }

    fn prompt(&self) -> TokenCount {
        *self.prompt.get_or_init(|| counted(&self.tables.counting, self.model(), self.request))
    }

    fn prompt_cost(&self) -> Option<f64> {
        let price = self.tables.prices.of_model(self.model())?;
        Some(price.cost(&ChargedTokens::uncached(self.prompt().tokens.into(), 0)))
    }

    fn before(&self) -> Option<Continuation> {
        *self.before.get_or_init(|| {
            let Speaker { agent, branch, .. } = self.speaker;
            let earlier = self.memory.sent.get(&(agent.clone(), branch.clone()))?;
            Some(continuation(self.tables, self.model(), earlier, self.request))
        })
    }

    /// The largest result of a tool that is sent for the first time: whose, and its tokens.
    fn largest_result(&self) -> Option<&(String, u32)> {
        let found = || largest_new_result(self.tables, self.memory, &self.speaker.agent, self.request);
        self.largest_result.get_or_init(found).as_ref()
    }

    /// Why a condition holds the call.
    fn meets(&self, condition: &HoldCondition) -> Option<String> {
        let agent = &*self.speaker.agent;
        match condition {
            HoldCondition::Always => Some("Every call is held.".to_owned()),
            HoldCondition::Agent(name) => (agent == name).then(|| format!("It is a call of {name}.")),
            HoldCondition::Tokens(limit) => {
                let TokenCount { tokens, basis, .. } = self.prompt();
                (tokens > *limit).then(|| {
                    let (mark, tokens) = (Basis::from(basis).mark(), whole(tokens));
                    format!("The prompt has {mark}{tokens} tokens, more than {}.", whole(*limit))
                })
            }
            HoldCondition::Cost(limit) => self
                .prompt_cost()
                .filter(|cost| cost > limit)
                .map(|cost| format!("The prompt costs ${cost:.4} uncached, more than ${limit}.")),
            HoldCondition::Break => self.before().and_then(|before| {
                let place = before.differs_in?;
                let lost = counted_words((before.tokens - before.shared_tokens) as usize, "token");
                let mark = Basis::from(self.prompt().basis).mark();
                Some(format!(
                    "Its prefix breaks in the {place}: {mark}{lost} sent before cannot be found in a cache."
                ))
            }),
            HoldCondition::Result(limit) => {
                self.largest_result().filter(|(_, tokens)| tokens > limit).map(|(tool, tokens)| {
                    format!("A result of {tool} has {} tokens, more than {}.", whole(*tokens), whole(*limit))
                })
            }
        }
    }

    /// Why a step ends here.
    fn ends(&self, Steps { step, agent, node_path }: &Steps) -> Option<String> {
        let speaker = self.speaker;
        match step {
            Step::Call => Some("It is the next call.".to_owned()),
            Step::Agent => {
                let is_other = speaker.agent != *agent || speaker.node_path != *node_path;
                is_other.then(|| format!("The next agent is {}.", speaker.agent))
            }
            Step::Result => {
                let (tool, tokens) = self.largest_result()?;
                Some(format!("A result of {tool} has come, with {} tokens.", whole(*tokens)))
            }
        }
    }
}

fn continuation(tables: &Tables, model: &str, earlier: &LlmRequest, later: &LlmRequest) -> Continuation {
    let rules = CacheRules::embedded();
    let common = common_prefix(rules.of_model(model), earlier, later);
    let tokens = counted(&tables.counting, model, earlier).tokens;
    let differs_in = match common.ends_in {
        PrefixEnd::Definitions => Some("tools"),
        PrefixEnd::System => Some("instruction"),
        PrefixEnd::Contents => Some("conversation"),
        PrefixEnd::Whole => None,
    };
    let shared = match differs_in {
        None => tokens,
        Some(_) => counted(&tables.counting, model, &beginning(earlier, common)).tokens,
    };
    Continuation { tokens, shared_tokens: shared.min(tokens), differs_in }
}

fn largest_new_result(
    tables: &Tables,
    memory: &Memory,
    agent: &Str,
    request: &LlmRequest,
) -> Option<(String, u32)> {
    let tokenizer = tables.counting.tokenizer(request.model.as_deref().unwrap_or_default());
    let weigher = Weigher::new(&tokenizer, &tables.counting.memo);
    let parts = request.contents.iter().flat_map(|content| content.parts.iter());
    let results = parts.filter_map(|part| {
        let result = part.part.function_response.as_deref()?;
        let is_known = memory.results.contains(&(agent.clone(), part.fingerprint));
        let name = result.name.as_deref().unwrap_or_default().to_owned();
        (!is_known).then(|| (name, weigher.part(part).tokens))
    });
    results.max_by_key(|(_, tokens)| *tokens)
}

/// What a request has in common with another one, in whole pieces and as much of the instruction.
fn beginning(request: &LlmRequest, common: CommonPrefix) -> LlmRequest {
    let mut shared = LlmRequest { model: request.model.clone(), ..LlmRequest::default() };
    let is_past =
        |section, first| common.ends_in > section || (common.order == first && common.ends_in != section);
    if is_past(PrefixEnd::Definitions, PrefixOrder::ToolsFirst) {
        shared.tools.clone_from(&request.tools);
    } else {
        for segment in definitions(request).take(common.definitions) {
            if let Item::Declaration(declaration) = segment.item {
                shared.add_declaration(Arc::new(declaration.clone()));
            }
        }
    }
    if is_past(PrefixEnd::System, PrefixOrder::SystemFirst) {
        shared.system_instruction.clone_from(&request.system_instruction);
    } else if common.ends_in == PrefixEnd::System {
        let text = request.system_instruction.as_ref().map(|text| text.to_text()).unwrap_or_default();
        let text = text.get(..common.earlier_system_bytes).unwrap_or_default();
        if !text.is_empty() {
            shared.system_instruction =
                Some(Arc::new(RichText::from_span(text, Origin::processor("prefix"))));
        }
    }
    if common.ends_in > PrefixEnd::System {
        shared.contents = request.contents.iter().take(common.contents).cloned().collect();
    }
    shared
}
