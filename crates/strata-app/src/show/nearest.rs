//! Names that were mistyped.

/// The name nearest to what was typed, if it is near at all.
pub(crate) fn nearest<'n>(typed: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let typed = typed.to_lowercase();
    let ranked = names.map(|name| (distance(&typed, &name.to_lowercase()), name));
    let (distance, name) = ranked.min_by_key(|(distance, _)| *distance)?;
    (distance <= (typed.chars().count() / 3).max(2)).then_some(name)
}

/// How many characters have to be put in, taken out or replaced.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let replaced = row[j] + usize::from(from != *to);
            next.push(replaced.min(row[j + 1] + 1).min(next[j] + 1));
        }
        row = next;
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_suggested_when_they_are_near() {
        assert_eq!(nearest("reslt", ["tools", "result"].into_iter()), Some("result"));
        assert_eq!(nearest("zzzzzz", ["tools", "result"].into_iter()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
