//! What is compared with google-adk: the requests of invented sessions, or whole runs of invented apps.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Result;
use strata_model::{Json, Object, json};
use strata_oracle::worker::Script;
use strata_oracle::{Failure, scenario, vector};

use crate::generate;
use crate::mutate::Corpus;

/// A run that has not ended by then does not end, for all we know.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) enum Subject {
    Requests,
    Runs(Box<Corpus>),
}

impl Subject {
    /// Runs of apps that begin from the scenarios of a folder.
    pub(crate) fn runs(folder: &Path) -> Result<Self> {
        Ok(Self::Runs(Box::new(Corpus::read(folder)?)))
    }

    pub(crate) fn script(&self) -> Script {
        match self {
            Self::Requests => Script::Requests,
            Self::Runs(_) => Script::Runs,
        }
    }

    /// One case: what google-adk and Strata are both given.
    pub(crate) fn question(&self, seed: u64, case: u64) -> Json {
        match self {
            Self::Requests => generate::question(seed, case),
            Self::Runs(corpus) => corpus.question(seed, case),
        }
    }

    /// A case with what google-adk made of it, as a reader of its file gets it.
    pub(crate) fn vector(&self, question: &Json, answer: &Json) -> Json {
        let mut vector = question.as_object().cloned().unwrap_or_default();
        match self {
            Self::Requests => vector.update(answer.as_object().unwrap_or(&Object::new())),
            Self::Runs(_) => vector.push("expect", scenario::expectation(answer)),
        }
        let vector = Json::Object(vector);
        json::parse(json::to_compact(&vector).as_bytes()).unwrap_or(vector)
    }

    /// Whether Strata makes the same of it.
    pub(crate) fn check(&self, vector: &Json) -> Result<(), Failure> {
        match self {
            Self::Requests => vector::check(vector),
            Self::Runs(_) => check_run(vector),
        }
    }

    /// Members without which it is another question, or google-adk invents their value.
    pub(crate) fn fixed(&self) -> &'static [&'static str] {
        match self {
            Self::Requests => &[
                ".kind",
                ".app.name",
                ".session.id",
                ".session.appName",
                ".session.userId",
                ".session.state",
                ".session.events",
                ".session.events[].id",
                ".session.events[].author",
                ".session.events[].timestamp",
                ".invocation.agent",
                ".invocation.invocation_id",
            ],
            Self::Runs(_) => &[".app", ".app.name", ".turns"],
        }
    }

    /// What a vector of this subject begins with.
    pub(crate) fn head(&self, name: &str, kind: &str) -> Object {
        let members: &[(&str, &str)] = match self {
            Self::Requests => &[
                ("format", "adk-context-golden/1"),
                ("name", name),
                ("family", "oracle"),
                ("kind", "compile"),
            ],
            Self::Runs(_) => &[("format", "adk-runtime-golden/1"), ("name", name), ("family", "oracle")],
        };
        let mut head: Object = members.iter().copied().collect();
        head.push("description", format!("Found by comparing random cases: {kind}."));
        head.push("adk_version", "2.13.0");
        head.push("tags", vec![Json::from("random")]);
        head
    }
}

/// A run that does not end is left behind, on a thread of its own.
fn check_run(vector: &Json) -> Result<(), Failure> {
    let (sender, receiver) = mpsc::channel();
    let vector = vector.clone();
    std::thread::spawn(move || {
        let checked = std::panic::catch_unwind(|| scenario::check(&vector));
        // Nobody waits any more where it took too long.
        let _ = sender.send(checked);
    });
    match receiver.recv_timeout(PATIENCE) {
        Ok(Ok(checked)) => checked,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(_) => Err(vec!["the run does not end".to_owned()]),
    }
}

/// What a run came to, for the table of what was reached.
pub(crate) fn outcomes_of_run(vector: &Json) -> BTreeMap<String, u64> {
    let mut outcomes = BTreeMap::new();
    let mut count = |what: String| *outcomes.entry(what).or_default() += 1;
    let expected = vector.get("expect");
    let list = |value: Option<&Json>, key: &str| -> Vec<Json> {
        value.and_then(|value| value.get(key)).and_then(Json::as_array).unwrap_or_default().to_vec()
    };
    let kind = |error: &Json| error.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
    if let Some(error) = expected.and_then(|expected| expected.get("build_error")) {
        count(format!("refused: {}", kind(error)));
    }
    for turn in list(expected, "turns") {
        count(
            turn.get("error")
                .map_or_else(|| "turn ended".to_owned(), |error| format!("turn: {}", kind(error))),
        );
        for event in list(Some(&turn), "events") {
            count(format!("event{}", if event.get("errorCode").is_some() { " with an error" } else { "" }));
        }
    }
    for key in ["requests", "tool_calls", "node_runs", "hooks"] {
        for _ in list(expected, key) {
            count(key.replace('_', " "));
        }
    }
    outcomes
}
