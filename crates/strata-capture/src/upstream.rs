//! The providers that the gateway may send to.

use hyper::Uri;
use hyper::http::uri::{Authority, PathAndQuery, Scheme};
use thiserror::Error;

/// A provider, or a server that speaks like one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// What stands for it in paths: `/anthropic/v1/messages`.
    pub name: String,
    scheme: Scheme,
    authority: Authority,
    /// What stands before the path of each request; empty or `/…` without a slash at its end.
    prefix: String,
}

/// Why an address is none to send to.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UpstreamError {
    #[error("`{0}` is no provider with its address. Write NAME=URL, such as `local=http://127.0.0.1:8080`.")]
    NoName(String),
    #[error("`{0}` is no name for a provider: use letters, digits and `-`.")]
    Name(String),
    #[error("`{0}` is no address of a server. Write it with its scheme, such as `https://api.example.com`.")]
    Address(String),
    #[error(
        "The address of `{0}` has a user name or password in it. Leave them out: what a client sends is passed on."
    )]
    Credentials(String),
}

/// Paths are sent to these where they do not name a provider.
const DEFAULTS: [(&str, &str); 5] = [
    ("openai", "https://api.openai.com"),
    ("anthropic", "https://api.anthropic.com"),
    ("google", "https://generativelanguage.googleapis.com"),
    ("codeassist", "https://cloudcode-pa.googleapis.com"),
    ("chatgpt", "https://chatgpt.com"),
];

/// Where Ollama listens.
const OLLAMA: (&str, &str) = ("ollama", "http://127.0.0.1:11434");

impl Upstream {
    /// From `NAME=URL`.
    pub fn parse(text: &str) -> Result<Self, UpstreamError> {
        let (name, url) = text.split_once('=').ok_or_else(|| UpstreamError::NoName(text.into()))?;
        Self::new(name, url)
    }

    pub fn new(name: &str, url: &str) -> Result<Self, UpstreamError> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if name.is_empty() || name == "t" || !name.bytes().all(is_name) {
            return Err(UpstreamError::Name(name.into()));
        }
        let wrong = || UpstreamError::Address(url.into());
        let parts = url.parse::<Uri>().map_err(|_| wrong())?.into_parts();
        let scheme =
            parts.scheme.filter(|it| *it == Scheme::HTTP || *it == Scheme::HTTPS).ok_or_else(wrong)?;
        let authority = parts.authority.filter(|it| !it.host().is_empty()).ok_or_else(wrong)?;
        if authority.as_str().contains('@') {
            return Err(UpstreamError::Credentials(name.into()));
        }
        let path = parts.path_and_query.as_ref().map_or("", PathAndQuery::path);
        Ok(Self { name: name.into(), scheme, authority, prefix: path.trim_end_matches('/').into() })
    }

    /// `https://api.example.com/base`, without a slash at its end.
    pub fn address(&self) -> String {
        format!("{}://{}{}", self.scheme, self.authority, self.prefix)
    }

    pub(crate) fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Whether it is this computer at this port: what is sent there would come back.
    pub(crate) fn is_at(&self, port: u16) -> bool {
        let is_here = matches!(self.authority.host(), "127.0.0.1" | "localhost" | "[::1]" | "0.0.0.0");
        is_here && self.authority.port_u16() == Some(port)
    }

    /// Whether an address is this provider's.
    pub(crate) fn is_called(&self, address: &Authority) -> bool {
        let usual = if self.scheme == Scheme::HTTPS { 443 } else { 80 };
        let port = |address: &Authority| address.port_u16().unwrap_or(usual);
        address.host().eq_ignore_ascii_case(self.authority.host()) && port(address) == port(&self.authority)
    }

    /// Where a whole path is, as clients that know the provider itself ask for it.
    pub(crate) fn own_uri(&self, path_and_query: &str) -> Option<Uri> {
        let of = Uri::builder().scheme(self.scheme.clone()).authority(self.authority.clone());
        of.path_and_query(path_and_query).build().ok()
    }

    /// Where a path is of this provider's.
    pub(crate) fn uri(&self, path_and_query: &str) -> Option<Uri> {
        self.own_uri(&format!("{}{path_and_query}", self.prefix))
    }
}

/// All providers of a gateway.
#[derive(Debug, Clone)]
pub struct Upstreams(Vec<Upstream>);

impl Default for Upstreams {
    fn default() -> Self {
        let known = DEFAULTS.iter().chain([&OLLAMA]).filter_map(|(name, url)| Upstream::new(name, url).ok());
        Self(known.collect())
    }
}

