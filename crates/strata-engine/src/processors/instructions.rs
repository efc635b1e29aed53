//! `instructions`: the global, static and dynamic instructions, templates filled from state.
//!
//! With a static instruction the dynamic one cannot stand in the system instruction, or every change of state would
//! change the prompt's first bytes. It is held among the contents instead, and `contents` places it.

use std::sync::Arc;

use strata_model::app::{Instruction, StaticInstruction};
use strata_model::{
    Diagnostic, Gap, InstructionKind, Json, LlmRequest, Origin, Part, RequestContent, RequestPart, RichText,
    Scope, Str, json, python,
};

use crate::artifacts;
use crate::contents::HistoryRules;
use crate::context::{ArtifactsKnown, CallSource, CompileContext, Services};
use crate::error::{CompileError, ErrorKind};
use crate::processor::{Processor, StageOutput};
use crate::quotation::label_instruction;
use crate::sections::Sections;
use crate::state_history::StateValue;
use crate::template::{Piece, Template};
use crate::turn::{is_final_response, text_of};

pub struct Instructions;

#[derive(Hash)]
pub struct Inputs<'c> {
    agent: &'c Str,
    global: Option<FilledInstruction>,
    fixed: Option<StaticText<'c>>,
    dynamic: Option<FilledInstruction>,
    rules: HistoryRules,
}

/// An instruction with the values of its placeholders looked up.
#[derive(Hash)]
pub(super) struct FilledInstruction {
    agent: Str,
    kind: InstructionKind,
    pieces: Vec<FilledPiece>,
}

#[derive(Hash)]
enum FilledPiece {
    Literal(Str),
    Filled {
        origin: Origin,
        text: Str,
    },
    /// In a recorded call: there was a value, but the recording does not hold it. The placeholder stays.
    Unknown {
        origin: Origin,
        placeholder: Str,
    },
    /// In a recorded call: what may leave nothing, and of which nobody knows whether it was there.
    Unsure {
        origin: Origin,
        placeholder: Str,
        why: Unsure,
    },
    Missing(CompileError),
}

/// Why nobody knows whether there was a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Unsure {
    /// A file, where the files of the session were not recorded.
    File,
    /// A key that lives for one run, and is never stored.
    Temporary,
    /// A key that an event writes later: the state that the session began with is not recorded.
    WrittenLater,
}

/// A static instruction, hashed as JSON.
pub(super) struct StaticText<'c>(&'c StaticInstruction);

impl std::hash::Hash for StaticText<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        strata_model::FromJson::to_json(&self.0.content).hash(state);
    }
}

impl Processor for Instructions {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "instructions"
    }

    fn after(&self) -> &'static [&'static str] {
        &["basic"]
    }

    fn reads(&self) -> Sections {
        Sections::SYSTEM | Sections::CONTENTS | Sections::STATIC
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let agent = context.agent();
        let root = context.index.agent(context.index.root(context.agent_id));
        // What a named provider returned is a stage of its own.
        let set = |instruction: &'c Option<Instruction>| {
            instruction.as_ref().filter(|text| text.is_set() && text.provider().is_none())
        };
        Inputs {
            agent: &agent.name,
            global: set(&root.global_instruction)
                .map(|text| fill(text, &root.name, InstructionKind::Global, context)),
            fixed: agent.static_instruction.as_ref().filter(|fixed| fixed.is_set).map(StaticText),
            dynamic: set(&agent.instruction)
                .map(|text| fill(text, &agent.name, InstructionKind::Dynamic, context)),
            rules: HistoryRules::of(context.index.app().release()),
        }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let mut notes = Vec::new();
        for instruction in inputs.global.iter().chain(&inputs.dynamic) {
            instruction.report_unknowns(output);
        }
        if let Some(global) = &inputs.global {
            request.append_system(global.text()?);
            notes.push(format!("global instruction{}", global.with_placeholders()));
        }
        if let Some(StaticText(fixed)) = &inputs.fixed {
            append_static(request, fixed, inputs.agent);
            notes.push("static instruction".to_owned());
        }
        if let Some(dynamic) = &inputs.dynamic {
            let held = if inputs.fixed.is_some() { ", held for the contents" } else { "" };
            let place = Place { is_behind_static: inputs.fixed.is_some(), rules: inputs.rules };
            add_dynamic(request, dynamic.text()?, place);
            notes.push(format!("instruction{}{held}", dynamic.with_placeholders()));
        }
        output.note(if notes.is_empty() { "no instruction".to_owned() } else { notes.join("; ") });
        Ok(())
    }
}

