//! Holding a call before it is sent, on conditions of what was compiled.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use strata_measure::analysis::{CommonPrefix, Counting, PrefixEnd, common_prefix};
use strata_measure::prices::{ChargedTokens, Prices};
use strata_measure::tokens::{Tokenizer, Weigher};
use strata_model::{Fingerprint, LlmRequest, Origin, RichText, Str, json};
use strata_runtime::{Failure, Gate, HeldCall};
use tokio_util::sync::CancellationToken;

use crate::models::counted;
use crate::words::{counted as counted_words, whole};

/// When a call is held.
#[derive(Debug, Clone, PartialEq)]
pub enum HoldCondition {
    Always,
    /// At calls of this agent.
    Agent(String),
    /// The prompt has more tokens than this, by our count.
    Tokens(u32),
    /// The prompt costs more US dollars than this, if nothing of it is found in a cache.
    Cost(f64),
    /// The prompt no longer begins with what its agent's call before had sent.
    Break,
    /// A tool's result that was not sent to the agent before has more tokens than this.
    Result(u32),
}

impl FromStr for HoldCondition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let number =
            || value.replace([',', '_'], "").parse().map_err(|_| format!("`{value}` is no number of tokens"));
        match (name, value) {
            ("always", "") => Ok(Self::Always),
            ("break", "") => Ok(Self::Break),
            ("agent", agent) if !agent.is_empty() => Ok(Self::Agent(agent.to_owned())),
            ("tokens", _) => Ok(Self::Tokens(number()?)),
            ("result", _) => Ok(Self::Result(number()?)),
            ("cost", _) => {
                let dollars = value.trim_start_matches('$').parse();
                Ok(Self::Cost(dollars.map_err(|_| format!("`{value}` is no amount of dollars"))?))
            }
            _ => Err(format!(
                "`{text}` is no condition: there are always, agent=NAME, tokens=N, cost=DOLLARS, break and result=N"
            )),
        }
    }
}

/// A call that is held, as it is about to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldReport {
    pub agent: String,
    /// Why it is held, a sentence each.
    pub reasons: Vec<String>,
    /// By our count.
    pub prompt_tokens: u32,
    /// US dollars of the prompt, if nothing of it is found in a cache. `None` for a model without a price.
    pub prompt_cost: Option<f64>,
    /// How it continues its agent's call before. `None` for the first one.
    pub before: Option<Continuation>,
    /// The request in ADK's JSON.
    pub request: String,
}

/// How a prompt continues the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Continuation {
    /// Tokens of the prompt before, and of these the ones that this one begins with.
    pub tokens: u32,
    pub shared_tokens: u32,
    /// Where the first difference stands: `tools`, `instruction` or `conversation`. `None`: it only adds to it.
    pub differs_in: Option<&'static str>,
}

/// What becomes of a call that is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldDecision {
    Go,
    /// And nothing is held any more.
    GoFreely,
    Stop,
}

/// Decides about calls that are held. It may take as long as it likes.
pub trait Holder: Send + Sync {
    fn decide(&self, held: &HeldReport) -> HoldDecision;
}

/// Holds calls, and asks.
pub(crate) struct HoldGate {
    pub conditions: Vec<HoldCondition>,
    pub holder: Arc<dyn Holder>,
    pub counting: Arc<Counting>,
    pub stop: CancellationToken,
    memory: Mutex<Memory>,
}

/// What was let through.
#[derive(Default)]
struct Memory {
    /// By agent and branch.
    sent: HashMap<(Str, Option<Str>), Arc<LlmRequest>>,
    /// Results that were sent, by agent. Ids are not sent with every one.
    results: HashSet<(Str, Fingerprint)>,
    holds_nothing: bool,
}

