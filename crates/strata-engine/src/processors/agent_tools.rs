//! `agent_tools`: the tools of the agent, each with what it adds to the request, in the order of the configuration.

use std::sync::Arc;

use strata_model::app::Example;
use strata_model::{
    Content, Diagnostic, Gap, Json, LlmRequest, Object, Origin, Part, RequestContent, RequestPart,
    RequestTool, RichText, Str, Tool, json, python,
};

use super::recorded_code::RecordedCode;
use crate::adk_text::{
    BUILT_IN_TOOLS, EXAMPLES_END, EXAMPLES_INTRO, LOAD_ARTIFACTS_INSTRUCTION, PRELOAD_MEMORY_TEMPLATE,
    TOOLDESC_PREAMBLE,
};
use crate::artifacts::{self, Artifacts};
use crate::context::{ArtifactsKnown, CallSource, CompileContext, SessionIds};
use crate::error::{CompileError, ErrorKind};
use crate::memory::{self, MemoryEntry, MemoryQuery};
use crate::models;
use crate::placement::insert_transient;
use crate::processor::{Fingerprinted, MemorySearch, Processor, StageOutput};
use crate::sections::Sections;
use crate::tool_plan::{ToolPlan, ToolStep};

/// Characters of a query that a message shows.
const SHOWN_OF_QUERY: usize = 60;

pub struct AgentTools;

#[derive(Hash)]
pub struct Inputs<'c> {
    plan: Fingerprinted<Arc<ToolPlan>>,
    artifacts: Listed<'c>,
    /// Only where a tool preloads them.
    memories: Option<Preloaded>,
    has_user_content: bool,
    /// Tools of other programs are declared as they are configured, and nobody knows what was offered then.
    assumes_toolsets: bool,
    /// What tools did whose code is not known, in their order; `None` where it was not recorded.
    recorded: Vec<RecordedCode<'c>>,
}

/// The artifacts a tool lists.
#[derive(Hash)]
enum Listed<'c> {
    /// There is no such tool, or a recording does not tell what there was.
    Nothing,
    Artifacts(Fingerprinted<&'c Artifacts>, ArtifactsKnown),
    NoService,
}

impl<'c> Listed<'c> {
    fn of(context: &'c CompileContext<'c>, plan: &ToolPlan) -> Self {
        if !plan.uses(&ToolStep::ListArtifacts) {
            return Self::Nothing;
        }
        match context.services.artifacts.as_deref() {
            Some(list) => Self::Artifacts(
                Fingerprinted { value: list, fingerprint: list.fingerprint() },
                context.services.artifacts_known,
            ),
            None if context.source != CallSource::Recorded => Self::NoService,
            None => Self::Nothing,
        }
    }
}

/// A search in memory for what the user said.
pub(super) enum Preloaded {
    Found(MemorySearch),
    /// Nobody knows what was there to be found.
    Unknown {
        query: String,
    },
}

impl std::hash::Hash for Preloaded {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let (query, found) = match self {
            Self::Found(MemorySearch { query, found }) => (query, Some(found)),
            Self::Unknown { query } => (query, None),
        };
        (query, found.map(Vec::len)).hash(state);
        for memory in found.into_iter().flatten() {
            (&memory.id, memory.text(), &memory.author, &memory.timestamp).hash(state);
        }
    }
}

