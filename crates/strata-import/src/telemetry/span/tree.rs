//! How spans stand to one another.

use std::collections::HashMap;

use strata_model::{Json, Str};

use super::recorded::Span;

/// Parents of spans, by their places in the list.
pub(super) struct Tree {
    parents: Vec<Option<usize>>,
}

impl Tree {
    pub(super) fn of(spans: &[Span]) -> Self {
        let places: HashMap<(&Str, &Str), usize> =
            spans.iter().enumerate().map(|(at, span)| ((&span.trace, &span.id), at)).collect();
        let parents = spans.iter().enumerate().map(|(at, span)| {
            let parent = places.get(&(&span.trace, span.parent.as_ref()?)).copied()?;
            (parent != at).then_some(parent)
        });
        Self { parents: parents.collect() }
    }

    /// A span's parent, its parent's parent and so on; a circle is left after one round.
    pub(super) fn ancestors(&self, at: usize) -> impl Iterator<Item = usize> {
        let mut left = self.parents.len();
        let mut next = self.parents.get(at).copied().flatten();
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let now = next?;
            next = self.parents[now];
            Some(now)
        })
    }

    /// The call of a model that a call stands in: libraries below one another each write a span.
    pub(super) fn outer_call(&self, at: usize, spans: &[Span]) -> Option<usize> {
        let ends = |above: &usize| {
            matches!(
                &*spans[*above].operation(),
                "invoke_agent" | "execute_tool" | "invoke_workflow" | "create_agent"
            )
        };
        let mut above = self.ancestors(at).take_while(|above| *above != at && !ends(above));
        above.find(|above| spans[*above].is_inference())
    }

    /// An attribute of a span or of the nearest one above that has it.
    pub(super) fn inherited(&self, at: usize, spans: &[Span], keys: &[&str]) -> Option<Str> {
        [at].into_iter().chain(self.ancestors(at)).find_map(|at| spans[at].first_text(keys))
    }
}

/// Gives a call what only the span inside it says.
pub(super) fn adopt(outer: usize, inner: usize, spans: &mut [Span]) {
    let inner = spans[inner].clone();
    let outer = &mut spans[outer];
    for (key, value) in inner.attributes.iter() {
        let is_said = outer.attributes.get(key).is_some_and(|known: &Json| known.is_truthy());
        if !is_said {
            outer.attributes.insert(key.clone(), value.clone());
        }
    }
    outer.events.extend(inner.events);
}
