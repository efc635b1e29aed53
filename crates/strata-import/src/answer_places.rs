//! The answers of one recording of a run, found in another.

use std::collections::{HashMap, HashSet};

use strata_model::{Event, Fingerprint, FingerprintBuilder, Session, json};

use crate::marks;

/// Seconds between the times of one answer in two recordings of which other answers have the same ids.
const NEAR: f64 = 60.0;

/// The same where no answers have ids in common.
const VERY_NEAR: f64 = 10.0;

/// Where the answers of a session stand.
#[derive(Debug)]
pub struct AnswerPlaces<'s> {
    session: &'s Session,
    by_id: HashMap<&'s str, usize>,
    /// Of answers that say something, in their order.
    said: Vec<(usize, Fingerprint)>,
}

impl<'s> AnswerPlaces<'s> {
    pub fn of(session: &'s Session) -> Self {
        // Of events with the same id, the first one counts.
        let reversed = session.events.iter().enumerate().rev();
        let by_id = reversed.flat_map(|(at, event)| marks::answer_ids(event).map(move |id| (id, at)));
        let answers = session.events.iter().enumerate().filter(|(_, event)| marks::is_model_response(event));
        let said = answers.filter_map(|(at, event)| Some((at, said(event)?)));
        Self { session, by_id: by_id.collect(), said: said.collect() }
    }

    /// The place of the event that is `answer`, by its ids or the provider's.
    pub fn find(&self, answer: &Event) -> Option<usize> {
        marks::answer_ids(answer).find_map(|id| self.by_id.get(id).copied())
    }

    /// The places of answers of another recording, in the order they were given. Answers without an id in common are found
    /// between those that have one, by what they say. Without any in common, none is found.
    pub fn find_all(&self, answers: &[&Event]) -> Vec<Option<usize>> {
        let mut places: Vec<Option<usize>> = answers.iter().map(|answer| self.find(answer)).collect();
        let mut taken: HashSet<usize> = places.iter().flatten().copied().collect();
        if taken.is_empty() {
            return places;
        }
        for at in 0..places.len() {
            if places[at].is_some() {
                continue;
            }
            let after = places[..at].iter().rev().find_map(|place| *place);
            let before = places[at + 1..].iter().find_map(|place| *place);
            let is_between = |place: usize| {
                !taken.contains(&place)
                    && after.is_none_or(|after| place > after)
                    && before.is_none_or(|before| place < before)
            };
            places[at] = self.find_said(answers[at], NEAR, is_between);
            taken.extend(places[at]);
        }
        places
    }

    /// The places of the answers of another recording that has no ids in common with the session, if it holds all that was
    /// answered in it at that time, with the same counts. Empty when it does not.
    pub fn find_run(&self, answers: &[&Event]) -> Vec<Option<usize>> {
        let times = || answers.iter().map(|answer| answer.timestamp).filter(|time| *time > 0.0);
        let (first, last) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
        let is_then = |time: f64| time > first - VERY_NEAR && time < last + VERY_NEAR;
        let mut places = Vec::with_capacity(answers.len());
        let mut taken = HashSet::new();
        for answer in answers {
            let is_new = |place: usize| {
                let event = &self.session.events[place];
                !taken.contains(&place) && is_then(event.timestamp) && has_counts(event, answer)
            };
            let place = self.find_said(answer, VERY_NEAR, is_new);
            taken.extend(place);
            places.push(place);
        }
        let mut then = self.said.iter().filter(|(place, _)| is_then(self.session.events[*place].timestamp));
        if taken.is_empty() || !then.all(|(place, _)| taken.contains(place)) {
            return Vec::new();
        }
        places
    }

    /// The answer nearest in time that says the same.
    fn find_said(&self, answer: &Event, near: f64, is_free: impl Fn(usize) -> bool) -> Option<usize> {
        let wanted = said(answer)?;
        let same = self.said.iter().filter(|(place, said)| *said == wanted && is_free(*place));
        let distance = |place: usize| (self.session.events[place].timestamp - answer.timestamp).abs();
        let nearest = same.map(|(place, _)| *place).min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        nearest.filter(|place| distance(*place) <= near)
    }
}

/// What an answer says and calls, without what it thinks: tools keep thoughts in words of their own.
fn said(event: &Event) -> Option<Fingerprint> {
    let parts = || event.parts().iter().filter(|part| !part.is_thought());
    let text: String = parts().filter_map(|part| part.text.as_deref()).collect();
    let mut said = FingerprintBuilder::new();
    said.text(text.trim());
    let mut is_empty = text.trim().is_empty();
    for call in event.function_calls() {
        is_empty = false;
        said.text(call.name.as_deref().unwrap_or_default());
        said.text(&call.args.as_deref().map(json::object_to_compact).unwrap_or_default());
    }
    (!is_empty).then(|| said.finish())
}

/// Whether the provider's counts agree, where both recordings have them.
fn has_counts(event: &Event, other: &Event) -> bool {
    let counts = |event: &Event| {
        let usage = event.usage_metadata.as_deref()?;
        Some((usage.prompt_token_count?, usage.cached_content_token_count.unwrap_or(0)))
    };
    match (counts(event), counts(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}
