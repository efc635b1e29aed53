//! Which providers a gateway sends to.

use strata_capture::{Upstream, Upstreams};

use crate::error::AppError;

/// Variables by which clients are pointed elsewhere, what they are for, and what stands at the end of their addresses.
const VARIABLES: [(&str, &str, &str); 4] = [
    ("OPENAI_API_BASE", "openai", "/v1"),
    ("OPENAI_BASE_URL", "openai", "/v1"),
    ("ANTHROPIC_BASE_URL", "anthropic", ""),
    ("GOOGLE_GEMINI_BASE_URL", "google", ""),
];

/// The known providers, at the addresses that the environment already points clients to, and those that were named as
/// `NAME=URL`, which come before all others.
pub(crate) fn upstreams(
    named: &[String],
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Upstreams, AppError> {
    let mut upstreams = Upstreams::default();
    for (name, upstream, end) in VARIABLES {
        let Some(url) = variable(name).filter(|url| !url.trim().is_empty()) else { continue };
        let url = url.trim_end_matches('/');
        let other = || {
            let message = format!(
                "{name} is {url}, which does not end in {end}: where its requests go on to cannot be told from it. Name it with \
                 `--upstream {upstream}=URL`, or unset it."
            );
            AppError::bad_input(message)
        };
        let is_named = named.iter().any(|it| it.split_once('=').is_some_and(|(name, _)| name == upstream));
        if !is_named {
            let url = url.strip_suffix(end).ok_or_else(other)?;
            upstreams
                .set(Upstream::new(upstream, url).map_err(|error| AppError::bad_input(error.to_string()))?);
        }
    }
    for text in named {
        upstreams.set(Upstream::parse(text).map_err(|error| AppError::bad_input(error.to_string()))?);
    }
    Ok(upstreams)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(named: &[&str], variables: &[(&str, &str)], name: &str) -> String {
        let named: Vec<String> = named.iter().map(|it| (*it).to_owned()).collect();
        let variable =
            |name: &str| variables.iter().find(|(it, _)| *it == name).map(|(_, url)| (*url).to_owned());
        match upstreams(&named, variable) {
            Ok(upstreams) => {
                upstreams.iter().find(|it| it.name == name).map(Upstream::address).unwrap_or_default()
            }
            Err(error) => error.message,
        }
    }

    #[test]
    fn what_the_environment_points_to_is_kept_and_what_is_named_comes_first() {
        assert_eq!(address(&[], &[], "anthropic"), "https://api.anthropic.com");
        let own = [("ANTHROPIC_BASE_URL", "http://gate.example:8080/claude/")];
        assert_eq!(address(&[], &own, "anthropic"), "http://gate.example:8080/claude");
        assert_eq!(address(&["anthropic=http://127.0.0.1:1"], &own, "anthropic"), "http://127.0.0.1:1");
        assert_eq!(
            address(&[], &[("OPENAI_BASE_URL", "http://127.0.0.1:2/v1/")], "openai"),
            "http://127.0.0.1:2"
        );
        let odd = [("OPENAI_BASE_URL", "http://127.0.0.1:2/deployments/x")];
        assert!(address(&[], &odd, "openai").contains("--upstream openai=URL"));
        assert_eq!(address(&["openai=http://127.0.0.1:3"], &odd, "openai"), "http://127.0.0.1:3");
        assert_eq!(address(&["local=http://127.0.0.1:4"], &[], "local"), "http://127.0.0.1:4");
        assert!(address(&["local"], &[], "local").contains("NAME=URL"));
    }
}
