//! Who may come in.

use hyper::header::{HOST, ORIGIN};
use hyper::{Method, Request, StatusCode};

use crate::token::Token;

/// What the gateway asks of a request before it looks at it.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) port: u16,
    pub(crate) token: Token,
}

/// Why a request was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    pub(crate) why: &'static str,
}

const fn refused(status: StatusCode, why: &'static str) -> Refused {
    Refused { status, why }
}

impl Door {
    /// The path and query behind the token.
    pub(crate) fn let_in<'p, B>(&self, request: &'p Request<B>) -> Result<&'p str, Refused> {
        const NAME: &str = "This gateway answers to 127.0.0.1 and its port alone.";
        const PAGE: &str = "Web pages cannot use this gateway.";
        const PROXY: &str =
            "This gateway is no proxy: point the client's base URL at it, or start it with `--proxy`.";
        const TOKEN: &str = "The token in the path is missing, or is that of an earlier start. Use the address printed by `strata capture`.";
        if request.method() == Method::CONNECT || request.uri().authority().is_some() {
            return Err(refused(StatusCode::METHOD_NOT_ALLOWED, PROXY));
        }
        let mut hosts = request.headers().get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        if hosts.next().is_some() || !host.is_some_and(|host| self.is_ours(host)) {
            return Err(refused(StatusCode::MISDIRECTED_REQUEST, NAME));
        }
        if request.headers().contains_key(ORIGIN) {
            return Err(refused(StatusCode::FORBIDDEN, PAGE));
        }
        let path = request.uri().path_and_query().map_or("/", |it| it.as_str());
        self.token.strip(path).ok_or(refused(StatusCode::FORBIDDEN, TOKEN))
    }

    fn is_ours(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else { return false };
        port.parse() == Ok(self.port)
            && matches!(name.to_ascii_lowercase().as_str(), "127.0.0.1" | "localhost" | "[::1]")
    }
}
