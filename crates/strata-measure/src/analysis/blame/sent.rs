//! Why a conversation is not told the same way again, by what was sent alone: whoever made the requests, and by whatever
//! rules.

use std::collections::HashMap;

use strata_engine::FlowKind;
use strata_model::json::to_compact;
use strata_model::{Fingerprint, FromJson as _, LlmRequest, Origin, RequestPart};

use super::cause::{Cause, PartsKind};
use super::contents::first_event;
use super::pair::Pair;
use crate::analysis::prefix::CommonPrefix;
use crate::analysis::text_change::{ChangeKind, TextChange, shown};
use crate::phrases::number;

/// Parts behind the first difference within which both prompts have to be the same again.
const WINDOW: usize = 600;
/// Messages at the head that clients keep when they drop the oldest ones: the task.
const KEPT_AT_HEAD: usize = 2;
/// Bytes two texts have to begin with to be two versions of one.
const SAME_BEGINNING: usize = 24;

/// A part of a prompt with its place.
#[derive(Clone, Copy)]
struct Sent<'r> {
    part: &'r RequestPart,
    content: usize,
    is_user: bool,
}

impl Sent<'_> {
    fn print(self) -> (bool, Fingerprint) {
        (self.is_user, self.part.fingerprint)
    }

    fn text(self) -> String {
        let part = &self.part.part;
        match (&part.text, &part.function_call, &part.function_response) {
            (Some(text), ..) => text.to_string(),
            (None, Some(call), _) => call.args.as_ref().map_or_else(String::new, |args| compact(args)),
            (None, None, Some(response)) => {
                response.response.as_ref().map_or_else(String::new, |said| compact(said))
            }
            _ => to_compact(&part.to_json()),
        }
    }

    /// `image/png of 4,120 bytes`, for what is sent along in base64.
    fn media(self) -> Option<String> {
        let blob = self.part.part.inline_data.as_ref()?;
        let kind = blob.mime_type.as_deref().unwrap_or("file");
        let bytes = blob.data.as_ref()?.size_bytes();
        Some(format!("{kind} of {} bytes", number(bytes as u64)))
    }

    /// Of a call, or of the call that it is the result of.
    fn id(self) -> String {
        let part = &self.part.part;
        let of_call = part.function_call.as_ref().and_then(|call| call.id.as_deref());
        let of_result = part.function_response.as_ref().and_then(|response| response.id.as_deref());
        of_call.or(of_result).unwrap_or_default().to_owned()
    }

    /// Whether it is the same message with other words: the result of the same call, or a text that begins the same.
    fn is_version_of(self, other: Sent<'_>) -> bool {
        let (a, b) = (&self.part.part, &other.part.part);
        match ((&a.function_call, &a.function_response), (&b.function_call, &b.function_response)) {
            ((Some(a), _), (Some(b), _)) => a.name == b.name,
            ((_, Some(a)), (_, Some(b))) => a.name == b.name && a.id == b.id,
            ((None, None), (None, None)) => {
                let (a, b) = (self.text(), other.text());
                let shared = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
                let behind = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
                self.is_user == other.is_user
                    && (shared >= SAME_BEGINNING || (shared + behind) * 2 >= a.len().min(b.len()))
            }
            _ => false,
        }
    }
}

fn compact(object: &strata_model::Object) -> String {
    // The text of a result that is one text is shown without its frame.
    match object.values().next().filter(|_| object.len() == 1).and_then(|value| value.as_str()) {
        Some(text) => text.to_string(),
        None => to_compact(&strata_model::Json::Object(object.clone())),
    }
}