/// Where a dynamic instruction is put, and in which form.
#[derive(Clone, Copy, Hash)]
struct Place {
    is_behind_static: bool,
    rules: HistoryRules,
}

/// What stands in the system instruction, or, so that it does not change behind a static one, among the contents.
fn add_dynamic(request: &mut LlmRequest, text: RichText, place: Place) {
    if !place.is_behind_static {
        return request.append_system(text);
    }
    let text =
        if place.rules.labels_instructions() { label_instruction(&text, "instructions") } else { text };
    let content = RequestContent::user_text(&text, Origin::processor("instructions"));
    request.contents.push(Arc::new(content));
}

/// What a provider function returned, as a stage of its own: the first of an app's two instructions before
/// `instructions`, an agent's own behind it.
pub struct InstructionProvider {
    /// `provider:<module.function>`.
    name: String,
    kind: InstructionKind,
}

impl InstructionProvider {
    /// The stage of an instruction, if it is that of a named provider.
    pub fn of(instruction: Option<&Instruction>, kind: InstructionKind) -> Option<Self> {
        let provider = instruction?.provider()?;
        Some(Self { name: format!("provider:{provider}"), kind })
    }
}

#[derive(Hash)]
pub struct ProviderInputs {
    text: Option<FilledInstruction>,
    place: Place,
}

impl Processor for InstructionProvider {
    type Inputs<'c> = ProviderInputs;

    fn name(&self) -> &str {
        &self.name
    }

    fn after(&self) -> &'static [&'static str] {
        &["basic"]
    }

    fn reads(&self) -> Sections {
        Sections::SYSTEM | Sections::CONTENTS | Sections::STATIC
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> ProviderInputs {
        let agent = context.agent();
        let root = context.index.agent(context.index.root(context.agent_id));
        let (owner, instruction) = match self.kind {
            InstructionKind::Global => (root, &root.global_instruction),
            InstructionKind::Dynamic | InstructionKind::Static => (agent, &agent.instruction),
        };
        let is_dynamic = self.kind == InstructionKind::Dynamic;
        ProviderInputs {
            text: instruction.as_ref().map(|text| fill(text, &owner.name, self.kind, context)),
            place: Place {
                is_behind_static: is_dynamic
                    && agent.static_instruction.as_ref().is_some_and(|fixed| fixed.is_set),
                rules: HistoryRules::of(context.index.app().release()),
            },
        }
    }

    fn process(
        inputs: ProviderInputs,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let held = if inputs.place.is_behind_static { ", held for the contents" } else { "" };
        if let Some(filled) = &inputs.text {
            add_dynamic(request, filled.text()?, inputs.place);
        }
        output.note(format!("what the provider returned{held}"));
        Ok(())
    }
}

impl FilledInstruction {
    /// The filled text, or the error ADK stops with at the first placeholder that has no value.
    pub(super) fn text(&self) -> Result<RichText, CompileError> {
        let mut text = RichText::new();
        for piece in &self.pieces {
            match piece {
                FilledPiece::Literal(literal) => {
                    let origin = Origin::Instruction { agent: self.agent.clone(), kind: self.kind };
                    text.push(literal.clone(), origin);
                }
                FilledPiece::Filled { origin, text: value }
                | FilledPiece::Unknown { origin, placeholder: value } => {
                    text.push(value.clone(), origin.clone());
                }
                FilledPiece::Unsure { .. } => {}
                FilledPiece::Missing(error) => return Err(error.clone()),
            }
        }
        Ok(text)
    }

    /// Says what had a value that the recording does not hold.
    pub(super) fn report_unknowns(&self, output: &mut StageOutput) {
        output.gaps.extend(self.pieces.iter().filter_map(FilledPiece::gap));
        output.diagnostics.extend(self.unknowns());
    }

