//! What a run is asked.

use std::path::PathBuf;

use strata_model::{Json, Object};

use super::budget::RunLimits;
use super::hold::HoldCondition;

/// Who answers the calls of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChoice {
    /// Answers of a file.
    Script(PathBuf),
    /// The last words of each request.
    Echo,
    /// The endpoint of this name; with a model in place of those that the agents name.
    Endpoint { name: String, model: Option<String> },
}

impl ModelChoice {
    /// `scripted:FILE`, `echo`, `ENDPOINT` or `ENDPOINT/MODEL`.
    pub fn named(name: &str) -> Self {
        if let Some(path) = name.strip_prefix("scripted:") {
            return Self::Script(path.into());
        }
        if name == "echo" {
            return Self::Echo;
        }
        match name.split_once('/') {
            Some((name, model)) => Self::Endpoint { name: name.to_owned(), model: Some(model.to_owned()) },
            None => Self::Endpoint { name: name.to_owned(), model: None },
        }
    }
}

/// Where a recorded session is run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FromCall {
    /// A file, or a session or an experiment of the store.
    pub session: String,
    /// The first call that a model answers, counted from 1.
    pub call: u32,
    /// Files of edits that are laid over the session.
    pub edits: Vec<PathBuf>,
    /// What the user said in later turns is said again.
    pub follows: bool,
}

/// What a run is made of.
#[derive(Debug, Clone)]
pub struct RunChoice {
    /// The app's configuration. `None`: that of the session it is run from.
    pub app: Option<PathBuf>,
    /// `None`: the store of the data folder.
    pub database: Option<PathBuf>,
    /// A session of the store to go on with.
    pub session: Option<String>,
    /// A call of a session from which it is run again, in a new one.
    pub from: Option<FromCall>,
    /// What was interrupted last in it goes on first.
    pub resumes: bool,
    /// Whose session a new one is.
    pub user: String,
    pub model: ModelChoice,
    /// A script with the app's tools and nodes.
    pub tools: Option<PathBuf>,
    /// A session whose tools' answers are used again: a file, or one of the store.
    pub recorded: Option<String>,
    /// State that comes with the first message.
    pub state: Object,
    /// Answers to calls that wait, by their ids.
    pub answers: Vec<(String, Json)>,
    pub limits: RunLimits,
    /// When calls are held.
    pub holds: Vec<HoldCondition>,
    /// In the end, the session is added to what agents of the app remember.
    pub remembers: bool,
    /// What models say is told piece by piece.
    pub is_streaming: bool,
    /// The report tells every request that was sent.
    pub tells_requests: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_with_their_endpoint() {
        let endpoint = |name: &str, model: Option<&str>| ModelChoice::Endpoint {
            name: name.to_owned(),
            model: model.map(str::to_owned),
        };
        assert_eq!(ModelChoice::named("scripted:a/b.yaml"), ModelChoice::Script("a/b.yaml".into()));
        assert_eq!(ModelChoice::named("live"), endpoint("live", None));
        assert_eq!(
            ModelChoice::named("OpenRouter/openai/gpt-4o"),
            endpoint("OpenRouter", Some("openai/gpt-4o"))
        );
    }
}