impl Pair<'_> {
    /// What the prompts show: parts that went, came in, or have another text; or another conversation.
    pub(super) fn cause_in_sent(&self, common: &CommonPrefix) -> Cause {
        let (before, now) = (behind(self.earlier.1, common), behind(self.later.1, common));
        let Some((gone, new)) = same_again(&before, &now) else {
            return self.without_return(common, &before, &now);
        };
        let (gone, new) = (&before[..gone], &now[..new]);
        match (gone, new) {
            // As the parts are compared, both are the same; as they are sent, they are not.
            ([], []) => match (before.first(), now.first()) {
                (Some(was), Some(is)) if was.text() != is.text() => rewritten(*was, *is),
                _ => Cause::Unknown { origin: now.first().map(|sent| sent.part.main_origin().clone()) },
            },
            ([], [first, ..]) => self.put_in(first, new),
            ([first, ..], []) => self.left_out(common, first, gone),
            ([was, ..], [is, ..]) if is.is_version_of(*was) => rewritten(*was, *is),
            ([was, ..], [is, ..]) => {
                // Much became one text: a summary. A few parts that became as many are others in their place.
                if gone.len() > new.len() + 1 && new.iter().any(|sent| sent.part.part.text.is_some()) {
                    let by = self.last(strata_model::Event::is_compaction);
                    Cause::Compacted { by }
                } else {
                    rewritten(*was, *is)
                }
            }
        }
    }

    /// The result of one call with another text. google-adk shows the last of several that events brought; in what other
    /// programs sent, the new text is itself what an event was made of.
    pub(super) fn other_result(&self, common: &CommonPrefix) -> Option<Cause> {
        let first = |request| behind(request, common).into_iter().next();
        let (was, is) = (first(self.earlier.1)?, first(self.later.1)?);
        let response = |sent: Sent<'_>| sent.part.part.function_response.clone();
        let (before, now) = (response(was)?, response(is)?);
        // Behind the same call stands its result, also where calls have no ids.
        if before.id != now.id || before.name != now.name {
            return None;
        }
        let is_new = |event: &strata_model::Event| {
            event.function_responses().any(|response| response.id.is_some() && response.id == now.id)
        };
        let is_newer = self.experiment.kind() == FlowKind::Adk && self.last(is_new).is_some();
        (!is_newer).then(|| rewritten(was, is))
    }

    /// Both go on differently to their ends.
    fn without_return(&self, common: &CommonPrefix, before: &[Sent<'_>], now: &[Sent<'_>]) -> Cause {
        match (before.first(), now.first()) {
            (Some(was), Some(is)) if is.is_version_of(*was) => rewritten(*was, *is),
            (Some(_), Some(_)) if common.contents == 0 && common.parts == 0 => Cause::OtherConversation,
            (Some(was), Some(is)) => {
                // A summary of nearly all of it; or another way on from an earlier place.
                let is_new_start = common.contents <= KEPT_AT_HEAD && before.len() > 2 * now.len() + 1;
                match self.last(strata_model::Event::is_compaction) {
                    Some(by) => Cause::Compacted { by: Some(by) },
                    None if is_new_start && is.is_user => Cause::Compacted { by: None },
                    None if !is.is_user && was.is_user => Cause::LeftOut {
                        what: kind_of(before),
                        n_parts: before.len() as u32,
                        origin: was.part.main_origin().clone(),
                        text: only_text(before),
                    },
                    None => Cause::Rewound { by: None },
                }
            }
            (Some(_), None) => Cause::Rewound { by: None },
            (None, _) => Cause::Unknown { origin: None },
        }
    }

    fn put_in(&self, first: &Sent<'_>, new: &[Sent<'_>]) -> Cause {
        let origin = first.part.main_origin().clone();
        let is_new = |event: strata_model::EventIndex| event.as_usize() >= self.earlier.0.n_events();
        match origin.event().filter(|event| is_new(*event) && first.part.part.function_response.is_some()) {
            Some(event) => Cause::LateResponse { event },
            None => {
                Cause::PutIn { what: kind_of(new), n_parts: new.len() as u32, origin, text: only_text(new) }
            }
        }
    }

    /// Whole rounds at the head are the oldest, whatever message now stands in their place; others are parts that went.
    fn left_out(&self, common: &CommonPrefix, first: &Sent<'_>, gone: &[Sent<'_>]) -> Cause {
        let what = kind_of(gone);
        let last = gone.last().map_or(first.content, |sent| sent.content);
        let is_round = last > first.content && matches!(what, PartsKind::Mixed | PartsKind::Texts);
        if common.contents <= KEPT_AT_HEAD && is_round {
            let n_messages = (last - first.content + 1) as u32;
            let n_kept = (common.contents + usize::from(common.parts > 0)) as u32;
            return Cause::Truncated { first: first_event(self.later.1), n_messages, n_kept };
        }
        let origin = first.part.main_origin().clone();
        Cause::LeftOut { what, n_parts: gone.len() as u32, origin, text: only_text(gone) }
    }
}

