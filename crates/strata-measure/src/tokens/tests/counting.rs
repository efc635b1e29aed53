//! Counts against the referee, and the memo against counts.

use strata_model::Fingerprint;

use super::strings::{Random, any_text, corpus, hard_text};
use super::times;
use crate::tokens::{
    ContentClass, CountMemo, Marks, Measure, TokenCounter, VerifyOutcome, Vocabulary, verify,
};

/// Every implementation of the trait keeps this.
#[track_caller]
fn check_contract(counter: &dyn TokenCounter, text: &str) {
    let ends = counter.token_ends(text);
    assert_eq!(ends.len() as u32, counter.count(text), "{text:?}");
    assert!(ends.is_sorted_by(|a, b| a < b), "{text:?}");
    assert_eq!(ends.last().copied().unwrap_or(0), text.len() as u32, "{text:?}");
}

#[test]
fn o200k_and_cl100k_cut_as_the_referee_cuts() {
    for (vocabulary, referee) in [
        (Vocabulary::O200kBase, tiktoken_rs::o200k_base_singleton()),
        (Vocabulary::Cl100kBase, tiktoken_rs::cl100k_base_singleton()),
    ] {
        let counter = vocabulary.counter();
        let mut random = Random::new(1);
        for n in 0..times(10_000) {
            let text = if n % 4 == 0 { any_text(&mut random, 40) } else { hard_text(&mut random, 40) };
            let tokens = referee.encode_ordinary(&text);
            assert_eq!(counter.count(&text), tokens.len() as u32, "{vocabulary:?} {text:?}");
            let mut end = 0;
            let ends: Vec<u32> = tokens
                .iter()
                .map(|token| {
                    end += referee.decode_bytes(&[*token]).unwrap().len() as u32;
                    end
                })
                .collect();
            assert_eq!(counter.token_ends(&text), ends, "{vocabulary:?} {text:?}");
        }
    }
}

#[test]
fn every_vocabulary_keeps_the_contract() {
    for vocabulary in Vocabulary::ALL {
        let counter = vocabulary.counter();
        assert_eq!(counter.vocabulary(), vocabulary);
        let mut random = Random::new(2);
        for _ in 0..times(300) {
            check_contract(counter, &hard_text(&mut random, 60));
            check_contract(counter, &any_text(&mut random, 60));
        }
        check_contract(counter, &"longer than a run ".repeat(5000));
        check_contract(counter, &"x".repeat(70_000));
    }
}

#[test]
fn tokens_may_end_inside_a_character() {
    let ends = Vocabulary::Cl100kBase.counter().token_ends("a语𠮷");
    assert_eq!(ends, [1, 4, 5, 6, 7, 8]);
}

#[test]
fn verify_agrees_or_says_why_not() {
    assert_eq!(verify(Vocabulary::O200kBase, "Hello, world", 3), VerifyOutcome::Agrees);
    assert_eq!(verify(Vocabulary::O200kBase, "Hello, world", 4), VerifyOutcome::Differs { referee: 3 });
    let verify = |vocabulary, text: &str| verify(vocabulary, text, vocabulary.counter().count(text));
    assert_eq!(verify(Vocabulary::Llama3, "Hello, world"), VerifyOutcome::NoReferee);
    let blank = " ".repeat(1_200_000);
    assert!(matches!(verify(Vocabulary::O200kBase, &blank), VerifyOutcome::Declined { .. }));
    let near_the_limit = format!("a{}b", "\n \t".repeat(33_000));
    assert!(matches!(verify(Vocabulary::O200kBase, &near_the_limit), VerifyOutcome::Agrees));
    for text in ["A".repeat(1_200_000), "!".repeat(600_000), "語".repeat(50_000)] {
        assert!(!matches!(verify(Vocabulary::O200kBase, &text), VerifyOutcome::Differs { .. }));
    }
}

#[test]
fn a_memo_counts_as_a_full_count_does() {
    let memo = CountMemo::default();
    for (name, text) in corpus(100_000) {
        for vocabulary in [Vocabulary::O200kBase, Vocabulary::Llama3] {
            let counter = vocabulary.counter();
            let measure = memo.measure(counter, &text);
            assert_eq!(measure.tokens, counter.count(&text), "{name} {vocabulary:?}");
            assert_eq!(memo.measure(counter, &text), measure);
        }
    }
}

#[test]
fn an_edit_of_one_byte_tokenizes_a_few_kb_again() {
    let counter = Vocabulary::O200kBase.counter();
    let mut random = Random::new(3);
    for (name, text) in corpus(1 << 20).into_iter().filter(|(name, _)| *name != "mixed") {
        let memo = CountMemo::default();
        memo.measure(counter, &text);
        for _ in 0..times(30) {
            let edited = edit(&mut random, &text);
            let before = memo.stats().tokenized_bytes;
            let measure = memo.measure(counter, &edited);
            let tokenized = memo.stats().tokenized_bytes - before;
            assert!(tokenized <= 16 << 10, "{tokenized} bytes of {name} were tokenised again");
            if random.below(10) == 0 {
                assert_eq!(measure.tokens, counter.count(&edited), "{name}");
            }
        }
    }
}

/// One character replaced, removed or inserted.
fn edit(random: &mut Random, text: &str) -> String {
    let at = text.floor_char_boundary(random.below(text.len()));
    let after = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
    let new = random.pick(&["x", "Z", "7", " ", "\n", "\"", "'", "é", "语", ""]);
    let resume = if random.below(2) == 0 { at } else { after };
    format!("{}{new}{}", &text[..at], &text[resume..])
}

#[test]
fn a_memo_is_bounded_and_keeps_what_is_asked_for() {
    let memo = CountMemo::new(1000);
    let known = Measure { tokens: 1, class: ContentClass::Prose, marks: Marks::default() };
    let favourite = Fingerprint::of(b"favourite");
    for n in 0..20_000u32 {
        memo.get_or(Fingerprint::of(&n.to_le_bytes()), Vocabulary::O200kBase, || known);
        memo.get_or(favourite, Vocabulary::O200kBase, || known);
    }
    assert!(memo.stats().n_known <= 1000);
    assert_eq!(memo.stats().misses, 20_001);
}
