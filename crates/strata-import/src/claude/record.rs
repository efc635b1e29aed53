//! The fields that all records of a transcript share.

use strata_model::take::take_text;
use strata_model::{Json, Object, Str};

use crate::unmapped::Unmapped;

/// The first version that may keep a journal of requests: 2.1.281 was seen without, 2.1.285 is known to have one.
const JOURNAL_SINCE: [u32; 3] = [2, 1, 282];

/// One record, taken apart. Fields that only some types have are in `rest`.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) kind: Str,
    pub(super) uuid: Option<Str>,
    pub(super) parent: Parent,
    pub(super) logical_parent: Option<Str>,
    pub(super) session_id: Option<Str>,
    pub(super) agent_id: Option<Str>,
    /// The call that started the sub-agent that speaks, as the client's output stream names it.
    pub(super) task: Option<Str>,
    pub(super) prompt_id: Option<Str>,
    pub(super) request_id: Option<Str>,
    pub(super) version: Option<Str>,
    pub(super) timestamp: Option<Str>,
    pub(super) is_sidechain: bool,
    pub(super) is_meta: bool,
    pub(super) is_compact_summary: bool,
    /// The client says it in the user's name, in its output stream.
    pub(super) is_synthetic: bool,
    pub(super) message: Option<Object>,
    pub(super) tool_use_result: Option<Json>,
    pub(super) rest: Object,
}

/// What a record says about the one before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Parent {
    /// Nothing: the record above it is meant.
    #[default]
    Unsaid,
    /// `null`: a conversation begins here.
    None,
    Uuid(Str),
}

impl Record {
    /// Whether a record of the type `result` says how a run ended. Workflows write others into their journals.
    pub(super) fn is_outcome(&self) -> bool {
        ["is_error", "duration_ms", "total_cost_usd"].iter().any(|key| self.rest.contains_key(key))
    }

    /// Whether requests in the same file may name its message by a hash.
    pub(super) fn may_be_journaled(&self) -> bool {
        self.version.as_deref().and_then(version_numbers).is_none_or(|version| version >= JOURNAL_SINCE)
    }

    pub(super) fn read(object: Object) -> Self {
        let mut record = Self::default();
        for (key, value) in object {
            record.set(key, value);
        }
        record
    }

    fn set(&mut self, key: Str, value: Json) {
        match (&*key, value) {
            ("type", Json::String(text)) => self.kind = text,
            ("uuid", Json::String(text)) => self.uuid = Some(text),
            ("parentUuid", Json::String(text)) => self.parent = Parent::Uuid(text),
            ("parentUuid", Json::Null) => self.parent = Parent::None,
            ("logicalParentUuid", Json::String(text)) => self.logical_parent = Some(text),
            ("sessionId" | "session_id", Json::String(text)) => self.session_id = Some(text),
            ("parent_tool_use_id", Json::String(text)) => {
                self.is_sidechain = true;
                self.task = Some(text);
            }
            ("agentId", Json::String(text)) => self.agent_id = Some(text),
            ("promptId", Json::String(text)) => self.prompt_id = Some(text),
            ("requestId", Json::String(text)) => self.request_id = Some(text),
            ("version", Json::String(text)) => self.version = Some(text),
            ("timestamp", Json::String(text)) => self.timestamp = Some(text),
            ("isSidechain", Json::Bool(flag)) => self.is_sidechain = flag,
            ("isMeta", Json::Bool(flag)) => self.is_meta = flag,
            ("isCompactSummary", Json::Bool(flag)) => self.is_compact_summary = flag,
            ("message", Json::Object(message)) => self.message = Some(message),
            ("isSynthetic", Json::Bool(flag)) => self.is_synthetic = flag,
            ("toolUseResult" | "tool_use_result", value) if !value.is_null() => {
                self.tool_use_result = Some(value);
            }
            (_, value) => self.rest.push(key, value),
        }
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.rest.get(key)?.as_str()
    }

    pub(super) fn take_text(&mut self, key: &str) -> Option<Str> {
        take_text(&mut self.rest, key)
    }

    /// Takes a flag that is set. One that is not says nothing and is taken as well.
    pub(super) fn take_flag(&mut self, key: &str) -> bool {
        self.rest.remove(key).is_some_and(|flag| flag.is_truthy())
    }

    /// Counts the fields nobody took.
    pub(super) fn note_rest(&self, unmapped: &mut Unmapped) {
        for (key, value) in self.rest.iter() {
            unmapped.field(&self.kind, key, value);
        }
    }
}

/// Major, minor and patch.
pub(super) fn version_numbers(version: &str) -> Option<[u32; 3]> {
    let mut numbers = version.split('.').map(|number| number.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}
