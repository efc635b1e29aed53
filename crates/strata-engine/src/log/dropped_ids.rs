//! What a history leaves out for want of a partner.

use strata_model::Diagnostic;

/// Ids of calls and responses that were left out for want of a partner, which ADK warns about.
#[derive(Debug, Clone, Default)]
pub(crate) struct DroppedIds {
    orphan_responses: Vec<String>,
    unanswered_calls: Vec<String>,
}

impl DroppedIds {
    pub(crate) fn orphan_response(&mut self, id: Option<&str>) {
        let id = id.filter(|id| !id.is_empty()).unwrap_or("<missing-id>");
        self.orphan_responses.push(id.to_owned());
    }

    pub(crate) fn unanswered_call(&mut self, id: &str) {
        self.unanswered_calls.push(id.to_owned());
    }

    /// ADK's warnings, as diagnostics of the stage.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        let warn = |code, what: &str, ids: &[String]| {
            (!ids.is_empty()).then(|| {
                Diagnostic::warning(code, "contents", format!("{what} were left out: {}", ids.join(", ")))
            })
        };
        let responses = warn("orphan-response", "Responses without a call", &self.orphan_responses);
        let calls = warn("unanswered-call", "Calls without a response", &self.unanswered_calls);
        responses.into_iter().chain(calls).collect()
    }
}