impl Processor for AgentTools {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "agent_tools"
    }

    fn after(&self) -> &'static [&'static str] {
        &["contents"]
    }

    fn reads(&self) -> Sections {
        Sections::MODEL
            | Sections::CONTENTS
            | Sections::SYSTEM
            | Sections::TOOLS
            | Sections::TOOL_NAMES
            | Sections::PENDING
            | Sections::STATIC
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let closed = &context.invocation.closed_toolsets;
        let plan = context.index.tool_plan(context.agent_id, context.backend, closed);
        let user_content = context.invocation.user_content.as_deref();
        Inputs {
            artifacts: Listed::of(context, &plan),
            memories: plan.uses(&ToolStep::PreloadMemory).then(|| preload(context)).flatten(),
            recorded: plan.steps.iter().filter_map(|step| RecordedCode::of_tool(step, context)).collect(),
            plan: Fingerprinted { fingerprint: plan.fingerprint, value: plan },
            assumes_toolsets: assumes_toolsets(context),
            has_user_content: user_content.is_some_and(|content| !content.parts().is_empty()),
        }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let mut recorded = inputs.recorded.iter();
        for step in &inputs.plan.value.steps {
            match step {
                ToolStep::Declare(declaration) => {
                    let name: Str = declaration.name().into();
                    if request.tool_names.contains(&name) {
                        output.diagnostics.push(shadowed(&name));
                    }
                    request.add_declaration(declaration.clone());
                    request.add_tool_name(&name);
                }
                ToolStep::Instruct { tool, text } => {
                    request.append_system(RichText::from_span(*text, Origin::Tool { name: tool.clone() }));
                }
                ToolStep::Distrust { tool } => distrust(request, tool),
                ToolStep::GoogleSearch => {
                    let search = Object::from_iter([("googleSearch", Object::new())]);
                    add_built_in(request, &"google_search".into(), search)?;
                }
                ToolStep::BuiltIn { tool, request: named } => add_built_in(request, tool, named.clone())?,
                ToolStep::PreloadMemory => match &inputs.memories {
                    Some(Preloaded::Found(search)) => {
                        output.memory_searches.push(search.clone());
                        insert_memories(request, &search.found);
                    }
                    Some(Preloaded::Unknown { query }) => {
                        output.gaps.insert(Gap::Memories);
                        output.diagnostics.push(unknown_memories(query));
                    }
                    None => {}
                },
                ToolStep::ListArtifacts => match &inputs.artifacts {
                    Listed::Artifacts(artifacts, known) => {
                        list_artifacts(request, (artifacts.value, *known), output);
                    }
                    Listed::NoService => return Err(no_artifact_service()),
                    Listed::Nothing => {}
                },
                ToolStep::Examples(examples) if inputs.has_user_content => {
                    let text = examples_text(examples, request.model.as_deref());
                    request.append_system(RichText::from_span(
                        text,
                        Origin::Tool { name: "example_tool".into() },
                    ));
                }
                ToolStep::Examples(_) => {}
                ToolStep::Code { name, .. } => {
                    request.add_tool_name(name);
                    if let Some(code) = recorded.next() {
                        code.apply(request, output);
                    }
                }
            }
        }
        if inputs.assumes_toolsets {
            output.gaps.insert(Gap::Toolsets);
        }
        output.note(note(&inputs.plan.value.steps, inputs.memories.as_ref()));
        Ok(())
    }
}

/// google-adk leaves a toolset out whose server cannot be asked, and no event tells.
fn assumes_toolsets(context: &CompileContext<'_>) -> bool {
    let is_asked =
        |tool: &Tool| matches!(tool, Tool::Toolset { tools, source: Some(_), .. } if !tools.is_empty());
    context.source == CallSource::Recorded
        && context.recorded.is_none()
        && context.index.agent(context.agent_id).tools().iter().any(is_asked)
}

fn note(steps: &[ToolStep], memories: Option<&Preloaded>) -> String {
    let n_functions = steps.iter().filter(|step| matches!(step, ToolStep::Declare(_))).count();
    let mut notes = match n_functions {
        0 => Vec::new(),
        1 => vec!["1 tool definition".to_owned()],
        n => vec![format!("{n} tool definitions")],
    };
    for step in steps {
        notes.extend(match step {
            ToolStep::GoogleSearch => Some("built-in search".to_owned()),
            ToolStep::BuiltIn { tool, .. } => Some(format!("built-in {tool}")),
            ToolStep::PreloadMemory => memories.map(note_on_memories),
            ToolStep::Examples(_) => Some("examples".to_owned()),
            ToolStep::Code { name, .. } => Some(format!("what {name} changed")),
            ToolStep::Declare(_)
            | ToolStep::Instruct { .. }
            | ToolStep::Distrust { .. }
            | ToolStep::ListArtifacts => None,
        });
    }
    if notes.is_empty() { "no tools".to_owned() } else { notes.join(", ") }
}

