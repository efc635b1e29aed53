//! What a provider keeps that keeps marked prefixes and nothing else.

use imbl::HashMap;
use strata_model::Fingerprint;

use crate::analysis::marked::MarkedPrefix;

/// A report tells where a mark is, which we know by our count alone, if it is within this many tokens of it, or within one
/// part in so many.
const OFF_TOKENS: u32 = 500;
const OFF_SHARE: u32 = 20;

/// Answers recorded within this many seconds of each other are those of requests that were under way together.
pub(super) const IN_FLIGHT_S: f64 = 2.0;

/// Prefixes that are kept, by what stands in them. A copy is cheap.
#[derive(Debug, Clone, Default)]
pub(super) struct Entries {
    by_hash: HashMap<Fingerprint, Entry>,
    /// What each call marked, as `(hash, blocks)`, and what it changed of what was there before it.
    calls: Vec<CallEntries>,
}

#[derive(Debug, Clone, Default)]
struct CallEntries {
    marked: Vec<(Fingerprint, u32)>,
    before: Vec<(Fingerprint, Option<Entry>)>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    tokens: u32,
    /// The number of the call that wrote it.
    call: u32,
    written_s: f64,
    used_s: f64,
    lifetime_s: f64,
    /// Those of the conversation are found with the same settings only.
    settings: Option<u32>,
}

/// A call that asks for marked prefixes.
pub(super) struct Asking<'a> {
    pub marked: Vec<&'a MarkedPrefix>,
    /// Epoch seconds.
    pub now_s: f64,
    /// Whether that is recorded.
    pub is_timed: bool,
    pub settings: u32,
    /// Of marks that do not say it, and what it is where they do and somebody asks otherwise.
    pub lifetime_s: f64,
    pub forced_lifetime_s: Option<f64>,
    /// What providers do unasked: what is kept for longer costs more to write.
    pub usual_lifetime_s: Option<f64>,
    pub minimum_tokens: u32,
    /// The call before it in its lineage, by its number.
    pub previous: Option<u32>,
    /// It marks all of its prompt: it would find whatever that one kept.
    pub is_to_the_end: bool,
    /// Whether it goes on with the answer to a call.
    pub continues: &'a dyn Fn(u32) -> bool,
    /// What is reported to have been found.
    pub reported: Option<u32>,
}

/// What became of it. All sizes are in tokens from the beginning.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Looked {
    pub found: u32,
    /// The call that wrote it.
    pub reference: Option<u32>,
    pub idle_s: Option<f64>,
    /// What would be found if nothing was ever forgotten.
    pub ever: u32,
    /// Up to the last mark, and up to the last one of those that are kept for longer.
    pub end: u32,
    pub long_end: u32,
    /// What the call before it kept of what both mark.
    pub kept_before: u32,
}

impl Entries {
    pub(super) fn truncate(&mut self, n_calls: usize) {
        while self.calls.len() > n_calls {
            for (hash, before) in self.calls.pop().unwrap_or_default().before.into_iter().rev() {
                match before {
                    Some(entry) => self.by_hash.insert(hash, entry),
                    None => self.by_hash.remove(&hash),
                };
            }
        }
    }

    /// A call that neither finds nor keeps anything here.
    pub(super) fn pass(&mut self) {
        self.calls.push(CallEntries::default());
    }

