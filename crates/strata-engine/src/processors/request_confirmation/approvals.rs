//! What the user answered to requests for approval, and which of it is still to be taken up.

use std::collections::{HashMap, HashSet};

use strata_model::{FunctionCall, Object, Str};

use crate::adk_text::REQUEST_CONFIRMATION;
use crate::error::{CompileError, ErrorKind};
use crate::log::LoggedEvent;
use crate::turn::tool_calls::ToolConfirmation;

/// Answers by the id of the request, in the order they were given.
#[derive(Debug, Default)]
pub(super) struct Approvals(pub(super) Vec<(Str, ToolConfirmation)>);

/// What is left of the user's last answers.
#[derive(Debug)]
pub(super) enum Pending {
    /// They hold no approval at all.
    Nothing,
    /// All were acted on after the user gave them, or came with answers of another kind.
    Taken,
    /// All were acted on before the user gave them again.
    TakenBefore,
    Some(Approvals),
}

impl Approvals {
    pub(super) fn read(events: &[&LoggedEvent]) -> Result<Pending, CompileError> {
        let Some(last) = events.iter().rposition(|logged| logged.event.is_from_user()) else {
            return Ok(Pending::Nothing);
        };
        let mut approvals = Self::default();
        let mut has_others = false;
        for response in events[last].event.function_responses() {
            if response.name.as_deref() != Some(REQUEST_CONFIRMATION) {
                has_others = true;
                continue;
            }
            let Some(id) = response.id.as_ref().filter(|id| !id.is_empty()) else { continue };
            match ToolConfirmation::read(response) {
                None => {}
                Some(Ok(confirmation)) => approvals.insert(id, confirmation),
                Some(Err(error)) => return Err(error),
            }
        }
        if approvals.0.is_empty() {
            return Ok(Pending::Nothing);
        }
        let taken = approvals.taken(events, last);
        approvals.0.retain(|(id, _)| !taken.ids.contains(id));
        Ok(match approvals.0.is_empty() {
            false => Pending::Some(approvals),
            true if taken.is_after_answer || has_others => Pending::Taken,
            true => Pending::TakenBefore,
        })
    }

    pub(super) fn get(&self, id: &str) -> Option<&ToolConfirmation> {
        self.0.iter().find(|(known, _)| **known == *id).map(|(_, confirmation)| confirmation)
    }

    fn insert(&mut self, id: &Str, confirmation: ToolConfirmation) {
        match self.0.iter_mut().find(|(known, _)| known == id) {
            Some((_, known)) => *known = confirmation,
            None => self.0.push((id.clone(), confirmation)),
        }
    }

    /// Requests whose call got a result after the user had answered for the first time.
    fn taken(&self, events: &[&LoggedEvent], last: usize) -> UsedApprovals {
        let request_of_call = self.requests_by_call(events);
        let mut answered: HashSet<&str> = HashSet::new();
        let mut taken = UsedApprovals::default();
        for (at, logged) in events.iter().enumerate() {
            for response in logged.event.function_responses() {
                let Some(id) = response.id.as_deref().filter(|id| !id.is_empty()) else { continue };
                if logged.event.is_from_user() {
                    if self.get(id).is_some() {
                        answered.insert(id);
                    }
                } else if let Some(request) = request_of_call.get(id).filter(|id| answered.contains(&***id)) {
                    taken.ids.insert(request.clone());
                    taken.is_after_answer |= at > last;
                }
            }
        }
        taken
    }

    /// The request that asks about each call, the last one if there are several.
    fn requests_by_call<'e>(&self, events: &[&'e LoggedEvent]) -> HashMap<&'e str, Str> {
        let mut call_of_request: Vec<(&Str, &'e str)> = Vec::new();
        for call in events.iter().flat_map(|logged| logged.event.function_calls()) {
            let Some((id, _)) = self.0.iter().find(|(id, _)| call.id.as_ref() == Some(id)) else { continue };
            let asked = original_call(call).and_then(|call| call.get("id")?.as_str());
            let Some(asked) = asked.filter(|id| !id.is_empty()) else { continue };
            match call_of_request.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => *known = asked,
                None => call_of_request.push((id, asked)),
            }
        }
        call_of_request.into_iter().map(|(request, call)| (call, request.clone())).collect()
    }
}

#[derive(Default)]
struct UsedApprovals {
    ids: HashSet<Str>,
    /// At least one result came after the user's last answers.
    is_after_answer: bool,
}

/// The call a request asks about, as the request describes it.
pub(super) fn original_call(request: &FunctionCall) -> Option<&Object> {
    request.args.as_deref().filter(|args| !args.is_empty())?.get("originalFunctionCall")?.as_object()
}

/// A request that ADK would refuse.
pub(super) fn refused(message: String) -> CompileError {
    CompileError::new(
        ErrorKind::ValueError,
        message,
        "post the answer to the request as the session holds it, with the call it asks about unchanged",
    )
}
