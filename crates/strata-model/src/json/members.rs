//! Members of objects by their keys. Most objects are small and looked through; in large ones keys are looked up.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::Json;

/// Objects with more members than this are not looked through again and again.
pub(super) const SCAN_LIMIT: usize = 24;

pub(super) type Member = (Arc<str>, Json);

/// The members after all of `changes`. A key that is there keeps its place and gets the last value, as in Python.
pub(super) fn set_all(mut members: Vec<Member>, changes: impl IntoIterator<Item = Member>) -> Vec<Member> {
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
pub(super) fn are_equal(ones: &[Member], others: &[Member]) -> bool {
    let mut places: Option<HashMap<&str, &Json>> = None;
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
