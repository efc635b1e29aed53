//! What model servers tell of themselves: their models, how long a prompt they take, how they cache.

use strata_model::Json;

use crate::api::Api;

/// A model as a server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    pub name: String,
    /// Tokens of prompt and answer together, where the list says so.
    pub context_tokens: Option<u32>,
}

/// What a server that people run themselves tells of itself. What it does not tell is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerFacts {
    /// `llama.cpp`, `vLLM`, `SGLang`, `Ollama`, `LM Studio`: the name of its cache rule, where that has one.
    pub software: &'static str,
    /// Tokens of prompt and answer together.
    pub context_tokens: Option<u32>,
    /// Prompts that it holds side by side.
    pub slots: Option<u32>,
    /// Tokens of a block of its cache.
    pub block_tokens: Option<u32>,
    /// Whether it looks for prompts that it had before.
    pub finds_prefixes: Option<bool>,
    /// The template that makes one text of messages, in Jinja.
    pub chat_template: Option<String>,
    /// The file its model is read from, or the model's own name, where the name it is asked by is another.
    pub model: Option<String>,
}

/// The models in a list of models.
pub fn decode_models(api: Api, answer: &Json) -> Vec<ListedModel> {
    let (list, key) = match api {
        Api::Gemini => ("models", "name"),
        Api::ChatCompletions | Api::Responses | Api::Anthropic => ("data", "id"),
    };
    // Ollama's own list has another name for both.
    let entries =
        answer.get(list).or_else(|| answer.get("models")).and_then(Json::as_array).unwrap_or_default();
    let models = entries.iter().filter_map(|entry| {
        let name = entry.get(key).or_else(|| entry.get("name"))?.as_str()?;
        Some(ListedModel {
            name: name.trim_start_matches("models/").to_owned(),
            context_tokens: context_of(entry),
        })
    });
    models.collect()
}

/// vLLM and SGLang, OpenRouter, Gemini, Anthropic. What a model was trained with (`n_ctx_train` of llama.cpp) is not
/// what a server was started with.
fn context_of(entry: &Json) -> Option<u32> {
    const NAMES: [&str; 4] = ["max_model_len", "context_length", "inputTokenLimit", "max_input_tokens"];
    NAMES.iter().find_map(|name| tokens(entry.get(name)?))
}

fn tokens(json: &Json) -> Option<u32> {
    json.as_i64().and_then(|tokens| u32::try_from(tokens).ok()).filter(|tokens| *tokens > 0)
}

