//! Plugins and callbacks: code around the flow. Strata knows what the named ones do; the rest is the host's code.

use super::instruction::Instruction;
use crate::Str;
use crate::decode::{Decoder, FromJson};
use crate::json::{Json, Object};

/// A plugin of the app that takes part in compiling.
#[derive(Debug, Clone, PartialEq, Hash)]
pub enum Plugin {
    ContextFilter {
        name: Option<Str>,
        num_invocations_to_keep: Option<i64>,
        remove_amount: Option<i64>,
        custom_filter: Option<CustomFilter>,
    },
    GlobalInstruction {
        name: Option<Str>,
        global_instruction: Instruction,
    },
    /// ADK's: a tool that failed is answered with advice, until it failed too often.
    ReflectRetryTool {
        name: Option<Str>,
        max_retries: i64,
        throw_exception_if_retry_exceeded: bool,
    },
    /// ADK's: files in what the user says become artifacts.
    SaveFilesAsArtifacts {
        name: Option<Str>,
        attach_file_reference: bool,
    },
    /// Code that Strata does not know: the host's, or code of which is known what it changed in the calls that were
    /// recorded.
    Code {
        name: Str,
        class: Option<Str>,
        /// What runs; only the host looks inside.
        code: Option<Object>,
    },
}

impl Plugin {
    pub fn name(&self) -> &str {
        match self {
            Self::ContextFilter { name, .. } => name.as_deref().unwrap_or("context_filter_plugin"),
            Self::GlobalInstruction { name, .. } => name.as_deref().unwrap_or("global_instruction"),
            Self::ReflectRetryTool { name, .. } => name.as_deref().unwrap_or("reflect_retry_tool_plugin"),
            Self::SaveFilesAsArtifacts { name, .. } => {
                name.as_deref().unwrap_or("save_files_as_artifacts_plugin")
            }
            Self::Code { name, .. } => name,
        }
    }
}

impl FromJson for Plugin {
    const EXPECTED: &'static str = "a plugin of type context_filter, global_instruction, reflect_retry_tool, save_files_as_artifacts or code";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        let name = value.get("name").and_then(Json::as_str).map(Str::from);
        let number = |key: &str| value.get(key).and_then(Json::as_i64);
        let flag = |key: &str, default| value.get(key).and_then(Json::as_bool).unwrap_or(default);
        match value.get("type").and_then(Json::as_str) {
            Some("context_filter") => Ok(Self::ContextFilter {
                name,
                num_invocations_to_keep: number("num_invocations_to_keep"),
                remove_amount: number("remove_amount"),
                custom_filter: match value.get("custom_filter") {
                    Some(filter) => match CustomFilter::from_json(filter.clone(), decoder) {
                        Ok(filter) => Some(filter),
                        Err(_) => return Err(value),
                    },
                    None => None,
                },
            }),
            Some("global_instruction") => {
                let instruction = value.get("global_instruction").cloned().unwrap_or_default();
                match Instruction::from_json(instruction, decoder) {
                    Ok(global_instruction) => Ok(Self::GlobalInstruction { name, global_instruction }),
                    Err(_) => Err(value),
                }
            }
            Some("reflect_retry_tool") => Ok(Self::ReflectRetryTool {
                name,
                max_retries: number("max_retries").unwrap_or(3),
                throw_exception_if_retry_exceeded: flag("throw_exception_if_retry_exceeded", true),
            }),
            Some("save_files_as_artifacts") => Ok(Self::SaveFilesAsArtifacts {
                name,
                attach_file_reference: flag("attach_file_reference", true),
            }),
            Some("code") => Ok(Self::Code {
                name: name.unwrap_or_default(),
                class: value.get("class").and_then(Json::as_str).map(Str::from),
                code: code(&value),
            }),
            _ => Err(value),
        }
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        match self {
            Self::ContextFilter { name, num_invocations_to_keep, remove_amount, custom_filter } => {
                out.push("type", "context_filter");
                out.push_some("name", name.clone());
                out.push_some("num_invocations_to_keep", *num_invocations_to_keep);
                out.push_some("remove_amount", *remove_amount);
                out.push_some("custom_filter", custom_filter.as_ref().map(FromJson::to_json));
            }
            Self::GlobalInstruction { name, global_instruction } => {
                out.push("type", "global_instruction");
                out.push_some("name", name.clone());
                out.push("global_instruction", global_instruction.to_json());
            }
            Self::ReflectRetryTool { name, max_retries, throw_exception_if_retry_exceeded } => {
                out.push("type", "reflect_retry_tool");
                out.push_some("name", name.clone());
                out.push("max_retries", *max_retries);
                out.push("throw_exception_if_retry_exceeded", *throw_exception_if_retry_exceeded);
            }
            Self::SaveFilesAsArtifacts { name, attach_file_reference } => {
                out.push("type", "save_files_as_artifacts");
                out.push_some("name", name.clone());
                out.push("attach_file_reference", *attach_file_reference);
            }
            Self::Code { name, class, code } => {
                out.push("type", "code");
                out.push("name", name.clone());
                out.push_some("class", class.clone());
                out.push_some("code", code.clone());
            }
        }
        Json::Object(out)
    }
}

/// The host's code, as `{type: code, code: {...}}` holds it.
fn code(value: &Json) -> Option<Object> {
    value.get("code").and_then(Json::as_object).cloned()
}

