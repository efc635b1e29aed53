//! What ADK concludes from a model's name.

/// The name without the path or provider prefix that ADK recognises.
pub fn bare_model_name(name: &str) -> &str {
    if let Some(path) = name.strip_prefix("projects/") {
        let segments: Vec<&str> = path.split('/').collect();
        return match segments[..] {
            [_, "locations", _, "publishers", _, "models", ..] => {
                let skipped: usize = segments[..6].iter().map(|segment| segment.len() + 1).sum();
                &path[skipped..]
            }
            _ => name,
        };
    }
    if let Some(path) = name.strip_prefix("apigee/") {
        return path.splitn(3, '/').last().unwrap_or(path);
    }
    if let Some(rest) = name.strip_prefix("models/") {
        return rest;
    }
    match name.rsplit_once('/') {
        Some((_, last)) if last.starts_with("gemini-") => last,
        _ => name,
    }
}

/// Whether it is one of the Gemini family.
pub fn is_gemini(name: &str) -> bool {
    bare_model_name(name).starts_with("gemini-")
}

/// Gemini 3 and later take built-in tools beside function declarations.
pub(crate) fn combines_built_in_tools_with_functions(name: &str) -> bool {
    let Some(version) = bare_model_name(name).strip_prefix("gemini-") else { return false };
    let version = version.split('-').next().unwrap_or_default();
    let is_version = !version.is_empty() && version.split('.').all(|part| part.parse::<u32>().is_ok());
    is_version
        && version.split('.').next().and_then(|major| major.parse().ok()).is_some_and(|major: u32| major >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, bare) in [
            ("gemini-2.5-pro", "gemini-2.5-pro"),
            ("models/gemini-2.5-pro", "gemini-2.5-pro"),
            ("projects/p/locations/l/publishers/google/models/gemini-2.5-flash", "gemini-2.5-flash"),
            ("projects/p/gemini-x", "projects/p/gemini-x"),
            ("openrouter/google/gemini-2.5-pro:online", "gemini-2.5-pro:online"),
            ("openai/gpt-5", "openai/gpt-5"),
            ("apigee/vertex_ai/v1/gemini-2.5-flash", "gemini-2.5-flash"),
            ("apigee/gemini-2.5-flash", "gemini-2.5-flash"),
        ] {
            assert_eq!(bare_model_name(name), bare);
        }
    }

    #[test]
    fn gemini_3_combines_tools() {
        assert!(combines_built_in_tools_with_functions("gemini-3-pro-preview"));
        assert!(combines_built_in_tools_with_functions("models/gemini-3.5-flash"));
        assert!(!combines_built_in_tools_with_functions("gemini-2.5-pro"));
        assert!(!combines_built_in_tools_with_functions("gemini-pro"));
        assert!(!combines_built_in_tools_with_functions("gpt-5"));
    }
}
