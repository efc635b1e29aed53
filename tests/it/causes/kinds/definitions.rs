//! Causes in tools, in the model and in settings.

use serde_json::json;

use super::{Kind, Needs};
use crate::causes::conversation::{OTHER_MODEL, Request, instruction, tool};

pub(super) fn kinds() -> Vec<Kind> {
    let mut kinds = tools();
    kinds.extend(settings());
    kinds
}

fn tools() -> Vec<Kind> {
    let declared = |name, inject| Kind::new(name, Needs::Declarations, inject, "tools_changed").at("tool.");
    vec![
        Kind::new(
            "another tool",
            Needs::ToolNames,
            |request| request.tools.push(tool("mail", "Writes a mail.", &["short"])),
            "tools_changed",
        )
        .says(&["mail came in"])
        .at("tool."),
        Kind::new("a tool less", Needs::ToolNames, |request| drop(request.tools.pop()), "tools_changed")
            .says(&["refund went"]),
        Kind::new(
            "tools in another order",
            Needs::ToolNames,
            |request| request.tools.reverse(),
            "tools_reordered",
        )
        .says(&["another order"])
        .at("tool."),
        declared("date in a tool's description", |request| {
            request.tools[0]["description"] = json!("Finds orders of the shop. Today is 2026-11-21.");
        })
        .prepared(|request| {
            request.tools[0]["description"] = json!("Finds orders of the shop. Today is 2026-11-20.");
        })
        .changes("time", "2026-11-20", "2026-11-21")
        .says(&["search changed"]),
        declared("words in a tool's description", |request| {
            request.tools[1]["description"] = json!("Pays an invoice back.");
        })
        .changes("words", "order", "invoice")
        .says(&["refund changed"]),
        declared("values of a tool in another order", |request| {
            request.tools[0] = tool("search", "Finds orders of the shop.", &["paid", "open", "late"]);
        })
        .changes("order", "\"late\"", "\"paid\"")
        .says(&["search changed"]),
        declared("one more value of a tool", |request| {
            request.tools[0] = tool("search", "Finds orders of the shop.", &["late", "open", "paid", "void"]);
        })
        .changes("grown", "", "\"void\"")
        .says(&["search changed"]),
        declared("id in a tool's description", |request| {
            request.tools[1]["description"] = json!("Pays back. Trace 1b4e28ba-2fa1-41d2-883f-0016d3cca427");
        })
        .prepared(|request| {
            request.tools[1]["description"] = json!("Pays back. Trace 7c9e6679-7425-40de-944b-e07fc1f90ae7");
        })
        .changes("random_id", "7c9e6679-7425-40de-944b-e07fc1f90ae7", "1b4e28ba-2fa1-41d2-883f-0016d3cca427")
        .says(&["refund changed: Pays back. Trace"]),
        declared("time deep in a schema", |request| described(request, "Orders as of 2026-11-21T08:00:00Z"))
            .prepared(|request| described(request, "Orders as of 2026-11-20T08:00:00Z"))
            .changes("time", "2026-11-20T08:00:00Z", "2026-11-21T08:00:00Z")
            .says(&["search changed: Orders as of"]),
        Kind::new(
            "keys of a schema in another order",
            Needs::KeyOrder,
            |request| {
                let schema = &mut request.tools[0]["parameters"];
                *schema = json!({"properties": schema["properties"], "type": schema["type"]});
            },
            "tools_changed",
        )
        .changes("order", "type", "properties")
        .says(&["search changed"])
        .at("tool."),
        declared("a field that is required now", |request| {
            request.tools[0]["parameters"]["required"] = json!(["query"]);
        })
        .changes("grown", "", r#"required ["query"]"#),
        declared("a tool and the system text behind it", |request| {
            request.tools[0]["description"] = json!("Finds orders. Today is 2026-11-21.");
            request.system[0] = instruction("It is 10:13:07.");
        })
        .prepared(|request| {
            request.tools[0]["description"] = json!("Finds orders. Today is 2026-11-20.");
            request.system[0] = instruction("It is 10:12:31.");
        })
        .changes("time", "2026-11-20", "2026-11-21")
        .says(&["search changed"]),
    ]
}

/// Says what is searched for.
fn described(request: &mut Request, words: &str) {
    request.tools[0]["parameters"]["properties"]["query"]["description"] = json!(words);
}

fn settings() -> Vec<Kind> {
    let setting =
        |name, inject, says| Kind::new(name, Needs::AnthropicCache, inject, "parameters_changed").says(says);
    vec![
        Kind::new(
            "another model",
            Needs::Model,
            |request| OTHER_MODEL.clone_into(&mut request.model),
            "model_changed",
        )
        .says(&["the model changed"])
        .at("request.model"),
        setting(
            "thinking turned on",
            |request| request.settings.push(("thinking", json!({"type": "enabled", "budget_tokens": 2000}))),
            &["settings changed: thinking not set → enabled budget_tokens 2000"],
        ),
        setting(
            "choice of one tool",
            |request| {
                request.settings.retain(|(name, _)| *name != "tool_choice");
                request.settings.push(("tool_choice", json!({"type": "tool", "name": "search"})));
            },
            &["settings changed: tool_choice auto → tool search"],
        ),
        Kind::new("a pause", Needs::AnthropicCache, |request| request.time += 900.0, "expired")
            .says(&["nothing was sent for 15 min"]),
    ]
}
