//! Making a session of what the records gave.

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::{Content, Event, EventCompaction, Session, Str};

use super::compaction::{Span, spans};
use super::entry::{Entries, Entry, EntryKind};
use super::ids::{EntryId, LaneId, MAIN};
use super::invocations::invocations;
use super::path::paths;
use super::record::version_numbers;
use super::transcript::Transcript;
use crate::facts::{Facts, SourceFacts};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{ImportedSession, ParentSession, RecordedRequest};
use crate::injected::{command_name, typed_text};
use crate::marks;
use crate::repeated_ids::report_repeated_ids;
use crate::source::SourceRecord;
use crate::title;

/// Versions before this one store placeholders for output tokens (counted on 549 transcripts).
const OUTPUT_IS_TRUE_SINCE: [u32; 3] = [2, 1, 43];
const OUTPUT_CAVEAT: &str =
    "Claude Code before 2.1.43 records too few output tokens; do not rely on output counts and costs";

/// Events as they were told last, each with what it was made of.
#[derive(Debug, Default)]
pub(super) struct ToldEvents(Vec<(Arc<Entry>, Arc<Event>)>);

impl ToldEvents {
    /// An event that would be made once more as it is.
    fn get(&self, at: EntryId, entry: &Arc<Entry>, stand: &Stand<'_>) -> Option<&Arc<Event>> {
        let (of, event) = self.0.get(at)?;
        let is_same = Arc::ptr_eq(of, entry)
            && stand.span.is_none()
            && event.branch.as_ref() == Some(stand.branch)
            && event.invocation_id == *stand.invocation;
        is_same.then_some(event)
    }
}

/// What only the whole transcript tells of an event.
struct Stand<'s> {
    branch: &'s Str,
    invocation: &'s Str,
    /// Of a compaction.
    span: Option<&'s Span>,
}

impl Transcript {
    /// The session. `told` has the events of the last time, where a transcript is told that still grows.
    pub(super) fn finish(
        mut self,
        format: Format,
        findings: &mut Findings,
        told: Option<&mut ToldEvents>,
    ) -> Option<ImportedSession> {
        if self.entries.is_empty() {
            let message = "this transcript holds no messages; there is no session to show";
            findings.error("no-session", "", message);
            return None;
        }
        let branches = self.branches(findings);
        let invocations = invocations(&self.entries, &self.lanes);
        let last_update_time = self.entries.iter().map(|entry| entry.event.timestamp).fold(0.0, f64::max);
        let parent = self.parent_session();
        let session_id = self.session_id(parent.as_ref(), findings);
        let title = match self.titles.best(&self.nodes) {
            Some(title) => title::first_words(title),
            None => title_of(&self.entries),
        };
        let title = if title.is_empty() { title::first_words(&session_id) } else { title };
        self.check_own_counts(findings);
        self.mark_attempts();
        let requests = self.requests(findings);
        let (events, sources) = self.events(&branches, &invocations, told);
        let session = Session {
            id: session_id,
            app_name: "claude-code".into(),
            user_id: "user".into(),
            events,
            last_update_time,
            ..Session::default()
        };
        report_repeated_ids(&session, "", findings);
        let facts = self.session_facts(&session, findings);
        Some(ImportedSession {
            app: None,
            session,
            format,
            title,
            sources,
            unmapped: self.unmapped,
            facts,
            requests,
            parent,
        })
    }

    fn requests(&mut self, findings: &mut Findings) -> Vec<RecordedRequest> {
        let entries = &self.entries;
        let is_copy = |entry: EntryId| entries[entry].custom.contains_key(marks::RELAYED);
        std::mem::take(&mut self.journal).requests(is_copy, &mut self.unmapped, findings)
    }

    /// Errors behind which the same was sent again: nobody else said anything until the next answer or error.
    fn mark_attempts(&mut self) {
        let mut open: HashMap<LaneId, EntryId> = HashMap::new();
        for at in 0..self.entries.len() {
            let entry = &self.entries[at];
            let is_error = entry.event.error_code.is_some();
            match entry.kind {
                EntryKind::Notice if !is_error => {}
                EntryKind::Notice | EntryKind::Response => {
                    let will_be_repeated = entry.kind == EntryKind::Notice && is_repeated(entry);
                    let lane = entry.lane;
                    if let Some(attempt) = open.remove(&lane) {
                        self.entries[attempt].custom.insert(marks::ATTEMPT, true);
                    }
                    if will_be_repeated {
                        open.insert(lane, at);
                    }
                }
                _ => {
                    open.remove(&entry.lane);
                }
            }
        }
    }

    /// The branch of every event.
    fn branches(&mut self, findings: &mut Findings) -> Vec<Str> {
        let paths = paths(&self.nodes, &self.entries, &self.calls);
        self.facts.abandoned_events = paths.n_abandoned as u64;
        if paths.n_missing_parents > 0 {
            let message = "records name a parent that is not in this file, which may be a piece of a longer one; the \
                           record above each was taken for its parent";
            findings.info("missing-parent", "", message);
        }
        let of_lane = |entry: &Entry| entry.event.branch.clone().unwrap_or_default();
        let entries = self.entries.iter().zip(paths.branches);
        entries.map(|(entry, branch)| branch.unwrap_or_else(|| of_lane(entry))).collect()
    }

    /// A file in which only one sub-agent speaks is that sub-agent's own.
    fn parent_session(&self) -> Option<ParentSession> {
        let mut agents = self.lanes.iter().filter_map(|lane| lane.agent_id.clone());
        let (agent_id, None) = (agents.next()?, agents.next()) else { return None };
        let is_alone = self.entries.iter().all(|entry| entry.lane != MAIN);
        let session_id = self.facts.session_ids.first().filter(|_| is_alone)?.clone();
        Some(ParentSession { session_id, agent_id })
    }

