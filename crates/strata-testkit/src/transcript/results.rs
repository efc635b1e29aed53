//! Results of function calls.

use std::sync::Arc;

use strata_model::{Content, Event, NodePath, Part};

use super::build::{Builder, spoken};
use super::error::TranscriptError;
use super::head::Head;
use super::lines::Line;
use super::parts::{self, WrittenPart};

/// A result as it is written.
struct WrittenResult<'t> {
    id: Option<&'t str>,
    tool: Option<&'t str>,
    lines: Vec<&'t str>,
}

impl Builder {
    /// Results in one event, by the agent that called.
    pub(super) fn add_results(&mut self, head: &Head<'_>, more: &[Line<'_>]) -> Result<(), TranscriptError> {
        let event = self.results(head, more)?;
        self.push(head, event)
    }

    /// Results that arrive from outside.
    pub(super) fn add_results_from(
        &mut self,
        head: &Head<'_>,
        who: &str,
        more: &[Line<'_>],
    ) -> Result<(), TranscriptError> {
        let mut event = self.results(head, more)?;
        event.author = who.into();
        event.node_info.path = NodePath::default();
        self.push(head, event)
    }

    fn results(&mut self, head: &Head<'_>, more: &[Line<'_>]) -> Result<Event, TranscriptError> {
        let mut read = Vec::new();
        let mut caller: Option<Arc<Event>> = None;
        for written in written_results(head, more)? {
            let call = self.find_call(head, &written)?.map(|at| &mut self.calls[at]);
            read.push(match call {
                Some(call) => {
                    call.is_answered = true;
                    caller.get_or_insert_with(|| call.event.clone());
                    written.part(&call.name, Some(&call.id))
                }
                None => written.part(written.tool.unwrap_or_default(), written.id),
            });
        }
        let mut event = Event { content: spoken(Content::new("user", read)), ..self.blank_event(head, "")? };
        if let Some(caller) = caller {
            event.author = caller.author.clone();
            event.branch.clone_from(&caller.branch);
            event.isolation_scope.clone_from(&caller.isolation_scope);
            event.node_info.path = caller.node_info.path.clone();
            event.invocation_id = caller.invocation_id.clone();
        }
        Ok(event)
    }

    /// The call a result belongs to. None only where the author is given, for results without a call.
    fn find_call(
        &self,
        head: &Head<'_>,
        written: &WrittenResult<'_>,
    ) -> Result<Option<usize>, TranscriptError> {
        let found = match (written.id, written.tool) {
            (Some(id), _) => self.calls.iter().rposition(|call| *call.id == *id),
            (None, tool) => self
                .calls
                .iter()
                .position(|call| !call.is_answered && tool.is_none_or(|tool| *call.name == *tool)),
        };
        if found.is_none() && head.note("by").is_none() {
            let which = match (written.id, written.tool) {
                (Some(id), _) => format!(" with the id #{id}"),
                (None, Some(tool)) => format!(" of {tool}"),
                (None, None) => String::new(),
            };
            let message = format!("no call{which} waits for a result; the note `by name` allows one without");
            return Err(head.fail(message));
        }
        Ok(found)
    }
}

impl WrittenResult<'_> {
    fn part(&self, tool: &str, id: Option<&str>) -> Part {
        parts::result(tool, parts::response(&self.lines), id)
    }
}

fn written_results<'t>(
    head: &Head<'t>,
    more: &[Line<'t>],
) -> Result<Vec<WrittenResult<'t>>, TranscriptError> {
    let id = head.words.iter().find_map(|word| word.strip_prefix('#'));
    let tool = head.words[1..].iter().copied().find(|word| !word.starts_with('#'));
    let mut results = Vec::new();
    for (line, written) in parts::read(head.lines(more))? {
        results.push(match written {
            WrittenPart::Result { id, lines } => WrittenResult { id: Some(id), tool: None, lines },
            WrittenPart::Text(lines) if results.is_empty() => WrittenResult { id, tool, lines },
            _ => return Err(TranscriptError::new(line, "only `#id: value` may stand below a result")),
        });
    }
    if results.is_empty() { Err(head.fail("the result is missing")) } else { Ok(results) }
}
