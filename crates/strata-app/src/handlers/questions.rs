//! Questions with an answer in one line and a view state that shows it.

mod caches;
mod edits;
mod prompts;
mod words;

use std::collections::{BTreeMap, HashSet};
use strata_measure::analysis::{CacheAnalysis, Kind, SessionAnalysis};
use strata_model::{Origin, Str};

use super::event::used_events;
use super::stages::CompiledCall;
use crate::Strata;
use crate::api::call::{StageList, Stages};
use crate::api::event::EventOrder;
use crate::api::palette::{Answer, Ask, Question};
use crate::command::Handler;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::show::words::{counted, listed, whole};
use crate::tables::Tables;
use words::said;

impl Handler for Ask {
    fn run(self, strata: &Strata) -> Result<Answer, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let (tables, cursor) = (&strata.tables, self.cursor);
        let compiled = || CompiledCall::get(strata, &self.session, cursor);
        let with_caches = |look: &dyn Fn(&SessionAnalysis, &CacheAnalysis) -> Answer| {
            let analysis = open.analysis();
            let caches = open.caches(&analysis, tables)?;
            Ok::<_, AppError>(look(&analysis, &caches))
        };
        Ok(match self.question {
            Question::CostliestToolResult => costliest_tool_result(&open, tables),
            Question::LargestCalls => largest_calls(&open.analysis()),
            Question::PromptByKind => prompt_by_kind(&open.analysis(), cursor),
            Question::ToolsNeverCalled => tools_never_called(&open, &open.analysis()),
            Question::CostliestTurn => costliest_turn(&open, &open.analysis()),
            Question::CostliestAgent => costliest_agent(&open, &open.analysis()),
            Question::WhatGrewSincePreviousCall => growth(&open.analysis(), cursor),
            Question::HiddenContext => hidden_context(&open, &open.analysis()),
            Question::LookedUp => prompts::looked_up(open.experiment.log(), &open.analysis()),
            Question::StageThatAddedMost | Question::StagesThatDidNothing => {
                let stages = Stages { session: self.session.clone(), call: cursor }.run(strata)?;
                of_stages(self.question, &stages, compiled()?.number)
            }
            Question::LeftOut => prompts::left_out(&compiled()?)?,
            Question::Reframed => prompts::reframed(&compiled()?),
            Question::StateShown => prompts::state_shown(&compiled()?)?,
            Question::EditEffect => edits::effect(strata, &open)?,
            Question::WhyMissed => with_caches(&|_, caches| caches::why_missed(&open, caches, cursor))?,
            Question::DearestCalls => with_caches(&|_, caches| caches::dearest_calls(caches))?,
            Question::AvoidableBreaks => with_caches(&|_, caches| caches::avoidable_breaks(&open, caches))?,
            Question::StableShare => with_caches(&|_, caches| caches::stable_share(caches))?,
            Question::BelowMinimum => with_caches(&caches::below_minimum)?,
            Question::BestCacheFix => caches::best_fix(&open, &open.analysis(), tables)?,
            Question::CompactionSavings => edits::compaction(strata, &self.session)?,
        })
    }
}

fn costliest_tool_result(open: &OpenSession, tables: &Tables) -> Answer {
    let used = used_events(open, tables);
    let facts = open.events().facts();
    let is_sent = |at: &&u32| facts[**at as usize].kind == Kind::Result && used.uses[**at as usize].calls > 0;
    let Some(at) = used.by_lifetime.iter().find(is_sent) else { return said("No tool result was sent.") };
    let (facts, usage) = (&facts[*at as usize], used.uses[*at as usize]);
    let tool = facts.tools.first().map_or("", |tool| &**tool);
    Answer {
        address: Some(format!("E{}", at + 1)),
        filter: Some("kind:result".to_owned()),
        order: Some(EventOrder::ByLifetime),
        ..said(format!(
            "E{} {tool}, {} tokens in {}, {} over the session",
            at + 1,
            whole(used.tokens[*at as usize]),
            counted(usage.calls as usize, "call"),
            whole(usage.lifetime as i64)
        ))
    }
}

