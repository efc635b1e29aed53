//! What a session comes to, beside what it may.

use std::collections::BTreeMap;

use strata_measure::analysis::{
    BillTotals, BilledCalls, CacheAnalysis, CallAnalysis, CallCache, SessionAnalysis,
};
use strata_measure::findings::{Finding, findings};
use strata_model::EventIndex;
use strata_wire::{Item, prompt_segments};

use super::super::origin;
use super::super::source::{Compiled, Subject};
use super::blame::{self, Block};
use super::budget::Limits;
use super::checked::{Amount, BudgetFailure, BudgetReport, Checked};
use crate::open::finding_cost;
use crate::show::SegmentScale;
use crate::show::words::{counted, whole};
use crate::tables::Tables;

/// Whose calls are looked at.
type Agent<'a> = Option<&'a str>;

/// A session with everything that budgets are about.
pub(super) struct MeasuredSession<'s> {
    subject: &'s Subject,
    analysis: &'s SessionAnalysis,
    tables: &'s Tables,
    caches: &'s CacheAnalysis,
    found: Vec<Finding>,
}

/// A tool's result, where it is largest.
struct ToolResult {
    call: u32,
    tokens: u32,
}

impl<'s> MeasuredSession<'s> {
    pub(super) fn of(subject: &'s Subject, compiled: &'s Compiled, tables: &'s Tables) -> Self {
        let Compiled { analysis, caches, .. } = compiled;
        let found = findings(&subject.experiment, compiled.billed(), &tables.counting);
        Self { subject, analysis, tables, caches, found }
    }

    pub(super) fn n_calls(&self, agent: Agent<'_>) -> usize {
        self.calls(agent).count()
    }

    /// Whether the session's app has an agent of that name.
    pub(super) fn is_of_app(&self, agent: &str) -> bool {
        self.subject.experiment.index().find(agent).is_some()
    }

    /// Those that made calls.
    pub(super) fn agents(&self) -> Vec<&str> {
        let mut agents: Vec<&str> = Vec::new();
        for call in &self.caches.calls {
            if !agents.contains(&&*call.agent) {
                agents.push(&call.agent);
            }
        }
        agents
    }

    /// `own` are the tables of agents: what one of them says of a single call or result holds in place of what is
    /// said for all.
    pub(super) fn check(&self, limits: &Limits, agent: Agent<'_>, own: &BTreeMap<String, Limits>) -> Checked {
        let mut checked = Checked::default();
        let has_own = |call: &CallCache, says: fn(&Limits) -> bool| {
            agent.is_none() && own.get(&*call.agent).is_some_and(says)
        };
        if let Some(limit) = limits.max_prompt_tokens {
            let calls =
                self.calls(agent).filter(|call| !has_own(call, |own| own.max_prompt_tokens.is_some()));
            self.prompts(limit, agent, calls, &mut checked);
        }
        if let Some(limit) = limits.max_session_tokens {
            self.session_tokens(limit, agent, &mut checked);
        }
        if let Some(limit) = limits.max_cost {
            self.cost(limit, agent, &mut checked);
        }
        if let Some(limit) = limits.min_cache_ratio {
            self.cache_ratio(limit, agent, &mut checked);
        }
        if let Some(limit) = limits.max_tool_result_tokens {
            let calls =
                self.calls(agent).filter(|call| !has_own(call, |own| own.max_tool_result_tokens.is_some()));
            self.tool_results(limit, agent, calls, &mut checked);
        }
        for code in &limits.forbid {
            self.forbidden(code, agent, &mut checked);
        }
        checked
    }

    fn calls(&self, agent: Agent<'_>) -> impl Iterator<Item = &CallCache> {
        self.caches.calls.iter().filter(move |call| agent.is_none_or(|agent| *call.agent == *agent))
    }

    fn compiled(&self, call: u32) -> Option<&CallAnalysis> {
        self.analysis.call(call)
    }

    fn largest_block(&self, call: u32) -> Option<Block> {
        blame::largest(self.subject, self.analysis, self.tables, self.compiled(call)?)
    }