fn note_on_memories(memories: &Preloaded) -> String {
    match memories {
        Preloaded::Unknown { .. } => "memories that are not known".to_owned(),
        Preloaded::Found(search) => match search.found.len() {
            0 => "no memories found".to_owned(),
            1 => "1 memory".to_owned(),
            n => format!("{n} memories"),
        },
    }
}

fn unknown_memories(query: &str) -> Diagnostic {
    let asked: String = query.chars().take(SHOWN_OF_QUERY).collect();
    let cut = if asked.len() < query.len() { "…" } else { "" };
    Diagnostic::warning(
        "memories-not-known",
        "tool.preload_memory",
        format!(
            "preload_memory searched memory for \"{asked}{cut}\". What was in memory is not recorded, so whatever it \
             found is missing here. Give the session its memory to see it"
        ),
    )
}

fn shadowed(name: &str) -> Diagnostic {
    Diagnostic::warning(
        "duplicate-tool",
        format!("tool.{name}"),
        format!(
            "Duplicate tool name '{name}': the previously registered tool is shadowed and can no longer be called. \
             Both definitions are sent; rename one of them"
        ),
    )
}

fn distrust(request: &mut LlmRequest, tool: &Str) {
    let is_said = |text: &Arc<RichText>| text.contains(TOOLDESC_PREAMBLE);
    if !request.system_instruction.as_ref().is_some_and(is_said) {
        request.append_system(RichText::from_span(TOOLDESC_PREAMBLE, Origin::Tool { name: tool.clone() }));
    }
}

/// Adds a tool that Gemini runs by itself.
fn add_built_in(request: &mut LlmRequest, tool: &Str, named: Object) -> Result<(), CompileError> {
    let model = request.model.as_deref().unwrap_or_default();
    if !models::is_gemini(model) {
        let known = BUILT_IN_TOOLS.iter().find(|(name, _)| *name == &**tool);
        let title = known.map_or(&**tool, |(_, title)| *title);
        return Err(CompileError::new(
            ErrorKind::ValueError,
            format!("{title} tool is not supported for model {model}"),
            format!("Use a Gemini model, or take {tool} out of the tools"),
        ));
    }
    let tool =
        RequestTool::BuiltIn { json: Json::Object(named), origin: Origin::Tool { name: tool.clone() } };
    Arc::make_mut(&mut request.tools).push(tool);
    Ok(())
}

fn no_artifact_service() -> CompileError {
    CompileError::new(
        ErrorKind::ValueError,
        "Artifact service is not initialized.",
        "Run the app with an artifact service, or take load_artifacts out of the tools",
    )
}

/// Searches memory for the words of the user. `None`: nothing to search with, or nowhere to search.
fn preload(context: &CompileContext<'_>) -> Option<Preloaded> {
    let content: &Content = context.invocation.user_content.as_deref()?;
    let spoken =
        content.parts().iter().filter(|part| !part.is_thought()).filter_map(|part| part.text.as_deref());
    let query = spoken.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
    if query.is_empty() {
        return None;
    }
    if let Some(found) = context.recorded.and_then(|call| memory::recorded(call, &query)) {
        return Some(Preloaded::Found(MemorySearch { query, found }));
    }
    let Some(memory) = &context.services.memory else {
        return (context.source == CallSource::Recorded).then_some(Preloaded::Unknown { query });
    };
    let at = context.events.iter().next_back().map_or(f64::INFINITY, |last| last.event.timestamp);
    let SessionIds { app_name, user_id, session_id } = context.session;
    let found = memory.search(&MemoryQuery { app_name, user_id, session_id, at, query: &query });
    Some(Preloaded::Found(MemorySearch { query, found }))
}

