//! The carried rules, and mistakes in a file of one's own.

use super::*;

#[test]
fn the_embedded_file_is_read_whole() {
    let rules = CacheRules::parse(EMBEDDED).unwrap();
    assert_eq!(CacheRules::embedded(), rules);
    for rule in rules.all() {
        assert!(!rule.source.is_empty() && rule.seen_on.len() == "2026-11-20".len(), "{}", rule.name);
        assert_eq!(rules.named(&rule.name), Some(rule));
    }
    assert!(rules.all().filter(|rule| !rule.is_known).count() == 1);
}

#[track_caller]
fn check(model: &str, name: &str, minimum_tokens: u32, lifetime_s: Option<f64>) {
    let rules = CacheRules::embedded();
    let rule = rules.of_model(model);
    assert_eq!((&*rule.name, rule.minimum_tokens(), rule.lifetime_s), (name, minimum_tokens, lifetime_s));
}

#[test]
fn models_have_the_rules_of_their_providers() {
    check("gpt-4o-2024-08-06", "OpenAI, automatic", 1024, Some(600.0));
    check("azure/gpt-5.2", "OpenAI, automatic", 1024, Some(600.0));
    check("gpt-5.5", "OpenAI, automatic, 24 hours", 1024, Some(86_400.0));
    check("openai/gpt-5.6-sol", "OpenAI, breakpoints", 1024, Some(1800.0));
    check("gpt-6.1-terra", "OpenAI, breakpoints", 1024, Some(1800.0));
    check("claude-opus-4-5-20251101", "Anthropic, from 4,096 tokens", 4096, Some(300.0));
    check("claude-haiku-4-5", "Anthropic, from 4,096 tokens", 4096, Some(300.0));
    check("openrouter/anthropic/claude-opus-4.7", "Anthropic, from 2,048 tokens", 2048, Some(300.0));
    check("claude-opus-5", "Anthropic, from 512 tokens", 512, Some(300.0));
    check("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "Anthropic", 1024, Some(300.0));
    check("claude-opus-4-1", "Anthropic", 1024, Some(300.0));
    check("models/gemini-2.5-flash", "Gemini 2.5, implicit", 2048, None);
    check("gemini-3.5-flash", "Gemini, implicit", 4096, None);
    check("deepseek/deepseek-v4-flash", "DeepSeek", 128, Some(7200.0));
    check("xai/grok-4.20", "xAI", 128, None);
    check("ollama/gpt-oss:20b", "llama.cpp", 1, None);
    check("hosted_vllm/qwen3-30b", "vLLM", 16, None);
    check("something-else", "assumed", 1024, None);
}

#[test]
fn steps_begin_at_the_minimum() {
    let rules = CacheRules::embedded();
    let usable = |model: &str, tokens| rules.of_model(model).usable_tokens(tokens);
    let openai = [0, 1023, 1024, 1151, 1152, 5467].map(|tokens| usable("gpt-4o", tokens));
    assert_eq!(openai, [0, 0, 1024, 1024, 1152, 5376]);
    assert_eq!([4095, 4096, 4097].map(|tokens| usable("gemini-3.5-flash", tokens)), [0, 4096, 4097]);
    assert_eq!([127, 128, 300].map(|tokens| usable("deepseek-v4-pro", tokens)), [0, 128, 256]);
    assert_eq!([15, 16, 47].map(|tokens| usable("vllm/m", tokens)), [0, 16, 32]);
}

#[track_caller]
fn wrong(json: &str, expected: &str) {
    assert_eq!(CacheRules::parse(json.as_bytes()).unwrap_err().to_string(), expected);
}

#[test]
fn mistakes_are_named_with_their_place() {
    let with = |machine: &str| {
        format!(
            r#"{{"rules": [], "fallback": {{"name": "f", "source": "s", "seen_on": "d", "machine": {machine}}}}}"#
        )
    };
    wrong("[]", "the file: must be an object");
    wrong(r#"{"rules": []}"#, "the file: `fallback` is missing");
    wrong(r#"{"rules": [{"models": 1}]}"#, "rules[0]: `models` must be a list of texts");
    wrong(
        &with(r#"{"kind": "magic"}"#),
        "fallback (f), machine: `kind` must be auto_prefix, breakpoints, units or lcp_slot",
    );
    wrong(&with(r#"{"kind": "units"}"#), "fallback (f), machine: `unit_tokens` is missing");
    wrong(
        &with(r#"{"kind": "units", "unit": 1}"#),
        "fallback (f), machine: `unit` is not known; known are kind, unit_tokens",
    );
    assert!(CacheRules::parse(with(r#"{"kind": "lcp_slot", "slots": 2}"#).as_bytes()).is_ok());
    assert!(CacheRules::parse(b"{").unwrap_err().to_string().starts_with("not JSON: "));
}
