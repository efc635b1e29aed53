//! Records of one call: an SDK and an instrumentation, or two of them, each write a span for it.

use std::collections::HashMap;

use strata_model::Str;

use super::recorded::Span;
use super::tree::Tree;

/// Which spans are of a call that another one stands for.
pub(super) struct Merged {
    /// For each span the one that stands for it.
    stands_for: Vec<Option<usize>>,
}

impl Merged {
    pub(super) fn of(spans: &[Span], tree: &Tree) -> Self {
        let mut stands_for: Vec<Option<usize>> = (0..spans.len())
            .map(|at| if spans[at].is_inference() { tree.outer_call(at, spans) } else { None })
            .collect();
        let mut answers: HashMap<Str, Vec<usize>> = HashMap::new();
        for (at, span) in spans.iter().enumerate() {
            let id = span.first_text(&["gen_ai.response.id", "llm.response.id", "ai.response.id"]);
            if let (Some(id), None, true) = (id, stands_for[at], span.is_inference()) {
                answers.entry(id).or_default().push(at);
            }
        }
        for same in answers.into_values().filter(|same| same.len() > 1) {
            let Some(kept) =
                same.iter().copied().max_by_key(|at| (has_content(&spans[*at]), usize::MAX - at))
            else {
                continue;
            };
            // Servers for trial give every answer the same id.
            for at in same.into_iter().filter(|at| *at != kept && overlap(&spans[*at], &spans[kept])) {
                stands_for[at] = Some(kept);
            }
        }
        // What stands for one that another stands for.
        for at in 0..stands_for.len() {
            let mut kept = stands_for[at];
            let mut left = stands_for.len();
            while let Some(next) = kept.and_then(|kept| stands_for[kept])
                && left > 0
            {
                kept = Some(next);
                left -= 1;
            }
            stands_for[at] = kept;
        }
        Self { stands_for }
    }

    pub(super) fn stands_for(&self, at: usize) -> Option<usize> {
        self.stands_for[at]
    }
}

fn has_content(span: &Span) -> bool {
    const NAMES: [&str; 5] = [
        "gen_ai.input.messages",
        "input.value",
        "llm.request.body",
        "llm.input_messages.0",
        "gen_ai.prompt.0",
    ];
    !span.events.is_empty()
        || span.attributes.keys().any(|key| NAMES.iter().any(|name| key.starts_with(name)))
}

fn overlap(one: &Span, other: &Span) -> bool {
    let times = |span: &Span| Some((span.start?, span.end.or(span.start)?));
    match (times(one), times(other)) {
        (Some((start, end)), Some((other_start, other_end))) => start <= other_end && other_start <= end,
        _ => one.trace == other.trace,
    }
}
