//! Calibration against providers whose tokenizers it does not know.

use super::strings::{Random, corpus};
use super::times;
use crate::tokens::{Anchor, Calibration, CountMemo, Measured, Tokenizer, Vocabulary, Weigher};

/// What a provider adds to each message.
const FRAMING: u32 = 7;

/// A message as we count it for a model that is not known, and as its provider does.
#[derive(Clone, Copy)]
struct Message {
    ours: u32,
    provider: u32,
}

/// Messages of 50 bytes to 6 KB, by class of content.
fn messages(provider: Vocabulary) -> Vec<Vec<Message>> {
    let (tokenizer, memo) = (Tokenizer::of_model("house-model"), CountMemo::default());
    let weigher = Weigher::new(&tokenizer, &memo);
    let mut random = Random::new(11);
    let mut of_class = |text: &str| {
        let mut rest = text;
        let mut messages = Vec::new();
        while !rest.is_empty() {
            let longest = 1 << random.below(7);
            let bytes = 50 * (1 + random.below(longest));
            let (text, after) = rest.split_at(rest.floor_char_boundary(bytes.min(rest.len())));
            let provider = provider.counter().count(text) + FRAMING;
            messages.push(Message { ours: weigher.text(text).tokens, provider });
            rest = after;
        }
        messages
    };
    corpus(60_000).iter().map(|(_, text)| of_class(text)).collect()
}

/// What a prompt has in common with calls before it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Continued,
    /// The history was summarised: only the head is shared.
    Cut,
    First,
}

/// A prediction, and what was reported then.
struct Seen {
    kind: Kind,
    /// Of what was reported.
    error: f64,
    is_held: bool,
}

/// Predicts every call of a session before its report is known.
fn session(random: &mut Random, messages: &[Vec<Message>]) -> Vec<Seen> {
    let mut calibration = Calibration::default();
    let mut seen = Vec::new();
    let head = Measured { ours: 1000, reported: 1100 + random.below(400) as u32 };
    let (mut prompt, mut anchor, mut kind) = (head, None, Kind::First);
    let mut class = 0;
    for _ in 0..60 {
        for _ in 0..=random.below(4) {
            // Content comes in runs.
            if random.below(4) == 0 {
                class = random.below(messages.len());
            }
            let message = messages[class][random.below(messages[class].len())];
            prompt.ours += message.ours;
            prompt.reported += message.provider;
        }
        if let Some(count) = calibration.predict(prompt.ours, anchor) {
            let error = f64::from(count.tokens.abs_diff(prompt.reported)) / f64::from(prompt.reported);
            let is_held = (count.low..=count.high).contains(&prompt.reported);
            seen.push(Seen { kind, error, is_held });
        }
        calibration.observe(prompt, anchor);
        (anchor, kind, prompt) = match random.below(30) {
            0 => (Some(Anchor { call: prompt, shared: head.ours }), Kind::Cut, head),
            1 => (None, Kind::First, head),
            _ => (Some(Anchor::whole(prompt)), Kind::Continued, prompt),
        };
    }
    seen
}

#[test]
fn bounds_hold_what_hidden_tokenizers_report() {
    use Vocabulary::{DeepseekV3, Glm4, KimiK2, Llama3, MistralV3, Qwen2};
    let mut random = Random::new(12);
    let mut all = Vec::new();
    for vocabulary in [Llama3, Qwen2, DeepseekV3, MistralV3, KimiK2, Glm4] {
        let messages = messages(vocabulary);
        let sessions = (0..times(200)).flat_map(|_| session(&mut random, &messages));
        let seen: Vec<Seen> = sessions.collect();
        let mut errors: Vec<f64> =
            seen.iter().filter(|seen| seen.kind == Kind::Continued).map(|seen| seen.error).collect();
        errors.sort_by(f64::total_cmp);
        let [p50, p95] = [50, 95].map(|percent| errors[errors.len() * percent / 100]);
        assert!(p50 <= 0.005 && p95 <= 0.05, "{vocabulary:?}: errors of {p50:.4} and {p95:.4}");
        all.extend(seen);
    }
    for kind in [Kind::Continued, Kind::Cut, Kind::First] {
        let of_kind = || all.iter().filter(|seen| seen.kind == kind);
        let held = of_kind().filter(|seen| seen.is_held).count() as f64 / of_kind().count() as f64;
        assert!(held >= 0.95, "{kind:?}: {held:.3} of {} were held", of_kind().count());
    }
}