impl HoldGate {
    pub(crate) fn new(
        conditions: Vec<HoldCondition>,
        holder: Arc<dyn Holder>,
        counting: Arc<Counting>,
        stop: CancellationToken,
    ) -> Self {
        Self { conditions, holder, counting, stop, memory: Mutex::default() }
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What there is to know of a call, and why it is to be held, if it is.
    fn look(&self, held: &HeldCall, request: &LlmRequest) -> HeldReport {
        let agent = &held.invocation.agent;
        let model = request.model.as_deref().unwrap_or_default();
        let prompt_tokens = counted(&self.counting, model, request).tokens;
        let price = Prices::embedded().of_model(model).cloned();
        let prompt_cost = price.map(|price| price.cost(&ChargedTokens::uncached(prompt_tokens.into(), 0)));
        let memory = self.memory();
        let earlier = memory.sent.get(&(agent.clone(), held.invocation.branch.clone()));
        let before = earlier.map(|earlier| self.continuation(model, earlier, request));
        let largest = self.largest_new_result(agent, model, request, &memory.results);
        let reason = |condition: &HoldCondition| match condition {
            HoldCondition::Always => Some("Every call is held.".to_owned()),
            HoldCondition::Agent(name) => (**agent == **name).then(|| format!("It is a call of {name}.")),
            HoldCondition::Tokens(limit) => (prompt_tokens > *limit).then(|| {
                format!("The prompt has {} tokens, more than {}.", whole(prompt_tokens), whole(*limit))
            }),
            HoldCondition::Cost(limit) => prompt_cost
                .filter(|cost| cost > limit)
                .map(|cost| format!("The prompt costs ${cost:.4} uncached, more than ${limit}.")),
            HoldCondition::Break => before.and_then(|before| {
                let place = before.differs_in?;
                let lost = counted_words((before.tokens - before.shared_tokens) as usize, "token");
                Some(format!(
                    "Its prefix breaks in the {place}: {lost} sent before cannot be found in a cache."
                ))
            }),
            HoldCondition::Result(limit) => {
                largest.as_ref().filter(|(_, tokens)| tokens > limit).map(|(tool, tokens)| {
                    format!("A result of {tool} has {} tokens, more than {}.", whole(*tokens), whole(*limit))
                })
            }
        };
        HeldReport {
            agent: agent.to_string(),
            reasons: self.conditions.iter().filter_map(reason).collect(),
            prompt_tokens,
            prompt_cost,
            before,
            request: json::to_pretty(&request.to_json()),
        }
    }

    fn continuation(&self, model: &str, earlier: &LlmRequest, later: &LlmRequest) -> Continuation {
        let common = common_prefix(earlier, later);
        let tokens = counted(&self.counting, model, earlier).tokens;
        let differs_in = match common.ends_in {
            PrefixEnd::Definitions => Some("tools"),
            PrefixEnd::System => Some("instruction"),
            PrefixEnd::Contents => Some("conversation"),
            PrefixEnd::Whole => None,
        };
        let shared = match differs_in {
            None => tokens,
            Some(_) => counted(&self.counting, model, &beginning(earlier, common)).tokens,
        };
        Continuation { tokens, shared_tokens: shared.min(tokens), differs_in }
    }

    fn largest_new_result(
        &self,
        agent: &Str,
        model: &str,
        request: &LlmRequest,
        known: &HashSet<(Str, Fingerprint)>,
    ) -> Option<(String, u32)> {
        let tokenizer = Tokenizer::of_model(model);
        let weigher = Weigher::new(&tokenizer, &self.counting.vocabularies, &self.counting.memo);
        let parts = request.contents.iter().flat_map(|content| content.parts.iter());
        let results = parts.filter_map(|part| {
            let result = part.part.function_response.as_deref()?;
            let is_known = known.contains(&(agent.clone(), part.fingerprint));
            let name = result.name.as_deref().unwrap_or_default().to_owned();
            (!is_known).then(|| (name, weigher.part(part).tokens))
        });
        results.max_by_key(|(_, tokens)| *tokens)
    }

    fn let_through(&self, held: &HeldCall, request: &LlmRequest) {
        let agent = &held.invocation.agent;
        let mut memory = self.memory();
        for part in request.contents.iter().flat_map(|content| content.parts.iter()) {
            if part.part.function_response.is_some() {
                memory.results.insert((agent.clone(), part.fingerprint));
            }
        }
        memory.sent.insert((agent.clone(), held.invocation.branch.clone()), Arc::new(request.clone()));
    }
}

/// What a request has in common with another one, in whole pieces and as much of the instruction.
fn beginning(request: &LlmRequest, common: CommonPrefix) -> LlmRequest {
    let mut shared = LlmRequest { model: request.model.clone(), ..LlmRequest::default() };
    if common.ends_in > PrefixEnd::Definitions {
        shared.tools.clone_from(&request.tools);
        let text = request.system_instruction.as_ref().map(|text| text.to_text()).unwrap_or_default();
        let end =
            if common.ends_in > PrefixEnd::System { text.len() } else { common.system_bytes.min(text.len()) };
        let text = text.get(..end).unwrap_or_default();
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

impl Gate for HoldGate {
    fn before_call(&self, held: HeldCall) -> BoxFuture<'_, Result<LlmRequest, Failure>> {
        Box::pin(async move {
            let request = held.compilation.working_context();
            if !self.memory().holds_nothing {
                let report = self.look(&held, &request);
                if !report.reasons.is_empty() {
                    let holder = self.holder.clone();
                    let asked = tokio::task::spawn_blocking(move || holder.decide(&report));
                    let decided = self.stop.run_until_cancelled(asked).await;
                    match decided.and_then(Result::ok).unwrap_or(HoldDecision::Stop) {
                        HoldDecision::Go => {}
                        HoldDecision::GoFreely => self.memory().holds_nothing = true,
                        HoldDecision::Stop => {
                            self.stop.cancel();
                            return Err(Failure::new("StoppedError", "The call was held and not sent."));
                        }
                    }
                }
            }
            self.let_through(&held, &request);
            Ok(request)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_what_is_none_is_refused() {
        assert_eq!("always".parse(), Ok(HoldCondition::Always));
        assert_eq!("agent=writer".parse(), Ok(HoldCondition::Agent("writer".into())));
        assert_eq!("tokens=20,000".parse(), Ok(HoldCondition::Tokens(20_000)));
        assert_eq!("cost=$0.05".parse(), Ok(HoldCondition::Cost(0.05)));
        assert_eq!("result=5_000".parse(), Ok(HoldCondition::Result(5_000)));
        for wrong in ["", "agent=", "tokens=many", "cost=", "break=1", "never"] {
            assert!(wrong.parse::<HoldCondition>().is_err(), "{wrong}");
        }
    }
}
