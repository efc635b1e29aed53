//! Recognising API keys, so that none is written to the database by accident.

use memchr::memmem;

/// What keys of providers begin with, and how many key characters have to follow before it counts as one.
const PREFIXES: [(&[u8], usize); 6] =
    [(b"Bearer ", 20), (b"Basic ", 20), (b"sk-", 20), (b"AIza", 35), (b"ya29.", 20), (b"AccountKey=", 20)];

/// Names of headers and parameters that carry a key, in the two spellings in use; the key follows within
/// [`NAME_TO_VALUE`] bytes.
const NAMES: [&[u8]; 5] = [b"api-key", b"Api-Key", b"api_key", b"apiKey", b"API_KEY"];

/// Bytes: room for `", "value": "` and line breaks.
const NAME_TO_VALUE: usize = 24;

/// Characters in a row that make a value after one of [`NAMES`] a key rather than a word.
const KEY_LENGTH: usize = 20;

/// Whether `bytes` hold something that looks like an API key or an authorization header with its value.
pub(crate) fn holds_credential(bytes: &[u8]) -> bool {
    let after_prefix = PREFIXES.iter().any(|(prefix, length)| {
        memmem::find_iter(bytes, prefix).any(|at| starts_with_key(&bytes[at + prefix.len()..], *length))
    });
    after_prefix
        || NAMES
            .iter()
            .any(|name| memmem::find_iter(bytes, name).any(|at| names_a_key(&bytes[at + name.len()..])))
}

fn names_a_key(rest: &[u8]) -> bool {
    let reach = &rest[..rest.len().min(NAME_TO_VALUE)];
    (0..reach.len()).any(|at| !is_key_byte(reach[at]) && starts_with_key(&rest[at + 1..], KEY_LENGTH))
}

/// Whether `length` key characters come next. Keys are random, so a run without a digit is a name.
fn starts_with_key(bytes: &[u8], length: usize) -> bool {
    let end = bytes.iter().position(|byte| !is_key_byte(*byte)).unwrap_or(bytes.len());
    end >= length && bytes[..end].iter().any(u8::is_ascii_digit)
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_recognised_where_clients_put_them() {
        for text in [
            r#"{"name": "Authorization", "value": "Bearer sk-proj-0123456789abcdefghij"}"#,
            r#"{"name":"x-api-key","value":"0123456789abcdef0123456789abcdef"}"#,
            "api-key: 0123456789abcdef0123456789abcdef",
            "Api-Key:\n    - 0123456789abcdef0123456789abcdef",
            r#"{"apiKey":"0123456789abcdef0123456789abcdef"}"#,
            "https://example.org/v1/models?key=AIza0123456789abcdefghijABCDEFGHIJ-_xyz",
            "OPENAI_API_KEY=sk-0123456789abcdefghij",
            "Authorization: Basic dXNlcjpwYXNzd29yZC1vZi1tYW55LWNoYXJz",
        ] {
            assert!(holds_credential(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn talk_about_keys_is_not_a_key() {
        for text in [
            "Send the key in the Authorization header, as in `Bearer <token>`.",
            "set api_key in the configuration file of your application before you start",
            r#"{"name":"x-api-key","value":"REDACTED"}"#,
            r#"{"x-api-key": "[redacted]", "user-agent": "client"}"#,
            "const apiKey = process.env.SOME_PROVIDER_API_KEY",
            "a risk-averse, task-oriented desk-bound approach",
            "Basic authentication is what AIza keys are not for",
        ] {
            assert!(!holds_credential(text.as_bytes()), "{text}");
        }
    }
}
