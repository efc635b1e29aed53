//! Why an instruction is not the same text.

use strata_engine::Call;
use strata_model::json::to_compact;
use strata_model::{EventIndex, InstructionKind, LlmRequest, Origin, Str, TextSpan, python};

use super::cause::Cause;
use super::link::Link;
use super::pair::Pair;
use crate::analysis::text_change::TextChange;

/// A byte of an instruction in both prompts: the span it lies in, among the spans of the whole text.
pub(super) struct Spans<'r> {
    pub earlier: Option<(&'r [TextSpan], usize)>,
    pub later: Option<(&'r [TextSpan], usize)>,
    /// All of both texts.
    pub texts: (Str, Str),
}

impl<'s> Spans<'s> {
    /// The source of the byte: of the value that was filled in, where one of the prompts has one there.
    pub(super) fn origin(&self) -> Option<&'s Origin> {
        let of = |place: Option<(&'s [TextSpan], usize)>| place.map(|(spans, at)| &spans[at].origin);
        let (earlier, later) = (of(self.earlier), of(self.later));
        // What the runtime adds stands behind the instruction: it is there, too, where the instruction ends earlier.
        let is_runtimes = |origin: &&Origin| matches!(origin, Origin::Processor { .. });
        let is_filled =
            |origin: &&Origin| !is_runtimes(origin) && !matches!(origin, Origin::Instruction { .. });
        let is_told = |origin: &&Origin| !is_runtimes(origin);
        let first = |is: &dyn Fn(&&'s Origin) -> bool| {
            later.filter(|origin| is(origin)).or(earlier.filter(|origin| is(origin)))
        };
        first(&is_filled).or_else(|| first(&is_told)).or(later).or(earlier)
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
                let change = TextChange::of_values(&before, &after);
                (Cause::State { key, change }, links)
            }
            Origin::Artifact { .. } => (Cause::Artifacts { origin }, Vec::new()),
            Origin::Tool { ref name } if **name == *"load_artifacts" => {
                (Cause::Artifacts { origin }, Vec::new())
            }
            Origin::Memory { .. } => (Cause::Memory, Vec::new()),
            origin @ Origin::Extension { .. } => {
                let change = TextChange::of_values(&spans.texts.0, &spans.texts.1);
                (Cause::Instruction { origin, change }, Vec::new())
            }
            origin => {
                let change = TextChange::of_values(&spans.texts.0, &spans.texts.1);
                self.cause_in_words(spans, origin, change)
            }
        }
    }

    /// Words that no key is known to have filled in, unless the state has a key of which both are the values.
    fn cause_in_words(&self, spans: &Spans<'_>, origin: Origin, change: TextChange) -> (Cause, Vec<Link>) {
        let Some(key) = self.key_of(&change) else {
            return (Cause::Instruction { origin, change }, Vec::new());
        };
        let (before, after) = (change.before.clone(), change.after.clone());
        let wrote = self.writer(&key).map(|event| Link::Wrote { event, key: key.clone(), before, after });
        let reads = spans.instruction().map(|(agent, kind)| Link::Reads { agent, kind, key: key.clone() });
        (Cause::State { key, change }, wrote.into_iter().chain(reads).collect())
    }

    /// The only key of the state that had the one value at the earlier call and has the other at the later one.
    fn key_of(&self, change: &TextChange) -> Option<Str> {
        if change.before.is_empty() || change.after.is_empty() {
            return None;
        }
        let states = [self.earlier.0, self.later.0].map(|call| self.experiment.states().at(call.n_events()));
        let is = |at: usize, key: &Str, value: &str| {
            states[at].get(key).known().is_some_and(|known| python::str(known) == value)
        };
        let mut keys = self.experiment.states().keys().into_iter();
        let is_filled = |key: &&Str| is(0, key, &change.before) && is(1, key, &change.after);
        let key = keys.find(is_filled)?;
        keys.all(|other| !is_filled(&other)).then(|| key.clone())
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
