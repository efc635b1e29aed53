//! The sample session `invoice-triage`: an incident, from the first error to the reminder.
//!
//! Three agents answer fourteen messages in 41 model calls and 84 events: a coordinator, a log analyst and a report
//! writer who sees the current turn only. The history is compacted twice. Twice the value of `state.hits`, which the
//! log analyst's instruction shows, changes between two of its calls and costs it the cached prefix.
//!
//! Everything is stored as google-adk 2.13 would have stored it. What the tools return is made from one description
//! of the incident, so that all numbers agree; texts and code stand in `assets/invoice_triage`. Usage metadata is
//! left out: the token counts people see are computed.
//!
//! The files the app carries are made by `cargo xtask gen`, which runs this crate's example `generate`.

mod code;
mod configuration;
mod incident;
mod logs;
mod memories;
mod names;
mod queries;
mod script;
mod texts;
mod values;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use names::REPORT;
use strata_engine::Artifact;
use strata_model::{App, Decoder, FromJson as _, Json, Part, Session, json};

/// The recorded session.
pub fn session() -> Session {
    script::record()
}

/// The configuration of the app it was recorded in.
pub fn app() -> App {
    let json = Json::Object(configuration::app());
    App::from_json(json, &mut Decoder::new()).expect("an object is an app; a test reads all of it")
}

/// The report's versions: empty when the session begins, then as it was saved.
pub fn artifacts() -> Vec<Artifact> {
    let versions = ["", texts::REPORT_V1, texts::REPORT_V2];
    let versions = versions.map(|text| Some(Arc::new(Part::from_text(text)))).to_vec();
    vec![Artifact { name: REPORT.into(), versions }]
}

/// A file the repository holds, made by this module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// From the root of the repository.
    pub path: &'static str,
    pub text: String,
}

/// The sample as the app carries it.
pub fn files() -> [GeneratedFile; 2] {
    [
        GeneratedFile {
            path: "crates/strata-app/assets/invoice-triage.session.json",
            text: session_text(&session()),
        },
        GeneratedFile {
            path: "crates/strata-app/assets/invoice-triage.app.json",
            text: json::to_pretty(&Json::Object(configuration::app())) + "\n",
        },
    ]
}

/// A session in ADK's JSON shape with an event a line, so that a change shows as the events it changed.
fn session_text(session: &Session) -> String {
    let empty = Session { events: Vec::new(), ..session.clone() };
    let frame = json::to_compact(&empty.to_json());
    let events: Vec<String> = session.events.iter().map(|event| json::to_compact(&event.to_json())).collect();
    frame.replacen("\"events\":[]", &format!("\"events\":[\n{}\n]", events.join(",\n")), 1) + "\n"
}
