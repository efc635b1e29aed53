//! What conversations sent, so that each can say what of its prompts others sent before it: they are sent to one provider,
//! which finds of a conversation what it stored of another.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use strata_model::{Fingerprint, FingerprintBuilder, Json, LlmRequest, Object};
use strata_wire::{definitions, request_of};

use super::conversation::Conversation;
use crate::exchange::{Exchange, asked_model};

/// Prompts with the same head that a new one is laid beside: the latest of them.
const MOST: usize = 64;
/// Of one conversation, of which several agents may begin differently, or the same one every time.
const MOST_OF_ONE: usize = 8;
/// Seconds for which every provider keeps what it was sent: what a conversation sent itself is found that long.
const KEPT: f64 = 300.0;

/// The prompts of all conversations, by model, tools and instruction.
#[derive(Debug, Default)]
pub(super) struct SentPrompts {
    by_head: HashMap<Fingerprint, Vec<Sent>>,
    /// Requests of the first conversation while it is the only one, with when they were sent: they are read once there is
    /// another, which most logs have not.
    alone: Vec<(usize, Option<f64>)>,
}

/// The prompts of a conversation that continue one another.
#[derive(Debug)]
struct Sent {
    conversation: usize,
    /// Of the last prompt: each content with all before it.
    prefixes: Vec<Fingerprint>,
    /// When each of them was last sent, in epoch seconds.
    times: Vec<Option<f64>>,
    /// How many contents the prompts hold that were sent.
    ends: BTreeSet<usize>,
    used: Option<f64>,
}

impl SentPrompts {
    /// A conversation sends a prompt, which is not added to it yet. Returns what
    /// [`strata_model::marks::SENT_ELSEWHERE`] says of it.
    pub(super) fn send(&mut self, at: usize, exchange: &Exchange, all: &[Conversation]) -> Vec<Json> {
        // A provider read the prompt where it answered, and not that it refuses.
        let is_read = exchange.answer.as_ref().is_some_and(|answer| answer.error.is_none());
        if !is_read || exchange.body.is_null() {
            return Vec::new();
        }
        if let [only] = all {
            self.alone.push((only.n_requests(), exchange.time));
            return Vec::new();
        }
        for (request, time) in std::mem::take(&mut self.alone) {
            if let Some(body) = all.first().and_then(|first| first.body(request)) {
                self.enter(0, body, time);
            }
        }
        self.enter(at, &exchange.body, exchange.time)
    }

    fn enter(&mut self, conversation: usize, body: &Json, time: Option<f64>) -> Vec<Json> {
        let Some(request) = request_of(body) else { return Vec::new() };
        let prefixes = prefixes(&request);
        let known = self.by_head.entry(head(body, &request)).or_default();
        let of_own = known.iter().enumerate().filter(|(_, sent)| sent.conversation == conversation);
        let own = of_own.map(|(at, sent)| (sent.shared(&prefixes), at)).max();
        let own_time = own.and_then(|(shared, at)| known[at].sent_at(shared));
        let is_idle = own_time.zip(time).is_some_and(|(sent, now)| now - sent > KEPT);
        let mut others: Vec<(usize, &Sent)> = (known.iter())
            .filter(|sent| sent.conversation != conversation)
            .map(|sent| (sent.shared(&prefixes), sent))
            .filter(|(shared, _)| own.is_none_or(|(own, _)| is_idle || *shared > own))
            .collect();
        others.sort_by(|(a, of_a), (b, of_b)| later(of_a.sent_at(*a), of_b.sent_at(*b)));
        let (mut found, mut most) = (Vec::new(), None);
        for (shared, sent) in others {
            let is_news = own.is_none_or(|(own, _)| shared > own || sent.sent_at(shared) > own_time);
            if is_news && most < Some(shared) {
                most = Some(shared);
                found.push(sent.said(shared));
            }
        }
        // Another agent of the conversation may begin the same way: what it goes on with is its own.
        let own = own.filter(|(shared, at)| *shared > 0 || known[*at].prefixes.is_empty());
        match own {
            Some((shared, at)) => known[at].go_on(shared, prefixes, time),
            None => {
                make_room(known, conversation);
                let mut sent = Sent::new(conversation);
                sent.go_on(0, prefixes, time);
                known.push(sent);
            }
        }
        found
    }
}

