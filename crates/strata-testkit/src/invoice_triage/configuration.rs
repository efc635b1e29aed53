//! The app's configuration.

use strata_model::{Json, Object, json};

use super::names::{APP_NAME, MODEL};
use super::texts;
use super::values::{count, object};

/// In the field names of ADK's Python classes.
pub(super) fn app() -> Object {
    let root = Agent {
        name: "coordinator",
        description: "Talks to the engineer on call, plans, and decides who works on what.",
        instruction: texts::COORDINATOR,
        tools: &["search_logs", "load_memory", "load_artifacts"],
    };
    let analyst = Agent {
        name: "log_analyst",
        description: "Finds causes in logs, code, metrics and the billing database, and counts what is affected.",
        instruction: texts::LOG_ANALYST,
        tools: &[
            "search_logs",
            "read_file",
            "git_diff",
            "grep",
            "sql_query",
            "query_metrics",
            "load_artifacts",
        ],
    };
    let writer = Agent {
        name: "report_writer",
        description: "Writes and updates the incident report from what it is handed over with.",
        instruction: texts::REPORT_WRITER,
        tools: &["save_artifact", "load_artifacts"],
    };
    let mut writer = writer.to_json();
    writer.push("include_contents", "none");
    let mut root = root.to_json();
    root.push("sub_agents", vec![Json::from(analyst.to_json()), writer.into()]);
    object([
        ("name", APP_NAME.into()),
        ("root_agent", root.into()),
        (
            "events_compaction_config",
            object([("compaction_interval", count(6)), ("overlap_size", count(1))]).into(),
        ),
    ])
}

struct Agent {
    name: &'static str,
    description: &'static str,
    instruction: &'static str,
    tools: &'static [&'static str],
}

impl Agent {
    fn to_json(&self) -> Object {
        object([
            ("type", "llm".into()),
            ("name", self.name.into()),
            ("model", MODEL.into()),
            ("description", self.description.into()),
            ("instruction", self.instruction.trim_end().into()),
            ("generate_content_config", object([("temperature", 0.2.into())]).into()),
            ("tools", self.tools.iter().map(|name| Json::from(tool(name))).collect::<Vec<_>>().into()),
        ])
    }
}

/// ADK's own tools by their type, the app's by their declaration.
fn tool(name: &str) -> Object {
    match declaration(name) {
        Some(declaration) => object([("type", "function".into()), ("declaration", declaration)]),
        None => object([("type", name.into())]),
    }
}

fn declaration(name: &str) -> Option<Json> {
    let declarations = json::parse(texts::TOOLS.as_bytes()).expect("the asset is JSON, as a test makes sure");
    let Json::Array(declarations) = declarations else { return None };
    declarations.into_iter().find(|declaration| declaration.get("name").and_then(Json::as_str) == Some(name))
}
