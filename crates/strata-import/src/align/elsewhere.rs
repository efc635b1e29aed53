//! How conversations begin, so that each can say which ones before it begin the same way: they are sent to one provider,
//! which finds of a new conversation what it stored of another.

use std::collections::HashMap;

use strata_model::{Fingerprint, FingerprintBuilder, Json, LlmRequest, Object};
use strata_wire::{definitions, request_of};

use super::unit::{Unit, UnitKey};
use crate::exchange::{Exchange, asked_model};

/// Conversations with the same head that a new one is laid beside: the latest of them.
const MOST: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Beginnings {
    /// By model, tools and instruction.
    by_head: HashMap<Fingerprint, Vec<Beginning>>,
    /// Where the beginning of a conversation is.
    heads: HashMap<usize, Fingerprint>,
}

/// The first prompt of a conversation.
#[derive(Debug)]
struct Beginning {
    conversation: usize,
    contents: Vec<Fingerprint>,
    first_unit: Option<UnitKey>,
    /// When the conversation was last answered, in epoch seconds.
    used: Option<f64>,
}

impl Beginnings {
    /// A conversation begins. Returns what [`strata_model::marks::SENT_ELSEWHERE`] says of its first prompt.
    pub(super) fn begin(&mut self, conversation: usize, exchange: &Exchange, units: &[Unit]) -> Vec<Json> {
        let Some(request) = was_read(exchange).then(|| request_of(&exchange.body)).flatten() else {
            return Vec::new();
        };
        let head = head(exchange, &request);
        let contents: Vec<Fingerprint> = contents(&request);
        let known = self.by_head.entry(head).or_default();
        let (mut found, mut most) = (Vec::new(), None);
        let mut latest: Vec<&Beginning> = known.iter().collect();
        latest.sort_by(|a, b| b.used.partial_cmp(&a.used).unwrap_or(std::cmp::Ordering::Equal));
        for earlier in latest {
            let shared = earlier.contents.iter().zip(&contents).take_while(|(a, b)| a == b).count();
            if most < Some(shared) {
                most = Some(shared);
                found.push(earlier.said(shared));
            }
        }
        if known.len() >= MOST {
            known.remove(0);
        }
        let first_unit = units.first().map(Unit::key);
        known.push(Beginning { conversation, contents, first_unit, used: exchange.time });
        self.heads.insert(conversation, head);
        found
    }

    /// A conversation goes on: what its first prompt stored was of use again, where the new one begins with it.
    pub(super) fn went_on(&mut self, conversation: usize, exchange: &Exchange, units: &[Unit]) {
        let known = self.heads.get(&conversation).and_then(|head| self.by_head.get_mut(head));
        let own = known.and_then(|known| known.iter_mut().find(|it| it.conversation == conversation));
        if let Some(own) = own.filter(|own| own.first_unit == units.first().map(Unit::key))
            && was_read(exchange)
        {
            own.used = exchange.time.or(own.used);
        }
    }
}

impl Beginning {
    fn said(&self, shared: usize) -> Json {
        let mut said = Object::from_iter([("contents", Json::from(shared as i64))]);
        said.insert("isWhole", shared == self.contents.len());
        if let Some(used) = self.used {
            said.insert("at", used);
        }
        said.into()
    }
}

/// Whether a provider read the prompt: it answered, and not that it refuses.
fn was_read(exchange: &Exchange) -> bool {
    exchange.answer.as_ref().is_some_and(|answer| answer.error.is_none())
}

fn head(exchange: &Exchange, request: &LlmRequest) -> Fingerprint {
    let mut head = FingerprintBuilder::new();
    head.optional(asked_model(&exchange.body).as_deref());
    for definition in definitions(request) {
        head.text(&definition.text());
    }
    let instruction = request.system_instruction.as_ref().map(|text| text.to_text());
    head.optional(instruction.as_deref());
    head.finish()
}

fn contents(request: &LlmRequest) -> Vec<Fingerprint> {
    let contents = request.contents.iter().map(|content| {
        let mut said = FingerprintBuilder::new();
        said.optional(content.role.as_deref());
        for part in &content.parts {
            said.fingerprint(part.fingerprint);
        }
        said.finish()
    });
    contents.collect()
}
