//! What is known of the request of a call, and where that is from.
//!
//! Every call has evidence. The best there is of it is the truth that all its numbers rest on.

/// Where it is known from what a model was given, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceKind {
    /// Bytes that went from a client to a provider, seen on the way.
    Wire,
    /// What the client, or the app that called the model, wrote down itself.
    Client,
    /// Spans and log records of a tracer.
    Telemetry,
    /// Compiled from the session and a configuration that somebody gave.
    Given,
    /// Compiled from the session and a configuration that was inferred.
    Inferred,
}

impl EvidenceKind {
    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wire => "wire",
            Self::Client => "client",
            Self::Telemetry => "telemetry",
            Self::Given => "given",
            Self::Inferred => "inferred",
        }
    }

    /// For people, the same words everywhere.
    pub fn said(self) -> &'static str {
        match self {
            Self::Wire => "seen on the wire",
            Self::Client => "written down by the client",
            Self::Telemetry => "recorded by telemetry",
            Self::Given => "compiled from the given configuration",
            Self::Inferred => "compiled from an inferred configuration",
        }
    }
}

/// A part of requests that evidence may not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gap {
    SystemText,
    /// Descriptions and parameters of tools; or all of them.
    Tools,
    /// Temperature and the like.
    Settings,
    /// What was set for one run only, such as how much of the history it loads: no session keeps it.
    RunSettings,
    /// Which tools other programs offered: they are asked for with every request.
    Toolsets,
    /// What a search in memory found.
    Memories,
    /// What was in files that were loaded.
    Artifacts,
    /// What the node of a workflow was given.
    NodeInput,
    /// Values of the state that nothing keeps.
    State,
    /// What the app's own code made of the request.
    Code,
}

impl Gap {
    /// For people.
    pub fn said(self) -> &'static str {
        match self {
            Self::SystemText => "system text",
            Self::Tools => "tool declarations",
            Self::Settings => "settings",
            Self::RunSettings => "settings of the run",
            Self::Toolsets => "word of what its toolsets offered",
            Self::Memories => "memories that were found",
            Self::Artifacts => "files that were loaded",
            Self::NodeInput => "the input of the node",
            Self::State => "values of the state that were not kept",
            Self::Code => "what code of the app changed",
        }
    }
}

/// What the request of a call is known from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Evidence {
    pub kind: EvidenceKind,
    /// What of it was written down: a format, the file of a configuration. Empty where it was inferred.
    pub source: String,
    /// What it does not hold, in the order of [`Gap`].
    pub lacks: Vec<Gap>,
    /// Edits change something of the request that was recorded: it is what would be sent, not what was.
    pub is_edited: bool,
}

impl Evidence {
    /// `seen on the wire (HTTP archive), without tool declarations`.
    pub fn said(&self) -> String {
        let mut said = self.kind.said().to_owned();
        if !self.source.is_empty() {
            said += &format!(" ({})", self.source);
        }
        if self.is_edited {
            said += ", with what the experiment changes";
        }
        if !self.lacks.is_empty() {
            let lacks: Vec<&str> = self.lacks.iter().map(|gap| gap.said()).collect();
            said += &format!(", without {}", lacks.join(", "));
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_says_what_it_is_where_it_is_from_and_what_it_lacks() {
        let mut evidence = Evidence {
            kind: EvidenceKind::Wire,
            source: "HTTP archive".to_owned(),
            lacks: Vec::new(),
            is_edited: false,
        };
        assert_eq!(evidence.said(), "seen on the wire (HTTP archive)");
        evidence.lacks = vec![Gap::SystemText, Gap::Tools];
        evidence.is_edited = true;
        assert_eq!(
            evidence.said(),
            "seen on the wire (HTTP archive), with what the experiment changes, without system text, tool declarations"
        );
        assert!(EvidenceKind::Wire < EvidenceKind::Inferred, "the best is first");
    }
}
