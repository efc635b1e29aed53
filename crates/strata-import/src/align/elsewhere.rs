//! What conversations sent, so that each can say what of its prompts others sent before it: they are sent to one provider,
//! which finds of a conversation what it stored of another.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use strata_model::{
    Fingerprint, FingerprintBuilder, Json, LlmRequest, Object, RecordedCall, Str, part_fingerprint,
};
use strata_wire::message::{Reader, Role, ToolNames, Turn};
use strata_wire::{beside_messages, contents_of_turns, definitions, head_of, is_held_elsewhere, request_of};

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
    /// Heads by all that they are made from: most requests have that of one before them.
    heads: HashMap<Fingerprint, Fingerprint>,
    /// Requests of the first conversation while it is the only one, with when they were sent: they are read once there is
    /// another, which most logs have not.
    alone: Vec<(usize, Option<f64>)>,
}

/// What is compared of a prompt.
struct Prompt {
    /// Model, tools and instruction.
    head: Fingerprint,
    /// Each content with all before it.
    prefixes: Vec<Fingerprint>,
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
                let prompt = self.prompt_of_body(body);
                self.enter(0, prompt, time);
            }
        }
        let prompt = match &exchange.body {
            Json::Object(body) if !RecordedCall::is_in(&exchange.body) && are_named(&exchange.turns) => {
                let model = asked_model(&exchange.body);
                self.prompt_of(body, model.as_deref(), &exchange.turns)
            }
            body => self.prompt_of_body(body),
        };
        self.enter(at, prompt, exchange.time)
    }

    /// What [`Prompt::of_body`] gives.
    fn prompt_of_body(&mut self, body: &Json) -> Option<Prompt> {
        let object = body.as_object().filter(|_| !RecordedCall::is_in(body));
        let Some(object) = object else { return Prompt::of_body(body) };
        let turns = Reader { tools: &mut ToolNames::new(), unread: &mut () }.turns_of(object);
        self.prompt_of(object, asked_model(body).as_deref(), &turns)
    }

    /// What [`Prompt::of_body`] gives, of a body whose messages were read already.
    fn prompt_of(&mut self, body: &Object, model: Option<&str>, turns: &[Turn]) -> Option<Prompt> {
        if is_held_elsewhere(body) {
            return None;
        }
        let (mut before, mut prefixes) = (Fingerprint::default(), Vec::new());
        for (role, of_content) in contents_of_turns(turns) {
            let parts = turns[of_content].iter().flat_map(|turn| &turn.parts).map(part_fingerprint);
            before = before.then(content(Some(role), parts));
            prefixes.push(before);
        }
        let instruction = turns.iter().take_while(|turn| turn.role == Role::System);
        let instruction: Vec<&Str> =
            instruction.flat_map(|turn| &turn.parts).filter_map(|part| part.text.as_ref()).collect();
        if prefixes.is_empty() && instruction.is_empty() {
            return None;
        }
        let mut all = FingerprintBuilder::new();
        all.number(body.len() as u64);
        for (key, value) in beside_messages(body) {
            all.text(key).json(value);
        }
        all.number(instruction.len() as u64);
        for text in instruction {
            all.text(text);
        }
        let made = || head(model, &head_of(body, turns));
        let head = *self.heads.entry(all.finish()).or_insert_with(made);
        Some(Prompt { head, prefixes })
    }

    fn enter(&mut self, conversation: usize, prompt: Option<Prompt>, time: Option<f64>) -> Vec<Json> {
        let Some(Prompt { head, prefixes }) = prompt else { return Vec::new() };
        let known = self.by_head.entry(head).or_default();
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
    let head = |body: &Json| Some(Prompt::of_body(body)?.head);
    head(a).is_some_and(|of_a| head(b) == Some(of_a))
}

/// Whether messages give every result the tool that a call before it in the same messages names. What was read of other
/// requests may name the tools of others.
fn are_named(turns: &[Turn]) -> bool {
    let mut called: Vec<&Str> = Vec::new();
    turns.iter().flat_map(|turn| &turn.parts).all(|part| {
        if let Some(call) = part.function_call.as_deref().filter(|call| call.name.is_some()) {
            called.extend(&call.id);
        }
        let answered = part.function_response.as_deref().and_then(|result| result.id.as_ref());
        answered.is_none_or(|id| called.iter().rev().any(|known| *known == id))
    })
}

impl Prompt {
    /// The prompt of a body; `None` where not all of it is there.
    fn of_body(body: &Json) -> Option<Self> {
        let request = request_of(body)?;
        let mut before = Fingerprint::default();
        let prefixes = request.contents.iter().map(|of_request| {
            let parts = of_request.parts.iter().map(|part| part.fingerprint);
            before = before.then(content(of_request.role.as_deref(), parts));
            before
        });
        Some(Self { prefixes: prefixes.collect(), head: head(asked_model(body).as_deref(), &request) })
    }
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

fn head(model: Option<&str>, request: &LlmRequest) -> Fingerprint {
    let mut head = FingerprintBuilder::new();
    head.optional(model);
    for definition in definitions(request) {
        head.text(&definition.text());
    }
    let instruction = request.system_instruction.as_ref().map(|text| text.to_text());
    head.optional(instruction.as_deref());
    head.finish()
}

fn content(role: Option<&str>, parts: impl Iterator<Item = Fingerprint>) -> Fingerprint {
    let mut said = FingerprintBuilder::new();
    said.optional(role);
    for part in parts {
        said.fingerprint(part);
    }
    said.finish()
}
