//! What is told of a conversation in the place of its messages.

use std::collections::HashSet;

use strata_model::{Json, Part};

use crate::injected::{SUMMARY, client_words};

/// How clients begin what stands for messages that they took away.
const OF_CLIENTS: [&str; 6] = [
    // Codex
    "Another language model started to solve this problem and produced a summary",
    // opencode, before the summary
    "What did we do so far?",
    // Gemini CLI and those made of it
    "<state_snapshot>",
    // LangChain
    "Here is a summary of the conversation to date:",
    "<conversation_summary>",
    "<conversation-summary>",
];
/// Bytes of the shortest text that sums up a conversation.
const SHORTEST: usize = 200;
/// Telling words of what is gone that a summary holds at least.
const MENTIONED: usize = 5;
/// Letters of the shortest word that tells what is spoken of, where no other character is in it.
const LETTERS: usize = 7;
const CHARACTERS: usize = 4;

pub(super) fn is_summary_of_client(text: &str) -> bool {
    let begins = |start: &&str| text.trim_start().starts_with(*start);
    client_words(text) == Some(SUMMARY) || OF_CLIENTS.iter().any(begins)
}

/// Whether a text sums up what is gone: it is long enough, and most of what it speaks of was spoken of there. What stands
/// in the message whose place it takes is not counted, because a person who asks otherwise speaks of the same things.
pub(super) fn sums_up<'p>(text: &str, replaced: &str, gone: impl Iterator<Item = &'p Part>) -> bool {
    if text.len() < SHORTEST {
        return false;
    }
    let asked: HashSet<String> = telling_words(replaced).collect();
    let mut open: HashSet<String> = telling_words(text).filter(|word| !asked.contains(word)).collect();
    let n_words = open.len() + asked.len();
    let wanted = MENTIONED.max(n_words.div_ceil(2));
    let mut n_found = 0;
    for part in gone {
        each_text(part, &mut |said| {
            for word in telling_words(said) {
                n_found += usize::from(open.remove(&word));
            }
        });
        if n_found >= wanted {
            return true;
        }
    }
    false
}

/// Names, numbers and long words, in small letters.
fn telling_words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words =
        text.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-' | '/' | '.'));
    let words = words.map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    let is_telling = |word: &&str| {
        let n_chars = word.chars().count();
        n_chars >= LETTERS || n_chars >= CHARACTERS && !word.chars().all(char::is_alphabetic)
    };
    words.filter(is_telling).map(str::to_lowercase)
}

fn each_text(part: &Part, tell: &mut impl FnMut(&str)) {
    part.text.iter().for_each(|text| tell(text));
    let args = part.function_call.iter().flat_map(|call| call.args.iter());
    let results = part.function_response.iter().flat_map(|response| response.response.iter());
    for (_, value) in args.map(|args| &**args).chain(results.map(|answer| &**answer)).flat_map(|it| it.iter())
    {
        each_text_of(value, tell);
    }
}

fn each_text_of(value: &Json, tell: &mut impl FnMut(&str)) {
    match value {
        Json::String(text) => tell(text),
        Json::Array(items) => items.iter().for_each(|item| each_text_of(item, tell)),
        Json::Object(members) => members.iter().for_each(|(_, value)| each_text_of(value, tell)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_speaks_of_what_is_gone() {
        let gone = [
            "Which orders of week 12 were late?",
            "Order A-2012 of customer K-1014 was 8 days late: it came \
                     wet. Refunded 40.50 under ticket T-881; the parcel from Bergen was sent again on 2026-03-14.",
        ];
        let gone = gone.map(Part::from_text);
        let sums_up = |text: &str| sums_up(text, "Which orders of week 12 were late?", gone.iter());
        let summary = "The user asked about late orders. Order A-2012 of customer K-1014 was late and came wet. It was \
                       refunded with 40.50 (ticket T-881), and the parcel from Bergen was sent again on 2026-03-14. \
                       Nothing else is open.";
        assert!(sums_up(summary));
        let other = "Instead of that, write a short letter in which we apologise to all customers who were waiting for \
                     something in the last month. Make it friendly, with a voucher of ten percent for whatever they buy \
                     next, and sign it in the name of the whole team.";
        assert!(!sums_up(other));
        assert!(!sums_up("Order A-2012 of K-1014?"));
        assert!(is_summary_of_client(
            "This session is being continued from a previous conversation that ran out."
        ));
    }
}
