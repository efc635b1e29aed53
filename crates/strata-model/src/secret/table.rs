//! What secrets look like.

use std::ops::Range;

use super::name::{Named, is_in_request, named};

/// What a pattern found.
pub(super) struct Candidate<'t> {
    /// The whole text.
    pub bytes: &'t [u8],
    /// Where the pattern begins in it.
    pub start: usize,
    pub value: Range<usize>,
}

/// A kind of secret.
pub(super) struct Kind {
    pub name: &'static str,
    /// With one group: the secret.
    pub pattern: &'static str,
    /// It begins where a word does: inside of other letters it is something else.
    pub stands_alone: bool,
    /// Whether what the pattern found is one.
    pub is_one: fn(&Candidate<'_>) -> bool,
    /// An API key or a header with one, which is not written to disk beside the words of a session.
    pub is_credential: bool,
}

/// Letters of keys in base64, hexadecimal, percent encoding and what vendors put between parts.
const LETTERS: &[u8] = b"_./+=~:%-";

/// A key under a name that other things have, too, has so many letters at least.
const LEAST_KEY: usize = 16;

impl Candidate<'_> {
    fn value(&self) -> &[u8] {
        &self.bytes[self.value.clone()]
    }

    /// The name around the beginning of the pattern, which is a word of it.
    fn name(&self) -> Range<usize> {
        let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
        let before = self.bytes[..self.start].iter().rev().take(64).take_while(is_letter).count();
        let behind = self.bytes[self.start..self.value.start].iter().take_while(is_letter).count();
        self.start - before..self.start + behind
    }

    /// Whether it is a member of the query of an address, or of a form.
    fn is_in_query(&self, name: &Range<usize>) -> bool {
        let before = name.start.checked_sub(1).map(|at| self.bytes[at]);
        name.end + 1 == self.value.start
            && self.bytes[name.end] == b'='
            && before.is_none_or(|before| b"?&;".contains(&before))
    }

    /// Whether it is in quotes, or may as well be the name of something in code.
    fn is_in_quotes(&self) -> bool {
        self.value.start.checked_sub(1).is_some_and(|at| b"\"'".contains(&self.bytes[at]))
    }

    fn is_called(&self) -> bool {
        self.bytes.get(self.value.end) == Some(&b'(')
    }
}

/// Keys are random, so a run without a digit is a name.
fn has_digit(found: &Candidate<'_>) -> bool {
    found.value().iter().any(u8::is_ascii_digit)
}

fn any(_: &Candidate<'_>) -> bool {
    true
}

/// Whether it stands beside a name that has nothing else in its quotes, and looks like a key.
fn is_beside_name(found: &Candidate<'_>) -> bool {
    let name = found.name();
    let quote = found.bytes.get(name.end).filter(|byte| b"\"'`".contains(byte));
    let before = name.start.checked_sub(1).and_then(|at| found.bytes.get(at));
    (quote.is_none() || quote == before) && is_key(found.value(), true)
}

/// Whether it stands under the name of a credential, and looks like one.
fn is_named(found: &Candidate<'_>) -> bool {
    let range = found.name();
    let is_in_query = found.is_in_query(&range);
    let name = String::from_utf8_lossy(&found.bytes[range]);
    let is_data = is_in_query || found.is_in_quotes();
    if !is_data && found.is_called() {
        return false;
    }
    match named(&name) {
        Some(Named::Password) => is_password(found.value()),
        Some(_) => is_key(found.value(), is_data),
        None => is_in_query && is_in_request(&name) && is_key(found.value(), true),
    }
}

/// No variable, placeholder or type: passwords that people set have letters and something else.
fn is_password(bytes: &[u8]) -> bool {
    let has_letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let has_other = bytes.iter().any(|byte| byte.is_ascii_digit() || b"!#%^&*?~@".contains(byte));
    has_letter && has_other && !is_placeholder(bytes)
}

