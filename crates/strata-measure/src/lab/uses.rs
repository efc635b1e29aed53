//! What answers took from earlier events, and which prompts held it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use strata_engine::Experiment;
use strata_model::{
    EventIndex, Fingerprint, LlmRequest, Origin, RequestContent, RequestPart, RequestTool, Str,
};

use super::result_values::names_of;
use super::said::each_said;
use super::short_numbers::short_numbers;
use super::telling::{is_telling, is_telling_name, tokens};
use super::words::{Finder, Phrase, each_leaf, each_text};

/// Digits by which a longer name is still told: `4411` tells of `ORD-4411`.
const TELLING_DIGITS: usize = 4;

/// Values that answers say again: by the rule of [`is_telling`], and short numbers of rows that they speak of.
pub(super) struct Uses {
    values: Vec<UsedValue>,
    /// For each call, what its answer uses that an earlier event holds.
    by_call: Vec<Vec<Use>>,
    finder: Finder,
    /// The values that each event holds, in their order; read when somebody asks.
    by_event: OnceLock<HashMap<EventIndex, Vec<u32>>>,
    /// Values in texts that are no event's, by the hash of the text.
    known: Mutex<HashMap<Fingerprint, Arc<HashSet<u32>>>>,
}

/// Tells of every text there is.
type Texts<'t> = dyn Fn(&mut dyn FnMut(&str)) + 't;

/// A value that is said again.
pub(super) struct UsedValue {
    /// As the first answer that uses it says it.
    pub text: String,
    /// Events that hold it, in order.
    pub holders: Vec<EventIndex>,
    /// Those that a short number was read from; `None`: any of those that hold it.
    read_from: Option<Vec<EventIndex>>,
    /// Values by which one knows what is meant, where it is not said whole.
    telling_parts: Vec<u32>,
}

impl UsedValue {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), holders: Vec::new(), read_from: None, telling_parts: Vec::new() }
    }

    /// Events that it may have been read from, in order.
    pub(super) fn sources(&self) -> &[EventIndex] {
        self.read_from.as_deref().unwrap_or(&self.holders)
    }
}

/// One answer that says a value.
#[derive(Clone)]
pub(super) struct Use {
    /// The value's place.
    pub value: u32,
    /// The tool in whose arguments it stands; `None`: in the answer's text.
    pub tool: Option<Str>,
}

impl Uses {
    pub(super) fn of(experiment: &Experiment) -> Self {
        let names = names(experiment);
        let mut said: HashMap<Phrase, u32> = HashMap::new();
        let mut values: Vec<UsedValue> = Vec::new();
        let mut by_call: Vec<Vec<Use>> = Vec::new();
        for call in experiment.calls() {
            let mut uses: BTreeMap<u32, Option<Str>> = BTreeMap::new();
            each_said(experiment, call, &mut |text, tool| {
                let mut note = |token: &str| {
                    let Some(phrase) = Phrase::of(token) else { return };
                    let value = *said.entry(phrase).or_insert_with(|| {
                        values.push(UsedValue::new(token));
                        values.len() as u32 - 1
                    });
                    uses.entry(value).or_insert_with(|| tool.cloned());
                };
                tokens(text).filter(|token| is_telling(token)).for_each(&mut note);
                names.finder.find(text, &mut |name| note(&names.texts[name as usize]));
            });
            by_call.push(uses.into_iter().map(|(value, tool)| Use { value, tool }).collect());
        }
        for at in 0..values.len() {
            let text = values[at].text.clone();
            for part in telling_parts(&text) {
                let Some(phrase) = Phrase::of(part) else { continue };
                let value = *said.entry(phrase).or_insert_with(|| {
                    values.push(UsedValue::new(part));
                    values.len() as u32 - 1
                });
                values[at].telling_parts.push(value);
            }
        }
        let mut phrases: Vec<(u32, &Phrase)> = said.iter().map(|(phrase, at)| (*at, phrase)).collect();
        phrases.sort_unstable();
        let short = short_numbers(experiment);
        for number in &short {
            let value = values.len() as u32;
            values
                .push(UsedValue { read_from: Some(number.sources.clone()), ..UsedValue::new(&number.text) });
            by_call[number.call].push(Use { value, tool: number.tool.clone() });
            phrases.push((value, &number.phrase));
        }
        let finder = Finder::new(phrases.into_iter().map(|(_, phrase)| phrase));
        for logged in experiment.log().events().iter().filter(|logged| logged.is_of_history()) {
            let Some(event) = logged.index else { continue };
            for part in logged.event.parts() {
                each_text(part, &mut |text| {
                    finder.find(text, &mut |value| {
                        let holders = &mut values[value as usize].holders;
                        if holders.last() != Some(&event) {
                            holders.push(event);
                        }
                    });
                });
            }
        }
        for (call, uses) in experiment.calls().iter().zip(&mut by_call) {
            let is_older = |event: Option<&EventIndex>| event.is_some_and(|event| *event < call.answer);
            uses.retain(|used| is_older(values[used.value as usize].sources().first()));
        }
        Self { values, by_call, finder, by_event: OnceLock::new(), known: Mutex::default() }
    }

    /// What the answer of a call uses, by the call's number.
    pub(super) fn of_call(&self, number: u32) -> &[Use] {
        self.by_call.get(number as usize - 1).map_or(&[], Vec::as_slice)
    }

    pub(super) fn value(&self, at: u32) -> &UsedValue {
        &self.values[at as usize]
    }

    /// Whether a value stands anywhere in a prompt. `rewritten` are events of which it has something else than they hold.
    pub(super) fn is_in(&self, value: u32, request: &LlmRequest, rewritten: &HashSet<EventIndex>) -> bool {
        let is_held = |content: &Arc<RequestContent>| self.is_in_content(value, content, rewritten);
        // What is asked for is most often near the end.
        request.contents.iter().rev().any(is_held)
            || self.is_in_system(value, request)
            || request.tools.iter().any(|tool| self.is_in_tool(value, tool))
    }