impl Upstreams {
    /// Adds a provider, or gives a known name another address.
    pub fn set(&mut self, upstream: Upstream) {
        match self.0.iter_mut().find(|known| known.name == upstream.name) {
            Some(known) => *known = upstream,
            None => self.0.push(upstream),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Upstream> {
        self.0.iter()
    }

    /// The provider that is at an address; a known one is at its usual address, too, wherever it was moved to.
    pub(crate) fn at(&self, address: &Authority) -> Option<&Upstream> {
        let usual = || {
            let mut known = DEFAULTS.iter().filter_map(|(name, url)| Upstream::new(name, url).ok());
            self.named(&known.find(|known| known.is_called(address))?.name)
        };
        self.0.iter().find(|upstream| upstream.is_called(address)).or_else(usual)
    }

    fn named(&self, name: &str) -> Option<&Upstream> {
        self.0.iter().find(|upstream| upstream.name == name)
    }

    /// The provider that a path is for, and what of the path is for it. A path that names none goes by its dialect.
    pub(crate) fn route<'p>(&self, path_and_query: &'p str) -> Option<(&Upstream, &'p str)> {
        let inner = path_and_query.strip_prefix('/')?;
        let end = inner.find(['/', '?']).unwrap_or(inner.len());
        if let Some(upstream) = self.named(&inner[..end]) {
            let rest = &inner[end..];
            return Some((upstream, if rest.is_empty() { "/" } else { rest }));
        }
        Some((self.named(by_dialect(path_and_query))?, path_and_query))
    }
}

/// Whose words a path is in.
fn by_dialect(path_and_query: &str) -> &'static str {
    let path = path_and_query.split('?').next().unwrap_or_default();
    let has = |part: &str| path.contains(part);
    if has("/v1internal:") {
        "codeassist"
    } else if has("/backend-api/") {
        "chatgpt"
    } else if has(":generateContent")
        || has(":streamGenerateContent")
        || has(":countTokens")
        || has("embedContent")
        || path.starts_with("/v1beta/")
    {
        "google"
    } else if path.starts_with("/v1/messages")
        || path == "/api/hello"
        || path == "/"
        || path.starts_with("/v1/complete")
    {
        "anthropic"
    } else if path.starts_with("/api/") {
        "ollama"
    } else {
        "openai"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routed(path: &str) -> String {
        let (upstreams, mut own) = (Upstreams::default(), Upstreams::default());
        own.set(Upstream::parse("local=http://127.0.0.1:8080/base/").expect("an upstream"));
        let uri = own.route(path).and_then(|(upstream, rest)| upstream.uri(rest));
        assert!(
            path.starts_with("/local")
                || upstreams.route(path).map(|it| it.1) == own.route(path).map(|it| it.1)
        );
        uri.map_or_else(|| "nowhere".into(), |uri| uri.to_string())
    }

    #[test]
    fn a_path_goes_to_the_provider_it_names_or_whose_dialect_it_is() {
        assert_eq!(routed("/v1/messages?beta=true"), "https://api.anthropic.com/v1/messages?beta=true");
        assert_eq!(routed("/v1/responses"), "https://api.openai.com/v1/responses");
        assert_eq!(
            routed("/v1beta/models/m:streamGenerateContent?alt=sse"),
            "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse"
        );
        assert_eq!(
            routed("/models/m:generateContent"),
            "https://generativelanguage.googleapis.com/models/m:generateContent"
        );
        assert_eq!(
            routed("/v1internal:generateContent"),
            "https://cloudcode-pa.googleapis.com/v1internal:generateContent"
        );
        assert_eq!(routed("/api/chat"), "http://127.0.0.1:11434/api/chat");
        assert_eq!(routed("/local/v1/messages"), "http://127.0.0.1:8080/base/v1/messages");
        assert_eq!(routed("/local"), "http://127.0.0.1:8080/base/");
        assert_eq!(routed("/openai?x=1"), "https://api.openai.com/?x=1");
    }

    #[test]
    fn what_is_no_provider_says_why() {
        let error = |text| Upstream::parse(text).expect_err(text).to_string();
        assert!(error("http://127.0.0.1").contains("Write NAME=URL"));
        assert!(error("a/b=http://127.0.0.1").contains("no name"));
        assert!(error("t=http://127.0.0.1").contains("no name"), "it stands before the token");
        assert!(error("x=ftp://127.0.0.1").contains("no address"));
        assert!(error("x=127.0.0.1").contains("no address"));
        assert!(error("x=http://me:secret@127.0.0.1").contains("Leave them out"));
    }
}
