//! Who may be called.

use reqwest::Url;

use crate::web::is_local;

/// A host that an app lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    /// `None`: the usual one of the scheme.
    port: Option<u16>,
    name: String,
    /// Unencrypted, because the app says so or it is this computer.
    may_be_plain: bool,
}

impl Host {
    /// Reads `host`, `host:port` or one of them with its scheme before it.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let is_plain = text.starts_with("http://");
        let with_scheme = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        let problem = || {
            format!(
                "`{text}` under `hosts` is no host; write it as `api.example.com` or `api.example.com:8443`"
            )
        };
        let url = Url::parse(&with_scheme).map_err(|_| problem())?;
        let name =
            url.host_str().filter(|name| !name.is_empty() && !name.contains('*')).ok_or_else(problem)?;
        let is_bare = url.path() == "/" && url.query().is_none() && url.username().is_empty();
        if !is_bare || !matches!(url.scheme(), "http" | "https") {
            return Err(problem());
        }
        Ok(Self { port: url.port(), name: name.to_owned(), may_be_plain: is_plain || is_local(name) })
    }

    pub(super) fn is_of(&self, url: &Url) -> bool {
        let is_scheme = url.scheme() == "https" || (url.scheme() == "http" && self.may_be_plain);
        is_scheme && url.host_str() == Some(&self.name) && url.port() == self.port
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_itself_and_nobody_else() {
        let may = |host: &str, url: &str| Host::read(host).unwrap().is_of(&Url::parse(url).unwrap());
        assert!(may("api.example.com", "https://api.example.com/v1?x=1"));
        assert!(may("API.example.com", "https://api.example.com/"), "names of hosts have no case");
        assert!(may("api.example.com:8443", "https://api.example.com:8443/"));
        assert!(may("127.0.0.1:9000", "http://127.0.0.1:9000/"), "this computer needs no encryption");
        assert!(may("http://intranet:80", "http://intranet/"), "the app says so");
        for (host, url) in [
            ("api.example.com", "http://api.example.com/"),
            ("api.example.com", "https://api.example.com:8443/"),
            ("api.example.com:8443", "https://api.example.com/"),
            ("api.example.com", "https://api.example.com.evil.org/"),
            ("api.example.com", "https://api.example.com@evil.org/"),
            ("example.com", "https://api.example.com/"),
        ] {
            assert!(!may(host, url), "{host} is not {url}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for text in ["", "*.example.com", "api.example.com/v1", "ftp://example.com", "a b", "u@example.com"] {
            assert!(Host::read(text).is_err(), "{text}");
        }
    }
}
