//! The branches of an advanced session: each holds messages of the one it was made from, and then its own.

use std::collections::HashMap;

use strata_model::Str;

use crate::rows::{count_of, text_of};
use crate::tables::{self, TableError, TableSource};

const STRUCTURE: &str = "message_structure";

/// The first branch of a session.
pub(super) const MAIN: &str = "main";

/// Where a message stands among the branches of its session.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The branch that said it, and its turn there.
    pub(super) said_on: Str,
    pub(super) turn: u64,
    /// The branch of its event; `None` for what comes before all others.
    pub(super) branch: Option<Str>,
}

impl Default for Place {
    /// Where nothing is known of branches.
    fn default() -> Self {
        Self { said_on: MAIN.into(), turn: 0, branch: None }
    }
}

/// A branch with its messages, in their order, each with its turn.
struct Branch {
    name: Str,
    messages: Vec<(u64, u64)>,
}

/// The places of messages, by their numbers.
pub(super) fn places(source: &mut dyn TableSource) -> Result<HashMap<u64, Place>, TableError> {
    if !tables::has_column(&source.tables()?, STRUCTURE, "branch_id") {
        return Ok(HashMap::new());
    }
    let mut branches: Vec<Branch> = Vec::new();
    let mut known: HashMap<(Str, Str), usize> = HashMap::new();
    let columns = ["session_id", "branch_id", "message_id", "user_turn_number"];
    source.rows(STRUCTURE, &columns, &["id"], &mut |row| {
        let text = |at: usize| text_of(row.get(at)).unwrap_or_default();
        let count = |at: usize| count_of(row.get(at)).unwrap_or_default();
        let at = *known.entry((text(0), text(1))).or_insert(branches.len());
        if at == branches.len() {
            branches.push(Branch { name: text(1), messages: Vec::new() });
        }
        branches[at].messages.push((count(2), count(3)));
    })?;
    Ok(placed(&branches))
}

/// By ADK's rule an agent sees its own branch and those above. So the messages that the same branches hold are one branch
/// here, below that of the messages before them, and no branch sees what another one said since.
fn placed(branches: &[Branch]) -> HashMap<u64, Place> {
    let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, branch) in branches.iter().enumerate() {
        for (message, _) in &branch.messages {
            holders.entry(*message).or_default().push(at);
        }
    }
    let mut places = HashMap::new();
    for branch in branches {
        let mut path = String::new();
        let mut held_by: &[usize] = &[];
        for (message, turn) in &branch.messages {
            let holding = &holders[message];
            if holding != held_by {
                held_by = holding;
                if !path.is_empty() {
                    path.push('.');
                }
                // It is named after the branch that said it: the first one that held it.
                path.push_str(&branches[holding[0]].name.replace('.', "_"));
            }
            places.entry(*message).or_insert_with(|| Place {
                said_on: branch.name.clone(),
                turn: *turn,
                branch: (path != MAIN).then(|| path.as_str().into()),
            });
        }
    }
    places
}
