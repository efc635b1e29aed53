//! Which events belong to one turn.
//!
//! A turn begins with a prompt. It also begins with a command or a message of another program when the model answers it
//! without a prompt in between; what the client only notes (its own output, reminders, attachments) begins none.

use strata_model::Str;

use super::entry::{Entries, Entry, EntryKind};
use super::ids::{EntryId, LaneId, MAIN};
use super::injected;
use super::lanes::Lanes;

/// The id of every event's invocation: that of the prompt, else of the record that began the turn. A sub-agent works in
/// the invocation that called it.
pub(super) fn invocations(entries: &Entries, lanes: &Lanes) -> Vec<Str> {
    let mut ids = of_main(entries);
    let mut of_lane: Vec<Option<Str>> = vec![None; lanes.len()];
    let mut last_main: Option<EntryId> = None;
    for at in 0..entries.len() {
        let lane: LaneId = entries[at].lane;
        if lane == MAIN {
            last_main = Some(at);
            continue;
        }
        // What called the sub-agent, else what was going on when it first spoke.
        let caller = lanes.get(lane).called_by.or(last_main);
        let invocation = of_lane[lane].take().unwrap_or_else(|| match caller {
            Some(caller) => ids[caller].clone(),
            None => own_id(&entries[at]),
        });
        ids[at].clone_from(&invocation);
        of_lane[lane] = Some(invocation);
    }
    ids
}

/// Those of the main conversation, in their places among all events.
fn of_main(entries: &Entries) -> Vec<Str> {
    let mut ids: Vec<Str> = vec![Str::default(); entries.len()];
    let mut turn: Option<Str> = None;
    // Events since a turn may have begun.
    let mut waiting: Vec<EntryId> = Vec::new();
    for at in (0..entries.len()).filter(|at| entries[*at].lane == MAIN) {
        waiting.push(at);
        let is_undecided = waiting.len() > 1 || turn.is_none();
        match &entries[at].kind {
            EntryKind::Prompt => {
                // A command that nobody answered stays with the turn before, if there was one.
                let own = own_id(&entries[at]);
                assign(&mut waiting, turn.as_ref().unwrap_or(&own), &mut ids);
                ids[at].clone_from(&own);
                turn = Some(own);
            }
            EntryKind::Response if is_undecided => {
                let own = own_id(&entries[waiting[0]]);
                assign(&mut waiting, &own, &mut ids);
                turn = Some(own);
            }
            EntryKind::Injected if injected::begins_turn(&entries[at]) => {}
            EntryKind::Injected
            | EntryKind::Response
            | EntryKind::Results(_)
            | EntryKind::Compaction(_)
            | EntryKind::Notice => {
                if let Some(turn) = turn.as_ref().filter(|_| !is_undecided) {
                    assign(&mut waiting, turn, &mut ids);
                }
            }
        }
    }
    if let Some(first) = waiting.first() {
        let own = turn.unwrap_or_else(|| own_id(&entries[*first]));
        assign(&mut waiting, &own, &mut ids);
    }
    ids
}

fn assign(waiting: &mut Vec<EntryId>, invocation: &Str, ids: &mut [Str]) {
    for at in waiting.drain(..) {
        ids[at].clone_from(invocation);
    }
}

fn own_id(entry: &Entry) -> Str {
    entry.prompt_id.clone().unwrap_or_else(|| entry.event.id.clone())
}
