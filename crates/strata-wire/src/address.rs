//! What the address of a request says.

/// The model that is named in the address rather than in the body.
pub fn model_of_url(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next()?;
    let after = |mark: &str| path.split_once(mark).map(|(_, rest)| rest);
    let name = match (after("/models/"), after("/model/"), after("/deployments/")) {
        (Some(rest), _, _) => rest.split(['/', ':']).next()?,
        (_, Some(rest), _) | (_, _, Some(rest)) => rest.split('/').next()?,
        _ => return None,
    };
    let name = name.replace("%3A", ":").replace("%3a", ":").replace("%2F", "/").replace("%2f", "/");
    (!name.is_empty()).then_some(name)
}

/// Whether an address is one of a provider's that no model answers at: what counts tokens, embeds, keeps files.
pub fn is_other_call(url: &str) -> bool {
    const PLACES: [&str; 14] = [
        "/count_tokens",
        "/count-tokens",
        ":countTokens",
        "/input_tokens",
        "/embeddings",
        ":embedContent",
        ":batchEmbedContents",
        "/moderations",
        "/images/",
        "/audio/",
        "/rerank",
        "/cachedContents",
        "/files",
        ":batchGenerateContent",
    ];
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    PLACES.iter().any(|place| path.contains(place))
}