/// What a context filter's own function does with the contents.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CustomFilter {
    DropRole { role: Str },
    KeepLast { count: i64 },
    DropFunctionParts,
    Raise { message: Str },
}

impl FromJson for CustomFilter {
    const EXPECTED: &'static str = "a filter of type drop_role, keep_last, drop_function_parts or raise";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        let text = |key: &str| value.get(key).and_then(Json::as_str).unwrap_or_default().into();
        match value.get("type").and_then(Json::as_str) {
            Some("drop_role") => Ok(Self::DropRole { role: text("role") }),
            Some("keep_last") => {
                Ok(Self::KeepLast { count: value.get("count").and_then(Json::as_i64).unwrap_or(0) })
            }
            Some("drop_function_parts") => Ok(Self::DropFunctionParts),
            Some("raise") => Ok(Self::Raise { message: text("message") }),
            _ => Err(value),
        }
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        match self {
            Self::DropRole { role } => {
                out.push("type", "drop_role");
                out.push("role", role.clone());
            }
            Self::KeepLast { count } => {
                out.push("type", "keep_last");
                out.push("count", *count);
            }
            Self::DropFunctionParts => out.push("type", "drop_function_parts"),
            Self::Raise { message } => {
                out.push("type", "raise");
                out.push("message", message.clone());
            }
        }
        Json::Object(out)
    }
}

/// Which form of relayed agent traffic a stripping callback looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelayStyle {
    /// `For context:`, as ADK wrote it before 2.0.
    ForContext,
    /// The fenced form of ADK 2.
    Fenced,
}

/// A callback; but for the last kind, its effect on requests, state or tool results is known.
#[derive(Debug, Clone, PartialEq, Hash)]
pub enum Callback {
    /// Removes relayed tool calls and results.
    StripForContext {
        style: RelayStyle,
    },
    /// Writes a short form of the queries in one state key to another.
    CompactState {
        source: Str,
        dest: Str,
    },
    AppendInstruction {
        text: Str,
    },
    /// Answers without calling the model.
    ShortCircuit {
        text: Str,
    },
    SetState {
        values: Object,
    },
    KeepLastContents {
        count: i64,
    },
    /// Cuts long lists of rows in tool results.
    CapRows {
        max_rows: i64,
        store_full_as: Option<Str>,
    },
    /// Code that Strata does not know, by its `module.function`: the host's, or code of which is known what it
    /// changed in the calls that were recorded.
    Code {
        name: Str,
        /// What runs; only the host looks inside.
        code: Option<Object>,
    },
}

impl FromJson for Callback {
    const EXPECTED: &'static str = "a callback of a known type";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        let text = |key: &str| value.get(key).and_then(Json::as_str).map(Str::from);
        let number = |key: &str| value.get(key).and_then(Json::as_i64).unwrap_or(0);
        match value.get("type").and_then(Json::as_str) {
            Some("strip_for_context") => {
                let style = match value.get("match").and_then(Json::as_str) {
                    Some("adk2") => RelayStyle::Fenced,
                    _ => RelayStyle::ForContext,
                };
                Ok(Self::StripForContext { style })
            }
            Some("compact_state") => Ok(Self::CompactState {
                source: text("source").unwrap_or_default(),
                dest: text("dest").unwrap_or_default(),
            }),
            Some("append_instruction") => {
                Ok(Self::AppendInstruction { text: text("text").unwrap_or_default() })
            }
            Some("short_circuit") => Ok(Self::ShortCircuit { text: text("text").unwrap_or_default() }),
            Some("set_state") => Ok(Self::SetState {
                values: value.get("values").and_then(Json::as_object).cloned().unwrap_or_default(),
            }),
            Some("keep_last_contents") => Ok(Self::KeepLastContents { count: number("count") }),
            Some("cap_rows") => {
                Ok(Self::CapRows { max_rows: number("max_rows"), store_full_as: text("store_full_as") })
            }
            Some("code") => Ok(Self::Code { name: text("name").unwrap_or_default(), code: code(&value) }),
            _ => Err(value),
        }
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        match self {
            Self::StripForContext { style } => {
                out.push("type", "strip_for_context");
                out.push("match", if *style == RelayStyle::Fenced { "adk2" } else { "seed004" });
            }
            Self::CompactState { source, dest } => {
                out.push("type", "compact_state");
                out.push("source", source.clone());
                out.push("dest", dest.clone());
            }
            Self::AppendInstruction { text } => {
                out.push("type", "append_instruction");
                out.push("text", text.clone());
            }
            Self::ShortCircuit { text } => {
                out.push("type", "short_circuit");
                out.push("text", text.clone());
            }
            Self::SetState { values } => {
                out.push("type", "set_state");
                out.push("values", values.clone());
            }
            Self::KeepLastContents { count } => {
                out.push("type", "keep_last_contents");
                out.push("count", *count);
            }
            Self::CapRows { max_rows, store_full_as } => {
                out.push("type", "cap_rows");
                out.push("max_rows", *max_rows);
                out.push_some("store_full_as", store_full_as.clone());
            }
            Self::Code { name, code } => {
                out.push("type", "code");
                out.push("name", name.clone());
                out.push_some("code", code.clone());
            }
        }
        Json::Object(out)
    }
}
