//! Tools of other programs and servers, through the one type that opens them.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod api;
mod mcp;
mod source;
mod web;

use std::path::Path;

use strata_model::{Json, Object, json};
use strata_toolset::ToolSource;

fn object(text: &str) -> Object {
    json::parse(text.as_bytes()).unwrap().as_object().unwrap().clone()
}

fn read(folder: &Path, text: &str) -> Result<ToolSource, String> {
    ToolSource::read(&object(text), folder, &|name| (name == "TOKEN").then(|| "s3cret".to_owned()))
}

fn names(tools: &[Object]) -> Vec<&str> {
    tools.iter().map(|tool| tool.get("name").and_then(Json::as_str).unwrap()).collect()
}
