//! The forward proxy, for clients that no setting points at the gateway: the hosts of known providers are spoken for, with
//! certificates of an own authority, and what else a client asks for is passed through unread.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::header::{HOST, HeaderMap, HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION};
use hyper::http::uri::Authority as Address;
use hyper::service::service_fn;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use rustls::ServerConfig;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::answer;
use crate::authority::Authority;
use crate::copy::{Body, BodyError};
use crate::exchange::{Finished, Told};
use crate::forward::{self, Forwarder};
use crate::upstream::Upstream;

/// Who a client says it is; the token is the password.
pub(crate) const USER: &str = "strata";

/// The forward proxy of a gateway.
pub(crate) struct Proxy {
    authority: Authority,
    servers: Mutex<HashMap<String, Arc<ServerConfig>>>,
    /// Hosts whose certificate a part of the client did not take: its next connection there is passed through.
    distrusted: Mutex<HashSet<String>>,
}

impl Proxy {
    pub(crate) fn new(authority: Authority) -> Self {
        Self { authority, servers: Mutex::default(), distrusted: Mutex::default() }
    }

    fn server(&self, host: &str) -> Option<Arc<ServerConfig>> {
        if let Some(known) = self.servers.lock().get(host) {
            return Some(known.clone());
        }
        let made = self.authority.server(host).ok()?;
        self.servers.lock().insert(host.to_owned(), made.clone());
        Some(made)
    }
}