    fn unknowns(&self) -> impl Iterator<Item = Diagnostic> {
        self.pieces.iter().filter_map(|piece| match piece {
            FilledPiece::Unsure { placeholder, why, .. } => {
                let at = format!("agent.{}", self.agent);
                let message =
                    format!("{placeholder} in the instruction of {} is left out, {}", self.agent, why.said());
                Some(match why {
                    // So it is nearly always: the first value is written by an event.
                    Unsure::WrittenLater => Diagnostic::info("value-not-recorded", at, message),
                    Unsure::File | Unsure::Temporary => Diagnostic::warning("value-not-recorded", at, message),
                })
            }
            FilledPiece::Unknown { placeholder, .. } => Some(Diagnostic::warning(
                "value-not-recorded",
                format!("agent.{}", self.agent),
                format!(
                    "{placeholder} in the instruction of {} had a value at this call that the recording does not \
                     hold; the placeholder is shown in its place",
                    self.agent
                ),
            )),
            _ => None,
        })
    }

    /// ` with {hits}, {last_query}`, for a stage's note.
    fn with_placeholders(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        for piece in &self.pieces {
            if let FilledPiece::Filled { origin, .. }
            | FilledPiece::Unsure { origin, why: Unsure::WrittenLater, .. } = piece
                && let Origin::State { key: name } | Origin::Artifact { name } = origin
            {
                let shown = format!("{{{name}}}");
                if !names.contains(&shown) {
                    names.push(shown);
                }
            }
        }
        if names.is_empty() { String::new() } else { format!(" with {}", names.join(", ")) }
    }
}

impl FilledPiece {
    fn unknown(key: Str) -> Self {
        Self::Unknown { placeholder: format!("{{{key}}}").into(), origin: Origin::State { key } }
    }

    fn gap(&self) -> Option<Gap> {
        match self {
            Self::Unsure { why: Unsure::WrittenLater, .. } => None,
            Self::Unsure { origin, .. } | Self::Unknown { origin, .. } => Some(match origin {
                Origin::Artifact { .. } => Gap::Artifacts,
                _ => Gap::State,
            }),
            Self::Literal(_) | Self::Filled { .. } | Self::Missing(_) => None,
        }
    }
}

impl Unsure {
    fn said(self) -> &'static str {
        match self {
            Self::File => {
                "as if there were no such file; whether there was one is not recorded. Give the session its artifacts to \
                 see it"
            }
            Self::Temporary => {
                "as if it were not set; such keys live for one run and are not stored, so whether it was is not known. \
                 Record the app with `strata adk-recorder` to see it"
            }
            Self::WrittenLater => {
                "as if it were not set before an event first writes it; the state that the session began with is not \
                 recorded"
            }
        }
    }
}

/// Looks up everything an instruction refers to. What a provider function returned is taken as it is.
pub(super) fn fill(
    instruction: &Instruction,
    agent: &Str,
    kind: InstructionKind,
    context: &CompileContext<'_>,
) -> FilledInstruction {
    let pieces = match instruction {
        Instruction::Provider { text, .. } => {
            let kind = if kind == InstructionKind::Global { "global" } else { "dynamic" };
            let returned = context.recorded.and_then(|call| call.instruction(agent, kind));
            vec![FilledPiece::Literal(returned.map_or(text, |returned| &returned.text).clone())]
        }
        Instruction::Template(text) => {
            Template::parse(text).pieces.into_iter().map(|piece| fill_piece(piece, context)).collect()
        }
    };
    FilledInstruction { agent: agent.clone(), kind, pieces }
}

fn fill_piece(piece: Piece, context: &CompileContext<'_>) -> FilledPiece {
    match piece {
        Piece::Literal(text) => FilledPiece::Literal(text),
        Piece::State { key, is_optional } => fill_state(key, is_optional, context),
        Piece::Artifact { name, is_optional } => match load_artifact(&name, context) {
            Ok(Some(text)) => FilledPiece::Filled { origin: Origin::Artifact { name }, text },
            Ok(None) if is_optional => match is_known(&name, context) {
                Some(true) => FilledPiece::Filled { origin: Origin::Artifact { name }, text: "".into() },
                Some(false) => FilledPiece::Unknown {
                    placeholder: format!("{{artifact.{name}?}}").into(),
                    origin: Origin::Artifact { name },
                },
                None => FilledPiece::Unsure {
                    placeholder: format!("{{artifact.{name}?}}").into(),
                    origin: Origin::Artifact { name },
                    why: Unsure::File,
                },
            },
            Ok(None) | Err(_) if context.source == CallSource::Recorded => FilledPiece::Unknown {
                placeholder: format!("{{artifact.{name}}}").into(),
                origin: Origin::Artifact { name },
            },
            Ok(None) => FilledPiece::Missing(missing_artifact(&name, &context.agent().name)),
            Err(error) => FilledPiece::Missing(error),
        },
    }
}

