//! Requests that are held before they are sent.

use futures_util::future::BoxFuture;

/// Looks at requests before they go out. While it looks at none, they pass as they come in.
pub trait Gate: Send + Sync {
    /// Whether requests are to be collected and looked at.
    fn is_watched(&self) -> bool;

    /// Decides about a request. It may take long; where it is let go of, the client went away.
    fn before_request(&self, request: WholeRequest) -> BoxFuture<'_, Verdict>;
}

/// A request that waits.
#[derive(Debug, Clone)]
pub struct WholeRequest {
    pub number: u64,
    pub url: String,
    /// Names and values, without credentials.
    pub headers: Vec<(String, String)>,
    /// Without its compression.
    pub body: Vec<u8>,
}

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It goes out as it came in.
    Pass,
    /// This body goes out in the place of its own.
    Replace(Vec<u8>),
    /// Its client is told that it was refused, in these words.
    Refuse(String),
}

/// Lets everything pass.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenGate;

impl Gate for OpenGate {
    fn is_watched(&self) -> bool {
        false
    }

    fn before_request(&self, _: WholeRequest) -> BoxFuture<'_, Verdict> {
        Box::pin(std::future::ready(Verdict::Pass))
    }
}