/// Whether two bodies are for the same model, with the same tools and instruction.
pub(super) fn is_same_head(a: &Json, b: &Json) -> bool {
    let head = |body: &Json| Some(head(body, &request_of(body)?));
    head(a).is_some_and(|of_a| head(b) == Some(of_a))
}

impl Sent {
    fn new(conversation: usize) -> Self {
        let (prefixes, times) = (Vec::new(), Vec::new());
        Self { conversation, prefixes, times, ends: BTreeSet::new(), used: None }
    }

    /// How many contents a prompt begins with that were sent here.
    fn shared(&self, prefixes: &[Fingerprint]) -> usize {
        let n = self.prefixes.len().min(prefixes.len());
        // Each tells of all before it: from the first that differs on, all differ.
        let (mut low, mut high) = (0, n);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.prefixes[middle] == prefixes[middle] {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// When so many of its contents were last sent; none of them are the head alone.
    fn sent_at(&self, n_contents: usize) -> Option<f64> {
        n_contents.checked_sub(1).map_or(self.used, |last| self.times[last])
    }

    /// The next prompt, with what it shares with the one before. What that has besides is forgotten, unless it goes on from
    /// all of the next.
    fn go_on(&mut self, shared: usize, prefixes: Vec<Fingerprint>, time: Option<f64>) {
        let n = prefixes.len();
        if shared < n {
            self.times.truncate(shared);
            self.times.resize(n, None);
            self.ends.retain(|end| *end <= shared);
            self.prefixes = prefixes;
        }
        self.times[..n].iter_mut().for_each(|sent| *sent = time.or(*sent));
        self.ends.insert(n);
        self.used = time.or(self.used);
    }

    fn said(&self, shared: usize) -> Json {
        let mut said = Object::from_iter([("contents", Json::from(shared as i64))]);
        said.insert("isWhole", self.ends.contains(&shared));
        if let Some(at) = self.sent_at(shared) {
            said.insert("at", at);
        }
        said.into()
    }
}

/// Forgets what was used least of so many prompts, or of so many of one conversation, that there is room for one more.
fn make_room(known: &mut Vec<Sent>, conversation: usize) {
    known.sort_by(|a, b| later(a.used, b.used));
    known.truncate(MOST - 1);
    let mut n_own = 0;
    known.retain(|sent| {
        n_own += usize::from(sent.conversation == conversation);
        sent.conversation != conversation || n_own < MOST_OF_ONE
    });
}

/// The latest first.
fn later(a: Option<f64>, b: Option<f64>) -> Ordering {
    b.partial_cmp(&a).unwrap_or(Ordering::Equal)
}

fn head(body: &Json, request: &LlmRequest) -> Fingerprint {
    let mut head = FingerprintBuilder::new();
    head.optional(asked_model(body).as_deref());
    for definition in definitions(request) {
        head.text(&definition.text());
    }
    let instruction = request.system_instruction.as_ref().map(|text| text.to_text());
    head.optional(instruction.as_deref());
    head.finish()
}

/// Each content with all before it.
fn prefixes(request: &LlmRequest) -> Vec<Fingerprint> {
    let mut before = Fingerprint::default();
    let contents = request.contents.iter().map(|content| {
        let mut said = FingerprintBuilder::new();
        said.optional(content.role.as_deref());
        for part in &content.parts {
            said.fingerprint(part.fingerprint);
        }
        before = before.then(said.finish());
        before
    });
    contents.collect()
}
