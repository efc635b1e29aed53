//! Safe cuts change nothing, in any vocabulary.

use super::strings::{Random, any_text, corpus, hard_text};
use super::times;
use crate::tokens::Vocabulary;
use crate::tokens::safe_cuts::{LONGEST, chunks, is_safe_cut};

#[test]
fn no_safe_cut_moves_a_token() {
    let mut n_cuts = 0;
    for vocabulary in Vocabulary::ALL {
        let counter = vocabulary.counter();
        let mut random = Random::new(5);
        for n in 0..times(600) {
            let text = if n % 8 == 0 { any_text(&mut random, 60) } else { hard_text(&mut random, 60) };
            let whole = counter.token_ends(&text);
            for at in (1..text.len()).filter(|at| is_safe_cut(&text, *at)) {
                let mut ends = counter.token_ends(&text[..at]);
                ends.extend(counter.token_ends(&text[at..]).iter().map(|end| end + at as u32));
                assert_eq!(ends, whole, "{vocabulary:?} cut at {at} of {text:?}");
                n_cuts += 1;
            }
        }
    }
    assert!(n_cuts > times(30_000), "only {n_cuts} cuts were tried");
}

#[test]
fn pairs_around_a_cut() {
    #[track_caller]
    fn check(left: &str, right: &str, is_safe: bool) {
        assert_eq!(is_safe_cut(&format!("{left}{right}"), left.len()), is_safe, "{left:?} {right:?}");
    }
    for right in [" ", "  x", "\n", "\"", "/", ".", "7", "。", "\t"] {
        check("x", right, true);
        check("語", right, true);
    }
    for right in ["y", "'", "é", "\u{301}", "\u{200d}"] {
        check("x", right, false);
    }
    for right in ["x", "7", "(", "'", "語", "\u{301}"] {
        check("\n", right, true);
    }
    for right in ["\n", " ", "/", "\u{3000}", "\r"] {
        check("\n", right, false);
    }
    check("7", "x", true);
    check("7", "7", false);
    check(".", " ", false);
    check(" ", "x", false);
    check("語", "文", false);
    check("\u{301}", " ", false);
}

#[test]
fn chunks_join_to_the_text_and_are_short_where_it_can_be_cut() {
    for (name, text) in corpus(200_000) {
        let lengths: Vec<usize> = chunks(&text).map(str::len).collect();
        assert_eq!(chunks(&text).collect::<String>(), text);
        let average = text.len() / lengths.len();
        assert!((1000..=LONGEST).contains(&average), "{name}: {average} bytes on average");
        assert!(lengths.iter().all(|length| *length <= LONGEST + 200), "{name}: {lengths:?}");
    }
    assert_eq!(chunks("").count(), 0);
    assert_eq!(chunks(&"x".repeat(100_000)).count(), 1);
}

#[test]
fn chunks_are_the_same_again_behind_a_change() {
    for (name, text) in corpus(100_000) {
        let before: Vec<&str> = chunks(&text).collect();
        let changed = format!("{}{text}", "Something else stands before. ".repeat(17));
        let after: Vec<&str> = chunks(&changed).collect();
        let same = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
        assert!(same * 2 > before.len(), "{name}: only {same} of {} chunks are the same", before.len());
    }
}
