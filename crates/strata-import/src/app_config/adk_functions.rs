//! Functions of google-adk 2.13.0 that an agent configuration can name, as google-adk declares them.
//!
//! These texts are data of the Agent Development Kit (Copyright Google LLC, Apache License 2.0), reproduced here and
//! nowhere else so that requests equal the ones ADK sends.

use strata_model::{Json, Object, json};

/// Without the note that is added to every long-running function.
const GET_USER_CHOICE: &str = r#"{
    "description": "Provides the options to the user and asks them to choose one.",
    "name": "get_user_choice",
    "parametersJsonSchema": {
        "properties": {"options": {"items": {"type": "string"}, "title": "Options", "type": "array"}},
        "required": ["options"],
        "title": "get_user_choiceParams",
        "type": "object"
    }
}"#;

/// As a function that an agent names itself, which takes a reason.
const TRANSFER_TO_AGENT: &str = r#"{
    "description": "Transfer the query to another agent.\n\nUse this tool to hand off control to another agent that is more suitable to\nanswer the user's query according to the agent's description.\n\nArgs:\n  agent_name: the agent name to transfer to.\n  transfer_reason: the reason for transferring to the target agent.",
    "name": "transfer_to_agent",
    "parametersJsonSchema": {
        "properties": {
            "agent_name": {"title": "Agent Name", "type": "string"},
            "transfer_reason": {"default": "", "title": "Transfer Reason", "type": "string"}
        },
        "required": ["agent_name"],
        "title": "transfer_to_agentParams",
        "type": "object"
    }
}"#;

pub(super) fn get_user_choice() -> Object {
    declaration(GET_USER_CHOICE)
}

pub(super) fn transfer_to_agent() -> Object {
    declaration(TRANSFER_TO_AGENT)
}

fn declaration(text: &str) -> Object {
    let read = json::parse(text.as_bytes()).ok();
    read.as_ref().and_then(Json::as_object).cloned().unwrap_or_default()
}
