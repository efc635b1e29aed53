//! What a processor made of earlier histories: later ones, which begin alike, are gone on with from there.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use strata_model::{Contents, Fingerprint, RequestContent};

/// What a rule makes of a content.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Keep,
    Drop,
    Replace(Arc<RequestContent>),
}

/// Histories as one processor leaves them, with what it gathers on the way, `G`. A copy of both is cheap.
pub(super) struct Memo<G> {
    /// By the key of the rule and all full chunks up to here.
    histories: Mutex<HashMap<Fingerprint, Done<G>>>,
}

/// A history after its processor.
#[derive(Debug, Clone, Default)]
pub(super) struct Done<G> {
    pub contents: Contents,
    pub n_changed: usize,
    pub gathered: G,
}

impl<G> Default for Memo<G> {
    fn default() -> Self {
        Self { histories: Mutex::default() }
    }
}

/// A memo holds results and decides none.
impl<G> Hash for Memo<G> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<G: Clone + Default> Memo<G> {
    /// The contents as `step` leaves them. It sees the first `reach` of them in their order; those behind stay as they are.
    /// It goes by nothing but what `key` stands for, what was gathered so far, and the content.
    pub(super) fn apply(
        &self,
        mut key: Fingerprint,
        contents: &Contents,
        reach: usize,
        mut step: impl FnMut(&mut G, &Arc<RequestContent>) -> Change,
    ) -> Done<G> {
        let reach = reach.min(contents.len());
        // The full chunks that lie in reach, each with the key of everything up to its end.
        let mut ends: Vec<(usize, Fingerprint)> = Vec::new();
        let mut end = 0;
        for chunk in contents.chunks() {
            end += chunk.contents.len();
            if end > reach {
                break;
            }
            key = key.then(chunk.provenance);
            ends.push((end, key));
        }
        let mut histories = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        let known = ends.iter().rev().find_map(|(end, key)| Some((*end, histories.get(key)?.clone())));
        let (mut at, mut done) = known.unwrap_or_default();
        let mut go_to = |done: &mut Done<G>, from: usize, to: usize| {
            let mut changed = Vec::with_capacity(to - from);
            for content in (from..to).map_while(|at| contents.get(at)) {
                match step(&mut done.gathered, content) {
                    Change::Keep => changed.push(content.clone()),
                    Change::Drop => done.n_changed += 1,
                    Change::Replace(other) => {
                        changed.push(other);
                        done.n_changed += 1;
                    }
                }
            }
            done.contents.extend(changed);
        };
        for (end, key) in ends {
            if end > at {
                go_to(&mut done, at, end);
                at = end;
                histories.insert(key, done.clone());
            }
        }
        go_to(&mut done, at, reach);
        done.contents.extend((reach..contents.len()).filter_map(|at| contents.get(at).cloned()));
        done
    }
}

#[cfg(test)]
mod tests {
    use strata_model::{Origin, RichText};

    use super::*;

    fn content(n: usize) -> Arc<RequestContent> {
        let origin = Origin::Processor { name: "test".into() };
        Arc::new(RequestContent::user_text(&RichText::from_span(n.to_string(), origin.clone()), origin))
    }

    /// Drops every fifth content, and puts how many came before in the place of every third.
    fn step(n_seen: &mut usize, _: &Arc<RequestContent>) -> Change {
        *n_seen += 1;
        match *n_seen {
            n if n % 5 == 0 => Change::Drop,
            n if n % 3 == 0 => Change::Replace(content(1000 + n)),
            _ => Change::Keep,
        }
    }

    #[test]
    fn going_on_from_an_earlier_history_is_as_good_as_beginning_anew() {
        let memo: Memo<usize> = Memo::default();
        for (len, reach) in
            [(0, 0), (10, 10), (70, 64), (70, 70), (200, 3), (200, 199), (500, 500), (130, 500)]
        {
            let contents: Contents = (0..len).map(content).collect();
            let key = Fingerprint::default();
            let (known, anew) =
                (memo.apply(key, &contents, reach, step), Memo::default().apply(key, &contents, reach, step));
            assert!(known.contents == anew.contents, "{len} contents, {reach} in reach");
            assert_eq!((known.n_changed, known.gathered), (anew.n_changed, reach.min(len)));
        }
    }
}