fn rewritten(was: Sent<'_>, is: Sent<'_>) -> Cause {
    let origin = [was, is].map(|sent| sent.part.main_origin());
    // The text that was sent now is in no event; what it stands for is.
    let origin = origin.iter().find(|origin| origin.event().is_some()).unwrap_or(&origin[1]);
    if let Some((before, after)) = was.media().zip(is.media()) {
        let after = if before == after { format!("another {after}") } else { after };
        let change = TextChange { kind: ChangeKind::Media, ..TextChange::of_values(&before, &after) };
        let change = TextChange { label: String::new(), before, after, ..change };
        return Cause::Rewritten { origin: Origin::clone(origin), change };
    }
    let (before, after) = (was.text(), is.text());
    // The same words for a call that has another name now.
    let (before, after) = if before == after { (was.id(), is.id()) } else { (before, after) };
    Cause::Rewritten { origin: Origin::clone(origin), change: TextChange::of_values(&before, &after) }
}

/// The parts behind what both prompts begin with, as many as are looked at.
fn behind<'r>(request: &'r LlmRequest, common: &CommonPrefix) -> Vec<Sent<'r>> {
    let mut sent = Vec::new();
    for at in common.contents..request.contents.len() {
        let Some(content) = request.contents.get(at) else { break };
        let skipped = if at == common.contents { common.parts } else { 0 };
        let is_user = content.is_user();
        sent.extend(content.parts.iter().skip(skipped).map(|part| Sent { part, content: at, is_user }));
        if sent.len() >= WINDOW {
            break;
        }
    }
    sent
}

/// How many parts lie between the first difference and the place from which on both are the same again, in each.
fn same_again(before: &[Sent<'_>], now: &[Sent<'_>]) -> Option<(usize, usize)> {
    let mut places: HashMap<(bool, Fingerprint), usize> = HashMap::new();
    for (at, sent) in before.iter().enumerate() {
        places.entry(sent.print()).or_insert(at);
    }
    let found = now.iter().enumerate().filter_map(|(at, sent)| Some((*places.get(&sent.print())?, at)));
    found.min_by_key(|(gone, new)| gone + new)
}

/// The beginning of the only part, where that is a text.
fn only_text(sent: &[Sent<'_>]) -> String {
    match sent {
        [one] => one.part.part.text.as_deref().map(shown).unwrap_or_default(),
        _ => String::new(),
    }
}

fn kind_of(sent: &[Sent<'_>]) -> PartsKind {
    let kind = |sent: &Sent<'_>| {
        let part = &sent.part.part;
        match () {
            () if part.is_thought() => PartsKind::Thoughts,
            () if part.function_call.is_some() => PartsKind::Calls,
            () if part.function_response.is_some() => PartsKind::Results,
            () if part.inline_data.is_some() || part.file_data.is_some() => PartsKind::Media,
            () if part.text.is_some() => PartsKind::Texts,
            () => PartsKind::Mixed,
        }
    };
    let mut kinds = sent.iter().map(kind);
    let first = kinds.next().unwrap_or(PartsKind::Mixed);
    if kinds.all(|kind| kind == first) { first } else { PartsKind::Mixed }
}
