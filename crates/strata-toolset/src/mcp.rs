//! A server that speaks the Model Context Protocol, as google-adk's `McpToolset` uses one.

mod described;

use std::collections::HashMap;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, Implementation, Tool,
};
use rmcp::service::{Peer, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, serve_client};
use strata_model::{Json, Object};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::child::Child;
use crate::limits::{MAX_MESSAGE, MAX_TOOLS};
use crate::source::{ChildServer, McpServer, ServerAt};
use crate::web::{Web, causes, header};

/// How often it is looked whether a program runs still, while it is waited for.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// A server that was connected, and is connected again when it went away.
#[derive(Debug)]
pub(crate) struct Server {
    source: McpServer,
    web: Option<Web>,
    connection: Mutex<Option<Connection>>,
}

/// One connection. Letting go of it ends the program at its other end.
struct Connection {
    service: RunningService<RoleClient, ClientConfig>,
    child: Option<Child>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("child", &self.child).finish_non_exhaustive()
    }
}

impl Server {
    /// Connects, and gives what the server has, described for a model.
    pub(crate) async fn open(source: McpServer) -> Result<(Self, Vec<Object>), String> {
        let web = match source.at {
            ServerAt::Address { .. } => Some(Web::new()?),
            ServerAt::Child(_) => None,
        };
        let server = Self { source, web, connection: Mutex::new(None) };
        let peer = server.peer().await?;
        let listed = timeout(server.source.limits.open, tools(&peer)).await;
        let listed = match listed {
            Ok(Ok(listed)) => listed,
            Ok(Err(problem)) => return Err(server.told(problem).await),
            Err(_) => {
                return Err(format!("it did not tell its tools within {}", span(server.source.limits.open)));
            }
        };
        let described = described::tools(&listed, server.source.filter.as_deref());
        Ok((server, described))
    }

    /// Connects again where the connection was lost.
    pub(crate) async fn ready(&self) -> Result<(), String> {
        self.peer().await.map(|_| ())
    }

    /// What a tool answers, in google-adk's own form; or what went wrong, in a sentence.
    pub(crate) async fn call(&self, tool: &str, args: &Object) -> Result<Json, String> {
        let peer = self.peer().await.map_err(|problem| format!("The server is gone: {problem}."))?;
        let arguments = serde_json::to_value(args).ok().and_then(|value| match value {
            serde_json::Value::Object(map) => Some(map),
            _ => None,
        });
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments = arguments;
        let patience = self.source.limits.call;
        // What a program has started may hold its pipes open when it has ended itself.
        let answered = tokio::select! {
            answered = timeout(patience, peer.call_tool_once(params)) => answered,
            () = self.program_ends() => Ok(Err(ServiceError::TransportClosed)),
        };
        match answered {
            Ok(Ok(CallToolResponse::Complete(result))) => Ok(described::result(&result)),
            Ok(Ok(CallToolResponse::InputRequired(_))) => {
                Err("It asks for more input, which an agent cannot give it.".to_owned())
            }
            Ok(Ok(_)) => {
                Err("It goes on with this as a task, whose end Strata does not wait for.".to_owned())
            }
            Ok(Err(error)) => Err(self.told(error).await),
            Err(_) => Err(format!("It did not answer within {}.", span(patience))),
        }
    }

    /// Waits for the program at the other end to end, and a moment longer for what it has said until then. Never where
    /// there is none.
    async fn program_ends(&self) {
        if matches!(self.source.at, ServerAt::Address { .. }) {
            return std::future::pending().await;
        }
        loop {
            tokio::time::sleep(BETWEEN_LOOKS).await;
            let mut connection = self.connection.lock().await;
            let child = connection.as_mut().and_then(|connection| connection.child.as_mut());
            if child.is_some_and(Child::has_ended) {
                break;
            }
        }
        tokio::time::sleep(BETWEEN_LOOKS * 4).await;
    }

