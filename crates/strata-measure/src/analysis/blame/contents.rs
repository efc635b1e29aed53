//! Why a conversation is not told the same way again.

use strata_engine::processors::explain_omission;
use strata_engine::{Call, FlowKind, OmissionReason, RECORDED};
use strata_model::app::{CustomFilter, IncludeContents, Plugin};
use strata_model::{Event, EventIndex, LlmRequest, Origin, RequestContent, RequestPart, Str, TextSpan};

use super::super::prefix::CommonPrefix;
use super::cause::Cause;
use super::instruction::Spans;
use super::link::Link;
use super::pair::Pair;

/// What stands at the first difference in one of the prompts.
struct Place<'r> {
    content: &'r RequestContent,
    part: Option<&'r RequestPart>,
}

impl<'r> Place<'r> {
    fn of(request: &'r LlmRequest, common: &CommonPrefix) -> Option<Self> {
        let content = request.contents.get(common.contents)?;
        Some(Self { content, part: content.parts.get(common.parts) })
    }

    /// The part, or the last of a content that has fewer.
    fn origin(&self) -> Option<&'r Origin> {
        self.part.or(self.content.parts.last()).map(RequestPart::main_origin)
    }

    /// The event that is shown here; a quotation begins with words of the runtime.
    fn event(&self) -> Option<EventIndex> {
        let own = self.origin().and_then(Origin::event);
        own.or_else(|| self.content.parts.iter().find_map(|part| part.main_origin().event()))
    }
}

