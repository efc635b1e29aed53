//! The agents of a served app, as tools.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, InitializeResult,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use strata_app::served::{Asker, McpAnswer, Principal, ServedAgent, ServedApp, TOOL_SCHEMA, answer_mcp};
use tokio_util::sync::CancellationToken;

use crate::http::at_mcp;

const INSTRUCTIONS: &str = "Each tool is an agent. An answer names its context: send `context_id` to go on with it, over \
     whatever protocol. Without one, a connection goes on with the context of its last call; where the protocol keeps no \
     connection, each call without one begins a new context. An answer with the status `input_required` waits: send what it \
     asks for as `message` with its `task_id`.";

/// The caller's own argument, which nobody looks into.
const ECHO: &str = "context";

/// Who sends a request, as the door has found out. It stands among the extensions of the request.
#[derive(Debug, Clone)]
pub struct Caller(pub Asker);

/// Serves the agents at `/mcp`, to whoever a door before it lets in and names. `hosts` are the names of this server.
pub fn agents(
    app: Arc<ServedApp>,
    hosts: Vec<String>,
    most_bytes: usize,
    stop: &CancellationToken,
) -> Router {
    at_mcp(move || Agents { app: app.clone(), last: Arc::default() }, hosts, most_bytes, stop)
        .layer(from_fn_with_state(Arc::new(Owners::default()), check_owner))
}

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Whose each connection is, by its id.
#[derive(Default)]
struct Owners(Mutex<HashMap<Vec<u8>, Principal>>);

impl Owners {
    fn lock(&self) -> MutexGuard<'_, HashMap<Vec<u8>, Principal>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection is unknown to whoever did not open it.
async fn check_owner(State(owners): State<Arc<Owners>>, request: Request, next: Next) -> Response {
    let bytes = |id: &HeaderValue| id.as_bytes().to_vec();
    let Some(Caller(caller)) = request.extensions().get::<Caller>().cloned() else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    let Some(id) = request.headers().get(SESSION).map(bytes) else {
        let response = next.run(request).await;
        if let Some(id) = response.headers().get(SESSION) {
            owners.lock().insert(bytes(id), caller.principal);
        }
        return response;
    };
    if owners.lock().get(&id) != Some(&caller.principal) {
        return (StatusCode::NOT_FOUND, "Not Found: Session not found").into_response();
    }
    let ends = request.method() == Method::DELETE;
    let response = next.run(request).await;
    if response.status() == StatusCode::NOT_FOUND || (ends && response.status().is_success()) {
        owners.lock().remove(&id);
    }
    response
}

/// One connection.
#[derive(Clone)]
struct Agents {
    app: Arc<ServedApp>,
    /// The context of each caller's last call here.
    last: Arc<Mutex<BTreeMap<Principal, String>>>,
}

impl Agents {
    fn last(&self, caller: &Principal) -> Option<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).get(caller).cloned()
    }
}

impl ServerHandler for Agents {
    fn get_info(&self) -> InitializeResult {
        let about = Implementation::new(self.app.name(), env!("CARGO_PKG_VERSION"));
        let can = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        InitializeResult::new(can).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.app.agents().iter().map(described).collect::<Result<Vec<Tool>, _>>();
        let tools = tools.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let caller = parts.and_then(|parts| parts.extensions.get::<Caller>()).cloned();
        let Some(Caller(caller)) = caller else {
            return Err(ErrorData::internal_error("Nobody said who calls.", None));
        };
        let agents = self.app.agents();
        let Some(agent) = agents.iter().find(|agent| *agent.name == *request.name) else {
            let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
            let message = format!("There is no agent of this name. There are: {}.", names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let mut arguments = request.arguments.unwrap_or_default();
        let echo = arguments.shift_remove(ECHO);
        let (app, name, last) = (self.app.clone(), agent.name.clone(), self.last(&caller.principal));
        let asked = caller.clone();
        // An agent takes its time, on a thread that may block.
        let answered = tokio::task::spawn_blocking(move || {
            let arguments = Value::Object(arguments).to_string();
            answer_mcp(&app, &asked, &name, &arguments, last.as_deref())
        });
        let answer = answered.await.map_err(|_| {
            ErrorData::internal_error("This is a defect of Strata. Other agents can still be asked.", None)
        })?;
        if let Some(id) = &answer.context_id {
            self.last.lock().unwrap_or_else(PoisonError::into_inner).insert(caller.principal, id.clone());
        }
        told(answer, echo).map(Into::into)
    }
}

fn told(answer: McpAnswer, echo: Option<Value>) -> Result<CallToolResult, ErrorData> {
    let document: Result<Value, _> = serde_json::from_str(&answer.document);
    let mut document = document.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    if let Some(echo) = echo {
        document[ECHO] = echo;
    }
    // A client that shows its model the text alone finds in it what the next call needs, too.
    let mut needed = Map::new();
    needed.extend(answer.context_id.map(|id| ("context_id".to_owned(), id.into())));
    if let Some(task) = answer.task {
        needed.extend([("task_id".to_owned(), task.id.into()), ("status".to_owned(), task.status.into())]);
    }
    let mut content = vec![ContentBlock::text(answer.text)];
    if !needed.is_empty() {
        content.push(ContentBlock::text(Value::Object(needed).to_string()));
    }
    let mut result =
        if answer.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(document);
    Ok(result)
}

/// An agent as clients are told of it.
fn described(agent: &ServedAgent) -> Result<Tool, serde_json::Error> {
    let schema: Value = serde_json::from_str(TOOL_SCHEMA)?;
    serde_json::from_value(json!({
        "name": agent.name,
        "title": agent.name,
        "description": agent.description,
        "inputSchema": schema,
        "annotations": {"title": agent.name, "readOnlyHint": false, "openWorldHint": true},
    }))
}
