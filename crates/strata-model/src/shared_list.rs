//! Lists that grow while others read them.

use std::cmp::Ordering;
use std::iter::FusedIterator;
use std::ops::{Index, Range};
use std::sync::Arc;

use imbl::Vector;
use imbl::vector::Focus;

/// A list whose copies share what they have in common: a copy is made in constant time, and neither sees what the other
/// becomes.
#[derive(Debug)]
pub struct SharedList<T>(Vector<Arc<T>>);

impl<T> SharedList<T> {
    pub fn new() -> Self {
        Self(Vector::new())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, at: usize) -> Option<&T> {
        self.0.get(at).map(|item| &**item)
    }

    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    pub fn last(&self) -> Option<&T> {
        self.0.last().map(|item| &**item)
    }

    pub fn iter(&self) -> SharedListIter<'_, T> {
        self.range(0..self.len())
    }

    /// How many items, from the first on, are the very same in another list: what was copied from one to the other.
    pub fn n_shared(&self, other: &Self) -> usize {
        if self.0.ptr_eq(&other.0) {
            return self.len();
        }
        self.0.iter().zip(&other.0).take_while(|(a, b)| Arc::ptr_eq(a, b)).count()
    }

    /// The place of the item whose key is `key`, in a list that is sorted by it.
    pub fn binary_search_by_key<K: Ord>(&self, key: &K, mut of: impl FnMut(&T) -> K) -> Option<usize> {
        self.0.binary_search_by_key(key, |item| of(item)).ok()
    }

    /// How many items, from the first on, `is_before` holds for, in a list in which it holds for none behind them.
    pub fn partition_point(&self, mut is_before: impl FnMut(&T) -> bool) -> usize {
        let side = |item: &Arc<T>| if is_before(item) { Ordering::Less } else { Ordering::Greater };
        self.0.binary_search_by(side).unwrap_or_else(|at| at)
    }

    /// The items of a range of places; those behind the end are not there.
    pub fn range(&self, places: Range<usize>) -> SharedListIter<'_, T> {
        let end = places.end.min(self.len());
        let items = self.0.focus().narrow(places.start.min(end)..end);
        SharedListIter(items.into_iter())
    }

    /// The item at a place, to be owned with others.
    pub fn shared(&self, at: usize) -> Option<&Arc<T>> {
        self.0.get(at)
    }

    pub fn push(&mut self, item: impl Into<Arc<T>>) {
        self.0.push_back(item.into());
    }

    /// Keeps the first `len` items.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len.min(self.0.len()));
    }
}

/// See [`SharedList::iter`].
pub struct SharedListIter<'l, T>(
    <Focus<'l, Arc<T>, imbl::shared_ptr::DefaultSharedPtr> as IntoIterator>::IntoIter,
);

impl<'l, T> Iterator for SharedListIter<'l, T> {
    type Item = &'l T;

    fn next(&mut self) -> Option<&'l T> {
        self.0.next().map(|item| &**item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> DoubleEndedIterator for SharedListIter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|item| &**item)
    }
}

impl<T> ExactSizeIterator for SharedListIter<'_, T> {}

impl<T> FusedIterator for SharedListIter<'_, T> {}

impl<T> Clone for SharedListIter<'_, T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Clone for SharedList<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for SharedList<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: PartialEq> PartialEq for SharedList<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0) || self.len() == other.len() && self.iter().eq(other)
    }
}

impl<T> Index<usize> for SharedList<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.0[at]
    }
}

impl<T, I: Into<Arc<T>>> Extend<I> for SharedList<T> {
    fn extend<L: IntoIterator<Item = I>>(&mut self, items: L) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T, I: Into<Arc<T>>> FromIterator<I> for SharedList<T> {
    fn from_iter<L: IntoIterator<Item = I>>(items: L) -> Self {
        let mut list = Self::new();
        list.extend(items);
        list
    }
}

impl<'l, T> IntoIterator for &'l SharedList<T> {
    type Item = &'l T;
    type IntoIter = SharedListIter<'l, T>;

    fn into_iter(self) -> SharedListIter<'l, T> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::SharedList;

    proptest! {
        #[test]
        fn behaves_as_a_vec_and_leaves_copies_alone(
            steps in prop::collection::vec((0..300_usize, 0..120_usize), 0..9)
        ) {
            let (mut list, mut vec): (SharedList<usize>, Vec<usize>) = Default::default();
            for (kept, added) in steps {
                let (copy, before) = (list.clone(), vec.clone());
                list.truncate(kept);
                vec.truncate(kept);
                list.extend(kept..kept + added);
                vec.extend(kept..kept + added);
                prop_assert!(copy.iter().eq(&before) && list.iter().eq(&vec));
                prop_assert!(list.iter().rev().eq(vec.iter().rev()));
                let (from, to) = (added.min(vec.len()), kept.min(vec.len()));
                prop_assert!(list.range(from..to.max(from)).eq(&vec[from..to.max(from)]));
                prop_assert_eq!(list.iter().len(), vec.len());
                prop_assert_eq!((list.first(), list.last()), (vec.first(), vec.last()));
                prop_assert_eq!(list == copy, vec == before);
                prop_assert_eq!(list.n_shared(&copy), kept.min(before.len()).min(vec.len()));
            }
        }
    }
}
