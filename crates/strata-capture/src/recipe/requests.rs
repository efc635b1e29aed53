//! How clients are told to send their requests here.

use serde_json::json;

use super::entry::Recipe;

pub(super) fn requests(base: &str) -> Vec<Recipe> {
    let v1 = format!("{base}/v1");
    vec![
        Recipe::new(
            &["claude"],
            "Claude Code",
            vec![
                ("ANTHROPIC_BASE_URL", base.into()),
                // Without it Claude Code sends another prompt than it does to its vendor.
                ("_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL", "1".into()),
            ],
            vec![],
            "Sends what it sends to its vendor. Where the second variable is not set, tools and headers are others.",
        ),
        Recipe::new(
            &["codex"],
            "Codex",
            vec![("OPENAI_BASE_URL", v1.clone())],
            vec!["-c".into(), format!("openai_base_url=\"{v1}\"")],
            "With an API key. It speaks over a WebSocket, and over HTTP while requests are held.",
        ),
        Recipe::new(
            &["gemini"],
            "Gemini CLI",
            vec![("GOOGLE_GEMINI_BASE_URL", base.into()), ("CODE_ASSIST_ENDPOINT", base.into())],
            vec![],
            "With an API key or a Google login.",
        ),
        Recipe::new(
            &["copilot"],
            "Copilot CLI",
            vec![("COPILOT_PROVIDER_BASE_URL", v1.clone())],
            vec![],
            "With a provider of your own alone: set COPILOT_MODEL. What a subscription sends cannot be seen.",
        ),
        Recipe::new(
            &["qwen"],
            "Qwen Code",
            vec![("OPENAI_BASE_URL", v1.clone())],
            vec![],
            "With --auth-type openai, OPENAI_API_KEY and OPENAI_MODEL.",
        ),
        Recipe::new(
            &["opencode"],
            "opencode",
            vec![("OPENCODE_CONFIG_CONTENT", opencode(base))],
            vec![],
            "Anthropic's, OpenAI's and Google's models. A provider of your own takes the address in its options.",
        ),
        Recipe::new(
            &["aider"],
            "aider",
            vec![("OPENAI_API_BASE", v1.clone()), ("ANTHROPIC_BASE_URL", base.into())],
            vec![],
            "With a model of OpenAI's, Anthropic's or openai/NAME.",
        ),
        Recipe::by_settings(
            &["cline"],
            "Cline",
            format!("cline auth -p openai-native -k KEY -m MODEL -b {v1}"),
            "It keeps this in its settings: say the provider's own address again afterwards.",
        ),
        Recipe::by_settings(
            &["pi"],
            "pi",
            format!("\"baseUrl\": \"{v1}\""),
            "For a provider in ~/.pi/agent/models.json, which it keeps: put its own address back afterwards.",
        ),
        Recipe::new(
            &[],
            "Any other client",
            vec![
                ("OPENAI_BASE_URL", v1.clone()),
                ("OPENAI_API_BASE", v1),
                ("ANTHROPIC_BASE_URL", base.into()),
                ("GOOGLE_GEMINI_BASE_URL", base.into()),
            ],
            vec![],
            "The SDKs of OpenAI, Anthropic and Google read these. Clients with a file of settings of their own take one of \
             these addresses there.",
        ),
    ]
}

/// Settings that opencode lays over those of its files.
fn opencode(base: &str) -> String {
    let at = |path: &str| json!({ "options": { "baseURL": format!("{base}{path}") } });
    json!({ "provider": { "anthropic": at("/v1"), "openai": at("/v1"), "google": at("/v1beta") } })
        .to_string()
}
