//! google-adk's models, as far as a configuration can get them wrong.

use strata_model::Json;

use super::number::{ANY, NOT_NEGATIVE, POSITIVE, between};
use super::problem::{Problem, whole};
use super::record::Shape::{Any, Bool, Checked, Enum, Float, Int, List, Map, Set, Text};
use super::record::{Extra, Field, Record, Shape, defaulted, nullable, required};

pub(super) const fn model(fields: &'static [Field]) -> Record {
    Record { fields, extra: Extra::Forbidden, has_aliases: false, no_object: "model_type" }
}

const fn open_model(fields: &'static [Field]) -> Record {
    Record { extra: Extra::Ignored, ..model(fields) }
}

/// Models with camelCase aliases.
const fn aliased(fields: &'static [Field]) -> Record {
    Record { has_aliases: true, ..model(fields) }
}

/// google-genai's models.
const fn genai(fields: &'static [Field]) -> Record {
    Record { no_object: "model_attributes_type", ..aliased(fields) }
}

pub(super) static EVENTS_COMPACTION: Record = model(&[
    nullable("summarizer", Any),
    nullable("compaction_interval", Int(POSITIVE)),
    nullable("overlap_size", Int(NOT_NEGATIVE)),
    nullable("token_threshold", Int(POSITIVE)),
    nullable("event_retention_size", Int(NOT_NEGATIVE)),
]);

pub(super) static CONTEXT_CACHE: Record = model(&[
    defaulted("cache_intervals", Int(between(1, 100))),
    defaulted("ttl_seconds", Int(POSITIVE)),
    defaulted("min_tokens", Int(NOT_NEGATIVE)),
    nullable("create_http_options", Shape::Record(&HTTP_OPTIONS)),
]);

static HTTP_OPTIONS: Record = genai(&[
    nullable("base_url", Text),
    nullable("base_url_resource_scope", Any),
    nullable("api_version", Text),
    nullable("headers", Map(&Text)),
    nullable("timeout", Int(ANY)),
    nullable("client_args", Map(&Any)),
    nullable("async_client_args", Map(&Any)),
    nullable("extra_body", Map(&Any)),
    nullable("retry_options", Any),
    nullable("httpx_client", Any),
    nullable("httpx_async_client", Any),
    nullable("aiohttp_client", Any),
]);

pub(super) static CACHE_METADATA: Record = model(&[
    nullable("cache_name", Text),
    nullable("expire_time", Float),
    required("fingerprint", Text),
    nullable("invocations_used", Int(NOT_NEGATIVE)),
    required("contents_count", Int(NOT_NEGATIVE)),
    nullable("created_at", Float),
]);

/// Its parts are checked before it.
pub(super) static APP: Record = model(&[
    required("name", Text),
    nullable("root_agent", Any),
    defaulted("plugins", List(&Any)),
    nullable("events_compaction_config", Any),
    nullable("context_cache_config", Any),
    nullable("resumability_config", Shape::Record(&RESUMABILITY)),
]);

static RESUMABILITY: Record = open_model(&[defaulted("is_resumable", Bool)]);

static GET_SESSION: Record = open_model(&[
    nullable("num_recent_events", Checked(&Int(ANY), not_negative)),
    nullable("after_timestamp", Float),
]);

static TOOL_THREAD_POOL: Record = model(&[defaulted("max_workers", Int(between(1, i64::MAX)))]);

pub(super) static RUN_CONFIG: Record = model(&[
    nullable("speech_config", Shape::Record(&SPEECH_CONFIG)),
    nullable("http_options", Shape::Record(&HTTP_OPTIONS)),
    nullable("labels", Map(&Text)),
    nullable("service_tier", Checked(&Any, tier_problems)),
    nullable("response_modalities", List(&Text)),
    nullable("avatar_config", Any),
    defaulted("save_input_blobs_as_artifacts", Bool),
    defaulted("support_cfc", Bool),
    nullable("streaming_mode", Enum(&["sse", "bidi"])),
    nullable("output_audio_transcription", Any),
    nullable("input_audio_transcription", Any),
    nullable("realtime_input_config", Any),
    nullable("explicit_vad_signal", Bool),
    nullable("translation_config", Any),
    nullable("enable_affective_dialog", Bool),
    nullable("proactivity", Any),
    nullable("session_resumption", Any),
    nullable("history_config", Any),
    nullable("context_window_compression", Any),
    defaulted("save_live_blob", Bool),
    nullable("tool_thread_pool_config", Shape::Record(&TOOL_THREAD_POOL)),
    defaulted("save_live_audio", Bool),
    defaulted("max_llm_calls", Checked(&Int(ANY), below_largest_index)),
    nullable("custom_metadata", Map(&Any)),
    nullable("telemetry", Any),
    nullable("get_session_config", Shape::Record(&GET_SESSION)),
    nullable("model_input_context", List(&Shape::Record(&CONTENT))),
    defaulted("include_thoughts_from_other_agents", Bool),
]);

