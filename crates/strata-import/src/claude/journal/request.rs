//! The record of one request: what it has of the one before it, and what is new.

use strata_model::take::{count_of, take_list, take_object, take_text};
use strata_model::{Json, Object, Str};

use crate::source::SourceRecord;

#[derive(Debug, Clone)]
pub(super) struct RequestRecord {
    pub(super) id: Str,
    /// When it was sent, in epoch seconds.
    pub(super) time: Option<f64>,
    /// Who asked, for requests of sub-agents.
    pub(super) agent_id: Option<Str>,
    /// The name of its system prompt and tools.
    pub(super) shape: Str,
    /// Everything but system prompt, tools and messages.
    pub(super) params: Object,
    /// The request it goes on with.
    pub(super) base: Option<Str>,
    /// How many messages of that one begin it.
    pub(super) keep: usize,
    /// Hashes of the messages behind them.
    pub(super) tail: Vec<Str>,
    pub(super) marks: Vec<Mark>,
    pub(super) source: SourceRecord,
    /// Where findings about it point.
    pub(super) place: String,
}

/// Where a cached prefix ends.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    /// Keys and places that lead to it from the body, such as `messages`, `1`, `content`, `0`.
    pub(super) path: Vec<Step>,
    pub(super) value: Json,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(Str),
    Place(usize),
}

impl RequestRecord {
    /// Takes what is known from the members of a record. `None` where it is not all there.
    pub(super) fn read(
        members: &mut Object,
        agent_id: Option<Str>,
        time: Option<f64>,
        source: SourceRecord,
        place: &str,
    ) -> Option<Self> {
        let id = take_text(members, "id")?;
        let shape = take_text(members, "shapeHash")?;
        let params = take_object(members, "params")?;
        let base = match members.remove("base") {
            Some(Json::String(base)) => Some(base),
            Some(Json::Null) | None => None,
            Some(_) => return None,
        };
        let keep = match members.remove("keep") {
            Some(count) => usize::try_from(count_of(&count)?).ok()?,
            None => 0,
        };
        let tail: Option<_> =
            take_list(members, "tail")?.iter().map(|hash| hash.as_str().map(Str::from)).collect();
        let marks = match members.remove("cacheControl") {
            Some(Json::Array(marks)) => marks.into_iter().map(Mark::read).collect::<Option<_>>()?,
            Some(Json::Null) | None => Vec::new(),
            Some(_) => return None,
        };
        Some(Self {
            id,
            time,
            agent_id,
            shape,
            params,
            base,
            keep,
            tail: tail?,
            marks,
            source,
            place: place.into(),
        })
    }
}

impl Mark {
    fn read(mark: Json) -> Option<Self> {
        let Json::Object(mut mark) = mark else { return None };
        let path = take_list(&mut mark, "path")?.iter().map(Step::read).collect::<Option<_>>()?;
        Some(Self { path, value: mark.remove("value")? })
    }
}

impl Step {
    fn read(step: &Json) -> Option<Self> {
        match step {
            Json::String(key) => Some(Self::Key(key.clone())),
            step => Some(Self::Place(usize::try_from(step.as_i64()?).ok()?)),
        }
    }
}
