//! How clients are pointed at the gateway: for each the environment and arguments that do it, and nothing on disk.

mod entry;
mod requests;
mod telemetry;

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
            let both = requests(base).into_iter().zip(telemetry(base)).map(|(mut recipe, telemetry)| {
                recipe.environment.extend(telemetry.environment);
                recipe.arguments.extend(telemetry.arguments);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn telemetry_has_a_recipe_for_each_client() {
        let clients = |catch| recipes("http://127.0.0.1:9/t/x", catch).into_iter().map(|it| it.client);
        assert!(clients(Catch::Requests).eq(clients(Catch::Telemetry)));
    }

    #[test]
    fn a_client_gets_its_own_recipe_and_a_stranger_the_common_one() {
        let of = |program| recipe_for("http://127.0.0.1:9/t/x", Catch::Requests, program);
        assert_eq!(of("/usr/local/bin/claude").client, "Claude Code");
        assert_eq!(of("codex").arguments[1], "openai_base_url=\"http://127.0.0.1:9/t/x/v1\"");
        assert_eq!(of("aider").client, "Any other client");
        let both = recipe_for("http://127.0.0.1:9/t/x", Catch::Both, "claude");
        assert_eq!(both.environment[0], ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/t/x".into()));
        assert!(both.environment.contains(&("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9/t/x".into())));
        assert_eq!(of("python3").environment[2], ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/t/x".into()));
    }
}
