//! What points one client at the gateway.

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
    /// What is put into its own settings, for a client that is told no other way.
    pub settings: Option<String>,
    /// What to know about it.
    pub note: &'static str,
}

impl Recipe {
    pub(super) fn new(
        programs: &'static [&'static str],
        client: &'static str,
        environment: Vec<(&'static str, String)>,
        arguments: Vec<String>,
        note: &'static str,
    ) -> Self {
        Self { programs, client, environment, arguments, settings: None, note }
    }

    pub(super) fn by_settings(
        programs: &'static [&'static str],
        client: &'static str,
        settings: String,
        note: &'static str,
    ) -> Self {
        Self { settings: Some(settings), ..Self::new(programs, client, Vec::new(), Vec::new(), note) }
    }

    /// A line for a POSIX shell that starts the client, without its own arguments; or what goes into its settings.
    pub fn command(&self) -> String {
        if let Some(settings) = &self.settings {
            return settings.clone();
        }
        let quoted = |text: &str| {
            if text.contains(['"', '{']) { format!("'{text}'") } else { text.to_owned() }
        };
        let mut words: Vec<String> =
            self.environment.iter().map(|(name, value)| format!("{name}={}", quoted(value))).collect();
        words.push(self.programs.first().copied().unwrap_or("CLIENT").into());
        words.extend(self.arguments.iter().map(|argument| quoted(argument)));
        words.join(" ")
    }
}
