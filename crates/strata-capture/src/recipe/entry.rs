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
        Self { programs, client, environment, arguments, note }
    }

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
}
