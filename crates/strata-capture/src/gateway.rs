//! The gateway while it listens.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::authority::Authority;
use crate::copy::Body;
use crate::door::Door;
use crate::exchange::Finished;
use crate::forward::{Forwarder, Sockets};
use crate::gate::Gate;
use crate::log::Log;
use crate::proxy::{Proxy, USER};
use crate::recorder::{self, Recorder};
use crate::telemetry::{Received, Telemetry};
use crate::token::Token;
use crate::upstream::{Upstream, Upstreams};

/// How long a provider may take to accept a connection. Nothing else is limited: clients have limits of their own.
const CONNECTING: Duration = Duration::from_secs(10);

/// How long connections to providers are kept open between requests.
const IDLE: Duration = Duration::from_secs(90);

/// How long requests on their way may take when the gateway is closed.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// How to start a gateway.
pub struct Options {
    /// The port to listen on; 0 takes a free one.
    pub port: u16,
    pub upstreams: Upstreams,
    /// A file that is not there yet, for the log.
    pub log: PathBuf,
    pub gate: Arc<dyn Gate>,
    /// Hears of every exchange that is over. Must not wait.
    pub finished: Box<dyn Fn(Finished) + Send>,
    /// A file that is not there yet, for telemetry. It is made when some comes.
    pub telemetry: PathBuf,
    /// Hears of every batch of telemetry. Must not wait.
    pub received: Box<dyn Fn(Received) + Send + Sync>,
    /// Signs for hosts of providers, where the gateway is a forward proxy, too.
    pub authority: Option<Authority>,
}

/// Why there is no gateway.
#[derive(Debug, Error)]
pub enum GatewayError {
    #[error("Port {0} cannot be opened ({1}). Choose another, or none for a free one.")]
    Port(u16, io::Error),
    #[error("The file {} for what is recorded cannot be made: {error}", path.display())]
    Log { path: PathBuf, error: io::Error },
    #[error("This computer gives no random numbers, so no safe address can be made: {0}")]
    Random(getrandom::Error),
    #[error("The certificates of this computer cannot be read: {0}")]
    Certificates(io::Error),
    #[error(
        "The provider `{0}` has the gateway's own address: what is sent there would come back without end."
    )]
    Loop(String),
}

/// Listens until it is closed.
#[derive(Debug)]
pub struct Gateway {
    base: String,
    proxy: Option<String>,
    log: PathBuf,
    stop: CancellationToken,
    connections: TaskTracker,
    recorder: Recorder,
}

impl Gateway {
    /// Listens on the loopback address, in tasks of the present runtime.
    pub async fn start(options: Options) -> Result<Self, GatewayError> {
        let Options { port, upstreams, log: path, gate, finished, telemetry, received, authority } = options;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).await.map_err(|error| GatewayError::Port(port, error))?;
        let port = listener.local_addr().map_err(|error| GatewayError::Port(port, error))?.port();
        if let Some(Upstream { name, .. }) = upstreams.iter().find(|upstream| upstream.is_at(port)) {
            return Err(GatewayError::Loop(name.clone()));
        }
        let token = Token::random().map_err(GatewayError::Random)?;
        let log_error = |error| GatewayError::Log { path: path.clone(), error };
        let recorder =
            recorder::start(Log::create(&path).map_err(log_error)?, finished).map_err(log_error)?;
        let (stop, connections) = (CancellationToken::new(), TaskTracker::new());
        let base = format!("http://127.0.0.1:{port}{}", token.prefix());
        let proxy = authority.is_some().then(|| format!("http://{USER}:{}@127.0.0.1:{port}", token.secret()));
        let forwarder = Arc::new(Forwarder {
            door: Door { port, token },
            upstreams,
            client: client(Versions::All)?,
            sockets: Sockets {
                client: client(Versions::One)?,
                tasks: connections.clone(),
                stop: stop.clone(),
            },
            gate,
            desk: recorder.desk(),
            telemetry: Telemetry::new(telemetry, received),
        });
        let answering =
            Answering { forwarder, proxy: authority.map(|authority| Arc::new(Proxy::new(authority))) };
        connections.spawn(listen(listener, answering, stop.clone(), connections.clone()));
        Ok(Self { base, proxy, log: path, stop, connections, recorder })
    }

    /// What clients are pointed at: `http://127.0.0.1:PORT/t/TOKEN`, without a slash at the end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The address of the forward proxy, with what it asks for; `None` where it is none.
    pub fn proxy(&self) -> Option<&str> {
        self.proxy.as_deref()
    }

    /// The file that grows.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// Takes no more requests, lets those on their way come to their end for a moment, and writes what was heard.
    pub async fn close(self) {
        self.stop.cancel();
        self.connections.close();
        // What takes longer is recorded as cut off.
        let _ = tokio::time::timeout(LAST_ANSWERS, self.connections.wait()).await;
        let recorder = self.recorder;
        let _ = tokio::task::spawn_blocking(move || recorder.close()).await;
    }
}

/// Of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Versions {
    All,
    /// WebSockets begin with HTTP/1.1.
    One,
}

/// Speaks to providers as their clients would: HTTP/2 where the provider offers it, and no redirect is followed.
fn client(versions: Versions) -> Result<legacy::Client<HttpsConnector<HttpConnector>, Body>, GatewayError> {
    let mut http = HttpConnector::new();
    http.set_nodelay(true);
    http.set_connect_timeout(Some(CONNECTING));
    http.enforce_http(false);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let https = hyper_rustls::HttpsConnectorBuilder::new()
        .with_provider_and_platform_verifier(provider)
        .map_err(GatewayError::Certificates)?
        .https_or_http();
    let https = match versions {
        Versions::All => https.enable_all_versions().wrap_connector(http),
        Versions::One => https.enable_http1().wrap_connector(http),
    };
    Ok(legacy::Client::builder(TokioExecutor::new())
        .pool_idle_timeout(IDLE)
        .pool_timer(TokioTimer::new())
        .http1_preserve_header_case(true)
        .build(https))
}

/// Who answers.
#[derive(Clone)]
struct Answering {
    forwarder: Arc<Forwarder>,
    proxy: Option<Arc<Proxy>>,
}

impl Answering {
    async fn answer(self, request: Request<Incoming>) -> Response<Body> {
        match &self.proxy {
            Some(proxy) if request.method() == Method::CONNECT => self.forwarder.connect(proxy, request),
            _ => self.forwarder.answer(request).await,
        }
    }
}

async fn listen(
    listener: TcpListener,
    answering: Answering,
    stop: CancellationToken,
    connections: TaskTracker,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                connections.spawn(serve(stream, answering.clone(), stop.clone()));
            }
            // No more files can be opened, say. It passes.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// One connection of a client.
async fn serve(stream: TcpStream, answering: Answering, stop: CancellationToken) {
    // Without it, chunks only come late.
    let _ = stream.set_nodelay(true);
    let answer = service_fn(|request| {
        let answering = answering.clone();
        async move { Ok::<_, std::convert::Infallible>(answering.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .preserve_header_case(true)
        .auto_date_header(false)
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), answer)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    // How a connection ends is told by the exchange that was on it.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
