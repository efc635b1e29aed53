//! What sub-agents saw and cost.

use serde_json::{Value, json};
use strata_app::report::{AgentBranch, agent_branches};

use super::numbers::{money_or_none, percent, rounded, said, tokens};
use crate::answer::{Answer, Refusal};
use crate::arguments::{CURSOR, SESSION};
use crate::asked::Question;
use crate::knows::Knows;
use crate::spec::ToolSpec;
use crate::symbols::{quoted, recorded};

/// Sub-agents with files of their own that are read.
const FILES: usize = 24;

pub(super) const TOOL: ToolSpec = ToolSpec {
    name: "sub_agents",
    title: "What did my sub-agents see and cost?",
    about: "The agents of a session as a tree: calls, prompt tokens, cost, and the share of each one's first prompt that \
            it took over from its parent.",
    arguments: &[SESSION, CURSOR],
    is_always_loaded: false,
    answer,
};

fn answer(knows: &Knows, question: &Question) -> Result<Answer, Refusal> {
    let subject = knows.subject(question)?;
    let branches = agent_branches(&subject.opened)?;
    // Clients may keep what sub-agents said in sessions of their own.
    let since = subject.opened.begun_ms().unwrap_or_default();
    let files = knows.sessions.working_for(&subject.known, subject.opened.own_id(), since)?;
    let mut answer = subject.answer();
    let n_below = branches.iter().filter(|branch| branch.parent.is_some()).count() + files.len();
    answer.say(format!("{n_below} sub-agents; the tree begins with whoever made the first call."));
    answer.fact("subAgents", n_below);
    if files.len() > FILES {
        answer.say(format!("The newest {FILES} of {} files of sub-agents were read.", files.len()));
    }
    answer.rows_name = "tree";
    for branch in &branches {
        add(&mut answer, branch, branch.parent.as_deref(), None);
    }
    let mut n_unread = 0;
    let top = branches.first().map(|branch| branch.agent.clone());
    for file in files.iter().take(FILES) {
        let opened = match knows.opened(file, None, question) {
            Ok(opened) => opened,
            Err(Refusal(problem)) => {
                n_unread += 1;
                if n_unread == 1 {
                    answer.say(format!("{} could not be read: {}", file.id, recorded(&problem)));
                }
                continue;
            }
        };
        for branch in agent_branches(&opened)? {
            let parent = branch.parent.clone().or_else(|| top.clone());
            add(&mut answer, &branch, parent.as_deref(), Some(&file.id));
        }
    }
    if n_unread > 0 {
        answer.say(format!("{n_unread} files of sub-agents are not in the tree."));
        answer.fact("unreadFiles", n_unread);
    }
    Ok(answer)
}

fn add(answer: &mut Answer, branch: &AgentBranch, parent: Option<&str>, file: Option<&str>) {
    let (agent, parent) = (recorded(&branch.agent), parent.map(recorded));
    let inherited = branch.inherited_share;
    let json: Value = json!({
        "agent": agent,
        "parent": parent,
        "session": file,
        "firstCall": format!("C{}", branch.first_call),
        "calls": branch.calls,
        "promptTokens": branch.prompt_tokens,
        "basis": branch.basis,
        "largestPrompt": branch.largest_prompt,
        "cost": rounded(branch.cost),
        "inheritedShare": inherited,
    });
    let line = format!(
        "{}{}{}: {} calls from C{} on, {} prompt tokens ({}), the largest {}, {}{}",
        quoted(&agent),
        parent.map_or_else(String::new, |parent| format!(" below {}", quoted(&parent))),
        file.map_or_else(String::new, |file| format!(" (session {file})")),
        branch.calls,
        branch.first_call,
        tokens(branch.prompt_tokens),
        said(branch.basis),
        tokens(branch.largest_prompt),
        money_or_none(branch.cost),
        inherited.map_or_else(String::new, |share| format!(
            "; {} of its first prompt is its parent's",
            percent(share)
        )),
    );
    answer.row(line, json);
}
