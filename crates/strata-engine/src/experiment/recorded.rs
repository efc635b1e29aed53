//! Requests as they were really sent.
//!
//! Where a recording holds the request of a call, that is what the model was given, whatever compiling the call makes
//! of the session. It becomes the last stage of the call's compilation, so that everything which rests on what was sent
//! (sizes, prefixes, the ledger) rests on it, and the stage before it is what was recompiled.
//!
//! Its parts are found among the events, and what no event holds among the parts that were compiled. What is in neither
//! keeps the request itself as its source.
//!
//! Under edits the stage holds what was sent with what the edits change of it ([`super::carried`]).

use std::collections::{BTreeSet, HashMap as StdHashMap, HashSet};
use std::sync::{Arc, OnceLock};

use imbl::{HashMap, OrdMap, Vector};
use strata_model::{
    Contents, Diagnostic, Event, EventIndex, Fingerprint, FingerprintBuilder, LlmRequest, Origin, Part,
    RequestContent, RequestPart, RequestTool, RichText, SharedList, Str,
};

use super::carried::{UneditedRequest, carried};
use super::sourced_text::sourced;
use crate::calls::Call;
use crate::compile::{Compilation, RecordedStage, Stage};
use crate::processor::StageOutput;
use crate::sections::{self, Sections};

/// What the stage is called.
pub const RECORDED: &str = "recorded";

/// What it is called where a person changed the request before it was sent.
pub const EDITED_BY_HAND: &str = "edited_by_hand";

/// The requests of calls, by the number of the call. A copy is cheap.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordedRequests {
    by_call: OrdMap<u32, Arc<RecordedRequest>>,
    /// Of the events at which the last request was added.
    sharing: Sharing,
}

#[derive(Debug)]
pub(crate) struct RecordedRequest {
    request: LlmRequest,
    /// With the sources that compiling knows, once the call was compiled.
    sent: OnceLock<UneditedRequest>,
}

impl RecordedRequests {
    /// Adds requests with the events that answer them. A call that was asked twice keeps the later one; an event that
    /// answers no call has none. Returns the number of the first call that has another request now.
    pub(crate) fn add(
        &mut self,
        events: &[Arc<Event>],
        calls: &SharedList<Call>,
        requests: impl IntoIterator<Item = (EventIndex, LlmRequest)>,
    ) -> Option<u32> {
        let mut first: Option<u32> = None;
        for (answer, request) in requests {
            let Some(call) = answered_by(calls, answer) else { continue };
            self.sharing.read(events);
            let request = RecordedRequest::new(self.sharing.sourced(request, answer));
            self.by_call.insert(call.number, Arc::new(request));
            first = Some(first.map_or(call.number, |first| first.min(call.number)));
        }
        first
    }

    /// Those of the first calls, for a session that goes on otherwise behind so many events.
    pub(crate) fn up_to(&self, n_calls: u32, n_events: usize) -> Self {
        let (by_call, _) = self.by_call.split(&(n_calls + 1));
        let sharing =
            if self.sharing.n_events <= n_events { self.sharing.clone() } else { Sharing::default() };
        Self { by_call, sharing }
    }