    /// The call with the largest prompt.
    fn largest_call<'c>(calls: impl Iterator<Item = &'c CallCache>) -> Option<&'c CallCache> {
        calls.max_by_key(|call| (call.bill.prompt_tokens, std::cmp::Reverse(call.call)))
    }

    fn prompts<'c>(
        &self,
        limit: u64,
        agent: Agent<'_>,
        calls: impl Iterator<Item = &'c CallCache>,
        checked: &mut Checked,
    ) {
        let calls: Vec<_> = calls.collect();
        let Some(worst) = Self::largest_call(calls.iter().copied()) else { return };
        let actual = u64::from(worst.bill.prompt_tokens);
        let n_over = calls.iter().filter(|call| u64::from(call.bill.prompt_tokens) > limit).count();
        let budget = Budgeted::new("max_prompt_tokens", agent, Amount::Tokens(limit), Amount::Tokens(actual));
        budget.enter(actual <= limit, checked, || {
            let block = self.largest_block(worst.call);
            let most = block.as_ref().map_or(String::new(), |block| {
                let tokens = counted(block.tokens as usize, "token");
                format!("; the largest block of it is {}, {tokens}", block.name)
            });
            let message = format!(
                "C{} has a prompt of {} tokens{most}. {} over the limit of {}.",
                worst.call,
                whole(worst.bill.prompt_tokens),
                if n_over == 1 {
                    "It alone is".to_owned()
                } else {
                    format!("{} are", counted(n_over, "call"))
                },
                whole(limit as i64)
            );
            Failure {
                call: Some(worst.call),
                cost: worst.bill.cost_usd(),
                ..Failure::of_block(block, message)
            }
        });
    }

    fn session_tokens(&self, limit: u64, agent: Agent<'_>, checked: &mut Checked) {
        let actual = self.bill(agent).prompt_tokens;
        let budget =
            Budgeted::new("max_session_tokens", agent, Amount::Tokens(limit), Amount::Tokens(actual));
        budget.enter(actual <= limit, checked, || {
            let worst = Self::largest_call(self.calls(agent)).map(|call| call.call);
            let message = format!(
                "{} sent {} prompt tokens, {} more than {}.",
                counted(self.n_calls(agent), "call"),
                whole(actual as i64),
                whole((actual - limit) as i64),
                whole(limit as i64)
            );
            let block = worst.and_then(|call| self.largest_block(call));
            Failure { call: worst, cost: self.dollars(agent).ok(), ..Failure::of_block(block, message) }
        });
    }

    /// Nobody can say that a cost keeps to a limit while a part of it is unknown.
    fn cost(&self, limit: f64, agent: Agent<'_>, checked: &mut Checked) {
        let actual = self.dollars(agent);
        let amount = actual.as_ref().map_or(Amount::Unknown, |dollars| Amount::Dollars(*dollars));
        let budget = Budgeted::new("max_cost", agent, Amount::Dollars(limit), amount);
        let is_kept = actual.as_ref().is_ok_and(|actual| *actual <= limit);
        budget.enter(is_kept, checked, || {
            let dollars = match &actual {
                Ok(dollars) => *dollars,
                Err(Unpriced { call, model }) => {
                    let what = call.map_or("writing its summaries".to_owned(), |call| format!("C{call}"));
                    let message = format!(
                        "No price of {model} is known, so it is not known what {what} costs. Give the agents whose \
                         models have a price budgets of their own."
                    );
                    return Failure { call: *call, ..Failure::of_block(None, message) };
                }
            };
            let cost = |call: &CallCache| call.bill.cost_usd().unwrap_or(0.0);
            let dearest = self.calls(agent).max_by(|a, b| cost(a).total_cmp(&cost(b)));
            let summaries = match self.bill(agent).summaries.summaries {
                0 => String::new(),
                n => format!(" and {}", counted(n as usize, "summary")),
            };
            let limit_said = if limit < 0.0001 { limit.to_string() } else { format!("{limit:.4}") };
            let message = format!(
                "{}{summaries} cost ${dollars:.4}, ${:.4} more than ${limit_said}.",
                counted(self.n_calls(agent), "call"),
                dollars - limit
            );
            let block = dearest.and_then(|call| self.largest_block(call.call));
            let call = dearest.map(|call| call.call);
            Failure { call, cost: Some(dollars), ..Failure::of_block(block, message) }
        });
    }

    /// US dollars of all calls, and of the summaries of a whole session; or what has no price.
    fn dollars(&self, agent: Agent<'_>) -> Result<f64, Unpriced> {
        let bill = self.bill(agent);
        if let Some(call) = self.calls(agent).find(|call| call.bill.cost.is_none()) {
            let model = if call.model.is_empty() { "a model that nothing names" } else { &*call.model };
            return Err(Unpriced { call: Some(call.call), model: model.to_owned() });
        }
        if bill.summaries.cost.is_none() {
            return Err(Unpriced { call: None, model: "the model that wrote summaries".to_owned() });
        }
        Ok(bill.cost_usd().unwrap_or(0.0))
    }

    /// Summaries are nobody's: they are in the bill of the whole session.
    fn bill(&self, agent: Agent<'_>) -> BillTotals {
        match agent {
            None => self.caches.bill(),
            Some(_) => BillTotals::of(self.calls(agent).map(|call| &call.bill)),
        }
    }

    fn cache_ratio(&self, limit: f64, agent: Agent<'_>, checked: &mut Checked) {
        let bill = self.bill(agent);
        let (actual, prompts) = (bill.cache_ratio(), bill.paid_tokens());
        let budget = Budgeted::new("min_cache_ratio", agent, Amount::Share(limit), Amount::Share(actual));
        budget.enter(actual >= limit, checked, || {
            let losses = self.caches.losses();
            let mut of_agent =
                losses.into_iter().filter(|(call, _)| agent.is_none_or(|agent| *call.agent == *agent));
            let worst = of_agent.next();
            let why = worst.map_or(String::new(), |(call, loss)| {
                let why = loss.cause.sentence(&self.subject.experiment);
                format!(" C{} lost most, {} tokens: {why}.", call.call, whole(loss.tokens))
            });
            let message = format!(
                "{:.1} % of {} prompt tokens were found in a cache, less than {:.1} %.{why}",
                actual * 100.0,
                whole(prompts as i64),
                limit * 100.0
            );
            Failure {
                call: worst.map(|(call, _)| call.call),
                stage: worst.and_then(|(_, loss)| loss.stage.as_ref()).map(ToString::to_string),
                origin: worst.and_then(|(_, loss)| loss.origin.as_ref()).map(origin::text),
                cost: worst.and_then(|(_, loss)| loss.cost_usd),
                message,
            }
        });
    }

    fn tool_results<'c>(
        &self,
        limit: u64,
        agent: Agent<'_>,
        calls: impl Iterator<Item = &'c CallCache>,
        checked: &mut Checked,
    ) {
        let results = self.results(calls);
        let largest = results.values().map(|result| u64::from(result.tokens)).max().unwrap_or(0);
        let name = "max_tool_result_tokens";
        let of = |actual| Budgeted::new(name, agent, Amount::Tokens(limit), Amount::Tokens(actual));
        let mut over: Vec<_> =
            results.iter().filter(|(_, result)| u64::from(result.tokens) > limit).collect();
        over.sort_by_key(|(event, result)| (std::cmp::Reverse(result.tokens), event.as_usize()));
        checked.budgets.push(of(largest).report(over.is_empty()));
        let rates = BilledCalls { analysis: self.analysis, caches: self.caches }.rates(&self.tables.prices);
        for (event, result) in over {
            let Some(compiled) = self.compiled(result.call) else { continue };
            let mut segments = prompt_segments(&compiled.request);
            let Some(segment) = segments
                .find(|segment| segment.main_origin().and_then(|origin| origin.event()) == Some(*event))
            else {
                continue;
            };
            let block = blame::block(self.subject, compiled, &segment, result.tokens);
            let n_calls = self.carried(*event, agent);
            let message = format!(
                "{} is {} tokens of tool result in {}, more than {}.",
                block.name,
                whole(result.tokens),
                counted(n_calls, "call"),
                whole(limit as i64)
            );
            let cost = rates.of_call(result.call, result.tokens, 0);
            let failure =
                Failure { call: Some(result.call), cost, ..Failure::of_block(Some(block), message) };
            checked.failures.push(of(result.tokens.into()).failure(failure));
        }
    }

    /// Results of tools by their events: the call that carried each at its largest, the first of them.
    fn results<'c>(&self, calls: impl Iterator<Item = &'c CallCache>) -> BTreeMap<EventIndex, ToolResult> {
        let mut results: BTreeMap<EventIndex, ToolResult> = BTreeMap::new();
        for call in calls.filter_map(|call| self.compiled(call.call)) {
            let Ok(scale) = self.subject.scale(self.analysis, self.tables, call) else { continue };
            let weigh = SegmentScale::new(scale, &call.request);
            let mut of_call: BTreeMap<EventIndex, u32> = BTreeMap::new();
            for segment in prompt_segments(&call.request) {
                let is_result =
                    matches!(&segment.item, Item::Part { part, .. } if part.part.function_response.is_some());
                let event = segment.main_origin().and_then(|origin| origin.event());
                if let Some(event) = event.filter(|_| is_result) {
                    *of_call.entry(event).or_default() += weigh.count(&segment).tokens;
                }
            }
            for (event, tokens) in of_call {
                let known = results.entry(event).or_insert(ToolResult { call: call.number, tokens });
                if tokens > known.tokens {
                    *known = ToolResult { call: call.number, tokens };
                }
            }
        }
        results
    }

    /// Calls whose prompts hold something of an event.
    fn carried(&self, event: EventIndex, agent: Agent<'_>) -> usize {
        let holds = |call: &&CallCache| {
            self.compiled(call.call).is_some_and(|compiled| {
                prompt_segments(&compiled.request)
                    .any(|segment| segment.main_origin().and_then(|origin| origin.event()) == Some(event))
            })
        };
        self.calls(agent).filter(holds).count()
    }

    fn forbidden(&self, code: &str, agent: Agent<'_>, checked: &mut Checked) {
        let is_of_agent = |finding: &&Finding| {
            let mut numbers = finding.calls.iter().flat_map(|range| range.first..=range.last);
            agent.is_none_or(|agent| {
                numbers.any(|call| self.caches.call(call).is_some_and(|call| *call.agent == *agent))
            })
        };
        let found: Vec<&Finding> =
            self.found.iter().filter(|finding| finding.code == code).filter(is_of_agent).collect();
        let times = Amount::Times(found.len() as u64);
        let budget = Budgeted::new("forbid", agent, Amount::Code(code.to_owned()), times);
        checked.budgets.push(budget.report(found.is_empty()));
        for finding in found {
            let event = finding.events.first().map(|event| format!("E{}", event.number()));
            let call = finding.calls.first().map(|range| range.first);
            let stage = call.and_then(|call| self.caches.call(call)?.loss.as_ref()?.stage.clone());
            checked.failures.push(budget.failure(Failure {
                call,
                stage: stage.map(|stage| stage.to_string()),
                origin: finding.origins.first().map(origin::text).or(event),
                cost: finding_cost(finding, &self.tables.prices),
                message: format!("{} {}", finding.message, finding.advice),
            }));
        }
    }
}

