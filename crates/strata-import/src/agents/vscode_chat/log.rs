//! The log of changes of a chat: `{kind, k, v, i}`, where 0 is the whole state, 1 sets what is at a path, 2 appends to the
//! list at a path (cut to `i` before), and 3 deletes. The file is written anew, as one state, when it has many changes.

use strata_model::take::take_list;
use strata_model::{Json, Object, Str};

use crate::documents::Document;
use crate::findings::Findings;
use crate::source::SourceRecord;

/// A prompt with all that came of it, and where in the file it was written.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) fields: Object,
    pub(super) sources: Vec<SourceRecord>,
}

/// Chats as they are read.
#[derive(Debug, Default)]
pub(super) struct Log {
    done: Vec<(Object, Vec<Turn>)>,
    open: Option<(Object, Vec<Turn>)>,
    has_lost: bool,
}

/// A step of a path.
enum Step {
    Key(Str),
    At(usize),
}

impl Log {
    pub(super) fn add(&mut self, mut document: Document, findings: &mut Findings) {
        let kind = document.fields.get("kind").and_then(Json::as_i64);
        let is_change = kind.is_some() && document.fields.contains_key("k");
        let is_state = kind == Some(0) && !is_change;
        if !is_change && !is_state {
            return self.whole(document.fields.clone(), document.take("requests"));
        }
        if is_state {
            let requests = document.take("v.requests");
            let Some(Json::Object(state)) = document.fields.remove("v") else {
                return self.lost(&document.source, findings);
            };
            let is_same =
                self.open.as_ref().is_some_and(|(about, _)| about.get("sessionId") == state.get("sessionId"));
            if is_same {
                // The same chat, written anew.
                self.open = None;
            }
            return self.whole(state, requests);
        }
        let source = document.source.clone();
        let path = path_of(take_list(&mut document.fields, "k").unwrap_or_default());
        let items: Vec<(Json, SourceRecord)> = document
            .take("v")
            .into_iter()
            .map(|value| (value.source(), value.json))
            .map(|(at, it)| (it, at))
            .collect();
        let value = document.fields.remove("v");
        let cut = document.fields.get("i").and_then(Json::as_i64).and_then(|at| usize::try_from(at).ok());
        let is_applied = match (kind, path) {
            (Some(1), Some(path)) => {
                let value = value.or_else(|| {
                    let items: Vec<Json> = items.into_iter().map(|(item, _)| item).collect();
                    (!items.is_empty()).then_some(Json::Array(items))
                });
                self.set(&path, value, &source)
            }
            (Some(2), Some(path)) => self.push(&path, items, cut, &source),
            (Some(3), Some(path)) => self.set(&path, None, &source),
            _ => false,
        };
        if !is_applied {
            self.lost(&source, findings);
        }
    }

    pub(super) fn finish(mut self) -> Vec<(Object, Vec<Turn>)> {
        self.done.extend(self.open);
        self.done
    }

    /// A whole chat begins.
    fn whole(&mut self, about: Object, requests: Vec<crate::values::Value>) {
        self.done.extend(self.open.take());
        let turns = requests.into_iter().filter_map(|value| {
            let sources = vec![value.source()];
            match value.json {
                Json::Object(fields) => Some(Turn { fields, sources }),
                _ => None,
            }
        });
        self.open = Some((about, turns.collect()));
    }

    /// Says once that changes could not be made.
    fn lost(&mut self, source: &SourceRecord, findings: &mut Findings) {
        if !std::mem::replace(&mut self.has_lost, true) {
            let place = match source {
                SourceRecord::Bytes(range) => format!("byte {}", range.start),
                SourceRecord::Row { .. } => String::new(),
            };
            let message = "a change of the chat names a place that is not there; it was left out. What the chat was \
                           before it is shown";
            findings.warning("lost-change", place, message);
        }
    }