fn fill_state(key: Str, is_optional: bool, context: &CompileContext<'_>) -> FilledPiece {
    let is_recorded = context.source == CallSource::Recorded;
    let is_temporary = Scope::of(&key) == Scope::Temp;
    let value = context.state.get(&key);
    let text: Str = match value {
        StateValue::Absent if is_recorded && is_temporary => match kept_output(&key, context) {
            Some(said) => said,
            None if is_optional => return unsure(key, Unsure::Temporary),
            None => return FilledPiece::unknown(key),
        },
        StateValue::NotRecorded if is_recorded && is_optional => return unsure(key, Unsure::WrittenLater),
        StateValue::Known(Json::Null) => "".into(),
        StateValue::Known(value) => python::str(value).into(),
        StateValue::Absent | StateValue::NotRecorded if is_optional => "".into(),
        StateValue::Absent | StateValue::NotRecorded if is_recorded => return FilledPiece::unknown(key),
        StateValue::Absent | StateValue::NotRecorded => {
            return FilledPiece::Missing(missing_variable(&key, &context.agent().name));
        }
    };
    FilledPiece::Filled { origin: Origin::State { key }, text }
}

fn unsure(key: Str, why: Unsure) -> FilledPiece {
    FilledPiece::Unsure { placeholder: format!("{{{key}?}}").into(), origin: Origin::State { key }, why }
}

/// What an agent has said in its turn, where it keeps that under a key that is never stored: until the user says something,
/// for then another run begins.
fn kept_output(key: &str, context: &CompileContext<'_>) -> Option<Str> {
    let keeper = |author: &str| {
        let agent = context.index.agent(context.index.find(author)?);
        (agent.output_key.as_deref() == Some(key)).then_some(agent)
    };
    let (mut kept, mut said, mut is_ended) = (None, String::new(), false);
    let mut speaker: Option<&Str> = None;
    for event in context.events.iter().map(|logged| &logged.event) {
        if event.invocation_id != context.invocation.invocation_id {
            continue;
        }
        if event.is_from_user() {
            kept = None;
            is_ended = true;
        }
        let Some(keeper) = keeper(&event.author) else { continue };
        if event.partial == Some(true) || event.parts().is_empty() {
            continue;
        }
        let is_another = speaker.replace(&event.author) != Some(&event.author);
        if std::mem::take(&mut is_ended) || is_another {
            said.clear();
        }
        is_ended = is_final_response(event);
        let text = text_of(event.parts());
        match &keeper.output_schema {
            _ if text.is_empty() => {}
            None => {
                said += &text;
                kept = Some(Str::from(&*said));
            }
            Some(_) if is_ended => kept = json::parse(text.as_bytes()).ok().map(|it| python::str(&it).into()),
            Some(_) => {}
        }
    }
    kept
}

fn missing_variable(key: &str, agent: &str) -> CompileError {
    CompileError::new(
        ErrorKind::KeyError,
        format!("Context variable not found: `{key}` in agent '{agent}'."),
        format!(
            "Set state key {key} before this call, or write {{{key}?}} so that a missing value leaves nothing"
        ),
    )
}

fn missing_artifact(name: &str, agent: &str) -> CompileError {
    CompileError::new(
        ErrorKind::KeyError,
        format!("Artifact '{name}' not found in agent '{agent}'."),
        format!("Save artifact {name} before this call, or write {{artifact.{name}?}}"),
    )
}