fn text(json: Option<&Json>) -> Option<String> {
    json.and_then(Json::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

impl ServerFacts {
    /// llama.cpp's `GET /props`. Slots that share one memory (`--kv-unified`) each have all of it.
    pub fn of_llama_cpp(props: &Json) -> Option<Self> {
        let settings = props.get("default_generation_settings")?;
        Some(Self {
            software: "llama.cpp",
            context_tokens: settings.get("n_ctx").and_then(tokens),
            slots: props.get("total_slots").and_then(tokens),
            finds_prefixes: Some(true),
            chat_template: text(props.get("chat_template")),
            model: text(props.get("model_path")),
            ..Self::default()
        })
    }

    /// vLLM's `GET /metrics`, in the text form of Prometheus.
    pub fn of_vllm(metrics: &str) -> Option<Self> {
        let line = metrics.lines().find(|line| line.starts_with("vllm:cache_config_info{"))?;
        let label = |name: &str| {
            let (_, rest) = line.split_once(&format!("{name}=\""))?;
            Some(rest.split_once('"')?.0)
        };
        Some(Self {
            software: "vLLM",
            block_tokens: label("block_size").and_then(|size| size.parse().ok()),
            finds_prefixes: label("enable_prefix_caching").map(|is| is.eq_ignore_ascii_case("true")),
            ..Self::default()
        })
    }

    /// SGLang's `GET /get_server_info`.
    pub fn of_sglang(info: &Json) -> Option<Self> {
        let is_off = info.get("disable_radix_cache")?.as_bool()?;
        Some(Self {
            software: "SGLang",
            context_tokens: info.get("context_length").and_then(tokens),
            block_tokens: info.get("page_size").and_then(tokens),
            finds_prefixes: Some(!is_off),
            model: text(info.get("model_path")),
            ..Self::default()
        })
    }

    /// Ollama's `GET /api/ps`: a model that is not in memory is not in it.
    pub fn of_ollama(running: &Json, model: &str) -> Option<Self> {
        let models = running.get("models")?.as_array()?;
        let of = |entry: &&Json, key: &str| entry.get(key).and_then(Json::as_str) == Some(model);
        let found = models.iter().find(|entry| of(entry, "name") || of(entry, "model"));
        Some(Self {
            software: "Ollama",
            context_tokens: found.and_then(|entry| tokens(entry.get("context_length")?)),
            finds_prefixes: Some(true),
            ..Self::default()
        })
    }

    /// LM Studio's `GET /api/v0/models`. A model is loaded with another context than the longest it has.
    pub fn of_lm_studio(list: &Json, model: &str) -> Option<Self> {
        let entries = list.get("data")?.as_array()?;
        entries.iter().find(|entry| entry.get("max_context_length").is_some())?;
        let found = entries.iter().find(|entry| entry.get("id").and_then(Json::as_str) == Some(model));
        Some(Self {
            software: "LM Studio",
            context_tokens: found.and_then(|entry| tokens(entry.get("loaded_context_length")?)),
            finds_prefixes: Some(true),
            ..Self::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use strata_model::json;

    use super::*;

    fn read(text: &str) -> Json {
        json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn lists_say_how_long_a_prompt_may_be() {
        let of = |api, text: &str| {
            let listed = decode_models(api, &read(text)).remove(0);
            (listed.name, listed.context_tokens)
        };
        let chat = Api::ChatCompletions;
        assert_eq!(of(chat, r#"{"data": [{"id": "m", "max_model_len": 8192}]}"#), ("m".into(), Some(8192)));
        assert_eq!(
            of(chat, r#"{"data": [{"id": "a/m", "context_length": 131072}]}"#),
            ("a/m".into(), Some(131_072))
        );
        let trained = r#"{"data": [{"id": "tiny", "meta": {"n_ctx_train": 131072}}]}"#;
        assert_eq!(of(chat, trained), ("tiny".into(), None));
        let gemini = r#"{"models": [{"name": "models/gemini-2.5-pro", "inputTokenLimit": 1048576}]}"#;
        assert_eq!(of(Api::Gemini, gemini), ("gemini-2.5-pro".into(), Some(1_048_576)));
    }

    #[test]
    fn servers_tell_of_themselves() {
        let llama = ServerFacts::of_llama_cpp(&read(
            r#"{"default_generation_settings": {"n_ctx": 4096}, "total_slots": 2, "chat_template": "{{ x }}",
                "model_path": "/models/qwen3-8b.gguf"}"#,
        ));
        let llama = llama.unwrap();
        assert_eq!((llama.context_tokens, llama.slots), (Some(4096), Some(2)));
        assert_eq!(llama.model.as_deref(), Some("/models/qwen3-8b.gguf"));
        let vllm = "# HELP vllm:cache_config_info x\nvllm:cache_config_info{block_size=\"32\",enable_prefix_caching=\"False\"} 1.0\n";
        let vllm = ServerFacts::of_vllm(vllm).unwrap();
        assert_eq!((vllm.block_tokens, vllm.finds_prefixes), (Some(32), Some(false)));
        let sglang = ServerFacts::of_sglang(&read(r#"{"disable_radix_cache": false, "page_size": 1}"#));
        assert_eq!(sglang.unwrap().block_tokens, Some(1));
        let ollama = read(r#"{"models": [{"name": "llama3.2:3b", "context_length": 4096}]}"#);
        assert_eq!(ServerFacts::of_ollama(&ollama, "llama3.2:3b").unwrap().context_tokens, Some(4096));
        assert_eq!(ServerFacts::of_ollama(&ollama, "qwen3:8b").unwrap().context_tokens, None);
        let studio = read(
            r#"{"data": [{"id": "m", "max_context_length": 131072, "loaded_context_length": 4096},
                {"id": "n", "max_context_length": 131072}]}"#,
        );
        assert_eq!(ServerFacts::of_lm_studio(&studio, "m").unwrap().context_tokens, Some(4096));
        assert_eq!(ServerFacts::of_lm_studio(&studio, "n").unwrap().context_tokens, None);
        let other = read(r#"{"hello": "world"}"#);
        assert_eq!(ServerFacts::of_llama_cpp(&other), None);
        assert_eq!(ServerFacts::of_sglang(&other), None);
        assert_eq!(ServerFacts::of_ollama(&other, "m"), None);
        assert_eq!(ServerFacts::of_lm_studio(&other, "m"), None);
    }
}
