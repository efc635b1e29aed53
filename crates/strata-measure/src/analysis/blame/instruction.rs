//! Why an instruction is not the same text.

use strata_engine::Call;
use strata_model::json::to_compact;
use strata_model::{EventIndex, InstructionKind, LlmRequest, Origin, Str, TextSpan};

use super::cause::Cause;
use super::link::Link;
use super::pair::Pair;

/// A byte of an instruction in both prompts: the span it lies in, among the spans of the whole text.
pub(super) struct Spans<'r> {
    pub earlier: Option<(&'r [TextSpan], usize)>,
    pub later: Option<(&'r [TextSpan], usize)>,
}

impl<'s> Spans<'s> {
    /// The source of the byte: of the value that was filled in, where one of the prompts has one there.
    pub(super) fn origin(&self) -> Option<&'s Origin> {
        let of = |place: Option<(&'s [TextSpan], usize)>| place.map(|(spans, at)| &spans[at].origin);
        let (earlier, later) = (of(self.earlier), of(self.later));
        let is_filled = |origin: &&Origin| !matches!(origin, Origin::Instruction { .. });
        later.filter(is_filled).or(earlier.filter(is_filled)).or(later).or(earlier)
    }

    /// The instruction in which the byte stands.
    fn instruction(&self) -> Option<(Str, InstructionKind)> {
        let (spans, at) = self.later.or(self.earlier)?;
        let around = spans[..at].iter().rev().chain(&spans[at..]);
        around.into_iter().find_map(|span| match &span.origin {
            Origin::Instruction { agent, kind } => Some((agent.clone(), *kind)),
            _ => None,
        })
    }

    /// The value of a key, as it was filled in near the byte.
    fn filled(place: Option<(&[TextSpan], usize)>, key: &Str) -> Option<String> {
        let (spans, at) = place?;
        let is_of_key = |span: &&TextSpan| matches!(&span.origin, Origin::State { key: of } if of == key);
        let near = spans[..=at].iter().rev().take(2).find(is_of_key).or(spans[at..].iter().find(is_of_key));
        near.map(|span| span.text.to_string())
    }
}

impl Pair<'_> {
    /// The cause of a difference in an instruction, with what led to it.
    pub(super) fn cause_in_instruction(&self, spans: &Spans<'_>) -> (Cause, Vec<Link>) {
        let origin = spans.origin().cloned().unwrap_or(Origin::processor("instructions"));
        match origin {
            Origin::State { key } => {
                let value = |place, call| {
                    Spans::filled(place, &key).unwrap_or_else(|| self.recorded_value(&key, call))
                };
                let before = value(spans.earlier, self.earlier.0);
                let after = value(spans.later, self.later.0);
                let mut links = Vec::new();
                if let Some(event) = self.writer(&key) {
                    links.push(Link::Wrote {
                        event,
                        key: key.clone(),
                        before: before.clone(),
                        after: after.clone(),
                    });
                }
                if let Some((agent, kind)) = spans.instruction() {
                    links.push(Link::Reads { agent, kind, key: key.clone() });
                }
                (Cause::State { key, before, after }, links)
            }
            Origin::Artifact { .. } => (Cause::Artifacts { origin }, Vec::new()),
            Origin::Tool { ref name } if **name == *"load_artifacts" => {
                (Cause::Artifacts { origin }, Vec::new())
            }
            Origin::Memory { .. } => (Cause::Memory, Vec::new()),
            Origin::Extension { name } => (Cause::Script { stage: name }, Vec::new()),
            origin => (Cause::Instruction { origin }, Vec::new()),
        }
    }

    /// The event between the two calls that wrote the key last.
    fn writer(&self, key: &str) -> Option<EventIndex> {
        let writer = self.experiment.states().writer(key, self.later.0.n_events())?;
        (writer.as_usize() >= self.earlier.0.n_events()).then_some(writer)
    }

    fn recorded_value(&self, key: &str, call: &Call) -> String {
        let state = self.experiment.states().at(call.n_events());
        state.get(key).known().map_or_else(|| "not set".to_owned(), to_compact)
    }
}

/// Where a byte of the system instruction lies.
pub(super) fn system_spans(request: &LlmRequest, at: usize) -> Option<(&[TextSpan], usize)> {
    let spans = request.system_instruction.as_ref()?.spans();
    let mut end = 0;
    let place = spans.iter().position(|span| {
        end += span.text.len();
        at < end
    });
    place.map(|place| (spans, place))
}
