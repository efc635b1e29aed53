//! Connections to the servers that an app names. They follow no redirect: whoever is asked is whoever was named.

use std::error::Error;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

/// Until a connection is made.
const CONNECT: Duration = Duration::from_secs(10);

/// Whoever asks servers.
#[derive(Debug, Clone)]
pub(crate) struct Web {
    proxied: reqwest::Client,
    /// For servers on this computer.
    direct: reqwest::Client,
}

impl Web {
    /// Fails where the system gives no trusted certificates.
    pub(crate) fn new() -> Result<Self, String> {
        // A program has one, and whoever came first has set the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let build = |builder: reqwest::ClientBuilder| {
            let builder = builder.connect_timeout(CONNECT).redirect(reqwest::redirect::Policy::none());
            builder.build().map_err(|error| format!("connections cannot be made: {}", causes(&error)))
        };
        Ok(Self {
            proxied: build(reqwest::Client::builder())?,
            direct: build(reqwest::Client::builder().no_proxy())?,
        })
    }

    pub(crate) fn client(&self, url: &Url) -> &reqwest::Client {
        if is_local(url.host_str().unwrap_or_default()) { &self.direct } else { &self.proxied }
    }
}

/// Whether a host is this computer.
pub(crate) fn is_local(host: &str) -> bool {
    host == "localhost" || host == "[::1]" || host == "::1" || host.starts_with("127.")
}

/// An error with what it came from.
pub(crate) fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// A header as an app gives it.
pub(crate) fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let known = name.parse().map_err(|_| format!("`{name}` is no name of a header"))?;
    let value = value.parse().map_err(|_| format!("the header {name} has a value that cannot be sent"))?;
    Ok((known, value))
}
