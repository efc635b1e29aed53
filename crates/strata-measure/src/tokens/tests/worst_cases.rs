//! Texts on which tokenizers take forever or fail.

use std::time::{Duration, Instant};

use super::strings::{Random, fill, han};
use super::times;
use crate::tokens::Vocabulary;

/// Bytes of each text. Without optimisation of this crate, an eighth of the size the limits are meant for.
const SIZE: usize = if cfg!(debug_assertions) { 1 << 20 } else { 8 << 20 };

/// For [`SIZE`] bytes; generous, because the machine may be busy.
const LIMIT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2000 } else { 1000 });

fn texts() -> Vec<(&'static str, String)> {
    let mut random = Random::new(6);
    let mut letters = |alphabet: &[u8]| -> String {
        (0..SIZE).map(|_| char::from(alphabet[random.below(alphabet.len())])).collect()
    };
    let random_letters = letters(b"abcdefghijklmnopqrstuvwxyz");
    let hexadecimal = letters(b"0123456789abcdef");
    let base64 = letters(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    let blanks = letters(b" \t\n\r ");
    let signs = letters(b"!\"#$%&()*+,-./:;<=>?@[]^_{|}~");
    let mut random = Random::new(6);
    vec![
        ("one letter", "a".repeat(SIZE)),
        ("one capital letter", "A".repeat(SIZE)),
        ("random letters", random_letters),
        ("spaces", " ".repeat(SIZE)),
        ("line ends", "\n".repeat(SIZE)),
        ("mixed white space", blanks),
        ("signs", signs),
        ("hexadecimal", hexadecimal),
        ("base64", base64),
        ("emoji", "😀🎉👍🏽".repeat(SIZE / 16)),
        ("random Han", fill(SIZE, || han(&mut random).to_string())),
        ("combining marks", "e\u{301}".repeat(SIZE / 3)),
    ]
}

#[expect(clippy::disallowed_methods, reason = "the time is what is tested")]
fn check(vocabulary: Vocabulary, limit: Duration) {
    let counter = vocabulary.counter();
    counter.count(&"x".repeat(100_000));
    for (name, text) in texts() {
        let start = Instant::now();
        let tokens = counter.count(&text);
        let took = start.elapsed();
        assert!(tokens > 0);
        assert!(took <= limit, "{name} took {took:?} in {vocabulary:?}");
    }
}

#[test]
fn worst_cases_take_a_second_at_most() {
    check(Vocabulary::O200kBase, LIMIT);
    if times(1) > 1 {
        for vocabulary in Vocabulary::ALL {
            check(vocabulary, LIMIT);
        }
    }
}

#[test]
fn the_linear_engine_counts_as_the_usual_one() {
    let mut random = Random::new(8);
    for vocabulary in [Vocabulary::O200kBase, Vocabulary::Cl100kBase] {
        let counter = vocabulary.counter();
        let run = fill(80_000, || char::from(b'a' + random.below(26) as u8).to_string());
        // One cut in the middle of a run changes its tokens there and nowhere else.
        let halves = counter.count(&run[..40_000]) + counter.count(&run[40_000..]);
        assert!(counter.count(&run).abs_diff(halves) <= 3);
        assert_eq!(counter.token_ends(&run).len() as u32, counter.count(&run));
    }
}
