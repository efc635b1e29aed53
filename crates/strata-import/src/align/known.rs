//! The conversations known so far, and where to look for the one that a request continues.

use std::collections::{BTreeSet, HashMap};

use strata_model::Str;

use super::conversation::Conversation;
use super::unit::{Unit, UnitKey};
use crate::draft::Draft;
use crate::exchange::Exchange;

/// Logs hold thousands of conversations: a request is laid beside those only that have something in common with it.
#[derive(Debug, Default)]
pub(super) struct KnownConversations {
    pub(super) conversations: Vec<Conversation>,
    /// The first of each session the log names; `None` is the first of no session.
    by_session: HashMap<Option<Str>, usize>,
    /// Conversations of no session, by what was said in them.
    by_unit: HashMap<UnitKey, Vec<usize>>,
    /// Conversations of no session, by the ids of their answers.
    by_answer: HashMap<Str, usize>,
}

impl KnownConversations {
    /// The first conversation of a session, or of none.
    pub(super) fn of_session(&self, session: Option<&Str>) -> Option<usize> {
        self.by_session.get(&session.cloned()).copied()
    }

    /// The conversations that a request may continue, in the order in which they began.
    pub(super) fn candidates(&self, exchange: &Exchange, units: &[Unit]) -> Vec<usize> {
        if let Some(session) = &exchange.about.session {
            return self.of_session(Some(session)).into_iter().collect();
        }
        if units.is_empty() {
            let all = self.conversations.iter().enumerate();
            return all.filter(|(_, it)| it.may_hold(exchange)).map(|(at, _)| at).collect();
        }
        let follows = exchange.continues.as_ref().and_then(|id| self.by_answer.get(id));
        let shares = units.iter().filter_map(|unit| self.by_unit.get(&unit.key())).flatten();
        let found: BTreeSet<usize> = follows.into_iter().chain(shares).copied().collect();
        found.into_iter().collect()
    }

    /// Begins a conversation with a request that is then added to it.
    pub(super) fn begin(&mut self, exchange: &Exchange, reading: &Draft) -> usize {
        let at = self.conversations.len();
        self.conversations.push(Conversation::new(exchange, reading, at + 1));
        self.by_session.entry(exchange.about.session.clone()).or_insert(at);
        at
    }

    /// Lets `add` add an exchange to a conversation; it returns what was not said there before.
    pub(super) fn change(&mut self, at: usize, add: impl FnOnce(&mut Conversation) -> Vec<UnitKey>) {
        let conversation = &mut self.conversations[at];
        let new = add(conversation);
        if conversation.key.is_some() {
            return;
        }
        if let Some(id) = conversation.last_answer() {
            self.by_answer.insert(id.clone(), at);
        }
        for key in new {
            let places = self.by_unit.entry(key).or_default();
            if places.last() != Some(&at) {
                places.push(at);
            }
        }
    }
}
