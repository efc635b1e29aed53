//! What edits make of the contents that were sent.
//!
//! Parts are told apart by the part of an event they show, whatever it became on the way; words that no event holds, by
//! the parts they stand beside. So contents may have been cut or joined differently by whoever sent them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use strata_model::{Contents, EventIndex, Fingerprint, Origin, RequestContent, RequestPart};

/// What a part shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Shown {
    /// A part of an event, as it is or rewritten.
    Event(u32, u16),
    /// A part of the summary that an event carries.
    Summary(u32, u16),
}

/// What tells a part apart from others, in all three requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Subject {
    Shown(Shown),
    /// Words beside what is shown, such as the frame of a quotation.
    Beside(Shown, Fingerprint),
    /// Of a content that shows no event, by both.
    Alone(Fingerprint, Fingerprint),
}

/// A subject, and which of those that are alike.
type Key = (Subject, u32);

/// A content with the keys of its parts.
struct Keyed<'r> {
    content: &'r Arc<RequestContent>,
    keys: Vec<Key>,
}

impl<'r> Keyed<'r> {
    fn all(contents: &'r Contents) -> Vec<Self> {
        let mut n_alike: HashMap<Subject, u32> = HashMap::new();
        let keyed = contents.iter().map(|content| {
            let beside = content.parts.iter().find_map(shown);
            let keys = content.parts.iter().map(|part| {
                let subject = match (shown(part), beside) {
                    (Some(shown), _) => Subject::Shown(shown),
                    (None, Some(beside)) => Subject::Beside(beside, part.fingerprint),
                    (None, None) => Subject::Alone(content.fingerprint, part.fingerprint),
                };
                let nth = n_alike.entry(subject).or_default();
                *nth += 1;
                (subject, *nth)
            });
            Self { content, keys: keys.collect() }
        });
        keyed.collect()
    }

    fn parts(&self) -> impl Iterator<Item = (Key, &'r RequestPart)> {
        self.keys.iter().copied().zip(&self.content.parts)
    }
}

fn shown(part: &RequestPart) -> Option<Shown> {
    match part.main_origin() {
        Origin::Event { event, part } | Origin::Rewritten { event: Some(event), part, .. } => {
            Some(Shown::Event(event.0, *part))
        }
        Origin::Summary { event, part } => Some(Shown::Summary(event.0, *part)),
        _ => None,
    }
}

/// A content that was sent, as edits leave it.
struct Left {
    content: Arc<RequestContent>,
    /// With the keys of those that compiling knows.
    parts: Vec<(Option<Key>, RequestPart)>,
    is_changed: bool,
}

impl Left {
    fn finish(self) -> Arc<RequestContent> {
        if !self.is_changed {
            return self.content;
        }
        Arc::new(self.content.with_parts(self.parts.into_iter().map(|(_, part)| part).collect()))
    }
}

/// The sent contents with the changes that lead from `compiled` to `edited`. `None` where these have another order.
/// Events in `dropped` are gone also where compiling does not show them.
pub(super) fn carried(
    compiled: &Contents,
    sent: &Contents,
    edited: &Contents,
    dropped: &BTreeSet<EventIndex>,
) -> Option<Contents> {
    let (before, after) = (Keyed::all(compiled), Keyed::all(edited));
    let before: Vec<(Key, &RequestPart)> = before.iter().flat_map(Keyed::parts).collect();
    let places: HashMap<Key, usize> = before.iter().enumerate().map(|(at, (key, _))| (*key, at)).collect();
    let common = after.iter().flat_map(|content| &content.keys).filter_map(|key| places.get(key));
    if !common.is_sorted() {
        return None;
    }
    let before: HashMap<Key, &RequestPart> = before.into_iter().collect();
    let mut left = left(sent, &before, &after, dropped);
    let new = insert(&mut left, &before, &after);
    let n_same = left
        .iter()
        .zip(sent.iter())
        .take_while(|(left, sent)| !left.is_changed && Arc::ptr_eq(&left.content, sent));
    let n_same = n_same.count().min(new.first().map_or(usize::MAX, |(at, _)| *at));
    let mut contents = sent.clone();
    contents.split_off(n_same);
    let mut new = new.into_iter().peekable();
    let mut rest: Vec<Arc<RequestContent>> = Vec::new();
    for (at, content) in left.into_iter().enumerate().skip(n_same) {
        rest.extend(
            std::iter::from_fn(|| new.next_if(|(before, _)| *before == at)).map(|(_, content)| content),
        );
        rest.push(content.finish());
    }
    rest.extend(new.map(|(_, content)| content));
    contents.extend(rest);
    Some(contents)
}

