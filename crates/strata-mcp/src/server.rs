//! The protocol: which tools there are, and what comes of a call.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, InitializeResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use strata_app::without_commands;
use tokio::sync::OnceCell;

use crate::arguments::{Arguments, CURSOR, schema};
use crate::asked::{Caller, Question, Stop};
use crate::knows::Knows;
use crate::spec::ToolSpec;
use crate::tools::TOOLS;

const INSTRUCTIONS: &str = "Strata explains the context of agent sessions: what fills a prompt, what broke its cache, what a \
     compaction lost, what it cost. Without `session` a tool is about your own session. All tools only read.";
/// A client that does not say its folders within this time is not waited for.
const ROOTS_TIME: Duration = Duration::from_secs(2);

/// One connection.
#[derive(Clone)]
pub(crate) struct Server {
    knows: Arc<Knows>,
    /// The folders of the client, once it was asked.
    roots: Arc<OnceCell<Vec<String>>>,
}

impl Server {
    pub(crate) fn new(knows: Arc<Knows>) -> Self {
        Self { knows, roots: Arc::default() }
    }

    /// What is known of whoever calls. A client that sends no id is asked for its folders, if it tells them.
    async fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let mut caller = Caller::of_meta(&context.meta.0.0);
        let tells_roots = context.client_capabilities().is_some_and(|can| can.roots.is_some());
        let can_be_asked = context.protocol_version().is_some_and(|it| it < ProtocolVersion::V_2026_07_28);
        if tells_roots && can_be_asked && caller.sessions.is_empty() {
            caller.folders.extend(self.roots.get_or_init(|| roots(context)).await.iter().cloned());
        }
        caller
    }
}

#[expect(deprecated, reason = "clients of the protocols before 2026-07-28 tell their folders by it")]
async fn roots(context: &RequestContext<RoleServer>) -> Vec<String> {
    let asked = tokio::time::timeout(ROOTS_TIME, context.peer.list_roots());
    let Ok(Ok(result)) = asked.await else { return Vec::new() };
    result.roots.iter().filter_map(|root| folder_of(&root.uri)).collect()
}

/// The folder of an address such as `file:///home/dev/my%20project`.
fn folder_of(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?.as_bytes();
    let mut bytes = Vec::with_capacity(path.len());
    let mut at = 0;
    while let Some(byte) = path.get(at) {
        let code = path.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *byte == b'%') {
            Some(decoded) => {
                bytes.push(decoded);
                at += 3;
            }
            None => {
                bytes.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

impl ServerHandler for Server {
    fn get_info(&self) -> InitializeResult {
        let about = Implementation::new("strata", env!("CARGO_PKG_VERSION")).with_title("Strata");
        // Clients ask for prompts and resources whether there are any or not: there are none.
        let can = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        InitializeResult::new(can).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.iter().map(described).collect::<Result<Vec<Tool>, _>>();
        let tools = tools.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(spec) = TOOLS.iter().find(|spec| spec.name == request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|spec| spec.name).collect();
            let message = format!("There is no tool of this name. There are: {}.", names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let given = request.arguments.unwrap_or_default();
        let arguments = match Arguments::read(spec.name, spec.arguments, given) {
            Ok(arguments) => arguments,
            Err(problem) => return Ok(refused(&problem).into()),
        };
        if let Some(cursor) = arguments.text(CURSOR.name) {
            return Ok(match self.knows.pages.next(spec.name, cursor) {
                Ok(page) => told(page).into(),
                Err(refusal) => refused(&refusal.0).into(),
            });
        }
        let caller = self.caller(&context).await;
        let question = Question { arguments, caller, stop: Stop(context.ct.clone()) };
        let knows = self.knows.clone();
        // Sessions are read and compiled on a thread that may block.
        let answered = tokio::task::spawn_blocking(move || {
            let answer = (spec.answer)(&knows, &question)?;
            Ok(knows.pages.first(spec.name, answer))
        });
        let answered = answered.await.map_err(|_| {
            // One question that fails is no reason for the others to.
            ErrorData::internal_error("This is a defect of Strata. Other questions can still be asked.", None)
        })?;
        Ok(match answered {
            Ok(page) => told(page).into(),
            Err(crate::answer::Refusal(message)) => refused(&message).into(),
        })
    }
}

fn told(page: crate::page::Page) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(page.text)]);
    result.structured_content = Some(page.json);
    result
}

fn refused(message: &str) -> CallToolResult {
    let message = strata_app::report::AnswerText::masked(message);
    CallToolResult::error(vec![ContentBlock::text(without_commands(&message).into_owned())])
}

/// A tool as clients are told of it.
fn described(spec: &ToolSpec) -> Result<Tool, serde_json::Error> {
    let mut described = json!({
        "name": spec.name,
        "title": spec.title,
        "description": spec.about,
        "inputSchema": schema(spec.arguments),
        "annotations": {"title": spec.title, "readOnlyHint": true, "openWorldHint": false},
    });
    if spec.is_always_loaded {
        // Claude Code shows other tools to the model once it looks for them.
        described["_meta"] = json!({"anthropic/alwaysLoad": true});
    }
    serde_json::from_value(described)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_from_addresses() {
        assert_eq!(folder_of("file:///home/dev/my%20project").as_deref(), Some("/home/dev/my project"));
        assert_eq!(folder_of("https://example.com/"), None);
    }
}
