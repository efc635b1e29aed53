//! Agents that work inside another agent's turn.

use strata_model::app::{AgentKind, AgentMode, IncludeContents};
use strata_model::{Origin, Severity};

use super::carried::PieceKind;
use super::evidence::{Caller, Evidence, call_names};
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::phrases::{count, number};

pub(super) const FAMILY: Family = Family {
    title: "Delegated work",
    rules: &[
        Rule {
            code: "task-scope-lost",
            surprises: &["S28"],
            kind: FindingKind::Loss,
            title: "Dialogues of tasks without their scope",
            meaning: "The old database schema does not store scopes. Once the session is loaded again, the dialogue of \
                      a task is part of the coordinator's history, and the task no longer knows its own.",
            advice: "Migrate the session database to schema v1 or use `SqliteSessionService`.",
            look: task_scope_lost,
        },
        Rule {
            code: "unexplained-transfer-tool",
            surprises: &["S32"],
            kind: FindingKind::Trap,
            title: "A transfer tool nobody explains",
            meaning: "Agents in `task` and `single_turn` mode get `transfer_to_agent` without a word about when to use \
                      it. A hand-over out of delegated work leaves the work unfinished.",
            advice: "Set `disallow_transfer_to_parent` and `disallow_transfer_to_peers` on the agent.",
            look: unexplained_transfer_tool,
        },
        Rule {
            code: "input-shown-twice",
            surprises: &["S33"],
            kind: FindingKind::Trap,
            title: "The same input twice",
            meaning: "A `single_turn` agent with `include_contents: default` reads its input in the quoted call of its \
                      parent, and again as a message.",
            advice: "Leave `include_contents` out: in `single_turn` mode an agent gets its input alone.",
            look: input_shown_twice,
        },
        Rule {
            code: "turn-begins-with-an-agent",
            surprises: &["S35"],
            kind: FindingKind::Trap,
            title: "The user's message is not in the request",
            meaning: "With `include_contents: none` a turn begins with the last message of the user or of another \
                      agent. Behind another agent in a sequence, only that agent's last message is seen.",
            advice: "Put the user's request into state and show it in the instruction, or use `include_contents: \
                     default`.",
            look: turn_begins_with_an_agent,
        },
    ],
};

/// Agents in a mode whose work is scoped, with their events outside of any scope.
fn task_scope_lost(evidence: &Evidence<'_>) -> Vec<Observation> {
    let index = evidence.experiment.index();
    let is_task = |name: &str| {
        index.find(name).is_some_and(|id| {
            // At the top nobody delegates, so there is no scope.
            index.agent(id).mode == Some(AgentMode::Task) && index.parent(id).is_some()
        })
    };
    let mut tally = Tally::default();
    let unscoped = evidence.calls.iter().filter(|call| {
        let invocation = &call.call.invocation;
        is_task(call.name()) && invocation.isolation_scope.is_none() && invocation.node_path.is_empty()
    });
    let mut events = Vec::new();
    for call in unscoped {
        tally.add_call(call.call.number);
        events.push(call.call.answer);
    }
    if events.is_empty() {
        return Vec::new();
    }
    let message = format!(
        "{} of task agents without a scope and a place in the run: the coordinator reads their dialogue as its own \
         history.",
        count(events.len() as u64, "answer"),
    );
    vec![Observation::new(Severity::Error, message, tally).of_events(events)]
}

fn unexplained_transfer_tool(evidence: &Evidence<'_>) -> Vec<Observation> {
    let index = evidence.experiment.index();
    let has_tool = |caller: &Caller<'_>| {
        caller.agent.is_delegated()
            && index.can_transfer(caller.id)
            && !index.transfer_targets(caller.id).is_empty()
    };
    evidence
        .callers
        .iter()
        .filter(|caller| has_tool(caller))
        .map(|caller| {
            let answers = caller.calls.iter().filter_map(|call| evidence.event(call.call.answer));
            let transfers: Vec<_> = answers
                .filter(|answer| call_names(&answer.event).any(|name| name == "transfer_to_agent"))
                .filter_map(|answer| answer.index)
                .collect();
            let name = &caller.agent.name;
            let (severity, message) = if transfers.is_empty() {
                let n_calls = count(caller.calls.len() as u64, "call");
                (
                    Severity::Info,
                    format!("{name} could hand its work over in {n_calls} and was told nothing about it."),
                )
            } else {
                (
                    Severity::Warning,
                    format!("{name} handed over its work, for which it had a tool and no instruction."),
                )
            };
            let origin = Origin::Tool { name: "transfer_to_agent".into() };
            Observation::new(severity, message, caller.tally()).of_events(transfers).of_origins([origin])
        })
        .collect()
}

fn input_shown_twice(evidence: &Evidence<'_>) -> Vec<Observation> {
    evidence
        .callers
        .iter()
        .filter_map(|caller| {
            let is_twice = caller.calls.iter().any(|call| {
                call.call.input.is_some() && call.include_contents == IncludeContents::Default
            });
            if !is_twice {
                return None;
            }
            let numbers: Vec<u32> = caller.calls.iter().map(|call| call.call.number).collect();
            let own = Tally::of_calls(numbers.iter().copied()).calls();
            let mut tally = Tally::default();
            let is_input = |origin: &Origin| matches!(origin, Origin::Run { field } if &**field == "input");
            for sent in evidence.sent([PieceKind::Runtime]).filter(|sent| is_input(&sent.piece.origin)) {
                evidence.add_in(&mut tally, sent, &own);
            }
            let tokens = tally.tokens();
            for number in &numbers {
                tally.add_call(*number);
            }
            let message = format!(
                "{} read its input twice in {}: in the call that is quoted to it, and as a message of {} tokens in \
                 all.",
                caller.agent.name,
                count(numbers.len() as u64, "call"),
                number(tokens),
            );
            Some(Observation::new(Severity::Info, message, tally))
        })
        .collect()
}

fn turn_begins_with_an_agent(evidence: &Evidence<'_>) -> Vec<Observation> {
    let index = evidence.experiment.index();
    evidence
        .callers
        .iter()
        .filter_map(|caller| {
            let parent = index.parent(caller.id)?;
            if index.agent(parent).kind != AgentKind::Sequential {
                return None;
            }
            let mut tally = Tally::default();
            let mut before = None;
            for call in caller.calls.iter().filter(|call| call.sees_one_turn()) {
                let first = call.result.request.contents.get(0);
                let shown = first.and_then(|content| content.parts.last()?.main_origin().event());
                let author = shown.and_then(|event| evidence.event(event)).filter(|logged| {
                    !logged.event.is_from_user() && logged.event.author != caller.agent.name
                });
                if let Some(author) = author {
                    tally.add_call(call.call.number);
                    before = Some(author.event.author.clone());
                }
            }
            let message = format!(
                "{} saw the last message of {} and not what the user said, in {}.",
                caller.agent.name,
                before?,
                count(tally.n_calls(), "call"),
            );
            Some(Observation::new(Severity::Info, message, tally))
        })
        .collect()
}