    fn set(&mut self, path: &[Step], value: Option<Json>, source: &SourceRecord) -> bool {
        let Some((about, turns)) = &mut self.open else { return false };
        match path {
            [Step::Key(first)] if &**first == "requests" => {
                *turns = turns_of(value, source);
                true
            }
            [Step::Key(first), Step::At(at)] if &**first == "requests" => match (turns.get_mut(*at), value) {
                (Some(turn), Some(Json::Object(fields))) => {
                    *turn = Turn { fields, sources: vec![source.clone()] };
                    true
                }
                (Some(_), None) => {
                    turns.remove(*at);
                    true
                }
                _ => false,
            },
            [Step::Key(first), Step::At(at), rest @ ..] if &**first == "requests" => {
                let Some(turn) = turns.get_mut(*at) else { return false };
                if matches!(rest, [Step::Key(key)] if &**key == "result") && !turn.sources.contains(source) {
                    turn.sources.push(source.clone());
                }
                set_in(&mut turn.fields, rest, value)
            }
            _ => set_in(about, path, value),
        }
    }

    fn push(
        &mut self,
        path: &[Step],
        items: Vec<(Json, SourceRecord)>,
        cut: Option<usize>,
        source: &SourceRecord,
    ) -> bool {
        let Some((about, turns)) = &mut self.open else { return false };
        match path {
            [Step::Key(first)] if &**first == "requests" => {
                turns.truncate(cut.unwrap_or(turns.len()));
                for (item, at) in items {
                    if let Json::Object(fields) = item {
                        turns.push(Turn { fields, sources: vec![at] });
                    }
                }
                true
            }
            [Step::Key(first), Step::At(at), rest @ ..] if &**first == "requests" && !rest.is_empty() => {
                let Some(turn) = turns.get_mut(*at) else { return false };
                if !turn.sources.contains(source) && turn.sources.len() < MOST_SOURCES {
                    turn.sources.push(source.clone());
                }
                push_in(&mut turn.fields, rest, items, cut)
            }
            _ => push_in(about, path, items, cut),
        }
    }
}

/// A turn is appended to as its answer streams in: so many of these places are kept.
const MOST_SOURCES: usize = 8;

fn turns_of(value: Option<Json>, source: &SourceRecord) -> Vec<Turn> {
    let Some(Json::Array(items)) = value else { return Vec::new() };
    let objects = items.into_iter().filter_map(|item| match item {
        Json::Object(fields) => Some(Turn { fields, sources: vec![source.clone()] }),
        _ => None,
    });
    objects.collect()
}

fn path_of(steps: Vec<Json>) -> Option<Vec<Step>> {
    let steps: Option<Vec<Step>> = steps
        .into_iter()
        .map(|step| match step {
            Json::String(key) => Some(Step::Key(key)),
            other => usize::try_from(other.as_i64()?).ok().map(Step::At),
        })
        .collect();
    steps.filter(|steps| !steps.is_empty())
}

/// The value at a path; `None` where there is none.
fn at_path<'v>(object: &'v mut Object, path: &[Step]) -> Option<&'v mut Json> {
    let (first, rest) = path.split_first()?;
    let Step::Key(key) = first else { return None };
    let mut value = object.get_mut(key)?;
    for step in rest {
        value = match (step, value) {
            (Step::Key(key), Json::Object(object)) => object.get_mut(key)?,
            (Step::At(at), Json::Array(items)) => items.get_mut(*at)?,
            _ => return None,
        };
    }
    Some(value)
}

fn set_in(object: &mut Object, path: &[Step], value: Option<Json>) -> bool {
    let Some((last, above)) = path.split_last() else { return false };
    if above.is_empty() {
        let Step::Key(key) = last else { return false };
        put(object, key, value);
        return true;
    }
    match (at_path(object, above), last) {
        (Some(Json::Object(object)), Step::Key(key)) => put(object, key, value),
        (Some(Json::Array(items)), Step::At(at)) if *at <= items.len() => {
            let Some(value) = value else { return false };
            if *at == items.len() {
                items.push(value);
            } else {
                items[*at] = value;
            }
        }
        _ => return false,
    }
    true
}

fn put(object: &mut Object, key: &Str, value: Option<Json>) {
    match value {
        Some(value) => drop(object.insert(key.clone(), value)),
        None => drop(object.remove(key)),
    }
}

fn push_in(object: &mut Object, path: &[Step], items: Vec<(Json, SourceRecord)>, cut: Option<usize>) -> bool {
    let items = items.into_iter().map(|(item, _)| item);
    if let Some(Json::Array(list)) = at_path(object, path) {
        list.truncate(cut.unwrap_or(list.len()));
        list.extend(items);
        return true;
    }
    // An empty list is not written down.
    set_in(object, path, Some(Json::Array(items.collect())))
}