    /// The last id that a record carries: a resumed session goes on under a new one in some versions. The file of a
    /// sub-agent has the id of its parent, which is made its own.
    fn session_id(&self, parent: Option<&ParentSession>, findings: &mut Findings) -> Str {
        if self.facts.session_ids.len() > 1 {
            let message = "records of several sessions stand in one file; they were read as one conversation";
            findings.info("several-session-ids", "", message);
        }
        match parent {
            Some(parent) => format!("{}.{}", parent.session_id, parent.agent_id).into(),
            None => self.session_id.clone().unwrap_or_else(|| self.entries[0].event.id.clone()),
        }
    }

    /// The events, and the places they were read from. Those that were told before and are the same are not made again.
    fn events(
        &mut self,
        branches: &[Str],
        invocations: &[Str],
        mut told: Option<&mut ToldEvents>,
    ) -> (Vec<Arc<Event>>, Vec<Vec<SourceRecord>>) {
        let spans: HashMap<EntryId, Span> = spans(&self.entries, branches, &self.nodes).into_iter().collect();
        let before = told.as_deref_mut().map(std::mem::take).unwrap_or_default();
        let entries = std::mem::take(&mut self.entries).into_shared();
        let (mut events, mut sources) =
            (Vec::with_capacity(entries.len()), Vec::with_capacity(entries.len()));
        for (at, entry) in entries.into_iter().enumerate() {
            let stand = Stand { branch: &branches[at], invocation: &invocations[at], span: spans.get(&at) };
            let shared = told.is_some().then(|| entry.clone());
            let (event, read_from) = match before.get(at, &entry, &stand) {
                Some(event) => (event.clone(), entry.sources.clone()),
                None => {
                    let mut entry = Arc::unwrap_or_clone(entry);
                    (Arc::new(event_of(&mut entry, &stand)), entry.sources)
                }
            };
            if let (Some(told), Some(entry)) = (told.as_deref_mut(), shared) {
                told.0.push((entry, event.clone()));
            }
            events.push(event);
            sources.push(read_from);
        }
        (events, sources)
    }

    fn session_facts(&mut self, session: &Session, findings: &mut Findings) -> Facts {
        let mut facts = Facts::of(session.events.iter().map(|event| &**event));
        let mut own = std::mem::take(&mut self.facts);
        let from_cache = facts.cached_tokens.saturating_add(facts.cache_write_tokens);
        own.usage_uncached_input = facts.input_tokens.saturating_sub(from_cache);
        own.subagent_responses_in_progress_records = self.relayed_responses.len() as u64;
        let is_old = |version: &Str| version_numbers(version).is_some_and(|it| it < OUTPUT_IS_TRUE_SINCE);
        if facts.usage_events > 0 && own.versions.iter().any(is_old) {
            facts.output_caveat = Some(OUTPUT_CAVEAT);
            findings.info("output-under-reported", "", OUTPUT_CAVEAT);
        }
        facts.largest_tool_result_bytes = self.largest_result_bytes;
        facts.source = SourceFacts::ClaudeCode(Box::new(own));
        facts
    }
}

/// Whether the client says of an error that it will send the same again.
fn is_repeated(error: &Entry) -> bool {
    let said = error.custom.get(marks::SOURCE);
    let says = |name: &str| said.is_some_and(|said| said.get(name).is_some());
    ["retryAttempt", "retryInMs", "retry_delay_ms"].into_iter().any(says)
}

/// The first words a person typed; else the first command, else the first words anyone said.
fn title_of(entries: &Entries) -> String {
    let prompts = entries.iter().filter(|entry| entry.kind == EntryKind::Prompt);
    let typed = prompts.flat_map(|entry| &entry.parts).filter_map(typed_text);
    let all_texts = || entries.iter().flat_map(|entry| &entry.parts).filter_map(|part| part.text.as_deref());
    let command = || all_texts().find_map(command_name);
    let typed = typed.map(title::first_words).find(|words| !words.is_empty());
    let said = || all_texts().map(title::first_words).find(|words| !words.is_empty());
    typed.or_else(command).or_else(said).unwrap_or_default()
}

fn content_of(entry: &mut Entry) -> Option<Content> {
    let parts = std::mem::take(&mut entry.parts);
    let has_content =
        !parts.is_empty() || !matches!(entry.kind, EntryKind::Notice | EntryKind::Compaction(_));
    has_content.then(|| Content::new(entry.role, parts))
}

fn event_of(entry: &mut Entry, stand: &Stand<'_>) -> Event {
    let content = content_of(entry);
    let mut event = std::mem::take(&mut entry.event);
    event.branch = Some(stand.branch.clone());
    event.invocation_id = stand.invocation.clone();
    match stand.span {
        Some(span) => {
            if event.usage_metadata.is_none() {
                entry.custom.insert(marks::UNREPORTED, true);
            }
            event.actions.compaction = Some(EventCompaction {
                start_timestamp: Some(span.start),
                end_timestamp: Some(span.end),
                compacted_content: content,
                ..EventCompaction::default()
            });
        }
        None => event.content = content.map(Arc::new),
    }
    event.custom_metadata = Some(std::mem::take(&mut entry.custom));
    if event.function_calls().next().is_some() {
        // ADK writes the list for every event that calls tools, empty when nothing runs long.
        event.long_running_tool_ids = Some(Vec::new());
    }
    event
}
