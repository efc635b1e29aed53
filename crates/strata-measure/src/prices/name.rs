//! Which names mean a model at the price its maker lists.

use crate::tokens::bare_name;

/// What a price is found by when its name is spelled in full. Names of Claude are spelled with `.` and with `-`.
pub(super) fn key(model: &str) -> String {
    let name = model.trim().to_ascii_lowercase();
    if name.starts_with("claude") { name.replace('.', "-") } else { name }
}

/// A model at its listed price.
#[derive(Debug, PartialEq)]
pub(super) struct Listed {
    pub bare: String,
    /// Nobody but the maker of the model is named.
    pub is_makers_own: bool,
}

/// Steps of a path that leave the price as it is: makers, clouds that charge what makers do, and forms of an API.
const LISTED_STEPS: &[&str] = &[
    "anthropic",
    "apigee",
    "azure",
    "bedrock",
    "converse",
    "deepseek",
    "gemini",
    "google",
    "litellm_proxy",
    "models",
    "openai",
    "openrouter",
    "responses",
    "v1",
    "v1beta",
    "vertex_ai",
    "x-ai",
    "xai",
];

/// Bedrock's regions, each with a surcharge. `global.` has none.
const REGIONS: &[&str] = &["us.", "us-gov.", "eu.", "apac.", "au.", "jp.", "ca."];

/// `None` for a name that says, or may say, that another price applies.
pub(super) fn listed(model: &str) -> Option<Listed> {
    let model = model.trim().to_ascii_lowercase();
    let (path, name) = model.rsplit_once('/').unwrap_or(("", &model));
    let is_listed = path.is_empty()
        || path.split('/').all(|step| LISTED_STEPS.contains(&step))
        || path.starts_with("projects/") && path.ends_with("/publishers/google/models");
    let is_regional = REGIONS.iter().any(|region| name.starts_with(region));
    // `ft:` is a fine-tuned model, `:free` and the like are tariffs; only Bedrock's `-v1:0` is a version.
    let has_tag = name.split_once(':').is_some_and(|(before, tag)| {
        !(tag.bytes().all(|byte| byte.is_ascii_digit()) && without_revision(before) != before)
    });
    let bare = bare_name(name);
    let is_makers_own = bare.starts_with(path);
    (is_listed && !is_regional && !has_tag).then_some(Listed { bare, is_makers_own })
}

/// The bare name without the version at its end: a date, Bedrock's `-v1`, Google's `-001`.
pub(super) fn without_version(bare: &str) -> &str {
    let bare = without_revision(bare);
    for pattern in ["-20dd-dd-dd", "-20dddddd", "-0dd"] {
        let Some((name, version)) =
            bare.len().checked_sub(pattern.len()).and_then(|at| bare.split_at_checked(at))
        else {
            continue;
        };
        let fits = |(byte, sign): (u8, u8)| if sign == b'd' { byte.is_ascii_digit() } else { byte == sign };
        if version.bytes().zip(pattern.bytes()).all(fits) {
            return name;
        }
    }
    bare
}

fn without_revision(name: &str) -> &str {
    match name.rsplit_once("-v") {
        Some((rest, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            rest
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_dates_and_revisions_only() {
        for (name, without) in [
            ("gpt-4o-2024-08-06", "gpt-4o"),
            ("claude-opus-4-5-20251101-v1", "claude-opus-4-5"),
            ("claude-opus-4-6-v1", "claude-opus-4-6"),
            ("gemini-2.5-pro-002", "gemini-2.5-pro"),
            ("claude-fable-5-1", "claude-fable-5-1"),
            ("deepseek-v4-pro", "deepseek-v4-pro"),
            ("mistral-large-2411", "mistral-large-2411"),
            ("gpt-4-0613", "gpt-4-0613"),
            ("modèle-é", "modèle-é"),
            ("-v", "-v"),
            ("", ""),
        ] {
            assert_eq!(without_version(name), without, "{name}");
        }
    }
}