impl Pair<'_> {
    pub(super) fn cause_in_contents(&self, common: &CommonPrefix, stage: Option<&str>) -> (Cause, Vec<Link>) {
        let (earlier, later) = (Place::of(self.earlier.1, common), Place::of(self.later.1, common));
        if let Some(cause) = stage.and_then(|stage| self.cause_in_code(stage)) {
            return match cause {
                Cause::Script { stage } if self.are_recorded() => {
                    (self.cause_of_extension(common, stage), Vec::new())
                }
                cause => (cause, Vec::new()),
            };
        }
        let origins = [&earlier, &later].map(|place| place.as_ref().and_then(Place::origin));
        if let Some(found) = self.cause_in_transient(common, origins) {
            return found;
        }
        let cause = match origins[1] {
            Some(Origin::Summary { event, .. }) => Cause::Compacted { by: Some(*event) },
            _ if stage == Some(RECORDED) => self.cause_in_recorded(common, earlier.as_ref()),
            _ => {
                // What another program sent is told by itself: its history has what was sent instead as an event.
                let is_sent = self.experiment.kind() == FlowKind::Transcript;
                let other_result = is_sent.then(|| self.other_result(common)).flatten();
                other_result
                    .or_else(|| self.cause_in_history(earlier.as_ref(), later.as_ref()))
                    .unwrap_or_else(|| self.cause_in_sent(common))
            }
        };
        let links = match &cause {
            Cause::Compacted { by: Some(by) } => {
                vec![Link::Event { event: *by, did: "summarised a part of the history" }]
            }
            Cause::Rewound { by: Some(by) } => {
                vec![Link::Event { event: *by, did: "took back a part of the history" }]
            }
            Cause::LateResponse { event } => {
                vec![Link::Event { event: *event, did: "brought the result of an earlier call" }]
            }
            Cause::HandOff { begins: Some(event) } => {
                vec![Link::Event { event: *event, did: "is another agent's, and the turn now begins there" }]
            }
            Cause::Scope { begins: Some(event) } => {
                vec![Link::Event { event: *event, did: "is the first one the agent may see now" }]
            }
            _ => Vec::new(),
        };
        (cause, links)
    }

    /// Plugins, callbacks and what an experiment put in, by what they are known to do.
    fn cause_in_code(&self, stage: &str) -> Option<Cause> {
        let first = || first_event(self.later.1);
        if let Some(kind) = self.inserted_kind(stage) {
            return Some(match &**kind {
                "retention" | "context_filter" => Cause::Window { first: first() },
                "script" => Cause::Script { stage: stage.into() },
                _ => Cause::Inserted { stage: stage.into(), kind: kind.clone() },
            });
        }
        if let Some(name) = stage.strip_prefix("plugin:") {
            let plugins = self.experiment.index().app().plugins();
            return Some(match plugins.iter().find(|plugin| plugin.name() == name) {
                Some(Plugin::ContextFilter { custom_filter: None, .. }) => Cause::Window { first: first() },
                Some(Plugin::ContextFilter {
                    custom_filter: Some(CustomFilter::KeepLast { .. }), ..
                }) => Cause::Truncated { first: first(), n_messages: 0, n_kept: 0 },
                _ => Cause::Script { stage: stage.into() },
            });
        }
        stage.starts_with("callback:").then(|| match stage {
            "callback:keep_last_contents" => Cause::Truncated { first: first(), n_messages: 0, n_kept: 0 },
            _ => Cause::Script { stage: stage.into() },
        })
    }

    /// Whether both prompts are what was sent: then what code did is known by them alone.
    fn are_recorded(&self) -> bool {
        let is_recorded = |call: &Call| self.experiment.recorded_request(call.number).is_some();
        is_recorded(self.earlier.0) && is_recorded(self.later.0)
    }

    /// What code of the app did, by the text of both prompts.
    fn cause_of_extension(&self, common: &CommonPrefix, stage: Str) -> Cause {
        match self.other_result(common).unwrap_or_else(|| self.cause_in_sent(common)) {
            Cause::Unknown { .. } | Cause::OtherConversation => Cause::Script { stage },
            told => told,
        }
    }

    fn inserted_kind(&self, stage: &str) -> Option<&Str> {
        let agent = self.experiment.index().find(&self.later.0.invocation.agent)?;
        let flow = self.experiment.flow(agent);
        Some(&flow.steps()[flow.position(stage)?].inserted.as_ref()?.kind)
    }

    /// What belongs to a call rather than to the conversation.
    fn cause_in_transient(
        &self,
        common: &CommonPrefix,
        [earlier, later]: [Option<&Origin>; 2],
    ) -> Option<(Cause, Vec<Link>)> {
        let of = |is: fn(&Origin) -> bool| [earlier, later].into_iter().flatten().find(|origin| is(origin));
        if of(is_memory).is_some() {
            return Some((Cause::Memory, Vec::new()));
        }
        if let Some(origin) = of(is_artifact) {
            return Some((Cause::Artifacts { origin: origin.clone() }, Vec::new()));
        }
        if let Some(Origin::Extension { name }) = of(|origin| matches!(origin, Origin::Extension { .. })) {
            return Some((self.cause_of_extension(common, name.clone()), Vec::new()));
        }
        let origin = of(is_instruction)?;
        if earlier.is_some_and(is_instruction) && later.is_some_and(is_instruction) {
            let spans = [self.earlier.1, self.later.1].map(|request| part_spans(request, common));
            let place = |spans: &'_ Option<(Vec<TextSpan>, usize)>| spans.as_ref().map(|(_, at)| *at);
            let [before, now] = &spans;
            let found = Spans {
                earlier: before.as_ref().map(|(spans, _)| &spans[..]).zip(place(before)),
                later: now.as_ref().map(|(spans, _)| &spans[..]).zip(place(now)),
                texts: (part_text(self.earlier.1, common), part_text(self.later.1, common)),
            };
            return Some(self.cause_in_instruction(&found));
        }
        let is_same = placed(self.earlier.1) == placed(self.later.1);
        Some((Cause::Placement { origin: origin.clone(), is_same }, Vec::new()))
    }

    /// What a recorded request shows: the rules of the history where they leave out what is missing, else the text.
    fn cause_in_recorded(&self, common: &CommonPrefix, earlier: Option<&Place<'_>>) -> Cause {
        let by_rule = || self.cause_of_absence(earlier.and_then(Place::event)?);
        self.other_result(common).or_else(by_rule).unwrap_or_else(|| self.cause_in_sent(common))
    }

    /// The rule by which an event of the earlier prompt is not in the later one.
    fn cause_of_absence(&self, before: EventIndex) -> Option<Cause> {
        if is_sent(self.later.1, before) {
            return None;
        }
        self.cause_of_omission(self.omission(self.later.0, before)?)
    }

    /// What the rules of the history did with the events at the difference. `None` where none of them did anything.
    fn cause_in_history(&self, earlier: Option<&Place<'_>>, later: Option<&Place<'_>>) -> Option<Cause> {
        let (before, now) = (earlier.and_then(Place::event), later.and_then(Place::event));
        let has_tool_part =
            |place: Option<&Place<'_>>| place.is_some_and(|place| place.content.parts.iter().any(is_of_tool));
        if before.is_some() && before == now {
            let event = self.last(|event| event.function_responses().next().is_some()).or(now);
            let event = event.filter(|_| has_tool_part(earlier) || has_tool_part(later))?;
            return Some(Cause::LateResponse { event });
        }
        if let Some(cause) = before.and_then(|before| self.cause_of_absence(before)) {
            return Some(cause);
        }
        if let Some(now) = now {
            let is_new = now.as_usize() >= self.earlier.0.n_events();
            let was_waiting = self.omission(self.earlier.0, now).is_some_and(is_about_responses);
            if was_waiting || (is_new && has_tool_part(later)) {
                return Some(Cause::LateResponse { event: now });
            }
        }
        self.last(Event::is_compaction).map(|by| Cause::Compacted { by: Some(by) })
    }

    fn cause_of_omission(&self, reason: OmissionReason) -> Option<Cause> {
        let begins = first_event(self.later.1);
        match reason {
            OmissionReason::Summarised { by } => Some(Cause::Compacted { by: Some(by) }),
            OmissionReason::SubsumedSummary => {
                self.last(Event::is_compaction).map(|by| Cause::Compacted { by: Some(by) })
            }
            OmissionReason::Rewound => self
                .last(|event| event.actions.rewind_before_invocation_id.is_some())
                .map(|by| Cause::Rewound { by: Some(by) }),
            OmissionReason::EarlierTurn if self.is_one_turn() => Some(Cause::HandOff { begins }),
            OmissionReason::EarlierTurn
            | OmissionReason::OtherScope
            | OmissionReason::OtherNode
            | OmissionReason::OtherBranch => Some(Cause::Scope { begins }),
            reason if is_about_responses(reason) => {
                let event = self.last(|event| event.function_responses().next().is_some());
                event.map(|event| Cause::LateResponse { event })
            }
            _ => None,
        }
    }

    /// The same turn of the user, for an agent that sees one turn.
    fn is_one_turn(&self) -> bool {
        let context = self.experiment.context(self.later.0);
        let sees_one = context.is_some_and(|context| context.include_contents() == IncludeContents::None);
        sees_one && self.earlier.0.turn == self.later.0.turn
    }

    /// Why an event that a call could have seen is not in its prompt.
    fn omission(&self, call: &Call, event: EventIndex) -> Option<OmissionReason> {
        explain_omission(&self.experiment.context(call)?, event)
    }

    /// The last event of this kind that the later call saw and the earlier one did not.
    pub(super) fn last(&self, is: impl Fn(&Event) -> bool) -> Option<EventIndex> {
        let mut events = self.experiment.events_between(self.earlier.0, self.later.0);
        events.rfind(|logged| is(&logged.event))?.index
    }
}

