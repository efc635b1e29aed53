//! Which values cannot be the same by chance.

use super::facts::Day;

/// Names of things that everybody knows, whatever digits they have.
const COMMON: [&str; 12] = [
    "sha1", "sha224", "sha256", "sha384", "sha512", "x86_64", "aarch64", "iso8601", "base64", "float32",
    "float64", "us-ascii",
];
/// Significant digits that make a number one of its own: a made-up one of so many is rarely met twice.
const NUMBER_DIGITS: usize = 5;
/// Digits of a number that is read as a row's.
const SHORT_DIGITS: usize = 3;
/// Letters and digits that a name has to have.
const NAME_LETTERS: usize = 6;
/// The same for names made of nothing but words, which are often said again without having been read.
const WORDS_LETTERS: usize = 10;

/// Whether somebody who writes this must have read it: the rule by which a value that is said again counts as used.
///
/// - A number has at least five significant digits (`48213`, `1203.44`; not `200`, `12`, `2026` or `10000`).
/// - A name with digits has at least three of them, at least one letter, and at least six of both (`ORD-4411`); names that
///   are common knowledge (`sha256`) do not count.
/// - A path or an address is absolute, or ends like a file, and has a folder; an e-mail address has its host, and somebody
///   who reads it.
/// - A name that a program gave (`load_rates_table`, `loadRatesTable`) has two or three pieces and at least ten letters.
/// - Dates do not count, and neither do words.
pub(super) fn is_telling(token: &str) -> bool {
    // A word of prose: neither a digit nor what only names and places have.
    if token.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_digit() && !b"@/\\_".contains(&byte))
        && token.bytes().filter(u8::is_ascii_uppercase).count() < 2
    {
        return false;
    }
    let letters = token.chars().filter(|letter| letter.is_alphabetic()).count();
    let digits: String = token.chars().filter(char::is_ascii_digit).collect();
    if is_number(token) {
        return digits.trim_matches('0').len() >= NUMBER_DIGITS;
    }
    if Day::read(token).is_some() || COMMON.contains(&&*token.to_lowercase()) {
        return false;
    }
    if letters > 0 && digits.len() >= 3 && letters + digits.len() >= NAME_LETTERS {
        return true;
    }
    is_place(token, letters + digits.len()) || is_program_name(token, letters)
}

/// Whether a number is too short to be told by itself and yet no round one and no year: `4471`, `119`, `12.5`. Of a row
/// or a sentence that is known by what else the answer says of it, it is read all the same.
pub(super) fn is_short_number(token: &str) -> bool {
    let digits: String = token.chars().filter(char::is_ascii_digit).collect();
    let is_year = digits.len() == 4 && digits == token && matches!(&digits[..2], "19" | "20");
    is_number(token)
        && digits.len() >= SHORT_DIGITS
        && !is_telling(token)
        && !digits.ends_with("00")
        && !is_year
}

/// A name of several words, at least two of them with a capital, as tables have them: `Acme Tools GmbH`.
pub(super) fn is_telling_name(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_capital = |word: &&&str| word.chars().next().is_some_and(char::is_uppercase);
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    (2..=6).contains(&words.len())
        && letters >= WORDS_LETTERS
        && words.iter().filter(is_capital).count() >= 2
        && text.chars().all(|letter| letter.is_alphanumeric() || " -'&.,()".contains(letter))
}

/// The tokens of a text: what stands between white space, quotes, brackets and the like.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |letter: char| match letter {
        '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ';' | '|' | '=' | '*' => true,
        '“' | '”' | '‘' | '’' | '«' | '»' => true,
        _ => letter.is_whitespace(),
    };
    let trimmed = |token: &'_ str| -> bool { !token.is_empty() };
    text.split(is_between)
        .flat_map(pieces)
        .map(|token| {
            let is_mark =
                |letter| matches!(letter, '.' | ',' | ':' | '!' | '?' | '…' | '-' | '–' | '—' | '\\');
            token.trim_matches(is_mark)
        })
        .filter(move |token| trimmed(token))
}