/// A budget and what was measured.
struct Budgeted {
    name: &'static str,
    agent: Option<String>,
    limit: Amount,
    actual: Amount,
}

/// A call of a model whose price is not known.
struct Unpriced {
    /// None: summaries.
    call: Option<u32>,
    model: String,
}

/// What is said of a budget that was broken.
struct Failure {
    call: Option<u32>,
    stage: Option<String>,
    origin: Option<String>,
    cost: Option<f64>,
    message: String,
}

impl Failure {
    fn of_block(block: Option<Block>, message: String) -> Self {
        let (stage, origin) = block.map_or((None, None), |block| (block.stage, block.origin));
        Self { call: None, stage, origin, cost: None, message }
    }
}

impl Budgeted {
    fn new(name: &'static str, agent: Agent<'_>, limit: Amount, actual: Amount) -> Self {
        Self { name, agent: agent.map(str::to_owned), limit, actual }
    }

    fn report(&self, passed: bool) -> BudgetReport {
        BudgetReport {
            budget: self.name,
            agent: self.agent.clone(),
            limit: self.limit.clone(),
            actual: self.actual.clone(),
            passed,
        }
    }

    fn failure(&self, failure: Failure) -> BudgetFailure {
        let Failure { call, stage, origin, cost, message } = failure;
        BudgetFailure {
            budget: self.name,
            agent: self.agent.clone(),
            limit: self.limit.clone(),
            actual: self.actual.clone(),
            call,
            stage,
            origin,
            cost,
            message,
        }
    }

    fn enter(&self, passed: bool, checked: &mut Checked, why: impl FnOnce() -> Failure) {
        checked.budgets.push(self.report(passed));
        if !passed {
            checked.failures.push(self.failure(why()));
        }
    }
}
