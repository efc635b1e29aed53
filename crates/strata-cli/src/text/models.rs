//! Models that can be asked.

use strata_app::report::ModelsReport;
use strata_app::{counted, whole};

use super::Style;
use super::fields::Fields;

pub(crate) fn models(report: &ModelsReport, limit: usize, style: Style) -> String {
    let mut text = String::new();
    for endpoint in &report.endpoints {
        let mut fields = Fields::under(&endpoint.name, style);
        fields.add("address", &endpoint.address);
        fields.add("key", endpoint.key_from.as_deref().unwrap_or("none"));
        fields.add("asks", endpoint.model.as_deref().unwrap_or_default());
        fields.add("runs", endpoint.software.as_deref().unwrap_or_default());
        if let Some(tokens) = endpoint.context_tokens {
            fields.add("context", &format!("{} tokens", whole(tokens)));
        }
        let slots =
            endpoint.slots.map_or_else(String::new, |slots| format!(", {}", counted(slots as usize, "slot")));
        fields.add("cache", &format!("{}{slots}", endpoint.cache_rule));
        let n_shown = if limit == 0 { endpoint.models.len() } else { limit };
        let mut names = endpoint.models.iter().take(n_shown).cloned().collect::<Vec<_>>().join(", ");
        if endpoint.models.len() > n_shown {
            names += &format!(", and {} more", endpoint.models.len() - n_shown);
        }
        fields.add("models", &names);
        fields.add("problem", endpoint.problem.as_deref().unwrap_or_default());
        text += &fields.print();
        text.push('\n');
    }
    if report.endpoints.is_empty() {
        text += "No model can be asked. Set STRATA_LIVE_BASE_URL and STRATA_LIVE_MODEL, the key of a provider \
                 (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY), or start a server on this \
                 computer (Ollama, LM Studio, llama.cpp, vLLM, SGLang). `strata models add` sets any other up.\n\n";
    }
    text + &style.quiet(&format!("{}\n", report.keys))
}
