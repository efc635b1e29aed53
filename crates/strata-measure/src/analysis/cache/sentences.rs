//! The sentences of a system text: the least of it that can be left out or moved by itself.

/// The sentences of a text and its lines, each with the space behind it: together they are the text.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            let (sentence, behind) = rest.split_at(end(rest)?);
            rest = behind;
            Some(sentence)
        })
    })
}

/// Where the first sentence of a line ends, with the space behind it. `None` where there is nothing left.
fn end(line: &str) -> Option<usize> {
    let ends = line.char_indices().filter(|(_, letter)| matches!(letter, '.' | '!' | '?'));
    let mut ends = ends.filter_map(|(at, _)| {
        let behind = &line[at + 1..];
        let next = behind.trim_start();
        // `10:12 a.m. today`, `Fri. 20 November` and `1.5` go on.
        let is_new = next.chars().next().is_some_and(|letter| !letter.is_lowercase() && !letter.is_numeric());
        (is_new && next.len() < behind.len()).then(|| line.len() - next.len())
    });
    ends.next().or((!line.is_empty()).then_some(line.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_the_sentences_in_it() {
        let text =
            "Be kind. Now it is Fri. 20 Nov., 10:12 a.m. and 1.5 s. Help!\n\nState: 4\nÄh? Über 7. <end>";
        let expected = [
            "Be kind. ",
            "Now it is Fri. 20 Nov., 10:12 a.m. and 1.5 s. ",
            "Help!\n",
            "\n",
            "State: 4\n",
            "Äh? ",
            "Über 7. ",
            "<end>",
        ];
        assert_eq!(sentences(text).collect::<Vec<_>>(), expected);
        assert_eq!(sentences("").count(), 0);
    }
}
