//! The fields of google-genai's types that a Gemini request is made of, in the order in which they are dumped.
//!
//! Fingerprints of caches and sizes of summaries are taken over these dumps, which spell fields in snake_case; data
//! inside (arguments, responses, JSON Schemas) keeps its own keys.

/// A type of google-genai's, as far as dumping it is concerned.
#[derive(Debug)]
pub(crate) struct Fields(pub(super) &'static [(&'static str, Kind)]);

/// What a field holds.
#[derive(Debug)]
pub(super) enum Kind {
    /// Dumped as it is.
    Data,
    Float,
    One(&'static Fields),
    List(&'static Fields),
    /// Values under free keys.
    Map(&'static Fields),
}

macro_rules! kind {
    () => {
        Kind::Data
    };
    (float) => {
        Kind::Float
    };
    ([$of:ident]) => {
        Kind::List(&$of)
    };
    ({ $of:ident }) => {
        Kind::Map(&$of)
    };
    ($of:ident) => {
        Kind::One(&$of)
    };
}

macro_rules! types {
    ($($name:ident { $($field:ident $(: $kind:tt)?),* $(,)? })*) => {
        $(pub(crate) static $name: Fields = Fields(&[$((stringify!($field), kind!($($kind)?))),*]);)*
    };
}

types! {
    CONTENT { parts: [PART], role }
    PART {
        media_resolution: PART_MEDIA_RESOLUTION, code_execution_result: CODE_EXECUTION_RESULT,
        executable_code: EXECUTABLE_CODE, file_data: FILE_DATA, function_call: FUNCTION_CALL,
        function_response: FUNCTION_RESPONSE, inline_data: BLOB, text, thought, thought_signature,
        video_metadata: VIDEO_METADATA, tool_call: TOOL_CALL, tool_response: TOOL_RESPONSE, part_metadata,
        audio_transcription: TRANSCRIPTION, media_processing, speech_metadata: SPEECH_METADATA,
    }
    PART_MEDIA_RESOLUTION { level, num_tokens }
    CODE_EXECUTION_RESULT { outcome, output, id }
    EXECUTABLE_CODE { code, language, id }
    FILE_DATA { display_name, file_uri, mime_type }
    FUNCTION_CALL { id, args, name, partial_args: [PARTIAL_ARG], will_continue }
    PARTIAL_ARG { bool_value, json_path, null_value, number_value: float, string_value, will_continue }
    FUNCTION_RESPONSE { will_continue, scheduling, parts: [FUNCTION_RESPONSE_PART], id, name, response }
    FUNCTION_RESPONSE_PART {
        inline_data: FUNCTION_RESPONSE_BLOB, file_data: FUNCTION_RESPONSE_FILE_DATA, media_processing,
    }
    FUNCTION_RESPONSE_BLOB { mime_type, data, display_name }
    FUNCTION_RESPONSE_FILE_DATA { file_uri, mime_type, display_name }
    BLOB { data, display_name, mime_type }
    VIDEO_METADATA { end_offset, fps: float, start_offset }
    TOOL_CALL { id, tool_type, args }
    TOOL_RESPONSE { id, tool_type, response }
    TRANSCRIPTION {
        text, finished, language_code, speaker_label, words: [WORD_INFO], start_offset, end_offset,
    }
    WORD_INFO { word, start_offset, end_offset }
    SPEECH_METADATA { speaker, style }
    TOOL {
        retrieval: RETRIEVAL, computer_use: COMPUTER_USE, file_search: FILE_SEARCH,
        google_search: GOOGLE_SEARCH, google_maps: GOOGLE_MAPS, code_execution: TOOL_CODE_EXECUTION,
        enterprise_web_search: ENTERPRISE_WEB_SEARCH, function_declarations: [FUNCTION_DECLARATION],
        google_search_retrieval: GOOGLE_SEARCH_RETRIEVAL, parallel_ai_search: TOOL_PARALLEL_AI_SEARCH,
        url_context: URL_CONTEXT, mcp_servers: [MCP_SERVER], exa_ai_search: TOOL_EXA_AI_SEARCH,
    }
    RETRIEVAL {
        disable_attribution, external_api: EXTERNAL_API, vertex_ai_search: VERTEX_AI_SEARCH,
        vertex_rag_store: VERTEX_RAG_STORE,
    }
    EXTERNAL_API {
        api_auth: API_AUTH, api_spec, auth_config: AUTH_CONFIG,
        elastic_search_params: EXTERNAL_API_ELASTIC_SEARCH_PARAMS, endpoint,
        simple_search_params: EXTERNAL_API_SIMPLE_SEARCH_PARAMS,
    }
    API_AUTH { api_key_config: API_AUTH_API_KEY_CONFIG }
    API_AUTH_API_KEY_CONFIG { api_key_secret_version, api_key_string }
    AUTH_CONFIG {
        api_key, api_key_config: API_KEY_CONFIG, auth_type,
        google_service_account_config: AUTH_CONFIG_GOOGLE_SERVICE_ACCOUNT_CONFIG,
        http_basic_auth_config: AUTH_CONFIG_HTTP_BASIC_AUTH_CONFIG, oauth_config: AUTH_CONFIG_OAUTH_CONFIG,
        oidc_config: AUTH_CONFIG_OIDC_CONFIG,
    }
    API_KEY_CONFIG { api_key_secret, api_key_string, http_element_location, name }
    AUTH_CONFIG_GOOGLE_SERVICE_ACCOUNT_CONFIG { service_account }
    AUTH_CONFIG_HTTP_BASIC_AUTH_CONFIG { credential_secret }
    AUTH_CONFIG_OAUTH_CONFIG { access_token, service_account }
    AUTH_CONFIG_OIDC_CONFIG { id_token, service_account }
    EXTERNAL_API_ELASTIC_SEARCH_PARAMS { index, num_hits, search_template }
    EXTERNAL_API_SIMPLE_SEARCH_PARAMS {}
    VERTEX_AI_SEARCH {
        data_store_specs: [VERTEX_AI_SEARCH_DATA_STORE_SPEC], datastore, engine, filter, max_results,
    }
    VERTEX_AI_SEARCH_DATA_STORE_SPEC { data_store, filter }
    VERTEX_RAG_STORE {
        rag_corpora, rag_resources: [VERTEX_RAG_STORE_RAG_RESOURCE],
        rag_retrieval_config: RAG_RETRIEVAL_CONFIG, similarity_top_k, store_context,
        vector_distance_threshold: float,
    }
    VERTEX_RAG_STORE_RAG_RESOURCE { rag_corpus, rag_file_ids }
    RAG_RETRIEVAL_CONFIG {
        filter: RAG_RETRIEVAL_CONFIG_FILTER, hybrid_search: RAG_RETRIEVAL_CONFIG_HYBRID_SEARCH,
        ranking: RAG_RETRIEVAL_CONFIG_RANKING, top_k,
    }
    RAG_RETRIEVAL_CONFIG_FILTER {
        metadata_filter, vector_distance_threshold: float, vector_similarity_threshold: float,
    }
    RAG_RETRIEVAL_CONFIG_HYBRID_SEARCH { alpha: float }
    RAG_RETRIEVAL_CONFIG_RANKING {
        llm_ranker: RAG_RETRIEVAL_CONFIG_RANKING_LLM_RANKER,
        rank_service: RAG_RETRIEVAL_CONFIG_RANKING_RANK_SERVICE,
    }
    RAG_RETRIEVAL_CONFIG_RANKING_LLM_RANKER { model_name }
    RAG_RETRIEVAL_CONFIG_RANKING_RANK_SERVICE { model_name }
    COMPUTER_USE {
        environment, excluded_predefined_functions, enable_prompt_injection_detection,
        disabled_safety_policies,
    }
    FILE_SEARCH { file_search_store_names, top_k, metadata_filter }
    GOOGLE_SEARCH {
        search_types: SEARCH_TYPES, blocking_confidence, exclude_domains, time_range_filter: INTERVAL,
    }
    SEARCH_TYPES { web_search: WEB_SEARCH, image_search: IMAGE_SEARCH }
    WEB_SEARCH {}
    IMAGE_SEARCH {}
    INTERVAL { end_time, start_time }
    GOOGLE_MAPS { auth_config: AUTH_CONFIG, enable_widget, grounding_types: GOOGLE_MAPS_GROUNDING_TYPES }
    GOOGLE_MAPS_GROUNDING_TYPES { places: GOOGLE_MAPS_PLACES, routing: GOOGLE_MAPS_ROUTING }
    GOOGLE_MAPS_PLACES {}
    GOOGLE_MAPS_ROUTING {}
    TOOL_CODE_EXECUTION {}
    ENTERPRISE_WEB_SEARCH { blocking_confidence, exclude_domains }
    FUNCTION_DECLARATION {
        description, name, parameters: SCHEMA, parameters_json_schema, response: SCHEMA, response_json_schema,
        behavior,
    }
    SCHEMA {
        additional_properties, defs: {SCHEMA}, ref, any_of: [SCHEMA], default, description, enum, example,
        format, items: SCHEMA, max_items, max_length, max_properties, maximum: float, min_items, min_length,
        min_properties, minimum: float, nullable, pattern, properties: {SCHEMA}, property_ordering, required,
        title, type,
    }
    GOOGLE_SEARCH_RETRIEVAL { dynamic_retrieval_config: DYNAMIC_RETRIEVAL_CONFIG }
    DYNAMIC_RETRIEVAL_CONFIG { dynamic_threshold: float, mode }
    TOOL_PARALLEL_AI_SEARCH { api_key, custom_configs, enable_data_retention, enable_zero_data_retention }
    URL_CONTEXT {}
    MCP_SERVER { name, streamable_http_transport: STREAMABLE_HTTP_TRANSPORT }
    STREAMABLE_HTTP_TRANSPORT { headers, sse_read_timeout, terminate_on_close, timeout, url }
    TOOL_EXA_AI_SEARCH { api_key, custom_configs }
    TOOL_CONFIG {
        retrieval_config: RETRIEVAL_CONFIG, function_calling_config: FUNCTION_CALLING_CONFIG,
        include_server_side_tool_invocations,
    }
    RETRIEVAL_CONFIG { lat_lng: LAT_LNG, language_code }
    LAT_LNG { latitude: float, longitude: float }
    FUNCTION_CALLING_CONFIG { allowed_function_names, mode, stream_function_call_arguments }
}
