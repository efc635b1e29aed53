//! Puts a handle in place of large tool results, and the results into artifacts.

use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use strata_model::{
    Contents, Fingerprint, FingerprintBuilder, Json, LlmRequest, Object, Part, RequestContent, RequestPart,
    Str, json, python,
};

use super::by_request::{ByRequest, RequestRule};
use super::memo::Memo;
use super::results::{KEEP_TURNS, TOOLS, before_turns, result_of, with_result};
use super::rule::{Change, PartChange, RuleContext, change_parts};
use crate::artifacts::SavedArtifacts;
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
                artifacts: KnownArtifacts::default(),
                asked: KnownNames::default(),
                histories: Memo::default(),
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
    artifacts: KnownArtifacts,
    asked: KnownNames,
    histories: Memo<Offloaded>,
}

/// What results are put away as, by their hash; `None` for those that stay.
#[derive(Default)]
struct KnownArtifacts(Mutex<HashMap<Fingerprint, Option<ResultArtifact>>>);

/// Names the model asked for, by the hash of the chunk of a history that it asked in.
#[derive(Default)]
struct KnownNames(Mutex<HashMap<Fingerprint, Arc<Vec<String>>>>);

/// They hold results and decide none.
impl Hash for KnownArtifacts {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Hash for KnownNames {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A result that is put away.
#[derive(Clone)]
struct ResultArtifact {
    name: Str,
    whole: Arc<Part>,
    /// What is sent instead.
    handle: Object,
}

/// What was put away before a place of a history.
#[derive(Clone, Default)]
struct Offloaded {
    saved: SavedArtifacts,
    n_loaded: usize,
}

impl RequestRule for Offload {
    const READS: Sections = Sections::CONTENTS;
    const AFTER: &'static [&'static str] = &["contents"];

    fn apply(&self, request: &mut LlmRequest, pen: &RuleContext<'_>, output: &mut StageOutput) {
        let reach = before_turns(&request.contents, self.keep_turns);
        let asked = self.names_asked_for(&request.contents);
        let mut key = FingerprintBuilder::new();
        key.fingerprint(pen.key());
        for name in &asked {
            key.text(name);
        }
        let mut known = self.artifacts.0.lock().unwrap_or_else(PoisonError::into_inner);
        let step = |so_far: &mut Offloaded, content: &Arc<RequestContent>| {
            if !content.has_function_response() {
                return Change::Keep;
            }
            change_parts(content, pen, |part| {
                let artifact = known.entry(part.fingerprint).or_insert_with(|| self.artifact(part));
                let Some(ResultArtifact { name, whole, handle }) = artifact else { return PartChange::Keep };
                if asked.contains(&**name) {
                    so_far.n_loaded += 1;
                    return PartChange::Keep;
                }
                so_far.saved.push(name.clone(), whole.clone());
                PartChange::Replace(with_result(part, pen, handle.clone()))
            })
        };
        let done = self.histories.apply(key.finish(), &request.contents, reach, step);
        if done.n_changed > 0 {
            request.contents = done.contents;
        }
        let Offloaded { saved, n_loaded } = done.gathered;
        output.note(match (saved.len(), n_loaded) {
            (0, 0) => "no large results".to_owned(),
            (saved, 0) => format!("{saved} results offloaded"),
            (saved, loaded) => format!("{saved} results offloaded, {loaded} loaded again"),
        });
        output.saved_artifacts = saved;
    }
}

impl Offload {
    /// The artifact a result belongs in, if it is large enough.
    fn artifact(&self, part: &RequestPart) -> Option<ResultArtifact> {
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
        let name: Str = format!("{}-{hash}.json", tool.unwrap_or("result")).into();
        let handle = self.handle(name.clone(), &text);
        Some(ResultArtifact { name, whole: Arc::new(Part::from_text(text)), handle })
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

    /// Names of artifacts that the model asked for anywhere, in order.
    fn names_asked_for(&self, contents: &Contents) -> BTreeSet<String> {
        let mut known = self.asked.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names = BTreeSet::new();
        for chunk in contents.chunks() {
            let of_chunk =
                known.entry(chunk.provenance).or_insert_with(|| Arc::new(names_in(&chunk.contents)));
            names.extend(of_chunk.iter().cloned());
        }
        names
    }
}

fn names_in(contents: &[Arc<RequestContent>]) -> Vec<String> {
    let parts = contents.iter().flat_map(|content| &content.parts);
    let calls = parts.filter_map(|part| part.part.function_call.as_deref());
    let args =
        calls.filter(|call| call.name.as_deref() == Some(LOAD)).filter_map(|call| call.args.as_deref());
    let names = args.filter_map(|args| args.get("artifact_names")?.as_array());
    names.flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}