fn insert_memories(request: &mut LlmRequest, found: &[MemoryEntry]) {
    let framing = Origin::Tool { name: "preload_memory".into() };
    let mut lines = Vec::new();
    for (rank, memory) in found.iter().enumerate() {
        let origin = Origin::Memory { rank: rank as u16 };
        if !memory.timestamp.is_empty() {
            lines.push(RichText::from_span(format!("Time: {}", memory.timestamp), origin.clone()));
        }
        let text = memory.text();
        if !text.is_empty() {
            let line = if memory.author.is_empty() { text } else { format!("{}: {text}", memory.author) };
            lines.push(RichText::from_span(line, origin));
        }
    }
    if lines.is_empty() {
        return;
    }
    let (before, after) =
        PRELOAD_MEMORY_TEMPLATE.split_once("«LINES»").unwrap_or((PRELOAD_MEMORY_TEMPLATE, ""));
    let mut text = RichText::from_span(before, framing.clone());
    text.append(RichText::joined(lines, "\n"));
    text.push(after, framing.clone());
    insert_transient(request, vec![Arc::new(RequestContent::user_text(&text, framing))]);
}

/// Queues the list of names, and shows the artifacts the model asked for with its last call. ADK looks at the very
/// last content only, so anything placed behind the response hides it.
fn list_artifacts(
    request: &mut LlmRequest,
    (artifacts, known): (&Artifacts, ArtifactsKnown),
    output: &mut StageOutput,
) {
    let names = artifacts.names();
    if names.is_empty() {
        if known == ArtifactsKnown::Told {
            // Where there are no files ADK adds nothing, whatever was asked for. Here there may be some.
            requested_artifacts(request, (artifacts, known), &names, output);
            output.gaps.insert(Gap::Artifacts);
            output.diagnostics.push(unknown_list());
        }
        return;
    }
    let framing = Origin::Tool { name: "load_artifacts".into() };
    let listed =
        json::to_ascii(&names.iter().map(|name| Json::String(name.clone())).collect::<Vec<_>>().into());
    let (before, after) =
        LOAD_ARTIFACTS_INSTRUCTION.split_once("«NAMES_JSON»").unwrap_or((LOAD_ARTIFACTS_INSTRUCTION, ""));
    let mut text = RichText::from_span(before, framing.clone());
    text.push(listed, Origin::Artifact { name: "*".into() });
    text.push(after, framing);
    Arc::make_mut(&mut request.pending_dynamic_instructions).push(text);
    let shown = requested_artifacts(request, (artifacts, known), &names, output);
    request.contents.extend(shown);
}

fn requested_artifacts(
    request: &LlmRequest,
    (artifacts, known): (&Artifacts, ArtifactsKnown),
    names: &[Str],
    output: &mut StageOutput,
) -> Vec<Arc<RequestContent>> {
    let mut shown = Vec::new();
    let Some(last) = request.contents.last() else { return shown };
    for part in &last.parts {
        let response = part.part.function_response.as_deref();
        let Some(response) = response.filter(|response| response.name.as_deref() == Some("load_artifacts"))
        else {
            continue;
        };
        let asked = response.response.as_deref().and_then(|response| response.get("artifact_names"));
        let asked = asked.and_then(Json::as_array).unwrap_or_default();
        if asked.iter().any(|name| name.as_str().is_none()) {
            output.diagnostics.push(Diagnostic::warning(
                "artifact-names-invalid",
                "tool.load_artifacts",
                "a result of load_artifacts names something that is no text; ADK ignores the whole result",
            ));
            continue;
        }
        for asked in asked.iter().filter_map(Json::as_str) {
            match load_requested(artifacts, names, asked) {
                Some(artifact) => shown.push(Arc::new(artifact_content(asked, &artifact))),
                None if is_unknown(artifacts, known, names, asked) => {
                    output.gaps.insert(Gap::Artifacts);
                    output.diagnostics.push(unknown_artifact(asked));
                }
                None => output.diagnostics.push(Diagnostic::warning(
                    "artifact-not-available",
                    format!("artifact.{asked}"),
                    format!(
                        "Artifact \"{asked}\" is not available in this session; ADK shows the model nothing"
                    ),
                )),
            }
        }
    }
    shown
}

/// Whether the app may have found something where nothing is found here.
fn is_unknown(artifacts: &Artifacts, known: ArtifactsKnown, names: &[Str], asked: &str) -> bool {
    let name = artifacts::resolve_name(asked, names);
    match (known, name) {
        (ArtifactsKnown::All, _) | (ArtifactsKnown::Names, None) => false,
        (ArtifactsKnown::Told, None) => true,
        (_, Some(name)) => !artifacts.has_content(&name),
    }
}

