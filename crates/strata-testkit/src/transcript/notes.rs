//! Notes: what stands in brackets before the colon.

use strata_model::{Decoder, Event, FromJson as _, Json, NodePath, Str, Usage, json};

use super::scan;

/// One note: its first word and what follows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Note<'t> {
    pub name: &'t str,
    pub rest: &'t str,
}

pub(super) fn read(text: &str) -> Vec<Note<'_>> {
    let note = |piece| {
        let (name, rest) = str::split_once(piece, ' ').unwrap_or((piece, ""));
        Note { name, rest: rest.trim() }
    };
    scan::split(text, ',').into_iter().map(note).collect()
}

impl Note<'_> {
    /// Writes the note into an event. Notes that need to know the session are the builder's.
    pub(super) fn apply(self, event: &mut Event) -> Result<(), String> {
        match self.name {
            "state" => event.actions.state_delta = scan::pairs(self.rest, ' ')?,
            "artifact" => event.actions.artifact_delta = scan::pairs(self.rest, ' ')?,
            "transfer" => event.actions.transfer_to_agent = Some(self.word()?),
            "escalate" => event.actions.escalate = Some(true),
            "skip-summarization" => event.actions.skip_summarization = Some(true),
            "usage" => event.usage_metadata = Some(Box::new(self.usage()?)),
            "error" => {
                let (code, message) = self.rest.split_once(' ').unwrap_or((self.rest, ""));
                event.error_code = Some(code.into());
                event.error_message = (!message.is_empty()).then(|| message.trim().trim_matches('"').into());
            }
            "long-running" => {
                event.long_running_tool_ids =
                    Some(event.function_calls().filter_map(|call| call.id.clone()).collect());
            }
            "branch" => event.branch = Some(self.word()?),
            "path" => event.node_info.path = NodePath::new(self.word()?),
            "scope" => event.isolation_scope = Some(self.word()?),
            "at" => event.timestamp = self.number()?,
            "id" => event.id = self.word()?,
            "model" => event.model_version = Some(self.word()?),
            "by" => event.author = self.word()?,
            "fields" => self.set_fields(event)?,
            _ => return Err(format!("{} is no note", self.name)),
        }
        Ok(())
    }

    pub(super) fn word(self) -> Result<Str, String> {
        if self.rest.is_empty() || self.rest.contains(' ') {
            return Err(format!("{} takes one word", self.name));
        }
        Ok(self.rest.into())
    }

    pub(super) fn number<N: std::str::FromStr>(self) -> Result<N, String> {
        self.rest.parse().map_err(|_| format!("{} takes a number, found {}", self.name, self.rest))
    }

    /// `1200 cached 800 thoughts 10 answer 90`.
    fn usage(self) -> Result<Usage, String> {
        let mut usage = Usage::default();
        let mut words = self.rest.split_whitespace();
        let mut slot = &mut usage.prompt_token_count;
        while let Some(word) = words.next() {
            let count =
                word.parse().map_err(|_| format!("usage takes numbers with a word before, found {word}"))?;
            *slot = Some(count);
            slot = match words.next() {
                None => break,
                Some("cached") => &mut usage.cached_content_token_count,
                Some("answer") => &mut usage.candidates_token_count,
                Some("thoughts") => &mut usage.thoughts_token_count,
                Some(word) => return Err(format!("usage counts cached, answer and thoughts, not {word}")),
            };
        }
        Ok(usage)
    }

    fn set_fields(self, event: &mut Event) -> Result<(), String> {
        let fields = json::parse(self.rest.as_bytes()).map_err(|error| format!("fields: {error}"))?;
        let (Json::Object(mut written), Json::Object(fields)) = (event.to_json(), fields) else {
            return Err("fields takes a JSON object".into());
        };
        written.update(&fields);
        let mut decoder = Decoder::new();
        *event = Event::from_json(Json::Object(written), &mut decoder)
            .map_err(|_| "fields takes the fields of an event".to_owned())?;
        match decoder.into_diagnostics().first() {
            Some(finding) => Err(format!("{}: {}", finding.at, finding.message)),
            None => Ok(()),
        }
    }
}
