//! Handing over between agents, and agents that run as tools.

use std::collections::BTreeMap;

use strata_model::{Origin, Severity, Str, Tool};

use super::carried::PieceKind;
use super::evidence::{Evidence, call_names, result_names};
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::phrases::{count, listed, number};

/// From this part of everything sent on (1/20, 5 %), explaining hand-overs is worth thinking about. Every app with
/// several agents pays some of it.
const TRANSFER_SHARE: u64 = 20;
/// Agents have to take turns this often before it is a habit and not a hand-over.
const MIN_SWITCHES: usize = 4;
/// Only then is the share of what is paid again for it (1/20) worth a redesign.
const SWITCH_SHARE: u64 = 20;

pub(super) const FAMILY: Family = Family {
    title: "Agents",
    rules: &[
        Rule {
            code: "transfer-instructions",
            surprises: &["S09"],
            kind: FindingKind::Bloat,
            title: "Explaining whom one can hand over to",
            meaning: "Every agent that can hand over is told about each possible target and the rules, with every \
                      call. The text grows with the number of peers.",
            advice: "Set `disallow_transfer_to_parent` and `disallow_transfer_to_peers` where nobody hands over, and \
                     keep descriptions short.",
            look: transfer_instructions,
        },
        Rule {
            code: "agents-alternate",
            surprises: &["S12"],
            kind: FindingKind::Prefix,
            title: "Agents that take turns share no prefix",
            meaning: "Another agent has another instruction, other tools and another view of the history, so its \
                      prompt begins differently. Explicit caches are kept for each agent apart.",
            advice: "Let one agent stay in charge and call the others as tools, so that its prefix grows on.",
            look: agents_alternate,
        },
        Rule {
            code: "parent-is-no-target",
            surprises: &["S44"],
            kind: FindingKind::Trap,
            title: "Told to hand over to a parent that cannot take it",
            meaning: "An agent below a workflow agent is told to hand over to its parent in doubt, and the parent is \
                      not among the targets it may name.",
            advice: "Set `disallow_transfer_to_parent` on the agent.",
            look: parent_is_no_target,
        },
        Rule {
            code: "agent-tool-out-of-sight",
            surprises: &["S45"],
            kind: FindingKind::Trap,
            title: "Agents that ran outside of this session",
            meaning: "An agent tool runs in a session of its own: without history and memory, with a copy of the \
                      state. Its calls and their tokens are not in the parent's session.",
            advice: "Add its usage when you compare with a bill. A sub-agent in `single_turn` or `task` mode runs \
                     inside the session instead.",
            look: agent_tool_out_of_sight,
        },
    ],
};

fn transfer_instructions(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut by_agent: BTreeMap<&str, Tally> = BTreeMap::new();
    for sent in evidence.sent([PieceKind::Head]) {
        let Some(call) = evidence.call(evidence.carriers(sent).first_call()) else { continue };
        let is_about_transfer = match &sent.piece.origin {
            Origin::Processor { name } => &**name == "agent_transfer",
            Origin::Agent { name, .. } => **name != *call.name(),
            Origin::Tool { name } => &**name == "transfer_to_agent",
            _ => false,
        };
        if is_about_transfer {
            evidence.add(by_agent.entry(call.name()).or_default(), sent);
        }
    }
    let tokens: u64 = by_agent.values().map(Tally::tokens).sum();
    if !evidence.is_worth(tokens) || tokens * TRANSFER_SHARE < evidence.total {
        return Vec::new();
    }
    let costly = by_agent.into_iter().filter(|(_, tally)| evidence.is_worth(tally.tokens()));
    costly
        .map(|(agent, tally)| {
            let message = format!(
                "{agent} was told whom it can hand over to in {}: {} tokens, {}.",
                count(tally.n_calls(), "call"),
                number(tally.tokens()),
                evidence.share(tally.tokens()),
            );
            let origins = [Origin::processor("agent_transfer")];
            Observation::new(Severity::Info, message, tally).of_origins(origins)
        })
        .collect()
}

