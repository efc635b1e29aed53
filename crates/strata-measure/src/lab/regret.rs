//! What was summarised away and was used later.

use std::collections::{HashMap, HashSet};

use strata_model::{EventIndex, Str};

use super::plan::Replayed;
use super::prepared::Lab;

/// A value that a summary stands for and does not tell, and that a later answer used.
///
/// A value counts as used when a model's answer, or the arguments of its tool call, say it again and nobody says such a
/// thing by chance: numbers of five significant digits and more, names and ids with digits, paths and addresses, names in
/// programs, and names of several words that a tool's table has (`is_telling` has the rule; `12`, `200`, `2026` and dates
/// never count); and shorter numbers of a row whose name the answer says, or of a sentence that it repeats. It is regretted when the recorded prompt of that call held it, an event that was summarised or cleared
/// before the call held it, and the prompt that the replay sends instead does not: neither in a summary, nor in what a
/// user or a tool has said since, nor in instructions and tools. Of several answers the first counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regret {
    /// As the answer says it.
    pub value: String,
    /// The newest event that held it and is gone.
    pub event: EventIndex,
    /// The window it went with, by its place in the plan; `None`: a result that was cleared.
    pub window: Option<usize>,
    /// The call whose answer used it, by number.
    pub call: u32,
    /// The tool in whose arguments it stands; `None`: in the answer's text.
    pub tool: Option<Str>,
}

impl Lab<'_> {
    /// What later answers used of that which a replay summarises and no longer tells, in the order of the calls.
    ///
    /// Summaries of which only the size is known tell nothing: there it is the most that can be regretted, all that hangs
    /// on what the summaries will say.
    pub fn regret(&self, replayed: &Replayed) -> Vec<Regret> {
        let gone = gone(replayed);
        if gone.is_empty() {
            return Vec::new();
        }
        let uses = self.uses();
        let (nothing, mut cleared) = (HashSet::new(), HashSet::new());
        let mut clearings = replayed.cleared.iter().peekable();
        let mut regretted: HashSet<u32> = HashSet::new();
        let mut regrets = Vec::new();
        for (call, recorded) in replayed.calls.iter().zip(self.analysis.calls()) {
            while let Some(clearing) = clearings.next_if(|clearing| clearing.before_call <= call.number) {
                cleared.extend(clearing.events.iter().copied());
            }
            for used in uses.of_call(call.number) {
                let value = uses.value(used.value);
                let went = value.sources().iter().rev().find_map(|event| {
                    let (from, window) = gone.get(event)?;
                    (*from <= call.number).then_some((*event, *window))
                });
                let Some((event, window)) = went.filter(|_| !regretted.contains(&used.value)) else {
                    continue;
                };
                let is_lost = !uses.is_in(used.value, &call.request, &cleared)
                    && uses.is_in(used.value, &recorded.request, &nothing);
                if is_lost {
                    regretted.insert(used.value);
                    let (value, tool) = (value.text.clone(), used.tool.clone());
                    regrets.push(Regret { value, event, window, call: call.number, tool });
                }
            }
        }
        regrets
    }
}

/// Events that are summarised or cleared, with the first call that does not see them as they were.
fn gone(replayed: &Replayed) -> HashMap<EventIndex, (u32, Option<usize>)> {
    let mut gone = HashMap::new();
    for cleared in &replayed.cleared {
        for event in &cleared.events {
            gone.entry(*event).or_insert((cleared.before_call, None));
        }
    }
    for (at, window) in replayed.windows.iter().enumerate().filter(|(_, window)| window.is_laid()) {
        let Some(call) = window.moment.first_call() else { continue };
        for event in &window.events {
            gone.entry(*event).or_insert((call, Some(at)));
        }
    }
    gone
}
