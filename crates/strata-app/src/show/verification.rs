//! Counts of tokens beside those of another implementation.

use strata_measure::tokens::{REFEREE, Tokenizer, Verification};

use crate::api::verification::{self as api, DeclinedText, DisputedText};
use crate::show::words::{counted, listed, whole};

/// What came of asking about texts that are counted with this tokenizer.
pub(crate) fn verification(verification: &Verification, tokenizer: &Tokenizer) -> api::Verification {
    let disputed = verification.differing.iter().map(|text| DisputedText {
        place: text.place.clone(),
        tokens: text.tokens,
        referee: text.referee,
    });
    let declined = verification.declined.iter();
    api::Verification {
        vocabulary: verification.vocabulary.name().to_owned(),
        referee: verification.has_referee.then(|| REFEREE.to_owned()),
        texts: verification.n_texts as u32,
        tokens: verification.tokens as f64,
        agreed_tokens: verification.agreed_tokens as f64,
        differing: disputed.collect(),
        declined: declined
            .map(|(place, reason)| DeclinedText { place: place.clone(), reason: (*reason).to_owned() })
            .collect(),
        message: message(verification, tokenizer),
    }
}

fn message(verification: &Verification, tokenizer: &Tokenizer) -> String {
    let vocabulary = verification.vocabulary.name();
    if !verification.has_referee {
        return format!(
            "There is no second opinion on {vocabulary}: {REFEREE} knows OpenAI’s vocabularies alone. {}",
            tokenizer.explanation()
        );
    }
    let texts = counted(verification.n_texts, "text");
    let tokens = whole(verification.tokens as i64);
    let mut message = match verification.differing.len() {
        0 if verification.declined.is_empty() => {
            format!("{REFEREE} counts as we do: {tokens} tokens of {vocabulary} in {texts}.")
        }
        0 => format!(
            "{REFEREE} counts as we do, as far as it counts, {texts} with {tokens} tokens of {vocabulary}."
        ),
        n => {
            let ours: u64 = verification.differing.iter().map(|text| u64::from(text.tokens)).sum();
            let referee: u64 = verification.differing.iter().map(|text| u64::from(text.referee)).sum();
            format!(
                "{REFEREE} counts {} of {texts} otherwise: {} tokens of {vocabulary} where we count {}.",
                whole(n as i64),
                whole(referee as i64),
                whole(ours as i64)
            )
        }
    };
    if !verification.declined.is_empty() {
        let places: Vec<&str> = verification.declined.iter().map(|(place, _)| &**place).collect();
        message += &format!(" It did not count {}.", listed(&places));
    }
    message + " " + &tokenizer.explanation()
}