fn largest_calls(analysis: &SessionAnalysis) -> Answer {
    let mut calls: Vec<_> = analysis.calls().iter().collect();
    calls.sort_by_key(|call| std::cmp::Reverse(call.total.tokens));
    let named: Vec<String> =
        calls.iter().take(3).map(|call| format!("C{} {}", call.number, whole(call.total.tokens))).collect();
    let address = calls.first().map(|call| format!("C{}", call.number));
    if named.is_empty() {
        said("This session has no calls.")
    } else {
        Answer { address, ..said(named.join(", ")) }
    }
}

fn prompt_by_kind(analysis: &SessionAnalysis, cursor: u32) -> Answer {
    let Some(call) = analysis.call(cursor) else { return said(format!("C{cursor} is not compiled yet.")) };
    let mut kinds: Vec<(&str, u32)> = Kind::ALL
        .iter()
        .map(|kind| kind.name())
        .zip(call.by_kind)
        .filter(|(_, tokens)| *tokens > 0)
        .collect();
    kinds.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
    let kinds: Vec<String> =
        kinds.into_iter().map(|(kind, tokens)| format!("{kind} {}", whole(tokens))).collect();
    Answer { address: Some(format!("C{cursor}")), ..said(format!("C{cursor} holds {}", kinds.join(", "))) }
}

fn tools_never_called(open: &OpenSession, analysis: &SessionAnalysis) -> Answer {
    let events = &open.experiment.session().events;
    let called: HashSet<&str> = events
        .iter()
        .flat_map(|event| event.function_calls())
        .filter_map(|call| call.name.as_deref())
        .collect();
    let mut idle: Vec<(String, u64)> = Vec::new();
    for source in analysis.ledger().sources() {
        if let (Origin::Tool { name }, Kind::Tools) = (&source.origin, source.kind)
            && !called.contains(&**name)
        {
            idle.push((name.to_string(), source.usage.lifetime));
        }
    }
    if idle.is_empty() {
        return said("Every tool that was declared was called.");
    }
    let names: Vec<&str> = idle.iter().map(|(name, _)| &**name).collect();
    let tokens: u64 = idle.iter().map(|(_, tokens)| tokens).sum();
    said(format!("{}: {} tokens over the session", listed(&names), whole(tokens as i64)))
}

fn costliest_turn(open: &OpenSession, analysis: &SessionAnalysis) -> Answer {
    let mut turns: BTreeMap<u32, (u64, u32, u32, u32)> = BTreeMap::new();
    for (call, analysed) in open.experiment.calls().iter().zip(analysis.calls()) {
        let (tokens, n_calls, first, last) =
            turns.entry(call.turn).or_insert((0, 0, call.number, call.number));
        *tokens += u64::from(analysed.total.tokens);
        *n_calls += 1;
        *first = (*first).min(call.number);
        *last = (*last).max(call.number);
    }
    let Some((turn, (tokens, n_calls, first, last))) = turns.into_iter().max_by_key(|(_, turn)| turn.0)
    else {
        return said("This session has no calls.");
    };
    let text =
        format!("Turn {turn}, {} tokens in {}", whole(tokens as i64), counted(n_calls as usize, "call"));
    Answer { filter: Some(format!("call:{first}..{last}")), ..said(text) }
}

fn costliest_agent(open: &OpenSession, analysis: &SessionAnalysis) -> Answer {
    let mut agents: BTreeMap<&Str, u64> = BTreeMap::new();
    let mut all = 0;
    for (call, analysed) in open.experiment.calls().iter().zip(analysis.calls()) {
        *agents.entry(&call.invocation.agent).or_default() += u64::from(analysed.total.tokens);
        all += u64::from(analysed.total.tokens);
    }
    let Some((agent, tokens)) = agents.into_iter().max_by_key(|(_, tokens)| *tokens) else {
        return said("This session has no calls.");
    };
    Answer {
        filter: Some(format!("agent:{agent}")),
        order: Some(EventOrder::ByLifetime),
        ..said(format!("{agent}, {} of {} tokens", whole(tokens as i64), whole(all as i64)))
    }
}