    /// The next call.
    pub(super) fn ask(&mut self, asking: &Asking<'_>) -> Looked {
        self.pass();
        let ends = asking.marked.iter().flat_map(|prefix| &prefix.ends);
        let mut hashes: Vec<Fingerprint> = ends.map(|end| end.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let known = hashes.iter().filter_map(|hash| Some((*hash, *self.by_hash.get(hash)?)));
        let known: Vec<(Fingerprint, Entry)> =
            known.filter(|(_, entry)| entry.tokens >= asking.minimum_tokens).collect();
        let ever = known.iter().map(|(_, entry)| entry.tokens).max().unwrap_or(0);
        let mut live: Vec<(Fingerprint, Entry)> =
            known.into_iter().filter(|(_, entry)| asking.finds(entry)).collect();
        if let Some(reported) = asking.reported.filter(|reported| *reported > 0) {
            let nearest = live.iter_mut().min_by_key(|(_, entry)| entry.tokens.abs_diff(reported));
            let is_meant =
                |entry: &Entry| entry.tokens.abs_diff(reported) <= OFF_TOKENS.max(entry.tokens / OFF_SHARE);
            if let Some((_, entry)) = nearest.filter(|(_, entry)| is_meant(entry)) {
                entry.tokens = reported;
            }
        }
        let longest = live.iter().map(|(_, entry)| *entry).max_by_key(|entry| entry.tokens);
        for (hash, entry) in live {
            self.set(hash, Entry { used_s: asking.now_s, ..entry });
        }
        let mut looked = Looked {
            found: longest.map_or(0, |entry| entry.tokens),
            reference: longest.map(|entry| entry.call),
            idle_s: longest.map(|entry| (asking.now_s - entry.used_s).max(0.0)),
            ever,
            ..Looked::default()
        };
        for prefix in &asking.marked {
            self.keep(prefix, asking, &mut looked);
        }
        looked.kept_before = self.kept_before(asking);
        looked
    }

    fn keep(&mut self, prefix: &MarkedPrefix, asking: &Asking<'_>, looked: &mut Looked) {
        let call = self.calls.len() as u32;
        let whole = prefix.whole();
        let marked = (whole.hash, whole.n_blocks);
        if let Some(of_call) = self.calls.last_mut() {
            of_call.marked.push(marked);
        }
        let own = prefix.lifetime_s.map_or(asking.lifetime_s, f64::from);
        let lifetime_s = asking.forced_lifetime_s.unwrap_or(own);
        let known = self.by_hash.get(&whole.hash).copied().filter(|entry| asking.finds(entry));
        let tokens = known.map_or(whole.tokens, |entry| entry.tokens);
        if tokens < asking.minimum_tokens {
            return;
        }
        if known.is_none() {
            let settings = prefix.is_of_conversation.then_some(asking.settings);
            let entry =
                Entry { tokens, call, written_s: asking.now_s, used_s: asking.now_s, lifetime_s, settings };
            self.set(whole.hash, entry);
        }
        looked.end = looked.end.max(tokens);
        if asking.usual_lifetime_s.is_some_and(|usual_s| lifetime_s > usual_s) {
            looked.long_end = looked.long_end.max(tokens);
        }
    }

    fn kept_before(&self, asking: &Asking<'_>) -> u32 {
        let reach = match asking.marked.iter().map(|prefix| prefix.whole().n_blocks).max() {
            Some(_) if asking.is_to_the_end => u32::MAX,
            reach => reach.unwrap_or(0),
        };
        let before = asking.previous.and_then(|call| self.calls.get((call as usize).checked_sub(1)?));
        let within =
            before.iter().flat_map(|before| &before.marked).filter(|(_, n_blocks)| *n_blocks <= reach);
        let kept = within.filter_map(|(hash, _)| self.by_hash.get(hash)).map(|entry| entry.tokens);
        kept.max().unwrap_or(0)
    }

    fn set(&mut self, hash: Fingerprint, entry: Entry) {
        let before = self.by_hash.insert(hash, entry);
        if let Some(of_call) = self.calls.last_mut() {
            of_call.before.push((hash, before));
        }
    }
}

impl Asking<'_> {
    fn finds(&self, entry: &Entry) -> bool {
        let is_kept = self.now_s - entry.used_s <= entry.lifetime_s;
        let is_same = entry.settings.is_none_or(|settings| settings == self.settings);
        // It can be read once the first answer begins.
        let is_in_flight =
            self.is_timed && self.now_s - entry.written_s < IN_FLIGHT_S && !(self.continues)(entry.call);
        is_kept && is_same && !is_in_flight
    }
}
