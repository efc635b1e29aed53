//! Answered attempts: an answer does not always reach who asked, and then the same is asked again.
//!
//! What is asked again in a conversation is told there. When it is the first prompt, another conversation seems to begin, and
//! it may be one: that is seen when the first is left behind with calls that nobody answers, while the second goes on.

use std::collections::HashMap;

use super::Conversation;
use crate::imported::Alignment;
use crate::marks;

/// Seconds in which the same is asked again, and in which an agent answers the calls of its model.
const SOON: f64 = 60.0;

/// Puts attempts into the conversations that went on from them.
pub(in crate::align) fn joined(conversations: Vec<Conversation>) -> Vec<Conversation> {
    let end = conversations.iter().filter_map(|it| Some(it.sent?.1)).fold(f64::MIN, f64::max);
    let mut joined: Vec<Option<Conversation>> = conversations.into_iter().map(Some).collect();
    // Those that went on, by the size of what they began with.
    let mut by_size: HashMap<usize, Vec<usize>> = HashMap::new();
    // The latest first: of several attempts each is put before those behind it.
    for at in (0..joined.len()).rev() {
        let Some(own) = joined[at].as_ref().filter(|own| own.key.is_none()) else { continue };
        let size = own.draft.requests.first().map_or(0, |request| request.alignment.appended);
        let later = by_size.get(&size).filter(|_| own.is_left(end));
        let later = later.and_then(|later| {
            let mut soon = later.iter().rev().map_while(|at| {
                let later = joined[*at].as_ref();
                later.is_none_or(|later| own.is_soon_before(later)).then_some((*at, later))
            });
            soon.find(|(_, later)| later.is_some_and(|later| own.is_attempt_of(later))).map(|(at, _)| at)
        });
        by_size.entry(size).or_default().push(at);
        if let Some(later) = later
            && let (Some(own), Some(mut goes_on)) = (joined[at].take(), joined[later].take())
        {
            goes_on.take_attempts(own);
            joined[at] = Some(goes_on);
        }
    }
    joined.into_iter().flatten().collect()
}

impl Conversation {
    /// Whether the log goes on and nobody answered its last calls.
    fn is_left(&self, end: f64) -> bool {
        let [lane] = &*self.lanes else { return false };
        !lane.calls.is_empty() && self.sent.is_some_and(|(_, last)| end - last > SOON)
    }

    fn is_attempt_of(&self, later: &Self) -> bool {
        let (own, other) = (&self.draft.requests, &later.draft.requests);
        let is_answered =
            own.iter().chain(other.iter().take(own.len())).all(|request| request.answer.is_some());
        is_answered
            && own.len() < other.len()
            && own.first().map(|it| it.answer) == other.first().map(|it| it.answer)
            && own.iter().zip(other).all(|(own, other)| own.body == other.body)
    }

    fn is_soon_before(&self, later: &Self) -> bool {
        self.sent.zip(later.sent).is_some_and(|(own, later)| later.0 - own.0 <= SOON)
    }

    /// Takes over what was asked and answered before the same was asked here.
    fn take_attempts(&mut self, earlier: Self) {
        let mut own = earlier.draft;
        let attempts = std::mem::take(&mut own.requests);
        self.draft.session.id = std::mem::take(&mut own.session.id);
        self.draft.unmapped.add(std::mem::take(&mut own.unmapped));
        self.sent = earlier.sent.zip(self.sent).map(|(earlier, own)| (earlier.0, own.1));
        for (at, mut attempt) in attempts.into_iter().enumerate() {
            // Before each there is one more of those that were taken over.
            let place = 2 * at;
            let Some(answer) = self.draft.requests[place].answer else { continue };
            let Some(known) = attempt.answer else { continue };
            if at == 0 {
                // The prompt was said when it was sent first.
                self.draft.begin_as(&own, known);
            }
            let is_later = self.draft.is_later(answer, &own, known);
            self.draft.unmark(answer, marks::SENT_ELSEWHERE);
            let event = answer + usize::from(is_later);
            self.draft.insert_answer(event, &own, known);
            attempt.answer = Some(event);
            let first = if is_later { answer } else { event };
            let n_said = self.draft.event(first).map_or(0, |event| event.parts().len());
            self.draft.requests.insert(place + usize::from(is_later), attempt);
            let again = &mut self.draft.requests[place + 1].alignment;
            let shared = again.shared + again.appended + again.rewritten;
            *again = Alignment { shared, removed: n_said, ..Alignment::default() };
        }
    }
}
