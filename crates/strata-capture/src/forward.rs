//! One request, passed on.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Full};
use hyper::body::Incoming;
use hyper::header::{
    CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue,
    TRANSFER_ENCODING, UPGRADE,
};
use hyper::server::conn::http1;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioTimer;
use strata_wire::coding::decoded;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::answer;
use crate::copy::{Body, BodyError, Copied, Tape, Way};
use crate::door::{Door, Refused};
use crate::exchange::{End, Headers, Told};
use crate::gate::{Gate, Verdict, WholeRequest};
use crate::recorder::Desk;
use crate::redact;
use crate::telemetry::Telemetry;
use crate::tunnel;
use crate::upstream::{Upstream, Upstreams};

const FRAMED_TWICE: &str = "The body of this request is chunked twice, so nobody can say where it ends.";

const HOLDS: &str =
    "While requests are held, this gateway speaks HTTP alone. The client can fall back to it.";

/// How clients are served: names of headers as they write them, and none that the provider did not send.
pub(crate) fn server() -> http1::Builder {
    let mut server = http1::Builder::new();
    server.preserve_header_case(true).auto_date_header(false).timer(TokioTimer::new());
    server
}

/// What every request needs.
pub(crate) struct Forwarder {
    pub(crate) door: Door,
    pub(crate) upstreams: Upstreams,
    pub(crate) client: ProviderClient,
    pub(crate) sockets: Sockets,
    pub(crate) gate: Arc<dyn Gate>,
    pub(crate) desk: Desk,
    pub(crate) telemetry: Telemetry,
}

pub(crate) type ProviderClient = Client<HttpsConnector<HttpConnector>, Body>;

/// What WebSockets need besides.
pub(crate) struct Sockets {
    /// Speaks HTTP/1.1 alone.
    pub(crate) client: ProviderClient,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

impl Forwarder {
    /// What the provider answers, or what the gateway does where nobody else can.
    pub(crate) async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let path = match self.door.let_in(&request) {
            Ok(path) => path.to_owned(),
            Err(Refused { status, why }) => return answer::error(status, why),
        };
        if let Some(signal) = Telemetry::signal(request.method(), &path) {
            let (parts, body) = request.into_parts();
            return self.telemetry.take(signal, &parts, body).await;
        }
        let nowhere = "This path is for no provider that the gateway knows.";
        let Some((upstream, rest)) = self.upstreams.route(&path) else {
            return answer::error(StatusCode::NOT_FOUND, nowhere);
        };
        let Some(uri) = upstream.uri(rest) else {
            return answer::error(StatusCode::NOT_FOUND, nowhere);
        };
        self.pass_on(upstream, uri, request).await
    }

    /// Sends a request to a provider, and its answer back.
    pub(crate) async fn pass_on(
        &self,
        upstream: &Upstream,
        uri: Uri,
        mut request: Request<Incoming>,
    ) -> Response<Body> {
        if is_framed_twice(request.headers()) {
            let mut refused = answer::error(StatusCode::BAD_REQUEST, FRAMED_TWICE);
            // What follows on this connection may be of the body, or another request.
            refused.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            return refused;
        }
        let upgrade = request.headers().contains_key(UPGRADE).then(|| hyper::upgrade::on(&mut request));
        let (mut parts, body) = request.into_parts();
        if upstream.is_at(self.door.port) {
            return answer::error(StatusCode::LOOP_DETECTED, "This provider's address is the gateway's own.");
        }
        if upgrade.is_some() && self.gate.is_watched() {
            // Codex takes 426 for "not here" and goes on over HTTP at once; it tries again and again after a 404.
            return answer::error(StatusCode::UPGRADE_REQUIRED, HOLDS);
        }
        let number = self.desk.numbers.next();
        let tape = Arc::new(Tape::new(number, self.desk.clone()));
        let (url, headers) = (redact::url(&uri.to_string()), redact::headers(&parts.headers));
        tape.tell(Told::Begin {
            method: parts.method.to_string(),
            url: url.clone(),
            upstream: upstream.name.clone(),
            headers: headers.clone(),
            at: SystemTime::now(),
        });
        let authority = upstream.authority();
        let host = authority.as_str();
        let host_name = HeaderValue::from_str(host).ok();
        parts.headers = passed_on(&parts.headers, host_name.as_ref(), upgrade.is_some());
        parts.uri = uri;
        parts.version = Version::HTTP_11;
        let body = if parts.method == Method::POST && self.gate.is_watched() {
            let whole = WholeRequest { number, url, headers, body: Vec::new() };
            match self.held(whole, &mut parts.headers, body, &tape).await {
                Ok(body) => body,
                Err(answer) => return *answer,
            }
        } else {
            Copied::new(body, Arc::clone(&tape), Way::Up).boxed_unsync()
        };
        let request = Request::from_parts(parts, body);
        let client = if upgrade.is_some() { &self.sockets.client } else { &self.client };
        match client.request(request).await {
            Ok(response) => match upgrade.filter(|_| response.status() == StatusCode::SWITCHING_PROTOCOLS) {
                Some(upgrade) => self.tunnelled(response, upgrade, tape),
                None => passed_back(response, &tape),
            },
            Err(error) => {
                tape.end(End::Unreachable);
                let why = format!("{host} could not be reached: {}", last_cause(&error));
                answer::error(StatusCode::BAD_GATEWAY, &why)
            }
        }
    }

