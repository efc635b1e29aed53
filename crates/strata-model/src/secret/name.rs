//! Names of what proves who someone is: of headers, of members of a query, of fields and attributes.
//!
//! The last word says what a thing is, the one before it of which kind: `X-Portkey-Api-Key`, `auth.token`, `clientSecret`.

/// What a name says of the value under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A secret that people set or copy by hand, which may be short.
    Password,
    Credential,
    /// A credential where it looks like one: other things are called so, too.
    Perhaps,
}

/// Kinds of keys and tokens that prove nothing: they tell pages, rows and words apart.
const HARMLESS: [&str; 34] = [
    "page",
    "next",
    "previous",
    "prev",
    "continuation",
    "cursor",
    "sync",
    "resume",
    "progress",
    "idempotency",
    "deduplication",
    "dedup",
    "cache",
    "public",
    "primary",
    "foreign",
    "sort",
    "partition",
    "routing",
    "surrogate",
    "websocket",
    "socket",
    "stop",
    "start",
    "end",
    "eos",
    "bos",
    "pad",
    "unk",
    "sep",
    "cls",
    "mask",
    "special",
    "max",
];

/// Kinds of tokens that are nothing but credentials.
const TOKENS: [&str; 14] = [
    "authorization",
    "bearer",
    "session",
    "security",
    "id",
    "api",
    "secret",
    "private",
    "personal",
    "oauth",
    "vault",
    "jwt",
    "csrf",
    "xsrf",
];

/// Kinds of keys that are nothing but credentials.
const KEYS: [&str; 5] = ["api", "subscription", "private", "auth", "authorization"];

/// Kinds of keys that may be something else, as the key of an account in a table.
const PERHAPS_KEYS: [&str; 9] =
    ["access", "account", "master", "service", "admin", "virtual", "signing", "encryption", "shared"];

/// Words that are written as one with those before them: `accesstoken`.
const ENDINGS: [&str; 8] =
    ["password", "passwd", "passphrase", "secret", "token", "authorization", "credentials", "credential"];

/// A header that says who someone is without being called so.
const OTHER_HEADERS: [&str; 1] = ["chatgpt-account-id"];

/// What a field or an attribute of this name holds; `None` where that proves nothing. Words may be written in any of the
/// usual ways.
pub fn named(name: &str) -> Option<Named> {
    let words = words(name);
    let (noun, kind) = noun_and_kind(&words)?;
    match noun {
        "password" | "passwd" | "passphrase" => Some(Named::Password),
        "secret" if matches!(kind, "client" | "app") => Some(Named::Password),
        "token" if matches!(kind, "access" | "auth" | "refresh") => Some(Named::Password),
        "key" if kind == "secret" => Some(Named::Password),
        "token" | "key" if HARMLESS.contains(&kind) => None,
        "token" if TOKENS.contains(&kind) => Some(Named::Credential),
        "key" if KEYS.contains(&kind) => Some(Named::Credential),
        // So headers of one vendor are called.
        "key" if words.first().is_some_and(|first| first == "x") => Some(Named::Perhaps),
        "key" => PERHAPS_KEYS.contains(&kind).then_some(Named::Perhaps),
        "secret" | "authorization" | "cookie" => Some(Named::Credential),
        "token" | "auth" | "oauth" | "credential" | "credentials" => Some(Named::Perhaps),
        _ => None,
    }
}

/// Whether a header or a member of a query of this name holds a credential. More names do than of [fields](named): a
/// `key` in an address is one.
pub fn is_in_request(name: &str) -> bool {
    let words = words(name);
    let is_proof = noun_and_kind(&words).is_some_and(|(noun, kind)| match noun {
        "key" => !HARMLESS.contains(&kind),
        noun => matches!(noun, "signature" | "sig" | "sas"),
    });
    is_proof || named(name).is_some() || OTHER_HEADERS.iter().any(|other| name.eq_ignore_ascii_case(other))
}

/// The last word, and the one before it or an empty one.
fn noun_and_kind(words: &[String]) -> Option<(&str, &str)> {
    let (last, before) = words.split_last()?;
    let ending = ENDINGS.into_iter().find(|ending| last.ends_with(ending));
    if let Some(kind) = ending.and_then(|ending| last.strip_suffix(ending)).filter(|kind| !kind.is_empty()) {
        return Some((&last[kind.len()..], kind));
    }
    let is_key = |kind: &&str| *kind == "secret" || KEYS.contains(kind) || PERHAPS_KEYS.contains(kind);
    if let Some(kind) = last.strip_suffix("key").filter(is_key) {
        return Some(("key", kind));
    }
    Some((last, before.last().map_or("", String::as_str)))
}

/// In lower case: `APIKey`, `api_key`, `Api-Key` and `api.key` have the same.
fn words(name: &str) -> Vec<String> {
    let bytes = name.as_bytes();
    let mut words = Vec::new();
    let mut word = String::new();
    for (at, byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let follows_small = before.is_some_and(|it| it.is_ascii_lowercase() || it.is_ascii_digit());
        let is_before_small = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let begins = byte.is_ascii_uppercase()
            && (follows_small || is_before_small && before.is_some_and(|it| it.is_ascii_uppercase()));
        if begins || !byte.is_ascii_alphanumeric() {
            words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        }
        if byte.is_ascii_alphanumeric() {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}
