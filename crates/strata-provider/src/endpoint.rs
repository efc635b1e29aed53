//! Where models are asked, and with which key.

use std::fmt;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use strata_wire::Api;

/// A key. It does not print, and is wiped from memory when it is dropped.
#[derive(Clone)]
pub struct Key(SecretString);

impl Key {
    /// `None` for what is blank: a variable that is set to nothing is not set.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(SecretString::from(text.to_owned())))
    }

    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// The text without the key, wherever it stands in it: servers quote what they were sent.
    pub fn redact(&self, text: &str) -> String {
        text.replace(self.expose(), "[key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// A server that answers in the form of some provider.
#[derive(Clone)]
pub struct Endpoint {
    pub name: String,
    pub api: Api,
    /// `https://api.openai.com/v1`; the paths of [`Api`] are below it.
    pub base_url: String,
    /// Sent with every request. Values may be secret, and are not printed.
    pub headers: Vec<(String, String)>,
    pub key: Option<Key>,
    /// How long an answer may take to begin, in place of [`Limits::first_byte`](crate::Limits).
    pub first_byte: Option<Duration>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Endpoint")
            .field("name", &self.name)
            .field("api", &self.api)
            .field("base_url", &self.shown_url(""))
            .field("headers", &headers)
            .field("key", &self.key)
            .field("first_byte", &self.first_byte)
            .finish()
    }
}

impl Endpoint {
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url.trim_end_matches('/'))
    }

    /// An address as people may see it: without what stands before the host or behind the path, where keys hide.
    pub fn shown_url(&self, path: &str) -> String {
        let whole = self.url(path);
        let bare = whole.split(['?', '#']).next().unwrap_or_default();
        match bare.split_once("://") {
            Some((scheme, rest)) => {
                let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
                let host = host.rsplit('@').next().unwrap_or_default();
                format!("{scheme}://{host}{path}")
            }
            None => bare.to_owned(),
        }
    }

    /// The address with this path in place of the version it ends in: what servers tell of themselves has none.
    pub(crate) fn url_beside(&self, path: &str) -> String {
        let base = self.base_url.trim_end_matches('/');
        format!("{}{path}", base.strip_suffix("/v1").unwrap_or(base))
    }

    /// On this computer: no proxy can reach it, nobody else sees what is sent there, and nobody is paid for it.
    pub fn is_local(&self) -> bool {
        let rest = self.base_url.split_once("://").map_or("", |(_, rest)| rest);
        let host = rest.split('/').next().unwrap_or_default().rsplit('@').next().unwrap_or_default();
        let name = if host.starts_with('[') {
            host.split(']').next().unwrap_or_default().trim_start_matches('[')
        } else {
            host.split(':').next().unwrap_or_default()
        };
        matches!(name, "localhost" | "::1") || name.starts_with("127.")
    }

    /// The text without the endpoint's secrets.
    pub(crate) fn redact(&self, text: &str) -> String {
        let without_key = self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact(text));
        let secrets = self.headers.iter().map(|(_, value)| value.trim()).filter(|value| value.len() >= 12);
        secrets.fold(without_key, |text, secret| text.replace(secret, "[header]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(base_url: &str) -> Endpoint {
        Endpoint {
            name: "e".into(),
            api: Api::ChatCompletions,
            base_url: base_url.into(),
            headers: vec![("X-Team".into(), "planted-header-value".into())],
            key: Key::new("planted-key"),
            first_byte: None,
        }
    }

    #[test]
    fn secrets_are_not_printed() {
        let shown = format!("{:?}", endpoint("https://user:pass@host.example/v1?key=planted-query"));
        for secret in ["planted-key", "planted-header-value", "pass", "planted-query"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        let said = endpoint("https://h/v1").redact("Bad key planted-key for planted-header-value");
        assert_eq!(said, "Bad key [key] for [header]");
    }

    #[test]
    fn this_computer_is_known() {
        for url in ["http://localhost:11434/v1", "http://127.0.0.1:8080", "http://[::1]:1234/v1"] {
            assert!(endpoint(url).is_local(), "{url}");
        }
        assert!(!endpoint("https://localhost.example.org/v1").is_local());
    }
}