    /// Lets both sides talk as soon as the client has the provider's word.
    fn tunnelled(
        &self,
        mut response: Response<Incoming>,
        client: OnUpgrade,
        tape: Arc<Tape>,
    ) -> Response<Body> {
        let provider = hyper::upgrade::on(&mut response);
        tape.tell(told(&response));
        let stop = self.sockets.stop.clone();
        self.sockets.tasks.spawn(async move {
            let Ok((client, provider)) = tokio::try_join!(client, provider) else {
                return tape.end(End::ProviderLeft);
            };
            // Dropped when the gateway is closed: the tape then says that it was cut off.
            let _ = stop.run_until_cancelled(tunnel::run(client, provider, tape)).await;
        });
        let (mut parts, _) = response.into_parts();
        parts.headers = passed_on(&parts.headers, None, true);
        Response::from_parts(
            parts,
            Empty::new().map_err(|never| -> BodyError { match never {} }).boxed_unsync(),
        )
    }

    /// Collects a request and waits until it is decided about. What is sent in the end, or what its client is told.
    async fn held(
        &self,
        request: WholeRequest,
        headers: &mut HeaderMap,
        body: Incoming,
        tape: &Tape,
    ) -> Result<Body, Box<Response<Body>>> {
        let Ok(collected) = body.collect().await else {
            tape.end(End::ClientLeft);
            return Err(Box::new(answer::error(StatusCode::BAD_REQUEST, "The request ended early.")));
        };
        let mut bytes = collected.to_bytes();
        let encoding = headers.get(CONTENT_ENCODING).and_then(|it| it.to_str().ok()).unwrap_or_default();
        let body = decoded(&bytes, encoding).into_owned();
        let verdict = self.gate.before_request(WholeRequest { body, ..request }).await;
        tape.tell(Told::Sent(SystemTime::now()));
        if let Verdict::Replace(other) = &verdict {
            bytes = Bytes::copy_from_slice(other);
            for name in [CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING] {
                headers.remove(name);
            }
        }
        tape.tell(Told::RequestBytes(bytes.clone()));
        tape.tell(Told::RequestIsThere);
        if let Verdict::Refuse(why) = verdict {
            let (status, at) = (StatusCode::BAD_REQUEST, SystemTime::now());
            tape.tell(Told::Answer { status: status.as_u16(), headers: Headers::new(), at });
            tape.tell(Told::AnswerBytes(answer::error_body(status, &why), at));
            tape.end(End::Refused);
            return Err(Box::new(answer::error(status, &why)));
        }
        Ok(Full::new(bytes).map_err(|never| -> BodyError { match never {} }).boxed_unsync())
    }
}

/// Whether a body is said to be chunked more than once (RFC 9112, 6.1): others may take its first chunk for all of it, and
/// the rest for a request. A length beside the chunks does not get here: the server reads the chunks, drops the length and
/// closes the connection.
fn is_framed_twice(headers: &HeaderMap) -> bool {
    let values = headers.get_all(TRANSFER_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let codings = values.flat_map(|value| value.split(','));
    codings.filter(|coding| coding.trim().eq_ignore_ascii_case("chunked")).count() > 1
}

/// The answer as it comes in.
fn passed_back(response: Response<Incoming>, tape: &Arc<Tape>) -> Response<Body> {
    tape.tell(told(&response));
    let (mut parts, body) = response.into_parts();
    parts.headers = passed_on(&parts.headers, None, false);
    parts.version = Version::HTTP_11;
    Response::from_parts(parts, Copied::new(body, Arc::clone(tape), Way::Down).boxed_unsync())
}

fn told(response: &Response<Incoming>) -> Told {
    Told::Answer {
        status: response.status().as_u16(),
        headers: redact::headers(response.headers()),
        at: SystemTime::now(),
    }
}

/// Headers that are about one connection (RFC 9110, 7.6.1). How a body is framed is decided from the body, and comes to the
/// same.
const OF_A_CONNECTION: [&str; 6] =
    ["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te"];

/// Headers without those of the connection, in the same order, and with the name of another host. Where it becomes a
/// WebSocket, that is about both connections.
fn passed_on(headers: &HeaderMap, host: Option<&HeaderValue>, is_upgrade: bool) -> HeaderMap {
    let named: Vec<String> = (headers.get_all(CONNECTION).iter())
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(',').map(|name| name.trim().to_ascii_lowercase()))
        .collect();
    let is_ours = |name: &HeaderName| {
        if is_upgrade && (name == CONNECTION || name == UPGRADE) {
            return false;
        }
        OF_A_CONNECTION.contains(&name.as_str()) || named.iter().any(|it| it == name.as_str())
    };
    let mut kept = HeaderMap::with_capacity(headers.len());
    // Removing would change the order of what remains.
    for (name, value) in headers.iter().filter(|(name, _)| !is_ours(name)) {
        let value = if name == HOST { host.unwrap_or(value) } else { value };
        kept.append(name.clone(), value.clone());
    }
    kept
}

/// What went wrong at the bottom of an error.
fn last_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
