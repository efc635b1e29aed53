//! Members of objects by their keys. Most objects are small and looked through; in large ones keys are looked up.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Objects with more members than this are not looked through again and again.
pub(super) const SCAN_LIMIT: usize = 24;

pub(super) type Member<V> = (Arc<str>, V);

/// The members after all of `changes`. A key that is there keeps its place and gets the last value, as in Python.
pub(super) fn set_all<V>(
    mut members: Vec<Member<V>>,
    changes: impl IntoIterator<Item = Member<V>>,
) -> Vec<Member<V>> {
    let mut places: Option<HashMap<Arc<str>, usize>> = None;
    for (nth, (key, value)) in changes.into_iter().enumerate() {
        if places.is_none() && nth >= SCAN_LIMIT && members.len() > SCAN_LIMIT {
            // Of keys that are there twice, the first one is found.
            let known = members.iter().enumerate().rev();
            places = Some(known.map(|(at, (key, _))| (key.clone(), at)).collect());
        }
        let place = match &mut places {
            None => members.iter().position(|(known, _)| *known == key),
            Some(places) => match places.entry(key.clone()) {
                Entry::Occupied(known) => Some(*known.get()),
                Entry::Vacant(free) => {
                    free.insert(members.len());
                    None
                }
            },
        };
        match place {
            Some(at) => members[at].1 = value,
            None => members.push((key, value)),
        }
    }
    members
}

/// Whether both have the same keys with equal values, in any order.
pub(super) fn are_equal<V: PartialEq>(ones: &[Member<V>], others: &[Member<V>]) -> bool {
    let mut places: Option<HashMap<&str, &V>> = None;
    ones.len() == others.len()
        && ones.iter().zip(others).all(|((key, value), (beside, value_beside))| {
            if key == beside {
                return value == value_beside;
            }
            let there = if others.len() > SCAN_LIMIT {
                let known = others.iter().rev();
                let places =
                    places.get_or_insert_with(|| known.map(|(key, value)| (&**key, value)).collect());
                places.get(&**key).copied()
            } else {
                others.iter().find(|(known, _)| known == key).map(|(_, value)| value)
            };
            there == Some(value)
        })
}