static SPEECH_CONFIG: Record = genai(&[
    nullable("voice_config", Any),
    nullable("language_code", Text),
    nullable("multi_speaker_voice_config", Any),
]);

static GROUNDING: Record = genai(&[
    nullable("image_search_queries", Any),
    nullable("grounding_chunks", Any),
    nullable("grounding_supports", Any),
    nullable("retrieval_metadata", Any),
    nullable("search_entry_point", Any),
    nullable("web_search_queries", Any),
    nullable("google_maps_widget_context_token", Text),
    nullable("retrieval_queries", Any),
    nullable("source_flagging_uris", Any),
]);

static CITATION: Record = genai(&[nullable("citations", Any)]);

pub(super) static CONTENT: Record =
    genai(&[nullable("parts", List(&Shape::Record(&PART))), nullable("role", Text)]);

static PART: Record = genai(&[
    nullable("media_resolution", Any),
    nullable("code_execution_result", Shape::Record(&CODE_EXECUTION_RESULT)),
    nullable("executable_code", Shape::Record(&EXECUTABLE_CODE)),
    nullable("file_data", Shape::Record(&FILE_DATA)),
    nullable("function_call", Shape::Record(&FUNCTION_CALL)),
    nullable("function_response", Shape::Record(&FUNCTION_RESPONSE)),
    nullable("inline_data", Shape::Record(&BLOB)),
    nullable("text", Text),
    nullable("thought", Bool),
    nullable("thought_signature", Text),
    nullable("video_metadata", Any),
    nullable("tool_call", Any),
    nullable("tool_response", Any),
    nullable("part_metadata", Map(&Any)),
    nullable("audio_transcription", Any),
    nullable("media_processing", Any),
    nullable("speech_metadata", Any),
]);

static CODE_EXECUTION_RESULT: Record =
    genai(&[nullable("outcome", Text), nullable("output", Text), nullable("id", Text)]);

static EXECUTABLE_CODE: Record =
    genai(&[nullable("code", Text), nullable("language", Text), nullable("id", Text)]);

static FILE_DATA: Record =
    genai(&[nullable("display_name", Text), nullable("file_uri", Text), nullable("mime_type", Text)]);

static BLOB: Record =
    genai(&[nullable("data", Text), nullable("display_name", Text), nullable("mime_type", Text)]);

static FUNCTION_CALL: Record = genai(&[
    nullable("id", Text),
    nullable("args", Map(&Any)),
    nullable("name", Text),
    nullable("partial_args", Any),
    nullable("will_continue", Bool),
]);

static FUNCTION_RESPONSE: Record = genai(&[
    nullable("will_continue", Bool),
    nullable("scheduling", Text),
    nullable("parts", Any),
    nullable("id", Text),
    nullable("name", Text),
    nullable("response", Map(&Any)),
]);

static USAGE: Record = genai(&[
    nullable("cache_tokens_details", Any),
    nullable("cached_content_token_count", Int(ANY)),
    nullable("candidates_token_count", Int(ANY)),
    nullable("candidates_tokens_details", Any),
    nullable("prompt_token_count", Int(ANY)),
    nullable("prompt_tokens_details", Any),
    nullable("thoughts_token_count", Int(ANY)),
    nullable("tool_use_prompt_token_count", Int(ANY)),
    nullable("tool_use_prompt_tokens_details", Any),
    nullable("total_token_count", Int(ANY)),
    nullable("traffic_type", Any),
]);

static TRANSCRIPTION: Record = genai(&[
    nullable("text", Text),
    nullable("finished", Bool),
    nullable("language_code", Text),
    nullable("speaker_label", Text),
    nullable("words", Any),
    nullable("start_offset", Text),
    nullable("end_offset", Text),
]);

pub(super) static TOOL_CONFIRMATION: Record =
    aliased(&[defaulted("hint", Text), defaulted("confirmed", Bool), nullable("payload", Any)]);

static COMPACTION: Record = aliased(&[
    required("start_timestamp", Float),
    required("end_timestamp", Float),
    required("compacted_content", Shape::Record(&CONTENT)),
]);