/// A token at the colons and commas that are no part of an address or a number.
fn pieces(token: &str) -> impl Iterator<Item = &str> {
    let is_address = token.contains(':') && token.contains("://");
    let bytes = token.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let splits = move |at: usize, letter: char| match letter {
        ':' => !is_address,
        ',' => !(is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))),
        _ => false,
    };
    let ends: Vec<usize> =
        token.char_indices().filter(|(at, letter)| splits(*at, *letter)).map(|(at, _)| at).collect();
    let starts = std::iter::once(0).chain(ends.clone().into_iter().map(|end| end + 1));
    let ends = ends.into_iter().chain([token.len()]);
    starts.zip(ends).map(move |(start, end)| &token[start..end])
}

/// Digits, with marks of thousands and decimals and perhaps a currency or a percent sign.
fn is_number(token: &str) -> bool {
    token.chars().any(|letter| letter.is_ascii_digit())
        && token.chars().all(|letter| letter.is_ascii_digit() || ".,+-−$€£%".contains(letter))
        && token.matches('-').count() <= 1
}

/// Something that lies somewhere: a path, an address on the web, an e-mail address.
fn is_place(token: &str, length: usize) -> bool {
    if length < 8 {
        return false;
    }
    if let Some((who, host)) = token.split_once('@') {
        // Everybody's programs sign with such an address.
        let is_nobody = who.to_lowercase().replace('-', "").ends_with("noreply");
        return !who.is_empty() && !is_nobody && host.contains('.');
    }
    let n_slashes = token.matches(['/', '\\']).count();
    let name = token.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_file = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    let is_rooted = ["/", "~/", "./", "../"].iter().any(|root| token.starts_with(root));
    token.contains("://") && n_slashes > 2
        || n_slashes > 0 && is_file
        || n_slashes > 1 && is_rooted && token.chars().any(char::is_alphanumeric)
}

/// `load_rates_table`, `LOAD_RATES`, `loadRatesTable`.
fn is_program_name(token: &str, letters: usize) -> bool {
    let name = token.trim_start_matches('_');
    if letters < WORDS_LETTERS || !name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
        return false;
    }
    let n_pieces = name.split('_').filter(|piece| !piece.is_empty()).count();
    let humps = name.chars().zip(name.chars().skip(1));
    let n_humps = humps.filter(|(one, next)| one.is_lowercase() && next.is_uppercase()).count();
    n_pieces >= 2 || n_humps >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_chance_does_not_count() {
        for token in [
            "12",
            "200",
            "2026",
            "10000",
            "3.14",
            "0.00012",
            "c17",
            "v2.13",
            "sha256",
            "x86_64",
            "2026-11-20",
            "and/or",
            "client/server",
            "true/false/null",
            "e.g",
            "README.md",
            "JavaScript",
            "OpenTelemetry",
            "file_path",
            "well-known",
            "noreply@acme.example",
            "state-of-the-art",
            "completed",
            "utf-8",
        ] {
            assert!(!is_telling(token), "{token}");
        }
        for token in [
            "48213",
            "1203.44",
            "1,203.44",
            "ORD-4411",
            "src/billing/rates.py",
            "/data/in/a.csv",
            "load_rates_table",
            "loadRatesTable",
            "ops@acme.example",
            "https://acme.example/runs/77",
            "9f2c41d0",
            "10.20.31.44",
        ] {
            assert!(is_telling(token), "{token}");
        }
        assert!(is_telling_name("Acme Tools GmbH") && is_telling_name("Summer Sale 2026 North"));
        assert!(!is_telling_name("in progress") && !is_telling_name("Berlin"));
    }

    #[test]
    fn short_numbers_are_neither_round_nor_years() {
        for token in ["4471", "119", "12.5", "$1,234", "2119"] {
            assert!(is_short_number(token), "{token}");
        }
        for token in ["12", "200", "1500", "2026", "48213", "2026-11-20", "v12"] {
            assert!(!is_short_number(token), "{token}");
        }
    }

    #[test]
    fn texts_fall_into_tokens() {
        let said = "Wrote `src/a/rates.py`: ORD-4411, €1,203.44 (see https://x.example/a?b=1).";
        let found: Vec<&str> = tokens(said).collect();
        assert_eq!(
            found,
            ["Wrote", "src/a/rates.py", "ORD-4411", "€1,203.44", "see", "https://x.example/a?b", "1"]
        );
    }
}