    /// Ends the connection, and the program at its other end.
    pub(crate) async fn close(&self) {
        let Some(Connection { mut service, child }) = self.connection.lock().await.take() else { return };
        let _ = service.close_with_timeout(Duration::from_secs(1)).await;
        if let Some(child) = child {
            child.end().await;
        }
    }

    async fn peer(&self) -> Result<Peer<RoleClient>, String> {
        let mut connection = self.connection.lock().await;
        if let Some(open) = &*connection
            && !open.service.is_closed()
            && !open.service.is_transport_closed()
        {
            return Ok(open.service.peer().clone());
        }
        *connection = None;
        let made = self.connect().await?;
        let peer = made.service.peer().clone();
        *connection = Some(made);
        Ok(peer)
    }

    async fn connect(&self) -> Result<Connection, String> {
        let patience = self.source.limits.open;
        let late = || format!("it did not say hello within {}", span(patience));
        match &self.source.at {
            ServerAt::Child(server) => {
                let (mut child, lines, input) = start(server)?;
                match timeout(patience, serve_client(client(), (lines, input))).await {
                    Ok(Ok(service)) => Ok(Connection { service, child: Some(child) }),
                    Ok(Err(error)) => Err(format!("it does not speak MCP: {error}. {}", child.fate().await)),
                    Err(_) => Err(late()),
                }
            }
            ServerAt::Address { url, headers } => {
                let web = self.web.as_ref().ok_or("connections cannot be made")?;
                let address = Url::parse(url).map_err(|error| format!("`{url}` is no address: {error}"))?;
                let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
                config.custom_headers = custom(headers)?;
                config.max_sse_event_size = MAX_MESSAGE;
                config.max_json_response_size = MAX_MESSAGE;
                let transport =
                    StreamableHttpClientTransport::with_client(web.client(&address).clone(), config);
                match timeout(patience, serve_client(client(), transport)).await {
                    Ok(Ok(service)) => Ok(Connection { service, child: None }),
                    Ok(Err(error)) => Err(format!("it cannot be connected: {}", causes(&error))),
                    Err(_) => Err(late()),
                }
            }
        }
    }

    /// A fault as a person or an agent reads it. A program that has ended says why.
    async fn told(&self, error: ServiceError) -> String {
        match error {
            ServiceError::McpError(error) => format!("It answered with an error: {}", error.message),
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
                match self.connection.lock().await.take() {
                    Some(Connection { child: Some(mut child), .. }) => child.fate().await,
                    _ => "The connection was closed.".to_owned(),
                }
            }
            ServiceError::UnexpectedResponse => "Its answer is no result of a tool.".to_owned(),
            other => format!("{}.", causes(&other)),
        }
    }
}

fn start(
    server: &ChildServer,
) -> Result<(Child, crate::child::BoundedLines, tokio::process::ChildStdin), String> {
    Child::start(server).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("the program `{}` is not there: {error}", server.command),
        _ => format!("it cannot be started: {error}"),
    })
}

fn client() -> ClientConfig {
    ClientConfig::new(ClientCapabilities::default(), Implementation::new("strata", env!("CARGO_PKG_VERSION")))
}

fn custom(headers: &[(String, String)]) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    headers.iter().map(|(name, value)| header(name, value)).collect()
}

/// All tools, page by page.
async fn tools(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, ServiceError> {
    let mut all = Vec::new();
    let mut page = peer.list_tools(None).await?;
    loop {
        all.append(&mut page.tools);
        let Some(cursor) = page.next_cursor.take().filter(|_| all.len() < MAX_TOOLS) else { break };
        let params = rmcp::model::PaginatedRequestParams::default().with_cursor(Some(cursor));
        page = peer.list_tools(Some(params)).await?;
    }
    all.truncate(MAX_TOOLS);
    Ok(all)
}

fn span(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{} s", time.as_secs_f64())
    }
}
