//! Files of a configuration.

use strata_model::{Json, json};

/// Reads another file of the same configuration by the path it is referred to with.
pub type ReadFile<'f> = &'f dyn Fn(&str) -> Option<Vec<u8>>;

/// A JSON document if it is one, else YAML.
pub(super) fn read_document(bytes: &[u8]) -> Result<Json, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("the file is not UTF-8 text: {error}"))?;
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err("the file is empty".to_owned());
    }
    if text.trim_start().starts_with(['{', '[']) {
        return json::parse(text.as_bytes()).map_err(|error| format!("the file is not valid JSON: {error}"));
    }
    // Python reads `y` and `n` as texts, and takes `yes` for true wherever truth is asked for.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| format!("the file is not valid YAML: {error}"))
}
