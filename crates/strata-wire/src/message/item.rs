//! Items of the Responses API, which Codex also writes into its rollouts.

use strata_model::take::{take_any, take_first_text, take_text};
use strata_model::{Json, Object, Part, namespace};

use super::reading::Messages;
use super::turn::{Role, Turn};

/// Whether `type` names an item rather than a role or a kind of message.
pub(super) fn is_item(kind: &str) -> bool {
    kind == "reasoning"
        || kind == "compaction"
        || kind == "compaction_summary"
        || kind == "context_compaction"
        || kind == "item_reference"
        || kind == "additional_tools"
        || kind == "ghost_snapshot"
        || kind == "mcp_list_tools"
        || kind == "mcp_approval_request"
        || kind == "mcp_approval_response"
        || kind == "agent_message"
        || kind == "tool_call"
        || kind == "tool_result"
        || kind.ends_with("_call")
        || kind.ends_with("_call_output")
        || kind == "tool_search_output"
}

impl Messages<'_> {
    pub(super) fn item(&mut self, kind: &str, mut item: Object) -> Turn {
        let mut turn = Turn::new(Role::Model);
        item.remove("type");
        item.remove("status");
        match kind {
            "reasoning" => self.reasoning(item, &mut turn),
            "function_call" | "custom_tool_call" | "tool_search_call" | "tool_call" | "dynamic_tool_call" => {
                let call_id = take_first_text(&mut item, &["call_id", "id"]);
                let function = item.remove("function");
                let name = take_text(&mut item, "name")
                    .or_else(|| function.and_then(|it| it.get("name")?.as_str().map(Into::into)))
                    .unwrap_or_else(|| kind.trim_end_matches("_call").into());
                let name = namespace::name_in(take_text(&mut item, "namespace").as_deref(), &name);
                let args = take_any(&mut item, &["arguments", "input"]);
                item.remove("id");
                turn.rest = item;
                self.push_call(call_id, Some(name), args, &mut turn);
            }
            "local_shell_call" if item.contains_key("call_id") => {
                let call_id = take_text(&mut item, "call_id");
                let action = item.remove("action");
                self.push_call(call_id, Some("local_shell".into()), action, &mut turn);
                turn.rest = item;
            }
            "agent_message" => {
                if let Some(content) = item.remove("content") {
                    self.content(content, &mut turn);
                }
                turn.rest = item;
            }
            "tool_result" | "tool_search_output" => self.output(item, &mut turn),
            kind if kind.ends_with("_call_output") => self.output(item, &mut turn),
            kind if item.contains_key("encrypted_content") => sealed(kind, item, &mut turn),
            kind => server_tool(kind, item, &mut turn),
        }
        turn
    }

    fn output(&mut self, mut item: Object, turn: &mut Turn) {
        turn.role = Role::Tool;
        let call_id = take_text(&mut item, "call_id");
        let namespace = take_text(&mut item, "namespace");
        let name = take_text(&mut item, "name").map(|name| namespace::name_in(namespace.as_deref(), &name));
        let content = take_any(&mut item, &["output", "result", "tools"]);
        let content = match content {
            // `{content, success}` and a single `{type: "input_text", text}`.
            Some(Json::Object(mut object)) => match take_any(&mut object, &["content", "text"]) {
                Some(inner) => Some(inner),
                None => Some(Json::Object(object)),
            },
            other => other,
        };
        item.remove("id");
        turn.rest = item;
        self.result(call_id, name, content, false, turn);
    }
}

/// A summary that only the provider can read: it is sent back as it is, and nothing of it counts as words.
fn sealed(kind: &str, mut item: Object, turn: &mut Turn) {
    item.insert("type", kind);
    item.insert("encrypted", true);
    let mut part = Part::default();
    part.other.push("partMetadata", item);
    turn.push(part);
}

/// A tool that ran at the provider, in the shape genai gives it.
fn server_tool(kind: &str, mut item: Object, turn: &mut Turn) {
    let mut tool = Object::new();
    tool.push_some("id", take_first_text(&mut item, &["id", "call_id"]));
    tool.push("toolType", kind);
    tool.push("args", item);
    let mut part = Part::default();
    part.other.push("toolCall", tool);
    turn.push(part);
}