/// Whether it is known what a file that cannot be loaded held: nothing, where it is. `None`: not even whether there was one.
fn is_known(name: &str, context: &CompileContext<'_>) -> Option<bool> {
    let Services { artifacts, artifacts_known, .. } = context.services;
    let Some(artifacts) = artifacts else { return Some(true) };
    let is_listed = artifacts.n_versions(name) > 0;
    match artifacts_known {
        ArtifactsKnown::All => Some(true),
        ArtifactsKnown::Names | ArtifactsKnown::Told if is_listed => Some(artifacts.has_content(name)),
        ArtifactsKnown::Names => Some(true),
        ArtifactsKnown::Told => None,
    }
}

fn load_artifact(name: &str, context: &CompileContext<'_>) -> Result<Option<Str>, CompileError> {
    let Some(artifacts) = &context.services.artifacts else {
        return Err(CompileError::new(
            ErrorKind::ValueError,
            "Artifact service is not initialized.",
            "Run the app with an artifact service, or take the artifact out of the instruction",
        ));
    };
    Ok(artifacts.load(name).map(|part| artifact_text(part, name)))
}

/// The text of an artifact; what has none is printed as Python prints the part.
fn artifact_text(part: &Arc<Part>, name: &str) -> Str {
    let safe = artifacts::safe_part(part, name);
    match &safe.text {
        Some(text) => text.clone(),
        None => artifacts::python_str(part).into(),
    }
}

/// Texts go to the system instruction; files leave a reference there and follow as contents of their own.
fn append_static(request: &mut LlmRequest, instruction: &StaticInstruction, agent: &Str) {
    let origin = Origin::Instruction { agent: agent.clone(), kind: InstructionKind::Static };
    let framing = Origin::processor("instructions");
    let mut texts = Vec::new();
    let mut n_files = 0;
    for part in instruction.content.parts() {
        if let Some(text) = part.text.as_ref().filter(|text| !text.is_empty()) {
            texts.push(RichText::from_span(text.clone(), origin.clone()));
        } else if let Some(file) = StaticFile::of(part) {
            let name = format!("{}_{n_files}", file.label);
            n_files += 1;
            let reference = format!("[Reference to {}: {name}{}]", file.described_as, file.details);
            texts.push(RichText::from_span(reference, framing.clone()));
            let introduction =
                RichText::from_span(format!("Referenced {}: {name}", file.introduced_as), framing.clone());
            let parts = vec![
                RequestPart::from_rich_text(&introduction, framing.clone()),
                RequestPart::new(Arc::new(file.part), origin.clone()),
            ];
            request.contents.push(Arc::new(RequestContent::new(Some("user".into()), parts)));
        }
    }
    request.has_static_contents |= n_files > 0;
    if !texts.is_empty() {
        request.append_system(RichText::joined(texts, "\n\n"));
    }
}

/// A file in a static instruction and the words ADK uses for its kind.
struct StaticFile {
    described_as: &'static str,
    introduced_as: &'static str,
    label: &'static str,
    /// In brackets with a leading space, or empty.
    details: String,
    part: Part,
}

impl StaticFile {
    fn of(part: &Part) -> Option<Self> {
        let quoted = |name: &Option<Str>| present(name.as_ref()).map(|name| format!("'{name}'"));
        let labelled = |label: &str, value: &Option<Str>| {
            present(value.as_ref()).map(|value| format!("{label}: {value}"))
        };
        if let Some(blob) = &part.inline_data {
            return Some(Self {
                described_as: "inline binary data",
                introduced_as: "inline data",
                label: "inline_data",
                details: bracketed([quoted(&blob.display_name), labelled("type", &blob.mime_type), None]),
                part: Part { inline_data: Some(blob.clone()), ..Part::default() },
            });
        }
        let file = part.file_data.as_ref()?;
        let type_ = labelled("type", &file.mime_type);
        Some(Self {
            described_as: "file data",
            introduced_as: "file data",
            label: "file_data",
            details: bracketed([quoted(&file.display_name), labelled("URI", &file.file_uri), type_]),
            part: Part { file_data: Some(file.clone()), ..Part::default() },
        })
    }
}

fn present(text: Option<&Str>) -> Option<&str> {
    text.map(|text| &**text).filter(|text| !text.is_empty())
}

fn bracketed(items: [Option<String>; 3]) -> String {
    let items: Vec<String> = items.into_iter().flatten().collect();
    if items.is_empty() { String::new() } else { format!(" ({})", items.join(", ")) }
}