impl Forwarder {
    /// Answers a `CONNECT`, and goes on with what comes behind it.
    pub(crate) fn connect(
        self: &Arc<Self>,
        proxy: &Arc<Proxy>,
        mut request: Request<Incoming>,
    ) -> Response<Body> {
        if !self.is_from_a_client(request.headers()) {
            let why = "Name this proxy with the user and password of its address.";
            let mut refused = answer::error(StatusCode::PROXY_AUTHENTICATION_REQUIRED, why);
            refused
                .headers_mut()
                .insert(PROXY_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"strata\""));
            return refused;
        }
        let Some(address) = request.uri().authority().cloned() else {
            return answer::error(StatusCode::BAD_REQUEST, "It is not said where to connect to.");
        };
        let client = hyper::upgrade::on(&mut request);
        let host = address.host().to_ascii_lowercase();
        let is_trusted = !proxy.distrusted.lock().remove(&host);
        let spoken_for = self.upstreams.at(&address).filter(|_| is_trusted).cloned();
        match spoken_for.and_then(|upstream| Some((upstream, proxy.server(&host)?))) {
            Some((upstream, server)) => {
                let (forwarder, proxy) = (self.clone(), proxy.clone());
                self.on_its_own(async move {
                    let speaking = forwarder.clone().speak(client, server, (upstream, address.clone()));
                    if speaking.await.is_err() {
                        proxy.distrusted.lock().insert(host.clone());
                        let why = "the client did not take Strata's certificate: its next connection there is passed through unread";
                        forwarder.passed(&address, Some(why), (0, 0), SystemTime::now());
                    }
                });
            }
            None if is_this_computer(&host) => {
                return answer::error(StatusCode::FORBIDDEN, "This proxy leads to other computers alone.");
            }
            None => {
                let forwarder = self.clone();
                self.on_its_own(async move { forwarder.pass_through(client, address).await });
            }
        }
        Response::new(Empty::new().map_err(|never| -> BodyError { match never {} }).boxed_unsync())
    }

    fn is_from_a_client(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(PROXY_AUTHORIZATION).and_then(|given| given.to_str().ok());
        let decoded = given.and_then(|given| STANDARD.decode(given.strip_prefix("Basic ")?).ok());
        let told = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        told.and_then(|told| {
            told.strip_prefix(USER)?.strip_prefix(':').map(|token| self.door.token.is(token))
        })
        .unwrap_or(false)
    }

    fn on_its_own(&self, work: impl Future<Output = ()> + Send + 'static) {
        let stop = self.sockets.stop.clone();
        self.sockets.tasks.spawn(async move {
            let _ = stop.run_until_cancelled(work).await;
        });
    }

    /// Reads what a client sends to a provider, in the provider's place.
    async fn speak(
        self: Arc<Self>,
        client: OnUpgrade,
        server: Arc<ServerConfig>,
        host: (Upstream, Address),
    ) -> Result<(), ()> {
        let Ok(client) = client.await else { return Ok(()) };
        let stream = TlsAcceptor::from(server).accept(TokioIo::new(client)).await.map_err(drop)?;
        let answer = service_fn(move |request| {
            let (forwarder, (upstream, address)) = (self.clone(), host.clone());
            async move { Ok::<_, Infallible>(forwarder.answer_for(&upstream, &address, request).await) }
        });
        let connection = forward::server().serve_connection(TokioIo::new(stream), answer).with_upgrades();
        // How it ends is told by the exchange that was on it.
        let _ = connection.await;
        Ok(())
    }

    /// `address`: what the client asked to be connected to.
    async fn answer_for(
        &self,
        upstream: &Upstream,
        address: &Address,
        request: Request<Incoming>,
    ) -> Response<Body> {
        let mut hosts = request.headers().get_all(HOST).iter().filter_map(|host| host.to_str().ok());
        let is_same = |host: &str| is_same_host(host, address);
        if !hosts.next().is_some_and(is_same) || hosts.next().is_some() {
            return answer::error(StatusCode::MISDIRECTED_REQUEST, "This connection is for another host.");
        }
        let path = request.uri().path_and_query().map_or("/", |it| it.as_str());
        let is_moved = !upstream.is_called(address);
        match if is_moved { upstream.uri(path) } else { upstream.own_uri(path) } {
            Some(uri) => self.pass_on(upstream, uri, request).await,
            None => answer::error(StatusCode::BAD_REQUEST, "This is no path."),
        }
    }

    /// Bytes that nobody here can read.
    async fn pass_through(&self, client: OnUpgrade, address: Address) {
        let began = SystemTime::now();
        let Ok(client) = client.await else { return };
        let port = address.port_u16().unwrap_or(443);
        let (bytes, problem) = match TcpStream::connect((address.host(), port)).await {
            // A name may stand for this computer.
            Ok(provider) if provider.peer_addr().is_ok_and(|peer| peer.ip().is_loopback()) => {
                ((0, 0), Some("it leads back to this computer"))
            }
            Ok(provider) => (copied(client, provider).await, None),
            Err(_) => ((0, 0), Some("the host could not be reached")),
        };
        self.passed(&address, problem, bytes, began);
    }

    /// Tells that a client was somewhere else.
    fn passed(&self, address: &Address, problem: Option<&str>, bytes: (u64, u64), began: SystemTime) {
        let number = self.desk.numbers.next();
        let ms = began.elapsed().unwrap_or_default().as_millis() as u64;
        self.desk.take_end(
            number,
            Told::PassedThrough(Finished {
                number,
                method: "CONNECT".into(),
                url: address.to_string(),
                status: problem.is_none().then_some(200),
                sent: bytes.0,
                received: bytes.1,
                held_ms: 0,
                first_byte_ms: None,
                ms,
                problem: problem.map(Into::into),
            }),
        );
    }
}

/// Bytes that went up, and down.
async fn copied(client: Upgraded, mut provider: TcpStream) -> (u64, u64) {
    copy_bidirectional(&mut TokioIo::new(client), &mut provider).await.unwrap_or_default()
}

/// Clients leave out the port of HTTPS.
fn is_same_host(host: &str, address: &Address) -> bool {
    let host = host.parse::<Address>().ok();
    let port = |address: &Address| address.port_u16().unwrap_or(443);
    host.is_some_and(|host| host.host().eq_ignore_ascii_case(address.host()) && port(&host) == port(address))
}

fn is_this_computer(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}
