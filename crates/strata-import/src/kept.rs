//! Histories that a provider keeps: OpenAI's Responses go on from an answer by its id, and send only what is new.

use std::collections::VecDeque;
use std::sync::Arc;

use strata_model::{Json, Object, Str};
use strata_wire::stream;

/// So many of the latest answers can be gone on from. Others are as if they were not recorded.
const LATEST: usize = 64;

/// The latest requests with their answers, and what was made of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptAnswers {
    latest: VecDeque<(Str, Arc<Kept>)>,
    /// Requests that were put together.
    pub(crate) n_rebuilt: usize,
    /// Requests that go on from an answer which is not here.
    pub(crate) n_unknown: usize,
}

#[derive(Debug)]
struct Kept {
    input: Json,
    /// Read when something goes on from it.
    response: Json,
}

impl KeptAnswers {
    /// A body with the history it names before what it says itself; `None` where it names none that is known.
    pub(crate) fn rebuilt(&mut self, body: &Json) -> Option<Json> {
        let object = body.as_object().filter(|body| body.contains_key("input"))?;
        let named = object.get("previous_response_id")?.as_str()?;
        let Some((_, kept)) = self.latest.iter().rev().find(|(id, _)| &**id == named) else {
            self.n_unknown += 1;
            return None;
        };
        let mut input = items(&kept.input);
        input.extend(output(&kept.response));
        input.extend(items(object.get("input")?));
        let mut whole: Object = object.clone();
        whole.remove("previous_response_id");
        whole.insert("input", Json::Array(input));
        self.n_rebuilt += 1;
        Some(Json::Object(whole))
    }

    /// Keeps a request that is whole, and its answer of this id.
    pub(crate) fn keep(&mut self, id: &Str, body: &Json, response: Json) {
        let Some(input) = body.get("input") else { return };
        if self.latest.len() == LATEST {
            self.latest.pop_front();
        }
        self.latest.push_back((id.clone(), Arc::new(Kept { input: input.clone(), response })));
    }
}

/// The items of an input, which may be the words of a user alone.
fn items(input: &Json) -> Vec<Json> {
    match input {
        Json::Array(items) => items.clone(),
        Json::String(text) => {
            let fields = [("role", Json::from("user")), ("content", Json::String(text.clone()))];
            vec![Json::Object(fields.into_iter().collect())]
        }
        _ => Vec::new(),
    }
}

/// The items of an answer, whole or streamed.
fn output(response: &Json) -> Vec<Json> {
    let items = |body: Option<&Json>| body.and_then(Json::as_array).unwrap_or_default().to_vec();
    let pieces = match response {
        Json::Object(body) => return items(body.get("output")),
        Json::String(text) => stream::pieces(text).unwrap_or_default(),
        Json::Array(pieces) => pieces.clone(),
        _ => Vec::new(),
    };
    // The list at the end may be left empty, as the items were sent before.
    let done = |piece: &Json| {
        (piece.get("type")?.as_str()? == "response.output_item.done").then(|| piece.get("item").cloned())?
    };
    let sent: Vec<Json> = pieces.iter().filter_map(done).collect();
    if !sent.is_empty() {
        return sent;
    }
    stream::joined(pieces).map(|joined| items(joined.body.get("output"))).unwrap_or_default()
}
