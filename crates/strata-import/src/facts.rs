//! What a source says about a session, counted while it is read.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use strata_model::{Event, Json, Str, Usage, json};

use crate::marks;

/// Numbers of one session as its source holds them. `source` has what only one tool records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    pub events: u64,
    /// Prompts a person typed (or a driver sent): no tool results, no injected context, no summaries.
    pub user_turns: u64,
    /// Distinct invocation ids; events without one count as one invocation.
    pub invocations: u64,
    pub tool_calls: u64,
    pub tool_results: u64,
    pub model_responses: u64,
    /// Events with reported usage, those of summarisers included.
    pub usage_events: u64,
    /// Everything the provider counted as input, cached tokens included.
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub cache_write_tokens: u64,
    /// Output without thoughts, where the provider tells them apart.
    pub output_tokens: u64,
    pub thoughts_tokens: u64,
    pub compactions: u64,
    pub error_events: u64,
    pub thought_parts: u64,
    pub inline_data_parts: u64,
    /// ADK: bytes of the compact JSON of `response`. Claude Code: bytes of the text.
    pub largest_tool_result_bytes: u64,
    pub authors: BTreeSet<Str>,
    pub branches: BTreeSet<Str>,
    pub models: BTreeSet<Str>,
    /// Why the reported output counts are not to be trusted, if so.
    pub output_caveat: Option<&'static str>,
    pub source: SourceFacts,
}

/// What only one tool's files say.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum SourceFacts {
    #[default]
    Adk,
    ClaudeCode(Box<ClaudeFacts>),
    /// Counts that only this format has, by name.
    Counts(BTreeMap<&'static str, Json>),
}

/// Counts over the records of a Claude Code transcript, before any merging.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClaudeFacts {
    pub records: u64,
    /// Records that share a line with an earlier one.
    pub glued_lines: u64,
    pub assistant_lines: u64,
    pub tool_result_carrier_records: u64,
    pub usage_uncached_input: u64,
    /// Input tokens as a sum over lines would have it: each response counted once a line.
    pub naive_per_line_input_sum: u64,
    pub microcompactions: u64,
    pub images: u64,
    pub largest_image_base64_chars: u64,
    pub sidechain_records: u64,
    /// Distinct responses of sub-agents that are only known from progress records.
    pub subagent_responses_in_progress_records: u64,
    pub synthetic_messages: u64,
    pub duplicate_uuids: u64,
    /// Records whose timestamp is before that of the record above them.
    pub out_of_order_timestamps: u64,
    /// Events on paths that were left by a rewind.
    pub abandoned_events: u64,
    pub session_ids: BTreeSet<Str>,
    pub versions: BTreeSet<Str>,
    /// Every model named in the file, `<synthetic>` included.
    pub models: BTreeSet<Str>,
    pub working_folders: BTreeSet<Str>,
    pub git_branches: BTreeSet<Str>,
    pub first_timestamp: Option<Str>,
    pub last_timestamp: Option<Str>,
}

impl Facts {
    /// Counts events as they stand, but for the bytes of results. Events a parent only relays are not counted, except as
    /// events.
    pub fn of<'e>(events: impl IntoIterator<Item = &'e Event>) -> Self {
        let mut facts = Self::default();
        let mut invocations = HashSet::new();
        let mut last = None;
        for event in events {
            facts.events += 1;
            // Those of one invocation mostly follow each other.
            if last != Some(&event.invocation_id) {
                last = Some(&event.invocation_id);
                invocations.insert(&event.invocation_id);
            }
            if !marks::is_relayed(event) {
                facts.count(event);
            }
        }
        facts.invocations = invocations.len() as u64;
        facts
    }

    fn count(&mut self, event: &Event) {
        self.user_turns += u64::from(marks::is_user_turn(event));
        self.model_responses += u64::from(marks::is_model_response(event));
        self.compactions += u64::from(event.is_compaction());
        self.error_events += u64::from(event.error_code.is_some());
        add(&mut self.cache_write_tokens, Some(marks::cache_write_tokens(event)));
        add_name(&mut self.authors, Some(&event.author));
        add_name(&mut self.branches, event.branch.as_ref());
        add_name(&mut self.models, event.model_version.as_ref());
        if let Some(usage) = &event.usage_metadata {
            self.count_usage(usage);
        }
        for part in event.parts() {
            self.tool_calls += u64::from(part.calls_tool());
            self.thought_parts += u64::from(part.is_thought());
            self.inline_data_parts += u64::from(part.inline_data.is_some());
        }
        self.tool_results += event.function_responses().count() as u64;
    }

    fn count_usage(&mut self, usage: &Usage) {
        self.usage_events += 1;
        add(&mut self.input_tokens, usage.prompt_token_count);
        add(&mut self.cached_tokens, usage.cached_content_token_count);
        add(&mut self.output_tokens, usage.visible_tokens());
        add(&mut self.thoughts_tokens, usage.thought_tokens());
    }
}

/// Adds a name, which is mostly there.
fn add_name(names: &mut BTreeSet<Str>, name: Option<&Str>) {
    if let Some(name) = name.filter(|name| !names.contains(*name)) {
        names.insert(name.clone());
    }
}

/// Bytes of the largest result of a tool, as compact JSON. Events a parent only relays are not looked at.
pub(crate) fn largest_result_bytes<'e>(events: impl IntoIterator<Item = &'e Event>) -> u64 {
    let own = events.into_iter().filter(|event| !marks::is_relayed(event));
    let results = own.flat_map(Event::function_responses).filter_map(|result| result.response.as_ref());
    results.map(|result| json::object_compact_len(result) as u64).max().unwrap_or(0)
}

/// Adds a count from a file, which may be any number.
pub(crate) fn add(total: &mut u64, count: Option<u64>) {
    *total = total.saturating_add(count.unwrap_or(0));
}
