//! Searching what was given for a recorded session.

use std::collections::HashSet;

use strata_model::{FoundMemory, GivenMemory, Remembered, SearchRule};

use super::{MemoryEntry, keywords, ranked};

/// A search of a call in what was given of memory.
///
/// What was given is as it was when somebody looked, so what was said after the call is left out. So is what the session
/// itself said: whether it had been added to memory by then is not known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryQuery<'s> {
    pub app_name: &'s str,
    pub user_id: &'s str,
    pub session_id: &'s str,
    /// When the call was made, in epoch seconds.
    pub at: f64,
    pub query: &'s str,
}

impl MemoryQuery<'_> {
    pub(crate) fn run(&self, memory: &GivenMemory) -> Vec<MemoryEntry> {
        if let Some(seen) = memory.searches.iter().find(|search| *search.query == *self.query) {
            return seen.found.iter().flatten().map(MemoryEntry::from).collect();
        }
        match memory.rule {
            SearchRule::Keywords => keywords::best(self.in_reach(memory), self.query),
            SearchRule::Ranked => {
                let there = memory.remembered.iter().filter(|remembered| self.was_there(remembered));
                ranked::best(there.map(|remembered| (remembered, self.is_own(remembered))), self.query)
            }
        }
    }

    /// What the service finds memories among, and what other searches found, a memory once.
    fn in_reach(&self, memory: &GivenMemory) -> impl Iterator<Item = MemoryEntry> {
        let of_user = |remembered: &&Remembered| self.was_there(remembered) && self.is_own(remembered);
        let remembered = memory.remembered.iter().filter(of_user).map(|remembered| &remembered.memory);
        let mut known = HashSet::new();
        let mut is_new = move |found: &&FoundMemory| {
            let text = found.content.as_ref().map(super::joined_text);
            known.insert((found.author.clone(), found.timestamp.clone(), text))
        };
        let seen = memory.searches.iter().flat_map(|search| search.found.iter().flatten());
        let seen = seen.filter(move |found| is_new(found));
        remembered.chain(seen).map(MemoryEntry::from).collect::<Vec<_>>().into_iter()
    }

    fn was_there(&self, remembered: &Remembered) -> bool {
        let is_of_session = remembered.session_id.as_deref() == Some(self.session_id)
            && remembered.app_name.as_deref().is_none_or(|app| app == self.app_name);
        !is_of_session && remembered.said_at.is_none_or(|at| at <= self.at)
    }

    fn is_own(&self, remembered: &Remembered) -> bool {
        remembered.app_name.as_deref().is_none_or(|app| app == self.app_name)
            && remembered.user_id.as_deref().is_none_or(|user| user == self.user_id)
    }
}
