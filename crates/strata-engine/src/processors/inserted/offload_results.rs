//! Puts a handle in place of large tool results, and the results into artifacts.

use std::collections::HashSet;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use strata_model::{Contents, Json, LlmRequest, Object, Part, RequestPart, Str, json, python};

use super::by_request::{ByRequest, RequestRule};
use super::results::{KEEP_TURNS, TOOLS, before_turns, result_of, with_result};
use super::rule::{Change, PartChange, RuleContext, change_parts};
use crate::processor::StageOutput;
use crate::processors::{
    kind::ProcessorKind,
    params::{ParamKind, ParamSpec},
};
use crate::sections::Sections;

/// What a handle begins with, instead of a result.
pub(crate) const HANDLE_FIELD: &str = "artifact";
/// Half as many hexadecimal digits of a result's hash in its artifact's name.
const NAME_BYTES: usize = 4;
const LOAD: &str = "load_artifacts";

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "offload_results",
    title: "Offload results to artifacts",
    summary: "Stores large tool results as artifacts and sends their names, sizes and beginnings instead. A result that the model asked for with `load_artifacts` is sent whole.",
    params: &[
        ParamSpec {
            name: "min_chars",
            kind: ParamKind::Integer { min: 200, max: 10_000_000 },
            default: "4000",
            unit: Some("characters"),
            doc: "Results shorter than this, as JSON, stay.",
        },
        ParamSpec {
            name: "preview_chars",
            kind: ParamKind::Integer { min: 0, max: 100_000 },
            default: "200",
            unit: Some("characters"),
            doc: "The beginning of the result that is sent with its name.",
        },
        TOOLS,
        KEEP_TURNS,
    ],
    place: "model_call",
    build: |name, params, _| {
        Ok(ByRequest::boxed(
            name,
            Offload {
                min_chars: params.size("min_chars"),
                preview_chars: params.size("preview_chars"),
                tools: params.words("tools"),
                keep_turns: params.size("keep_turns"),
            },
        ))
    },
};

#[derive(Hash)]
struct Offload {
    min_chars: usize,
    preview_chars: usize,
    tools: Vec<Str>,
    keep_turns: usize,
}

impl RequestRule for Offload {
    const READS: Sections = Sections::CONTENTS;
    const AFTER: &'static [&'static str] = &["contents"];

    fn apply(&self, request: &mut LlmRequest, pen: &RuleContext<'_>, output: &mut StageOutput) {
        let reach = before_turns(&request.contents, self.keep_turns);
        let loaded = loaded_names(&request.contents);
        let mut n_loaded = 0;
        request.contents.rewrite(|at, content| {
            if at >= reach || !content.has_function_response() {
                return None;
            }
            let change = change_parts(content, pen, |part| {
                let Some((name, text)) = self.artifact(part) else { return PartChange::Keep };
                if loaded.contains(&*name) {
                    n_loaded += 1;
                    return PartChange::Keep;
                }
                output.saved_artifacts.push((name.clone(), Arc::new(Part::from_text(text.clone()))));
                PartChange::Replace(with_result(part, pen, self.handle(name, &text)))
            });
            match change {
                Change::Replace(other) => Some(other),
                Change::Keep | Change::Drop => None,
            }
        });
        let n_saved = output.saved_artifacts.len();
        output.note(match (n_saved, n_loaded) {
            (0, 0) => "no large results".to_owned(),
            (saved, 0) => format!("{saved} results offloaded"),
            (saved, loaded) => format!("{saved} results offloaded, {loaded} loaded again"),
        });
    }
}

impl Offload {
    /// Name and text of the artifact a result belongs in, if it is large enough.
    fn artifact(&self, part: &RequestPart) -> Option<(Str, String)> {
        let result = result_of(part, &self.tools).filter(|result| !result.contains_key(HANDLE_FIELD))?;
        let text = json::to_compact_python(&Json::Object(result.clone()));
        if python::len(&text) < self.min_chars {
            return None;
        }
        let tool = part.part.function_response.as_deref().and_then(|response| response.name.as_deref());
        let mut hash = String::new();
        for byte in Sha256::digest(text.as_bytes()).iter().take(NAME_BYTES) {
            hash += &format!("{byte:02x}");
        }
        Some((format!("{}-{hash}.json", tool.unwrap_or("result")).into(), text))
    }

    fn handle(&self, name: Str, text: &str) -> Object {
        let mut handle = Object::new();
        handle.push(HANDLE_FIELD, name);
        handle.push("characters", python::len(text) as i64);
        if self.preview_chars > 0 {
            handle.push("begins", text.chars().take(self.preview_chars).collect::<String>());
        }
        handle.push("note", "Stored as an artifact. Call load_artifacts with its name to read it.");
        handle
    }
}

/// Names the model asked for.
fn loaded_names(contents: &Contents) -> HashSet<String> {
    let parts = contents.iter().flat_map(|content| &content.parts);
    let calls = parts.filter_map(|part| part.part.function_call.as_deref());
    let args =
        calls.filter(|call| call.name.as_deref() == Some(LOAD)).filter_map(|call| call.args.as_deref());
    let names = args.filter_map(|args| args.get("artifact_names")?.as_array());
    names.flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}
