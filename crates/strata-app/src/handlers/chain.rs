//! Where something came from, step by step: from the person's words to the wire.

use strata_engine::{Compilation, LoggedEvent};
use strata_measure::analysis::Kind;
use strata_model::{EventIndex, Origin};
use strata_wire::{Item, Segment};

use crate::api::common::ChainStep;
use crate::open::OpenSession;
pub(super) use crate::show::place;
use crate::show::words;
use crate::show::writer;

/// Characters of one step.
const STEP: usize = 110;

pub(super) fn step(
    kind: Option<Kind>,
    address: Option<String>,
    label: &str,
    text: impl Into<String>,
) -> ChainStep {
    ChainStep {
        kind: kind.map(Into::into),
        address,
        label: label.to_owned(),
        is_code: false,
        text: words::row(&text.into(), STEP),
        code: None,
    }
}

pub(super) fn code_step(address: Option<String>, label: &str, text: impl Into<String>) -> ChainStep {
    ChainStep { is_code: true, ..step(None, address, label, text) }
}

pub(super) fn event_step(open: &OpenSession, event: EventIndex, text: impl Into<String>) -> ChainStep {
    let name = format!("E{}", event.number());
    let kind = open.events().facts().get(event.as_usize()).map(|facts| facts.kind);
    step(kind, Some(name.clone()), &name, text)
}

/// What led to an event: what the person asked, the model's call, the tool's result.
pub(super) fn of_event(open: &OpenSession, event: EventIndex) -> Vec<ChainStep> {
    let session = open.experiment.session();
    let (Some(this), Some(facts)) =
        (session.events.get(event.as_usize()), open.events().facts().get(event.as_usize()))
    else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    if let Some(asked) = open.events().asked(&this.invocation_id).filter(|asked| *asked < event) {
        let said = &open.events().facts()[asked.as_usize()].what;
        steps.push(event_step(open, asked, format!("user: {said}")));
    }
    if facts.kind == Kind::Result
        && let Some(call) = facts.call.and_then(|call| open.experiment.call(call))
    {
        let of_call = &open.events().facts()[call.answer.as_usize()];
        let tool = of_call.tools.first().map_or("", |tool| &**tool);
        steps.push(ChainStep {
            code: Some(words::row(&format!("{tool}{}", of_call.what), STEP)),
            ..event_step(open, call.answer, format!("model call C{} chose", call.number))
        });
    }
    let says = match facts.kind {
        Kind::Result => format!("tool result, {}", facts.what),
        Kind::Summary => "compaction wrote a summary".to_owned(),
        _ => facts.what.clone(),
    };
    steps.push(event_step(open, event, says));
    let change = open.experiment.event_change(event);
    if change.is_some_and(|change| change.edited.is_some()) {
        steps.push(step(None, None, "edit", "gave it this content; another was recorded"));
    }
    if change.is_some_and(|change| change.is_dropped) {
        steps.push(step(None, None, "edit", "dropped it from every history"));
    }
    steps
}

/// The compaction that put a summary in an event's place.
pub(super) fn summarised_by(open: &OpenSession, event: EventIndex) -> Option<EventIndex> {
    let events = open.experiment.log().events();
    let this = &events.get(event.as_usize()).filter(|logged| !logged.event.is_compaction())?.event;
    let covers = |other: &&LoggedEvent| {
        other.event.actions.compaction.as_ref().is_some_and(|compaction| {
            let (start, end) = (compaction.start_timestamp, compaction.end_timestamp);
            start.is_some_and(|start| start <= this.timestamp) && end.is_some_and(|end| this.timestamp <= end)
        })
    };
    let at = events.range(event.as_usize()..usize::MAX).position(|other| covers(&other))?;
    Some(EventIndex((event.as_usize() + at) as u32))
}

/// How a segment of a call's prompt came about.
pub(super) fn of_segment(
    open: &OpenSession,
    compilation: &Compilation,
    call: u32,
    segment: &Segment<'_>,
) -> Vec<ChainStep> {
    let log = open.experiment.log();
    let kind = Kind::of(segment, log);
    let mut steps = source_steps(open, call, segment);
    if let Some((stage, is_rewritten)) = writer(compilation, segment) {
        let text = match (&segment.item, is_rewritten) {
            (Item::Part { .. }, true) => "quoted it as user text",
            (Item::Part { .. }, false) => "put it in",
            _ => "wrote it",
        };
        steps.push(code_step(Some(format!("C{call}/{stage}")), &stage, text));
    }
    let text = format!("sent as {}", place(&segment.path));
    steps.push(step(Some(kind), Some(format!("C{call}/{}", segment.path)), "", text));
    steps
}

fn source_steps(open: &OpenSession, call: u32, segment: &Segment<'_>) -> Vec<ChainStep> {
    let log = open.experiment.log();
    let Some(main) = segment.main_origin() else { return Vec::new() };
    let mut steps = match main {
        Origin::Event { event, .. } | Origin::Summary { event, .. } => of_event(open, *event),
        Origin::Tool { name } => {
            vec![code_step(Some(format!("tool.{name}")), name, "declared by the agent")]
        }
        Origin::Processor { .. } => Vec::new(),
        origin => {
            vec![code_step(words::address(origin), &words::source(origin, log), "from the configuration")]
        }
    };
    let mut known: Vec<&str> = Vec::new();
    for (_, origin) in segment.spans() {
        let Origin::State { key } = origin else { continue };
        if known.contains(&&**key) {
            continue;
        }
        known.push(key);
        let n_events = open.experiment.call(call).map_or(0, strata_engine::Call::n_events);
        if let Some(writer) = open.experiment.states().writer(key, n_events) {
            steps.push(event_step(open, writer, format!("wrote state.{key}")));
        }
        let address = format!("state.{key}");
        steps.push(code_step(Some(address.clone()), &address, format!("fills {{{key}}} in the template")));
    }
    steps
}
