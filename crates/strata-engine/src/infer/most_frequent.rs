//! What is said most often.

/// Of those that come equally often, the last.
pub(super) fn most_frequent<T: PartialEq>(all: impl Iterator<Item = T>) -> Option<T> {
    let mut counted: Vec<(T, usize)> = Vec::new();
    for item in all {
        match counted.iter_mut().find(|(known, _)| *known == item) {
            Some((_, n)) => *n += 1,
            None => counted.push((item, 1)),
        }
    }
    counted.into_iter().max_by_key(|(_, n)| *n).map(|(item, _)| item)
}