    /// Forgets what calls behind the first so many compiled to.
    pub(crate) fn compile_anew(&mut self, n_calls: u32) {
        let later: Vec<u32> = self.by_call.range(n_calls + 1..).map(|(call, _)| *call).collect();
        for call in later {
            if let Some(recorded) = self.by_call.get_mut(&call) {
                *recorded = Arc::new(RecordedRequest::new(recorded.request.clone()));
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.by_call.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &RecordedRequest> {
        self.by_call.values().map(|recorded| &**recorded)
    }

    pub(crate) fn get(&self, call: u32) -> Option<&RecordedRequest> {
        self.by_call.get(&call).map(|recorded| &**recorded)
    }
}

impl RecordedRequest {
    fn new(request: LlmRequest) -> Self {
        Self { request, sent: OnceLock::new() }
    }

    /// As it is recorded, with the events that say the same as its parts.
    pub(crate) fn request(&self) -> &LlmRequest {
        &self.request
    }

    /// What was sent for a call that compiles to `compiled` without edits.
    pub(crate) fn sent(&self, call: &Call, compiled: impl FnOnce() -> LlmRequest) -> &UneditedRequest {
        self.sent.get_or_init(|| {
            let compiled = compiled();
            UneditedRequest { request: matched(&self.request, &compiled, &call.invocation.agent), compiled }
        })
    }

    pub(crate) fn is_sent_as(&self, request: &LlmRequest) -> bool {
        self.sent.get().is_some_and(|sent| sent.request.is_same_prompt(request))
    }
}

/// Who made of a compiled request what was sent.
#[derive(Clone, Copy)]
pub(crate) enum Maker<'m> {
    /// The app, by the rules that are known.
    App,
    /// Another version of google-adk, by rules of its own.
    OtherWriter(&'m Str),
    /// Somebody who edited it while it was held.
    Person,
}

/// Puts what was sent behind what was compiled, with what edits change of it, which drop these events.
pub(crate) fn add_sent(
    compilation: &mut Compilation,
    sent: &UneditedRequest,
    dropped: &BTreeSet<EventIndex>,
    maker: Maker<'_>,
) {
    let compiled = compilation.working_context();
    let mut output = StageOutput::default();
    let is_compiled_same = compiled.is_same_prompt(&sent.compiled);
    let request = if is_compiled_same && dropped.is_empty() {
        sent.request.clone()
    } else {
        let (request, problems) = carried(sent, &compiled, dropped);
        output.diagnostics.extend(problems);
        LlmRequest { cache_marks: sent.request.cache_marks.clone(), ..request }
    };
    let is_as_sent = is_compiled_same && request.is_same_prompt(&sent.request);
    let is_same = compiled.is_same_prompt(&request);
    let changed = if is_same { Sections::empty() } else { sections::changed(&compiled, &request) };
    output.note(match maker {
        Maker::Person if is_as_sent => "edited by hand before it was sent".to_owned(),
        _ if is_same && is_as_sent => "sent as it is compiled".to_owned(),
        _ if is_same => "as it is compiled".to_owned(),
        _ if !is_as_sent => "what was really sent, with what this experiment changes".to_owned(),
        Maker::OtherWriter(writer) => format!("what {writer} really sent"),
        Maker::App | Maker::Person => "what was really sent".to_owned(),
    });
    if let Maker::OtherWriter(writer) = maker
        && !is_same
    {
        output.diagnostics.push(Diagnostic::info(
            "other-version",
            "",
            format!(
                "{writer} made this request. The stages before this one follow the rules of google-adk 2.13, which \
                 differ; how {writer} put it together is not known here"
            ),
        ));
    }
    compilation.stages.push(Stage {
        processor: if matches!(maker, Maker::Person) { EDITED_BY_HAND } else { RECORDED }.into(),
        changed,
        request,
        is_reused: false,
        is_enabled: true,
        recorded: Some(if is_as_sent { RecordedStage::AsSent } else { RecordedStage::Edited }),
        output: Arc::new(output),
    });
}

/// The call that an event answers.
fn answered_by(calls: &SharedList<Call>, answer: EventIndex) -> Option<&Call> {
    calls.get(calls.binary_search_by_key(&answer, |call| call.answer)?)
}

/// Where parts were said, and contents that several requests have.
#[derive(Debug, Clone, Default)]
struct Sharing {
    n_events: usize,
    said: HashMap<Fingerprint, Vector<(EventIndex, u16)>>,
    /// By what is said alone: clients drop ids and signatures, and loggers leave them out.
    meant: HashMap<Fingerprint, Vector<(EventIndex, u16)>>,
    contents: HashMap<Fingerprint, Arc<RequestContent>>,
    last: Contents,
}

impl Sharing {
    /// Reads the events behind those it has read.
    fn read(&mut self, events: &[Arc<Event>]) {
        for (event_at, event) in events.iter().enumerate().skip(self.n_events) {
            for (at, part) in event.parts().iter().enumerate() {
                let place = (EventIndex(event_at as u32), at as u16);
                let origin = Origin::Event { event: place.0, part: place.1 };
                let print = RequestPart::new(part.clone(), origin).fingerprint;
                self.said.entry(print).or_default().push_back(place);
                if let Some(meaning) = meaning(part) {
                    self.meant.entry(meaning).or_default().push_back(place);
                }
            }
        }
        self.n_events = self.n_events.max(events.len());
    }

    /// The request with events as the sources of its parts, sharing with the one before it what both begin with.
    fn sourced(&mut self, mut request: LlmRequest, answer: EventIndex) -> LlmRequest {
        let mut n_seen: StdHashMap<Fingerprint, usize> = StdHashMap::new();
        let contents: Vec<Arc<RequestContent>> = request
            .contents
            .iter()
            .map(|content| {
                let parts = content.parts.iter().map(|part| {
                    let key = meaning(&part.part).unwrap_or(part.fingerprint);
                    let nth = n_seen.entry(key).or_default();
                    *nth += 1;
                    self.source(part, *nth - 1, answer)
                });
                let content = content.with_parts(parts.collect());
                self.contents.entry(content.provenance).or_insert_with(|| Arc::new(content)).clone()
            })
            .collect();
        let n_shared = self.last.iter().zip(&contents).take_while(|(a, b)| Arc::ptr_eq(a, b)).count();
        self.last.split_off(n_shared);
        self.last.extend(contents.into_iter().skip(n_shared));
        request.contents = self.last.clone();
        request
    }

    /// A part that was said before the answer: the first time it stands in a request, it is what was said first.
    fn source(&self, part: &RequestPart, nth: usize, answer: EventIndex) -> RequestPart {
        let before = |known: Option<&Vector<(EventIndex, u16)>>| {
            known?.iter().take_while(|(event, _)| *event < answer).take(nth + 1).last().copied()
        };
        let meant = || before(self.meant.get(&meaning(&part.part)?));
        match before(self.said.get(&part.fingerprint)).or_else(meant) {
            Some((event, at)) => part.with_origin(Origin::Event { event, part: at }),
            None => part.clone(),
        }
    }
}

/// Identifies a part by its text, its call or its result, whatever else comes with it. `None` for all other parts.
fn meaning(part: &Part) -> Option<Fingerprint> {
    let mut hash = FingerprintBuilder::new();
    if let Some(call) = &part.function_call {
        hash.number(1).optional(call.name.as_deref());
        call.args.iter().for_each(|args| {
            hash.object(args);
        });
    } else if let Some(response) = &part.function_response {
        hash.number(2).optional(response.name.as_deref());
        response.response.iter().for_each(|response| {
            hash.object(response);
        });
    } else {
        hash.number(3).text(part.text.as_deref().filter(|text| !text.is_empty())?);
    }
    Some(hash.finish())
}

/// The recorded request with the sources of what was compiled, where both have the same.
fn matched(recorded: &LlmRequest, compiled: &LlmRequest, agent: &Str) -> LlmRequest {
    let mut request = recorded.clone();
    request.model = request.model.take().or_else(|| compiled.model.clone());
    if let Some(text) = &recorded.system_instruction {
        let known = compiled.system_instruction.as_ref();
        // What was sent as one text may be told block by block, unless marks stand behind some of them.
        let n_blocks = text.blocks().count();
        let has_marks = recorded.cache_marks.as_ref().is_some_and(|asked| !asked.marks.is_empty());
        let is_same = |known: &&Arc<RichText>| {
            known.to_text() == text.to_text()
                && (known.blocks().count() == n_blocks || (n_blocks == 1 && !has_marks))
        };
        let same = known.filter(is_same);
        let own = || Arc::new(sourced(text, known.map(|known| &**known), agent));
        request.system_instruction = Some(same.cloned().unwrap_or_else(own));
    }
    let prints = |tools: &[RequestTool]| tools.iter().map(RequestTool::fingerprint).collect::<Vec<_>>();
    if prints(&recorded.tools) == prints(&compiled.tools) {
        request.tools = compiled.tools.clone();
    }
    let parts = || compiled.contents.iter().flat_map(|content| &content.parts);
    let sources: HashSet<&Origin> = parts().map(RequestPart::main_origin).collect();
    // What is found among the events alone may be the same words from elsewhere.
    let is_unknown = |part: &RequestPart| !sources.contains(part.main_origin());
    let mut known: Option<Alike<'_>> = None;
    request.contents.rewrite(|_, content| {
        if !content.parts.iter().any(is_unknown) {
            return None;
        }
        let known = known.get_or_insert_with(|| {
            let sent = recorded.contents.iter().flat_map(|content| &content.parts);
            Alike::of(parts(), sent.filter(|part| is_unknown(part)))
        });
        let is_known = |part: &&RequestPart| is_unknown(part) && known.has(part);
        content.parts.iter().find(is_known)?;
        let parts = content.parts.iter().map(|part| {
            let same = if is_unknown(part) { known.next(part) } else { None };
            same.unwrap_or(part).clone()
        });
        Some(Arc::new(content.with_parts(parts.collect())))
    });
    request
}

/// Compiled parts that say the same, in their order: agents repeat themselves, and each time is another event.
struct Alike<'r> {
    compiled: StdHashMap<Fingerprint, Vec<&'r RequestPart>>,
    /// The place of the one that is sent next. Where fewer are sent than are compiled, they are the last.
    next: StdHashMap<Fingerprint, usize>,
}

impl<'r> Alike<'r> {
    fn of<'s>(
        compiled: impl Iterator<Item = &'r RequestPart>,
        sent: impl Iterator<Item = &'s RequestPart>,
    ) -> Self {
        let mut alike: StdHashMap<Fingerprint, Vec<&RequestPart>> = StdHashMap::new();
        for part in compiled {
            alike.entry(part.fingerprint).or_default().push(part);
        }
        let mut n_sent: StdHashMap<Fingerprint, usize> = StdHashMap::new();
        for part in sent {
            *n_sent.entry(part.fingerprint).or_default() += 1;
        }
        let next = alike.iter().map(|(print, parts)| {
            (*print, parts.len().saturating_sub(n_sent.get(print).copied().unwrap_or(0)))
        });
        Self { next: next.collect(), compiled: alike }
    }

    fn has(&self, sent: &RequestPart) -> bool {
        self.compiled.contains_key(&sent.fingerprint)
    }

    /// The compiled part that the next sent one is; the last of them where more are sent.
    fn next(&mut self, sent: &RequestPart) -> Option<&'r RequestPart> {
        let parts = self.compiled.get(&sent.fingerprint)?;
        let at = self.next.entry(sent.fingerprint).or_default();
        *at += 1;
        parts.get(*at - 1).or(parts.last()).copied()
    }
}