/// By kind, against the call before in the lineage.
fn growth(analysis: &SessionAnalysis, cursor: u32) -> Answer {
    let Some(call) = analysis.call(cursor) else { return said(format!("C{cursor} is not compiled yet.")) };
    let Some(before) = call.previous.and_then(|previous| analysis.call(previous)) else {
        return said(format!("C{cursor} is the first call of its agent: there is none before it."));
    };
    let difference = i64::from(call.total.tokens) - i64::from(before.total.tokens);
    let mut kinds: Vec<(&str, i64)> = Kind::ALL
        .iter()
        .map(|kind| kind.name())
        .zip(call.by_kind.iter().zip(&before.by_kind).map(|(now, then)| i64::from(*now) - i64::from(*then)))
        .filter(|(_, difference)| *difference != 0)
        .collect();
    kinds.sort_by_key(|(_, difference)| std::cmp::Reverse(difference.abs()));
    let signed = |number: i64| if number > 0 { format!("+{}", whole(number)) } else { whole(number) };
    let kinds: Vec<String> =
        kinds.into_iter().map(|(kind, difference)| format!("{kind} {}", signed(difference))).collect();
    let text =
        format!("C{cursor} against C{}: {} tokens; {}", before.number, signed(difference), kinds.join(", "));
    Answer { address: Some(format!("C{cursor}/contents")), ..said(text.trim_end_matches("; ").to_owned()) }
}

/// What the provider counted and the file does not show.
fn hidden_context(open: &OpenSession, analysis: &SessionAnalysis) -> Answer {
    let reports: Vec<(u32, u64)> = analysis
        .calls()
        .iter()
        .filter_map(|call| {
            let reported = open.experiment.call(call.number)?.usage.as_ref()?.prompt_token_count?;
            Some((call.number, reported.saturating_sub(call.total.tokens.into())))
        })
        .collect();
    let Some((call, most)) = reports.iter().max_by_key(|(_, hidden)| *hidden) else {
        return said(
            "No provider reported how many tokens it read, so nothing can be said about what the session does not show.",
        );
    };
    // Where our count is too high nothing is hidden; it is not set against the calls that hide something.
    let n_hiding = reports.iter().filter(|(_, hidden)| *hidden > 0).count();
    if n_hiding == 0 {
        return said("No provider read more than this session shows.");
    }
    let all = reports.iter().fold(0_u64, |sum, (_, hidden)| sum.saturating_add(*hidden));
    Answer {
        address: Some(format!("C{call}")),
        ..said(format!(
            "Providers read {} tokens that this session does not show, in {} of {}; at most {} in C{call}",
            whole(as_i64(all)),
            whole(n_hiding as i64),
            counted(reports.len(), "call"),
            whole(as_i64(*most))
        ))
    }
}

/// A count from a file, which may be any number.
fn as_i64(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn of_stages(question: Question, stages: &StageList, call: u32) -> Answer {
    if question == Question::StagesThatDidNothing {
        let idle = stages.rows.iter().filter(|row| !row.is_changed).count();
        return said(format!("{idle} of {} left C{call} as it was", counted(stages.rows.len(), "processor")));
    }
    let added =
        |row: &&crate::api::call::StageRow| i64::from(row.tokens_after) - i64::from(row.tokens_before);
    let Some(row) = stages.rows.iter().max_by_key(added) else {
        return said(format!("C{call} has no stages."));
    };
    Answer {
        address: Some(format!("C{call}/{}", row.processor)),
        ..said(format!("{} added {} tokens to C{call}", row.processor, whole(added(&row))))
    }
}