/// Letters and digits in no order. What is not [data](Candidate::is_in_quotes) may be a name such as `OAuth2PasswordBearer`.
pub(super) fn is_key(bytes: &[u8], is_data: bool) -> bool {
    let count = |is: fn(&u8) -> bool| bytes.iter().filter(|byte| is(byte)).count();
    let n_numbers = bytes.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    let n_numbers = n_numbers.filter(|run| run.first().is_some_and(u8::is_ascii_digit)).count();
    let (small, large) = (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
    let is_mixed = n_numbers > 1 || is_data && n_numbers > 0 && small > 0 && large > 0;
    let is_path = matches!(bytes, [b'/' | b'.', ..]) || bytes.windows(2).any(|two| two == b"//");
    let is_of_letters = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || LETTERS.contains(byte));
    // A time has two.
    let has_letters = small + large > 3;
    bytes.len() >= LEAST_KEY && is_mixed && has_letters && is_of_letters && !is_path && !is_placeholder(bytes)
}

fn is_placeholder(bytes: &[u8]) -> bool {
    const WORDS: [&[u8]; 7] = [b"redacted", b"example", b"placeholder", b"your", b"xxxx", b"****", b"env."];
    let text = bytes.to_ascii_lowercase();
    WORDS.iter().any(|word| text.windows(word.len()).any(|window| window == *word))
}

const fn key(name: &'static str, pattern: &'static str) -> Kind {
    Kind { name, pattern, stands_alone: true, is_one: has_digit, is_credential: false }
}

const fn credential(name: &'static str, pattern: &'static str) -> Kind {
    Kind { name, pattern, stands_alone: true, is_one: has_digit, is_credential: true }
}

/// A value under a name that ends with one of these words.
macro_rules! under {
    ($words:literal) => {
        concat!(
            "(?i-u:",
            $words,
            r#")["']?[ \t]{0,3}[=:][ \t]{0,3}["']?(?i-u:(?:token|apikey|key|digest) )?([^\s"',;(){}\[\]<>$\\&|`]{8,})"#
        )
    };
}

/// A value that stands so far behind the name of an API key, and what follows it.
macro_rules! api_key {
    ($between:literal, $behind:literal) => {
        concat!(
            "(?:api-key|Api-Key|api_key|apiKey|API_KEY)[A-Za-z0-9_.-]{0,16}?(?-u:",
            $between,
            ")([A-Za-z0-9_./+-]{20,})",
            $behind
        )
    };
}

/// What stands before lines in listings and quotations, and between them where code has each in quotes of its own.
macro_rules! between_lines {
    () => {
        r#"(?:\s|["'][\s+]+["']|[>#|*]|//|[0-9]{1,6}[\t→:|])"#
    };
}

/// Headers, long lines, and short ones at the end.
macro_rules! key_material {
    () => {
        concat!(
            between_lines!(),
            r#"*(?:[A-Z][A-Za-z-]{2,20}: [^\r\n"]*[\r\n]"#,
            between_lines!(),
            r"*){0,6}([A-Za-z0-9+/=]{20,}(?:",
            between_lines!(),
            r"+[A-Za-z0-9+/=]{20,})*(?:",
            between_lines!(),
            r"+[A-Za-z0-9+/=]+){0,2})"
        )
    };
}

