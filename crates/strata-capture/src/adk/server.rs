//! What is asked of a server of ADK.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::{Request, StatusCode, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use strata_model::{Json, json};
use thiserror::Error;

/// How long an answer may take, and how large it may be.
const PATIENCE: Duration = Duration::from_secs(10);
const MAX_BYTES: usize = 256 << 20;

/// Where traces are: since 2.x, and before.
const TRACES: [&str; 2] = ["/dev/apps/APP/debug/trace/session/SESSION", "/debug/trace/session/SESSION"];

/// Why a server is not asked.
#[derive(Debug, Error)]
pub enum AdkError {
    #[error("`{0}` is no address of an ADK server. It is like http://127.0.0.1:8000.")]
    Address(String),
    #[error(
        "`{0}` is another computer. Name it with `--adk-host {0}` if its sessions are meant to come here."
    )]
    Elsewhere(String),
}

#[derive(Debug)]
pub(super) struct Server {
    base: String,
    client: Client<HttpConnector, Empty<Bytes>>,
}

/// What a server says.
pub(super) enum Answer {
    Json(Json),
    /// Nothing is there.
    Nothing,
}

impl Server {
    pub(super) fn new(url: &str, hosts: &[String]) -> Result<Self, AdkError> {
        let base = url.trim_end_matches('/');
        let address = || AdkError::Address(url.to_owned());
        let uri: Uri = base.parse().map_err(|_| address())?;
        let has_user = uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
        if uri.scheme_str() != Some("http") || uri.query().is_some() || has_user {
            return Err(address());
        }
        let host = uri.host().ok_or_else(address)?;
        let bare = host.trim_matches(['[', ']']);
        let is_here = host.eq_ignore_ascii_case("localhost")
            || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        if !is_here && !hosts.iter().any(|named| named.eq_ignore_ascii_case(host)) {
            return Err(AdkError::Elsewhere(host.to_owned()));
        }
        Ok(Self {
            base: base.to_owned(),
            client: Client::builder(TokioExecutor::new()).build(HttpConnector::new()),
        })
    }

    /// A list at a path.
    pub(super) async fn list(&self, path: &str) -> Result<Vec<Json>, String> {
        match self.get(path).await? {
            Answer::Json(Json::Array(items)) => Ok(items),
            Answer::Json(_) | Answer::Nothing => {
                Err(format!("{}{path} is no list: is this `adk web` or `adk api_server`?", self.base))
            }
        }
    }

    /// The spans of a session; `None` where the server keeps none of any.
    pub(super) async fn trace(&self, app: &str, session: &str) -> Result<Option<Vec<Json>>, String> {
        for place in TRACES {
            let place = place.replace("APP", app).replace("SESSION", session);
            if let Answer::Json(Json::Array(spans)) = self.get(&place).await? {
                return Ok(Some(spans));
            }
        }
        Ok(None)
    }

    pub(super) async fn get(&self, path: &str) -> Result<Answer, String> {
        let gone =
            |why: String| format!("{} does not answer ({why}). It is asked again every second.", self.base);
        let request = Request::get(format!("{}{path}", self.base))
            .body(Empty::new())
            .map_err(|error| gone(error.to_string()))?;
        let asked = async {
            let response = self.client.request(request).await.map_err(|error| gone(error.to_string()))?;
            let status = response.status();
            let body = Limited::new(response.into_body(), MAX_BYTES).collect().await;
            let body = body.map_err(|error| gone(error.to_string()))?.to_bytes();
            Ok::<_, String>((status, body))
        };
        let (status, body) =
            tokio::time::timeout(PATIENCE, asked).await.map_err(|_| gone("it takes too long".into()))??;
        match status {
            StatusCode::OK => json::parse(&body)
                .map(Answer::Json)
                .map_err(|error| format!("{}{path} is no JSON: {error}", self.base)),
            StatusCode::NOT_FOUND => Ok(Answer::Nothing),
            _ => Err(format!("{}{path} answers {status}.", self.base)),
        }
    }
}
