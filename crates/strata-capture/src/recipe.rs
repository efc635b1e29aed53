//! How clients are pointed at the gateway: for each the environment and arguments that do it, and nothing on disk.

mod entry;
mod requests;
mod telemetry;

use std::path::Path;

pub use entry::Recipe;
use requests::requests;
use telemetry::telemetry;

/// What of a client comes to the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Catch {
    /// What it sends to its model.
    #[default]
    Requests,
    /// What it tells of itself by OTLP, while its requests go where they always go.
    Telemetry,
    Both,
}

/// Recipes of clients, the last for everything else. `base` is the gateway's.
pub fn recipes(base: &str, catch: Catch) -> Vec<Recipe> {
    match catch {
        Catch::Requests => requests(base),
        Catch::Telemetry => telemetry(base),
        Catch::Both => {
            let telemetry = telemetry(base);
            let both = requests(base).into_iter().map(|mut recipe| {
                if let Some(own) = telemetry.iter().find(|own| own.client == recipe.client) {
                    recipe.environment.extend(own.environment.clone());
                    recipe.arguments.extend(own.arguments.clone());
                }
                recipe
            });
            both.collect()
        }
    }
}

/// The one for a program, by its name without folders.
pub fn recipe_for(base: &str, catch: Catch, program: &str) -> Recipe {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let mut recipes = recipes(base, catch);
    let at = recipes.iter().position(|recipe| recipe.programs.contains(&name)).unwrap_or(recipes.len() - 1);
    recipes.swap_remove(at)
}

/// The one for a program that no address reaches: by a forward proxy, whose certificates it takes from `bundle`.
pub fn proxied(proxy: &str, bundle: &Path, program: &str) -> Recipe {
    let bundle = bundle.display().to_string();
    let own = recipe_for("", Catch::Requests, program);
    let mut environment = vec![("HTTPS_PROXY", proxy.to_owned()), ("https_proxy", proxy.to_owned())];
    // Node reads the proxy only when it is told to.
    environment.push(("NODE_USE_ENV_PROXY", "1".into()));
    let readers = [
        "NODE_EXTRA_CA_CERTS",
        "SSL_CERT_FILE",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "CODEX_CA_CERTIFICATE",
    ];
    environment.extend(readers.map(|name| (name, bundle.clone())));
    Recipe {
        environment,
        arguments: Vec::new(),
        settings: None,
        note: "By a forward proxy, with certificates of this computer's own authority. Hosts of no provider are passed through unread.",
        ..own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_that_tell_of_themselves_are_pointed_here_by_requests_too() {
        let clients = |catch| recipes("http://127.0.0.1:9/t/x", catch).into_iter().map(|it| it.client);
        assert!(clients(Catch::Telemetry).all(|client| clients(Catch::Requests).any(|it| it == client)));
    }

    #[test]
    fn a_line_is_one_for_a_shell() {
        let line = recipe_for("http://127.0.0.1:9/t/x", Catch::Requests, "opencode").command();
        let start = r#"OPENCODE_CONFIG_CONTENT='{"provider":{"anthropic":{"options":{"baseURL":"http://127.0.0.1:9/t/x/v1"}},"#;
        assert!(line.starts_with(start), "{line}");
        assert!(line.ends_with("}' opencode"), "{line}");
    }

    #[test]
    fn a_client_gets_its_own_recipe_and_a_stranger_the_common_one() {
        let of = |program| recipe_for("http://127.0.0.1:9/t/x", Catch::Requests, program);
        assert_eq!(of("/usr/local/bin/claude").client, "Claude Code");
        assert_eq!(of("codex").arguments[1], "openai_base_url=\"http://127.0.0.1:9/t/x/v1\"");
        assert_eq!(of("mine").client, "Any other client");
        let both = recipe_for("http://127.0.0.1:9/t/x", Catch::Both, "claude");
        assert_eq!(both.environment[0], ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/t/x".into()));
        assert!(both.environment.contains(&("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9/t/x".into())));
        assert_eq!(of("python3").environment[2], ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/t/x".into()));
    }
}
