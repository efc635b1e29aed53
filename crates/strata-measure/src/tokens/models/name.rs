//! One name for a model, however clouds, routers and servers spell it.

/// Owners and regions that Bedrock and others put before a name, with a dot.
const DOTTED_PREFIXES: &[&str] = &[
    "us.",
    "us-gov.",
    "eu.",
    "apac.",
    "au.",
    "jp.",
    "ca.",
    "global.",
    "ai21.",
    "amazon.",
    "anthropic.",
    "cohere.",
    "deepseek.",
    "google.",
    "meta.",
    "minimax.",
    "mistral.",
    "moonshot.",
    "moonshotai.",
    "openai.",
    "qwen.",
    "xai.",
    "zai.",
];

/// The name of a model without the path of a cloud or router, a fine-tune's or a version's tag, or an owner:
/// `openrouter/openai/gpt-4o:free` and `gpt-4o` are the same here. In lower case, and in names of Claude with `-` for
/// `.`, which are spelled both ways.
pub fn bare_name(model: &str) -> String {
    let name = model.trim().to_ascii_lowercase();
    let name = name.rsplit('/').next().unwrap_or_default();
    let name = name.strip_prefix("ft:").unwrap_or(name);
    let mut name = name.split([':', '@']).next().unwrap_or_default();
    while let Some(rest) = DOTTED_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)) {
        name = rest;
    }
    let name = name.strip_prefix("meta-").unwrap_or(name);
    if name.starts_with("claude") { name.replace('.', "-") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, bare) in [
            ("gpt-4o", "gpt-4o"),
            ("openai/gpt-4o-2024-08-06", "gpt-4o-2024-08-06"),
            ("azure/gpt-4.1", "gpt-4.1"),
            ("models/gemini-2.5-pro", "gemini-2.5-pro"),
            ("projects/p/locations/l/publishers/google/models/gemini-2.5-flash", "gemini-2.5-flash"),
            ("apigee/vertex_ai/v1/gemini-2.5-flash", "gemini-2.5-flash"),
            ("openrouter/google/gemini-2.5-pro:online", "gemini-2.5-pro"),
            ("vertex_ai/claude-opus-4-1@20250805", "claude-opus-4-1"),
            ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929-v1"),
            (
                "arn:aws:bedrock:us-east-1:1:inference-profile/global.anthropic.claude-haiku-4-5-20251001-v1:0",
                "claude-haiku-4-5-20251001-v1",
            ),
            ("anthropic/claude-opus-4.7", "claude-opus-4-7"),
            ("ft:gpt-4o:my-org::abc", "gpt-4o"),
            ("ollama/llama3.1:8b-instruct-q4_K_M", "llama3.1"),
            ("hf.co/unsloth/Qwen3-30B-A3B-GGUF:Q4_K_M", "qwen3-30b-a3b-gguf"),
            ("Meta-Llama-3-8B", "llama-3-8b"),
            ("accounts/fireworks/models/llama-v3p1-70b-instruct", "llama-v3p1-70b-instruct"),
            ("", ""),
        ] {
            assert_eq!(bare_name(name), bare, "{name}");
        }
    }
}
