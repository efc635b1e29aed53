//! How clients are told to send telemetry, with what was sent and answered in it.

use super::entry::Recipe;

pub(super) fn telemetry(base: &str) -> Vec<Recipe> {
    let endpoint = || ("OTEL_EXPORTER_OTLP_ENDPOINT", base.to_owned());
    let on = |name| (name, "true".to_owned());
    let one = |name| (name, "1".to_owned());
    let codex = format!("otel.exporter={{otlp-http={{endpoint=\"{base}/v1/logs\",protocol=\"json\"}}}}");
    vec![
        Recipe::new(
            &["claude"],
            "Claude Code",
            vec![
                one("CLAUDE_CODE_ENABLE_TELEMETRY"),
                one("CLAUDE_CODE_ENHANCED_TELEMETRY_BETA"),
                ("OTEL_LOGS_EXPORTER", "otlp".into()),
                ("OTEL_TRACES_EXPORTER", "otlp".into()),
                ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json".into()),
                endpoint(),
                one("OTEL_LOG_RAW_API_BODIES"),
                one("OTEL_LOG_USER_PROMPTS"),
                one("OTEL_LOG_TOOL_CONTENT"),
                ("OTEL_LOGS_EXPORT_INTERVAL", "500".into()),
                ("OTEL_TRACES_EXPORT_INTERVAL", "500".into()),
            ],
            vec![],
            "Whole requests and answers, with a key or a subscription: nothing stands in their way.",
        ),
        Recipe::new(
            &["codex"],
            "Codex",
            vec![],
            vec!["-c".into(), codex, "-c".into(), "otel.log_user_prompt=true".into()],
            "What calls used, and no requests: Codex does not tell them.",
        ),
        Recipe::new(
            &["gemini"],
            "Gemini CLI",
            vec![
                on("GEMINI_TELEMETRY_ENABLED"),
                on("GEMINI_TELEMETRY_TRACES_ENABLED"),
                on("GEMINI_TELEMETRY_LOG_PROMPTS"),
                on("GEMINI_TELEMETRY_USE_COLLECTOR"),
                ("GEMINI_TELEMETRY_TARGET", "local".into()),
                ("GEMINI_TELEMETRY_OTLP_PROTOCOL", "http".into()),
                ("GEMINI_TELEMETRY_OTLP_ENDPOINT", base.into()),
            ],
            vec![],
            "Instructions, tools and messages of every call.",
        ),
        Recipe::new(
            &["copilot"],
            "Copilot CLI",
            vec![
                on("COPILOT_OTEL_ENABLED"),
                on("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"),
                endpoint(),
            ],
            vec![],
            "Instructions, tools and messages of every call, with a subscription, too.",
        ),
        Recipe::new(
            &["qwen"],
            "Qwen Code",
            vec![
                on("QWEN_TELEMETRY_ENABLED"),
                on("QWEN_TELEMETRY_LOG_PROMPTS"),
                ("QWEN_TELEMETRY_TARGET", "local".into()),
                ("QWEN_TELEMETRY_OTLP_PROTOCOL", "http".into()),
                ("QWEN_TELEMETRY_OTLP_ENDPOINT", base.into()),
            ],
            vec![],
            "Counts and prompts, and no requests.",
        ),
        Recipe::new(
            &[],
            "Any other client",
            vec![
                endpoint(),
                ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf".into()),
                ("OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental".into()),
                ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_AND_EVENT".into()),
            ],
            vec![],
            "SDKs of OpenTelemetry read these, where the program sets one up.",
        ),
    ]
}
