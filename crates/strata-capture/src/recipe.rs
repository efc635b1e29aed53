//! How clients are pointed at the gateway: for each the environment and arguments that do it, and nothing on disk.

mod telemetry;

use telemetry::telemetry;

/// What one client needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// The programs it is for, as they are called on the command line; empty for all others.
    pub programs: &'static [&'static str],
    /// The client's name.
    pub client: &'static str,
    pub environment: Vec<(&'static str, String)>,
    /// To stand before all other arguments.
    pub arguments: Vec<String>,
    /// What to know about it.
    pub note: &'static str,
}

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

fn requests(base: &str) -> Vec<Recipe> {
    let v1 = format!("{base}/v1");
    let recipe = |programs, client, environment, arguments, note| Recipe {
        programs,
        client,
        environment,
        arguments,
        note,
    };
    vec![
        recipe(
            &["claude"],
            "Claude Code",
            vec![
                ("ANTHROPIC_BASE_URL", base.into()),
                // Without it Claude Code sends another prompt than it does to its vendor.
                ("_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL", "1".into()),
            ],
            vec![],
            "Sends what it sends to its vendor. Where the second variable is not set, tools and headers are others.",
        ),
        recipe(
            &["codex"],
            "Codex",
            vec![("OPENAI_BASE_URL", v1.clone())],
            vec!["-c".into(), format!("openai_base_url=\"{v1}\"")],
            "With an API key. It asks for a WebSocket first, and goes on over HTTP at once.",
        ),
        recipe(
            &["gemini"],
            "Gemini CLI",
            vec![("GOOGLE_GEMINI_BASE_URL", base.into()), ("CODE_ASSIST_ENDPOINT", base.into())],
            vec![],
            "With an API key or a Google login.",
        ),
        recipe(
            &["copilot"],
            "Copilot CLI",
            vec![("COPILOT_PROVIDER_BASE_URL", v1.clone())],
            vec![],
            "With a provider of your own alone: set COPILOT_MODEL. What a subscription sends cannot be seen.",
        ),
        recipe(
            &["qwen"],
            "Qwen Code",
            vec![("OPENAI_BASE_URL", v1.clone())],
            vec![],
            "With --auth-type openai, OPENAI_API_KEY and OPENAI_MODEL.",
        ),
        recipe(
            &[],
            "Any other client",
            vec![
                ("OPENAI_BASE_URL", v1.clone()),
                ("OPENAI_API_BASE", v1),
                ("ANTHROPIC_BASE_URL", base.into()),
                ("GOOGLE_GEMINI_BASE_URL", base.into()),
            ],
            vec![],
            "Aider and the SDKs of OpenAI, Anthropic and Google read these. Clients with a file of settings of their own \
             (opencode, pi, Cline) take one of these addresses there.",
        ),
    ]
}

impl Recipe {
    /// A line for a POSIX shell that starts the client, without its own arguments.
    pub fn command(&self) -> String {
        let mut words: Vec<String> =
            self.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        words.push(self.programs.first().copied().unwrap_or("CLIENT").into());
        words.extend(self.arguments.iter().map(|argument| {
            if argument.contains(['"', '{']) { format!("'{argument}'") } else { argument.clone() }
        }));
        words.join(" ")
    }

    /// The one for a program, by its name without folders.
    pub fn for_program(base: &str, catch: Catch, program: &str) -> Self {
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        let mut recipes = recipes(base, catch);
        let at =
            recipes.iter().position(|recipe| recipe.programs.contains(&name)).unwrap_or(recipes.len() - 1);
        recipes.swap_remove(at)
    }
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
        let of = |program| Recipe::for_program("http://127.0.0.1:9/t/x", Catch::Requests, program);
        assert_eq!(of("/usr/local/bin/claude").client, "Claude Code");
        assert_eq!(of("codex").arguments[1], "openai_base_url=\"http://127.0.0.1:9/t/x/v1\"");
        assert_eq!(of("aider").client, "Any other client");
        let both = Recipe::for_program("http://127.0.0.1:9/t/x", Catch::Both, "claude");
        assert_eq!(both.environment[0], ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/t/x".into()));
        assert!(both.environment.contains(&("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9/t/x".into())));
        assert_eq!(of("python3").environment[2], ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/t/x".into()));
    }
}