fn agents_alternate(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut tally = Tally::default();
    let mut n_switches = 0;
    for pair in evidence.calls.windows(2) {
        let (before, now) = (&pair[0], &pair[1]);
        // Work on parallel branches does not take turns, and neither does work inside another agent's turn.
        let is_delegated = [before, now].iter().any(|call| call.call.invocation.branch.is_some());
        if is_delegated || before.name() == now.name() {
            continue;
        }
        n_switches += 1;
        // Had the same agent gone on, its earlier prompt would have been the prefix.
        let kept = before.result.total.tokens.min(now.result.total.tokens);
        let lost = kept.saturating_sub(now.result.matched.tokens);
        tally.add_rebilled(&evidence.models, now.call.number, lost);
    }
    let tokens = tally.tokens();
    if n_switches < MIN_SWITCHES || tokens * SWITCH_SHARE < evidence.total {
        return Vec::new();
    }
    let message = format!(
        "{} took turns {} times. After each change the prompt began anew, and {} tokens that an agent staying in \
         charge would have found in its cache were paid in full.",
        listed(&evidence.callers.iter().map(|caller| &*caller.agent.name).collect::<Vec<_>>()),
        n_switches,
        number(tokens),
    );
    vec![Observation::new(evidence.severity(tokens), message, tally)]
}

fn parent_is_no_target(evidence: &Evidence<'_>) -> Vec<Observation> {
    let index = evidence.experiment.index();
    let misled = evidence.callers.iter().filter_map(|caller| {
        let parent = index.parent(caller.id).filter(|_| caller.agent.allows_transfer_to_parent())?;
        let parent = index.agent(parent);
        let is_told = !caller.agent.is_delegated() && !index.transfer_targets(caller.id).is_empty();
        (is_told && !parent.is_llm()).then_some((caller, parent))
    });
    misled
        .map(|(caller, parent)| {
            let message = format!(
                "{} is told \"transfer to your parent agent {}\", but {} runs other agents and cannot be handed over \
                 to: a model that obeys fails.",
                caller.agent.name, parent.name, parent.name
            );
            Observation::new(Severity::Warning, message, caller.tally())
        })
        .collect()
}

fn agent_tool_out_of_sight(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut by_agent: BTreeMap<Str, (Tally, Vec<strata_model::EventIndex>)> = BTreeMap::new();
    let names = agent_tools(evidence);
    if names.is_empty() {
        return Vec::new();
    }
    for (at, logged) in evidence.live_events() {
        for name in
            result_names(&logged.event).filter_map(|name| names.iter().find(|known| ***known == *name))
        {
            by_agent.entry(name.clone()).or_default().1.push(at);
        }
    }
    for call in &evidence.calls {
        let answer = evidence.event(call.call.answer);
        for name in answer.into_iter().flat_map(|answer| call_names(&answer.event)) {
            if let Some((tally, _)) = by_agent.get_mut(name) {
                tally.add_call(call.call.number);
            }
        }
    }
    by_agent
        .into_iter()
        .map(|(name, (tally, events))| {
            let runs = count(events.len() as u64, "run");
            let message = format!(
                "{runs} of {name} as a tool, each in a session of its own: what its calls cost is in no number here."
            );
            Observation::new(Severity::Info, message, tally).of_events(events)
        })
        .collect()
}

/// Agents that callers hold as tools.
fn agent_tools(evidence: &Evidence<'_>) -> Vec<Str> {
    fn collect(tools: &[Tool], names: &mut Vec<Str>) {
        for tool in tools {
            match tool {
                Tool::AgentTool { agent, .. } => names.push(agent.name.clone()),
                Tool::Toolset { tools, .. } => collect(tools, names),
                _ => {}
            }
        }
    }
    let mut names = Vec::new();
    evidence.callers.iter().for_each(|caller| collect(caller.agent.tools(), &mut names));
    names
}