pub(super) static ACTIONS: Record = aliased(&[
    nullable("skip_summarization", Bool),
    defaulted("state_delta", Map(&Any)),
    defaulted("artifact_delta", Map(&Int(ANY))),
    nullable("transfer_to_agent", Text),
    nullable("transfer_reason", Text),
    nullable("escalate", Bool),
    defaulted("requested_auth_configs", Map(&Any)),
    defaulted("requested_tool_confirmations", Map(&Shape::Record(&TOOL_CONFIRMATION))),
    nullable("compaction", Shape::Record(&COMPACTION)),
    nullable("end_of_agent", Bool),
    nullable("agent_state", Map(&Any)),
    nullable("rewind_before_invocation_id", Text),
    nullable("route", Checked(&Any, route_problems)),
    nullable("render_ui_widgets", List(&Any)),
    nullable("set_model_response", Any),
]);

static NODE_INFO: Record = Record {
    extra: Extra::Ignored,
    ..aliased(&[
        defaulted("path", Text),
        nullable("output_for", List(&Text)),
        nullable("message_as_output", Bool),
    ])
};

pub(super) static EVENT: Record = Record {
    extra: Extra::Ignored,
    ..aliased(&[
        nullable("model_version", Text),
        nullable("content", Shape::Record(&CONTENT)),
        nullable("grounding_metadata", Shape::Record(&GROUNDING)),
        nullable("partial", Bool),
        nullable("turn_complete", Bool),
        nullable("turn_complete_reason", Any),
        nullable("interaction_status", Any),
        nullable("finish_reason", Text),
        nullable("error_code", Text),
        nullable("error_message", Text),
        nullable("interrupted", Bool),
        nullable("custom_metadata", Map(&Any)),
        nullable("usage_metadata", Shape::Record(&USAGE)),
        nullable("live_session_resumption_update", Any),
        nullable("live_session_id", Text),
        nullable("go_away", Any),
        nullable("voice_activity", Any),
        nullable("input_transcription", Shape::Record(&TRANSCRIPTION)),
        nullable("output_transcription", Shape::Record(&TRANSCRIPTION)),
        nullable("avg_logprobs", Float),
        nullable("logprobs_result", Any),
        nullable("cache_metadata", Checked(&Shape::Record(&CACHE_METADATA), half_active)),
        nullable("citation_metadata", Shape::Record(&CITATION)),
        nullable("interaction_id", Text),
        nullable("environment_id", Text),
        defaulted("invocation_id", Text),
        defaulted("author", Text),
        defaulted("actions", Shape::Record(&ACTIONS)),
        nullable("output", Any),
        defaulted("node_info", Shape::Record(&NODE_INFO)),
        nullable("long_running_tool_ids", Set(&Text)),
        nullable("branch", Text),
        nullable("isolation_scope", Text),
        defaulted("id", Text),
        defaulted("timestamp", Float),
    ])
};

fn not_negative(value: &Json) -> Vec<Problem> {
    if value.as_f64().is_some_and(|number| number < 0.0) { whole("has to be at least 0") } else { Vec::new() }
}

/// Counts of calls are bounded by the largest index of a Python list.
fn below_largest_index(value: &Json) -> Vec<Problem> {
    let is_too_large = match value {
        Json::BigInt(digits) => !digits.starts_with('-'),
        value => value.as_f64().is_some_and(|calls| calls >= i64::MAX as f64),
    };
    if is_too_large { whole(format!("has to be below {}", i64::MAX)) } else { Vec::new() }
}

/// Metadata is of a cache, or just a fingerprint: nothing in between.
pub(super) fn half_active(value: &Json) -> Vec<Problem> {
    let is_set = |key: &&str| value.get(key).is_some_and(|value| !value.is_null());
    let n_set = ["cache_name", "expire_time", "invocations_used"].iter().filter(|key| is_set(key)).count();
    if n_set % 3 == 0 {
        return Vec::new();
    }
    whole("cache_name, expire_time and invocations_used are all set for a cache, or none of them")
}

/// A tier ADK knows, or any other text.
fn tier_problems(value: &Json) -> Vec<Problem> {
    if value.as_str().is_some() {
        return Vec::new();
    }
    let message = "should be the name of a tier";
    vec![
        Problem::new(&["str-enum[ServiceTier]"], "enum", message),
        Problem::new(&["str"], "string_type", message),
    ]
}

/// One or more of truth values, whole numbers and texts.
fn route_problems(value: &Json) -> Vec<Problem> {
    let is_step = |value: &Json| matches!(value, Json::Bool(_) | Json::Int(_) | Json::String(_));
    match value {
        Json::Array(steps) if steps.iter().all(is_step) => Vec::new(),
        step if is_step(step) => Vec::new(),
        _ => [
            ("bool", "bool_type"),
            ("int", "int_type"),
            ("str", "string_type"),
            ("list[union[bool,int,str]]", "list_type"),
        ]
        .map(|(step, kind)| {
            Problem::new(&[step], kind, "should be true or false, a number, a text, or a list of them")
        })
        .into(),
    }
}