    /// All values that stand in a prompt: for asking about many of them.
    pub(super) fn in_prompt(&self, request: &LlmRequest) -> PromptValues {
        let by_event = self.by_event.get_or_init(|| {
            let mut by_event: HashMap<EventIndex, Vec<u32>> = HashMap::new();
            for (value, used) in self.values.iter().enumerate() {
                for event in &used.holders {
                    by_event.entry(*event).or_default().push(value as u32);
                }
            }
            by_event
        });
        let mut values = PromptValues(vec![0; self.values.len().div_ceil(64)]);
        for content in request.contents.iter() {
            let events = content.parts.iter().map(event_of);
            for event in events.clone().flatten() {
                by_event.get(&event).into_iter().flatten().for_each(|value| values.add(*value));
            }
            if events.into_iter().any(|event| event.is_none()) {
                self.in_content(content).iter().for_each(|value| values.add(*value));
            }
        }
        let system = request.system_text().map(|text| self.in_text(&text));
        system.iter().flat_map(|found| found.iter()).for_each(|value| values.add(*value));
        let tools = request.tools.iter().map(|tool| self.in_tool(tool));
        tools.for_each(|found| found.iter().for_each(|value| values.add(*value)));
        values
    }

    /// Whether a prompt says a value, or so much of it that one knows what is meant.
    pub(super) fn is_told_in(&self, value: u32, prompt: &PromptValues) -> bool {
        let parts = &self.value(value).telling_parts;
        [value].iter().chain(parts).any(|value| prompt.hold(*value))
    }

    /// Whether a prompt says a value, or so much of it that one knows what is meant.
    pub(super) fn is_told(&self, value: u32, request: &LlmRequest) -> bool {
        let parts = &self.value(value).telling_parts;
        [value].iter().chain(parts).any(|value| self.is_in(*value, request, &HashSet::new()))
    }

    fn is_in_content(&self, value: u32, content: &RequestContent, rewritten: &HashSet<EventIndex>) -> bool {
        let holders = &self.value(value).holders;
        let of_event = |part: &RequestPart| event_of(part).filter(|event| !rewritten.contains(event));
        content.parts.iter().filter_map(of_event).any(|event| holders.binary_search(&event).is_ok())
            || content.parts.iter().any(|part| of_event(part).is_none())
                && self.in_content(content).contains(&value)
    }

    fn is_in_system(&self, value: u32, request: &LlmRequest) -> bool {
        request.system_text().is_some_and(|text| self.in_text(&text).contains(&value))
    }

    fn is_in_tool(&self, value: u32, tool: &RequestTool) -> bool {
        self.in_tool(tool).contains(&value)
    }

    fn in_content(&self, content: &RequestContent) -> Arc<HashSet<u32>> {
        self.held(content.fingerprint, &|each| {
            content.parts.iter().for_each(|part| each_text(&part.part, each));
        })
    }

    fn in_text(&self, text: &str) -> Arc<HashSet<u32>> {
        self.held(Fingerprint::of(text.as_bytes()), &|each| each(text))
    }

    fn in_tool(&self, tool: &RequestTool) -> Arc<HashSet<u32>> {
        self.held(tool.fingerprint(), &|each| each_leaf(&tool.to_json(), true, each))
    }

    /// The values in something that is known by its hash.
    fn held(&self, key: Fingerprint, read: &Texts<'_>) -> Arc<HashSet<u32>> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&key).cloned();
        known.unwrap_or_else(|| {
            let mut found = HashSet::new();
            read(&mut |text| self.finder.find(text, &mut |value| _ = found.insert(value)));
            lock().entry(key).or_insert(Arc::new(found)).clone()
        })
    }
}

/// Values that stand in a prompt, a bit each.
pub(super) struct PromptValues(Vec<u64>);

impl PromptValues {
    fn add(&mut self, value: u32) {
        self.0[value as usize / 64] |= 1 << (value % 64);
    }

    pub(super) fn hold(&self, value: u32) -> bool {
        self.0[value as usize / 64] & (1 << (value % 64)) != 0
    }
}

/// The event that all of a part comes from.
fn event_of(part: &RequestPart) -> Option<EventIndex> {
    match part.origins() {
        [(_, Origin::Event { event, .. })] => Some(*event),
        _ => None,
    }
}

/// The name of a file without its folders, and the longest run of digits of a name.
fn telling_parts(text: &str) -> impl Iterator<Item = &str> {
    let file = text.rsplit(['/', '\\']).next().filter(|file| file.len() < text.len() && file.contains('.'));
    let digits = text.split(|letter: char| !letter.is_ascii_digit()).max_by_key(|run| run.len());
    let digits = digits.filter(|run| run.len() >= TELLING_DIGITS && run.len() < text.len());
    file.into_iter().chain(digits)
}

/// Names in results that are long enough to be told from other words.
struct Names {
    texts: Vec<String>,
    finder: Finder,
}

fn names(experiment: &Experiment) -> Names {
    let mut texts: Vec<String> = Vec::new();
    let mut phrases: Vec<Phrase> = Vec::new();
    let mut seen: HashSet<Phrase> = HashSet::new();
    for logged in experiment.log().events() {
        names_of(logged, &mut |text| {
            if !is_telling_name(text) {
                return;
            }
            if let Some(phrase) = Phrase::of(text).filter(|phrase| seen.insert(phrase.clone())) {
                texts.push(text.to_owned());
                phrases.push(phrase);
            }
        });
    }
    Names { finder: Finder::new(&phrases), texts }
}