fn is_memory(origin: &Origin) -> bool {
    matches!(origin, Origin::Memory { .. })
        || matches!(origin, Origin::Tool { name } if **name == *"preload_memory")
}

fn is_artifact(origin: &Origin) -> bool {
    matches!(origin, Origin::Artifact { .. })
        || matches!(origin, Origin::Tool { name } if **name == *"load_artifacts")
}

fn is_instruction(origin: &Origin) -> bool {
    matches!(origin, Origin::Instruction { .. } | Origin::State { .. })
        || matches!(origin, Origin::Run { field } if **field != *"request")
        || matches!(origin, Origin::Processor { name } if **name == *"instructions")
}

/// Text of an instruction that stands among the contents.
fn placed(request: &LlmRequest) -> Vec<&str> {
    let parts = request.contents.iter().flat_map(|content| &content.parts);
    let placed = parts.filter(|part| is_instruction(part.main_origin()));
    placed.filter_map(|part| part.part.text.as_deref()).collect()
}

fn is_of_tool(part: &RequestPart) -> bool {
    part.part.function_call.is_some() || part.part.function_response.is_some()
}

fn is_about_responses(reason: OmissionReason) -> bool {
    matches!(
        reason,
        OmissionReason::WhileWaiting
            | OmissionReason::StaleReply
            | OmissionReason::SupersededResponse
            | OmissionReason::OrphanResponse
            | OmissionReason::UnansweredCall
    )
}

fn is_sent(request: &LlmRequest, event: EventIndex) -> bool {
    let mut parts = request.contents.iter().flat_map(|content| &content.parts);
    parts.any(|part| part.main_origin().event() == Some(event))
}

pub(super) fn first_event(request: &LlmRequest) -> Option<EventIndex> {
    let mut parts = request.contents.iter().flat_map(|content| &content.parts);
    parts.find_map(|part| part.main_origin().event())
}

fn part_text(request: &LlmRequest, common: &CommonPrefix) -> Str {
    let part = request.contents.get(common.contents).and_then(|content| content.parts.get(common.parts));
    part.and_then(|part| part.part.text.clone()).unwrap_or_default()
}

/// The spans of the text at the first difference, and the one it lies in.
fn part_spans(request: &LlmRequest, common: &CommonPrefix) -> Option<(Vec<TextSpan>, usize)> {
    let part = request.contents.get(common.contents)?.parts.get(common.parts)?;
    let mut rest = part.part.text.as_deref()?;
    let mut spans = Vec::new();
    let mut place = None;
    let mut end = 0;
    for (at, (bytes, origin)) in part.origins().iter().enumerate() {
        let (text, behind) = rest.split_at_checked(*bytes as usize)?;
        rest = behind;
        end += text.len();
        if common.bytes < end && place.is_none() {
            place = Some(at);
        }
        spans.push(TextSpan { text: text.into(), origin: origin.clone() });
    }
    Some((spans, place?))
}