fn unknown_list() -> Diagnostic {
    Diagnostic::warning(
        "artifact-list-not-known",
        "tool.load_artifacts",
        "load_artifacts tells the model which files there are. No event tells of any; whether there were some before the \
         session, or files of the user, is not recorded. Give the session its artifacts to see them",
    )
}

fn unknown_artifact(asked: &str) -> Diagnostic {
    Diagnostic::warning(
        "artifact-not-known",
        format!("artifact.{asked}"),
        format!(
            "The model asked for the file \"{asked}\" and was shown it here. What was in it is not recorded, so it is \
             missing. Give the session its artifacts to see it"
        ),
    )
}

fn load_requested(artifacts: &Artifacts, names: &[Str], asked: &str) -> Option<Arc<Part>> {
    let name = artifacts::resolve_name(asked, names)?;
    if let Some(part) = artifacts.load(&name) {
        return Some(part.clone());
    }
    artifacts.load(&format!("user:{name}")).filter(|_| !name.starts_with("user:")).cloned()
}

fn artifact_content(asked: &str, artifact: &Arc<Part>) -> RequestContent {
    let framing = Origin::Tool { name: "load_artifacts".into() };
    let introduction = RichText::from_span(format!("Artifact {asked} is:"), framing.clone());
    let shown = artifacts::safe_part(artifact, asked);
    let parts = vec![
        RequestPart::from_rich_text(&introduction, framing),
        RequestPart::new(shown, Origin::Artifact { name: asked.into() }),
    ];
    RequestContent::new(Some("user".into()), parts)
}

/// Worked examples as text; models that are no Gemini get fences that name what is in them.
fn examples_text(examples: &[Example], model: Option<&str>) -> String {
    let is_gemini = model.is_none_or(|model| model.contains("gemini-"));
    let call_fence = if is_gemini { "```\n" } else { "```tool_code\n" };
    let mut text = EXAMPLES_INTRO.to_owned();
    for (at, example) in examples.iter().enumerate() {
        text += &format!("EXAMPLE {}:\nBegin example\n[user]\n", at + 1);
        if !example.input.parts().is_empty() {
            let lines = example.input.parts().iter().filter_map(|part| part.text.as_deref());
            text += &(lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n") + "\n");
        }
        let mut role_before = None;
        for content in &example.output {
            let role = if content.role.as_deref() == Some("model") { "[model]\n" } else { "[user]\n" };
            if role_before != Some(role) {
                text += role;
            }
            role_before = Some(role);
            for part in content.parts() {
                text += &example_part(part, call_fence, is_gemini);
            }
        }
        text += "End example\n\n";
    }
    text + EXAMPLES_END
}

fn example_part(part: &Part, call_fence: &str, is_gemini: bool) -> String {
    if let Some(call) = &part.function_call {
        let args = call.args.as_deref().into_iter().flat_map(Object::iter).map(|(name, value)| match value {
            Json::String(text) => format!("{name}='{text}'"),
            other => format!("{name}={}", python::repr(other)),
        });
        let args = args.collect::<Vec<_>>().join(", ");
        return format!("{call_fence}{}({args})\n```\n", call.name.as_deref().unwrap_or("None"));
    }
    if let Some(response) = &part.function_response {
        let fence = if is_gemini { "```\n" } else { "```tool_outputs\n" };
        let field = |text: &Option<Str>| text.as_deref().map_or_else(|| "None".to_owned(), python::repr_str);
        let body = response.response.as_deref().map_or_else(|| "None".to_owned(), python::repr_object);
        return format!(
            "{fence}{{'will_continue': None, 'scheduling': None, 'parts': None, 'id': {}, 'name': {}, \
             'response': {body}}}\n```\n",
            field(&response.id),
            field(&response.name)
        );
    }
    part.text.as_deref().filter(|text| !text.is_empty()).map(|text| format!("{text}\n")).unwrap_or_default()
}
