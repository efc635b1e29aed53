//! Clients that come over HTTP, from this computer only.

use std::future::IntoFuture as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::Options;
use crate::knows::Knows;
use crate::server::Server;
use crate::token::{Token, token_file};

/// A question takes a few hundred bytes.
const MOST_BYTES: usize = 1 << 20;

/// A client may think for so long between two questions.
const IDLE: Duration = Duration::from_hours(12);
/// How long requests in flight may take after Ctrl-C.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Where a server listens, and where the token is that it asks for.
#[derive(Debug, Clone)]
pub struct Listening {
    pub url: String,
    pub token_file: PathBuf,
}

/// Listens on the loopback address until `stop`. A port of 0 is a free one.
pub async fn http(
    options: Options,
    port: u16,
    stop: CancellationToken,
    tell: impl FnOnce(&Listening) -> Result<()>,
) -> Result<()> {
    let database = options.database.clone().map_or_else(strata_app::default_database, Ok)?;
    let token_file = token_file(&database);
    let token = Token::kept_in(&token_file)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.with_context(|| {
        format!("Port {port} cannot be opened. Choose another with `--port`, or leave it out for a free one.")
    })?;
    let address = listener.local_addr().context("The address of the server is not known.")?;
    tell(&Listening { url: format!("http://{address}/mcp"), token_file })?;
    let router = router(Arc::new(Knows::new(options.database)), Door::new(address, token), &stop);
    let server = axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
    let stopped = async {
        stop.cancelled().await;
        tokio::time::sleep(LAST_ANSWERS).await;
    };
    tokio::select! {
        ended = server.into_future() => ended.context("The server ended. Start it again."),
        // Streams that clients keep open would never end.
        () = stopped => Ok(()),
    }
}

fn router(knows: Arc<Knows>, door: Door, stop: &CancellationToken) -> Router {
    let make = move || Server::new(knows.clone());
    let hosts = door.hosts.clone();
    at_mcp(make, hosts, MOST_BYTES, stop).layer(from_fn_with_state(Arc::new(door), guard))
}

/// What is made for each connection, at `/mcp`. `hosts` are the names of this server.
pub(crate) fn at_mcp<S: ServerHandler>(
    make: impl Fn() -> S + Send + Sync + 'static,
    hosts: Vec<String>,
    most_bytes: usize,
    stop: &CancellationToken,
) -> Router {
    // Gemini CLI reads an event without data, which would tell it when to come again, as a broken message.
    let config = StreamableHttpServerConfig::default()
        .with_sse_retry(None)
        .with_allowed_hosts(hosts)
        .with_max_request_body_bytes(most_bytes)
        .with_cancellation_token(stop.child_token());
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.sse_retry = None;
    sessions.session_config.keep_alive = Some(IDLE);
    let service = StreamableHttpService::new(move || Ok(make()), Arc::new(sessions), config);
    Router::new().route_service("/mcp", service)
}

/// Who may come in.
struct Door {
    /// The names of this server, as a client that looks for it says them.
    hosts: Vec<String>,
    token: Token,
}

impl Door {
    fn new(address: SocketAddr, token: Token) -> Self {
        let port = address.port();
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        Self { hosts: hosts.to_vec(), token }
    }

    /// Why a request is refused. A page in a browser is told by its origin; one that gave its own name to this address, by
    /// the host that it asks for.
    fn refusal(&self, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if headers.get_all(header::HOST).iter().count() != 1 || !self.hosts.iter().any(|it| it == host) {
            return Some((StatusCode::FORBIDDEN, "This server answers to its own address only.\n"));
        }
        if headers.contains_key(header::ORIGIN) {
            return Some((StatusCode::FORBIDDEN, "This server answers to no page of a browser.\n"));
        }
        let shown = headers.get(header::AUTHORIZATION).map(|value| value.as_bytes()).unwrap_or_default();
        let is_known = self.token.is_shown_by(shown);
        let asks =
            "Send the token of the file that `strata mcp --http` names, as `Authorization: Bearer TOKEN`.\n";
        (!is_known).then_some((StatusCode::UNAUTHORIZED, asks))
    }
}

async fn guard(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    match door.refusal(request.headers()) {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).await,
    }
}
