//! Which events belong to one turn.
//!
//! A turn begins with a prompt. It also begins with a command or a message of another program when the model answers it
//! without a prompt in between; what the client only notes (its own output, reminders, attachments) begins none.

use strata_model::Str;

use super::entry::{Entry, EntryKind};
use super::ids::{EntryId, LaneId, MAIN};
use super::injected;
use super::lanes::Lanes;

/// Gives every event the id of its invocation: that of the prompt, else of the record that began the turn. A sub-agent
/// works in the invocation that called it.
pub(super) fn set_invocations(entries: &mut [Entry], lanes: &Lanes) {
    set_main(entries);
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
            Some(caller) => entries[caller].event.invocation_id.clone(),
            None => own_id(&entries[at]),
        });
        entries[at].event.invocation_id = invocation.clone();
        of_lane[lane] = Some(invocation);
    }
}

fn set_main(entries: &mut [Entry]) {
    let main: Vec<EntryId> = (0..entries.len()).filter(|at| entries[*at].lane == MAIN).collect();
    let mut turn: Option<Str> = None;
    // Events since a turn may have begun.
    let mut waiting: Vec<EntryId> = Vec::new();
    for at in main {
        waiting.push(at);
        let is_undecided = waiting.len() > 1 || turn.is_none();
        match &entries[at].kind {
            EntryKind::Prompt => {
                // A command that nobody answered stays with the turn before, if there was one.
                let own = own_id(&entries[at]);
                assign(&mut waiting, turn.as_ref().unwrap_or(&own), entries);
                entries[at].event.invocation_id = own.clone();
                turn = Some(own);
            }
            EntryKind::Response if is_undecided => {
                let own = own_id(&entries[waiting[0]]);
                assign(&mut waiting, &own, entries);
                turn = Some(own);
            }
            EntryKind::Injected if injected::begins_turn(&entries[at]) => {}
            EntryKind::Injected
            | EntryKind::Response
            | EntryKind::Results(_)
            | EntryKind::Compaction(_)
            | EntryKind::Notice => {
                if let Some(turn) = turn.as_ref().filter(|_| !is_undecided) {
                    assign(&mut waiting, turn, entries);
                }
            }
        }
    }
    if let Some(first) = waiting.first() {
        let own = turn.unwrap_or_else(|| own_id(&entries[*first]));
        assign(&mut waiting, &own, entries);
    }
}

fn assign(waiting: &mut Vec<EntryId>, invocation: &Str, entries: &mut [Entry]) {
    for at in waiting.drain(..) {
        entries[at].event.invocation_id = invocation.clone();
    }
}

fn own_id(entry: &Entry) -> Str {
    entry.prompt_id.clone().unwrap_or_else(|| entry.event.id.clone())
}