/// What edits leave of the contents that were sent.
fn left(
    sent: &Contents,
    before: &HashMap<Key, &RequestPart>,
    after: &[Keyed<'_>],
    dropped: &BTreeSet<EventIndex>,
) -> Vec<Left> {
    let after: HashMap<Key, &RequestPart> = after.iter().flat_map(Keyed::parts).collect();
    let mut all: Vec<Left> = Vec::with_capacity(sent.len());
    // Contents that compiling knows nothing of, behind one that is gone: they go with the next one that is known.
    let mut undecided: Vec<Left> = Vec::new();
    let mut is_last_gone = false;
    for keyed in Keyed::all(sent) {
        let mut parts: Vec<(Option<Key>, RequestPart)> = Vec::with_capacity(keyed.keys.len());
        let (mut is_changed, mut n_known, mut n_gone) = (false, 0, 0);
        for (key, part) in keyed.parts() {
            let is_dropped = part.main_origin().event().is_some_and(|event| dropped.contains(&event));
            let Some(known) = before.get(&key) else {
                if is_dropped {
                    (n_known, n_gone) = (n_known + 1, n_gone + 1);
                } else {
                    parts.push((None, part.clone()));
                }
                continue;
            };
            n_known += 1;
            match after.get(&key) {
                None => n_gone += 1,
                Some(changed)
                    if changed.fingerprint != known.fingerprint
                        && changed.fingerprint != part.fingerprint =>
                {
                    is_changed = true;
                    parts.push((Some(key), (*changed).clone()));
                }
                Some(_) => parts.push((Some(key), part.clone())),
            }
        }
        is_changed |= n_gone > 0;
        let left = Left { content: keyed.content.clone(), parts, is_changed };
        match n_known {
            0 if is_last_gone => undecided.push(left),
            0 => all.push(left),
            _ if n_gone == n_known => {
                is_last_gone = true;
                undecided.clear();
            }
            _ => {
                is_last_gone = false;
                all.append(&mut undecided);
                all.push(left);
            }
        }
    }
    all.append(&mut undecided);
    all
}

/// Puts in the parts that only the edited request has, each behind the one it follows there. Returns contents that are
/// new as a whole, in order, each with the place it stands before.
fn insert(
    left: &mut [Left],
    before: &HashMap<Key, &RequestPart>,
    after: &[Keyed<'_>],
) -> Vec<(usize, Arc<RequestContent>)> {
    let mut places: HashMap<Key, usize> = HashMap::new();
    for (at, content) in left.iter().enumerate() {
        places.extend(content.parts.iter().filter_map(|(key, _)| Some(((*key)?, at))));
    }
    let head = left.iter().position(|content| content.parts.iter().any(|(key, _)| key.is_some()));
    let mut next = head.unwrap_or(left.len());
    let mut new = Vec::new();
    for content in after {
        let own = content.keys.iter().find_map(|key| places.get(key).copied());
        let mut whole: Vec<RequestPart> = Vec::new();
        let mut previous: Option<Key> = None;
        for (key, part) in content.parts() {
            if let Some(at) = places.get(&key) {
                next = next.max(at + 1);
            } else if !before.contains_key(&key) {
                match previous.and_then(|previous| places.get(&previous).copied()).or(own) {
                    Some(at) => {
                        left[at].insert_behind(previous, key, part.clone());
                        places.insert(key, at);
                    }
                    None => whole.push(part.clone()),
                }
            }
            if places.contains_key(&key) {
                previous = Some(key);
            }
        }
        if !whole.is_empty() {
            new.push((next, Arc::new(content.content.with_parts(whole))));
        }
    }
    new
}

impl Left {
    fn insert_behind(&mut self, previous: Option<Key>, key: Key, part: RequestPart) {
        let first = self.parts.iter().position(|(known, _)| known.is_some()).unwrap_or(0);
        let behind = previous.and_then(|key| self.parts.iter().position(|(known, _)| *known == Some(key)));
        self.parts.insert(behind.map_or(first, |at| at + 1), (Some(key), part));
        self.is_changed = true;
    }
}