/// Where several fit, the first one does. No secret has a quote in it, unless only space and a plus are between it and the
/// next one: of JSON, each is within one string.
pub(super) const KINDS: &[Kind] = &[
    credential("Anthropic key", r"(sk-ant-[A-Za-z0-9_-]{20,})"),
    credential("OpenRouter key", r"(sk-or-[A-Za-z0-9_-]{20,})"),
    credential("Langfuse key", r"(sk-lf-[A-Za-z0-9-]{20,})"),
    credential("API key", r"(sk-[A-Za-z0-9_./+-]{20,})"),
    credential("Google API key", r"(AIza[A-Za-z0-9_-]{35,})"),
    credential("Google access token", r"(ya29\.[A-Za-z0-9_./+-]{20,})"),
    Kind { stands_alone: false, ..credential("Azure storage key", r"AccountKey=([A-Za-z0-9+/=_.-]{20,})") },
    key("GitHub token", r"(gh[pousr]_[A-Za-z0-9]{36,})"),
    key("GitHub token", r"(github_pat_[A-Za-z0-9_]{22,})"),
    key("GitLab token", r"(glpat-[A-Za-z0-9_-]{20,})"),
    key("Slack token", r"(xox[abeoprs]-[A-Za-z0-9-]{10,})"),
    Kind { stands_alone: false, ..key("Slack webhook", r"hooks\.slack\.com/services/(T[A-Za-z0-9/]{20,})") },
    Kind { is_one: any, ..key("AWS access key", r"((?:AKIA|ASIA)[A-Z2-7]{16})(?:[^A-Za-z0-9_/+=-]|$)") },
    Kind {
        stands_alone: false,
        ..key(
            "AWS secret key",
            r"(?:aws_secret_access_key|AWS_SECRET_ACCESS_KEY|SecretAccessKey)[^A-Za-z0-9\\]{1,8}([A-Za-z0-9/+=]{40})",
        )
    },
    key("Stripe key", r"((?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,})"),
    key("npm token", r"(npm_[A-Za-z0-9]{36,})"),
    key("PyPI token", r"(pypi-[A-Za-z0-9_-]{50,})"),
    key("Hugging Face token", r"(hf_[A-Za-z0-9]{30,})"),
    key("Groq key", r"(gsk_[A-Za-z0-9]{40,})"),
    key("xAI key", r"(xai-[A-Za-z0-9]{40,})"),
    key("LangSmith key", r"(lsv2_(?:pt|sk)_[A-Za-z0-9_]{32,})"),
    key("SendGrid key", r"(SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{30,})"),
    key("DigitalOcean token", r"(do[opr]_v1_[a-f0-9]{64})"),
    key("JSON web token", r"(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})"),
    Kind {
        stands_alone: false,
        is_one: any,
        ..key(
            "private key",
            concat!(r"-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----", key_material!()),
        )
    },
    Kind { stands_alone: false, ..credential("bearer token", r"[Bb]earer ([A-Za-z0-9_./+~-]{20,}=*)") },
    Kind { stands_alone: false, ..credential("basic authorization", r"Basic ([A-Za-z0-9_./+-]{20,}=*)") },
    // Behind its name in quotes: `"api_key": "…"`, `["api_key"] = "…"`.
    Kind {
        stands_alone: false,
        ..credential("API key", api_key!(r#"["'`][\])]?\s{0,3}[:=>]{1,2}[\s\[(]{0,16}["'`]?"#, ""))
    },
    // Behind its name and a colon, maybe on the next line: `api_key: …`.
    Kind {
        stands_alone: false,
        ..credential("API key", api_key!(r#"[^"'`{},;&\\\n]{0,20}?[:=]\s{1,16}(?:-\s{1,3})?["'`]?"#, ""))
    },
    // Behind its name and a few words: `api_key=…`, `The api_key is …`.
    Kind {
        stands_alone: false,
        ..credential("API key", api_key!(r#"[ \t:=>|(*`][^"'`{},;&\\\n]{0,20}?["'`]?"#, ""))
    },
    // As the value beside it: `{"name": "api_key", "value": "…"}`.
    Kind {
        stands_alone: false,
        is_one: is_beside_name,
        ..credential(
            "API key",
            api_key!(r#"["'`]?[\s,:{]{1,40}["'`]?[A-Za-z_]{0,10}[vV]alue["'`]?\s{0,3}[:=]\s{0,3}["'`]?"#, ""),
        )
    },
    // As the last of two: `set("api_key", "…")`.
    Kind {
        stands_alone: false,
        is_one: is_beside_name,
        ..credential("API key", api_key!(r#"["'`]\s{0,3},\s{0,3}["'`]"#, r#"["'`]\s{0,3}[)\]]"#))
    },
    Kind {
        stands_alone: false,
        is_one: is_url_password,
        ..key("password in an address", r#"://[^\s:/?#@"'<>\\]{0,200}:([^\s@/"'<>\\]{3,200})@"#)
    },
    Kind {
        stands_alone: false,
        is_one: is_named,
        ..key("password", under!("password|passwd|passphrase|secret|secret[_-]?key"))
    },
    Kind {
        stands_alone: false,
        is_one: is_named,
        ..key("token", under!("token|authorization|auth|credentials?|cookie"))
    },
    Kind { stands_alone: false, is_one: is_named, ..key("API key", under!("key")) },
    Kind { stands_alone: false, is_one: is_named, ..key("signature", under!("signature|sig|sas")) },
];

fn is_url_password(found: &Candidate<'_>) -> bool {
    let bytes = found.value();
    let is_variable = bytes.iter().any(|byte| b"${}[]*".contains(byte));
    let is_word = bytes.eq_ignore_ascii_case(b"password") || bytes.eq_ignore_ascii_case(b"pass");
    !is_variable && !is_word
}
