//! Model calls, each with its request and what that was made from.

use std::collections::HashMap;

use strata_model::{
    Decoder, FoundMemory, FromJson, Json, Object, RecordedArtifact, RecordedCall, RecordedSearch,
    RecordedStage, ResolvedInstruction, StateEntry, Str,
};

use super::pool::Pool;
use super::snapshot::{Snapshot, names, spliced};
use crate::findings::Findings;
use crate::imported::Alignment;
use crate::source::SourceRecord;

/// All calls of a file, in the order in which they were made.
#[derive(Debug, Default)]
pub(super) struct Calls {
    list: Vec<CallRecord>,
    by_id: HashMap<Str, usize>,
    /// The last request of each lineage, with its call. None where it could not be put together.
    requests: HashMap<Lineage, (Str, Snapshot)>,
    /// The events that the last call in a session saw, with that call.
    seen: HashMap<Place, (Str, Vec<Str>)>,
    states: HashMap<Place, Object>,
    /// Calls whose requests are told as a difference from what is not known.
    broken: Vec<Str>,
    /// Calls with something in their requests that was left out for its size.
    incomplete: Vec<Str>,
    /// What was found in memory and is in no request yet.
    searches: Vec<(Asker, RecordedSearch)>,
    artifacts: Vec<KeptArtifact>,
    /// App, user and id of each session, by its name in the file.
    owners: HashMap<Str, Owner>,
    /// By invocation.
    run_configs: HashMap<Str, Object>,
}

/// App, user and session that a file belongs to.
type Owner = [Option<Str>; 3];

/// A process and a session of it.
type Place = (Str, Str);

/// Requests that are told as differences: of one process, session, agent and branch.
type Lineage = (Place, Option<Str>, Option<Str>, bool);

/// Who looked something up: invocation, agent, branch.
type Asker = [Option<Str>; 3];

/// A call as it was recorded.
#[derive(Debug)]
pub(super) struct CallRecord {
    /// Its place among the records of the file.
    pub at: usize,
    pub source: SourceRecord,
    /// The session's name in the file.
    pub session: Str,
    /// Made by a summarizer or a tool: no event answers it.
    pub is_aside: bool,
    pub was_sent: bool,
    pub recorded: RecordedCall,
    /// As it was sent: `{model, contents, config, …}`. `None` where it cannot be put together.
    pub request: Option<Object>,
    pub alignment: Alignment,
    /// Ids of the events that were there, where that is known.
    pub seen: Option<Vec<Str>>,
    /// Tools the model could call, with their classes.
    pub tools: Vec<(Str, Str)>,
    pub declarations: Vec<(Str, Json)>,
    pub answers: Vec<AnswerRecord>,
    sent: Option<Snapshot>,
}

/// What came back.
#[derive(Debug)]
pub(super) struct AnswerRecord {
    pub at: usize,
    pub time: Option<f64>,
    pub source: SourceRecord,
    pub content: Option<Json>,
    /// `{type, message}`.
    pub error: Option<Object>,
    /// When it was sent and when the first piece came, in epoch seconds, and how many pieces there were.
    pub timing: Object,
}

/// A file as the calls so far have shown it.
#[derive(Debug)]
struct KeptArtifact {
    owner: Owner,
    artifact: RecordedArtifact,
}

fn text(record: &Object, key: &str) -> Option<Str> {
    record.get(key).and_then(Json::as_str).map(Str::from)
}

/// The value of a field of a record, as far as it can be read.
fn read<T: FromJson>(value: Json, field: &str, findings: &mut Findings) -> Option<T> {
    let mut decoder = Decoder::new();
    let read = T::from_json(value, &mut decoder);
    findings.take_from(&mut decoder, field);
    read.map_err(|value| {
        let message = format!("`{field}` should be {} but is {}; it was left out", T::EXPECTED, value.kind());
        findings.warning("broken-value", "", message);
    })
    .ok()
}

impl Calls {
    /// All of them. Says which requests are not known.
    pub(super) fn finish(self, findings: &mut Findings) -> Vec<CallRecord> {
        if let Some(first) = self.broken.first() {
            let (requests, are) =
                if self.broken.len() == 1 { ("request", "is") } else { ("requests", "are") };
            let message = format!(
                "{} {requests}, from that of call {first} on, {are} told as a difference from what is not in the file; these calls are compiled from the events. Keep the whole file from its first line on",
                self.broken.len()
            );
            findings.warning("broken-request", "", message);
        }
        if let Some(first) = self.incomplete.first() {
            let (requests, have) =
                if self.incomplete.len() == 1 { ("request", "has") } else { ("requests", "have") };
            let message = format!(
                "{} {requests}, the first of them that of call {first}, {have} something in them that the recorder left out for its size; these calls are compiled from the events",
                self.incomplete.len()
            );
            findings.warning("incomplete-request", "", message);
        }
        self.list
    }

    pub(super) fn add(
        &mut self,
        record: &Object,
        writer: Option<Str>,
        at: usize,
        source: SourceRecord,
        pool: &mut Pool,
        findings: &mut Findings,
    ) {
        let id = text(record, "id").unwrap_or_default();
        let session = text(record, "session").unwrap_or_default();
        let run: Str = id.split_once('-').map_or("", |(run, _)| run).into();
        let place = (run, session.clone());
        let is_aside = record.get("aside").is_some_and(Json::is_truthy);
        let lineage = (place.clone(), text(record, "agent"), text(record, "branch"), is_aside);
        let (last_id, before) = self.requests.remove(&lineage).unwrap_or_default();
        let difference = record.get("request").cloned().unwrap_or_default();
        let of = difference.get("of").and_then(Json::as_str);
        let n_lost = pool.n_lost();
        let base = if of.is_some() { before.clone() } else { Snapshot::default() };
        let compiled = base.changed(&difference, pool);
        let (stages, last) = stages(record, &compiled, pool);
        let sent = match record.get("atModel") {
            Some(difference) => last.changed(difference, pool),
            None => last,
        };
        let is_known = of.is_none_or(|of| *of == *last_id) && pool.n_lost() == n_lost;
        let is_whole = is_known && sent.is_complete();
        let was_sent = record.get("sent").is_none_or(Json::is_truthy);
        let seen = self.seen(&place, &id, record);
        let state = self.state(&place, record, pool);
        let recorded = RecordedCall {
            id: id.clone(),
            writer,
            agent: text(record, "agent").unwrap_or_default(),
            invocation_id: text(record, "invocation").unwrap_or_default(),
            branch: text(record, "branch"),
            isolation_scope: text(record, "isolationScope"),
            node_path: text(record, "nodePath"),
            mode: record.get("mode").and_then(|mode| read(mode.clone(), "mode", findings)),
            include_contents: record
                .get("includeContents")
                .and_then(|which| read(which.clone(), "includeContents", findings)),
            user_content: record
                .get("userContent")
                .and_then(|item| read(pool.value(item)?, "userContent", findings)),
            run_config: record
                .get("invocation")
                .and_then(Json::as_str)
                .and_then(|id| self.run_configs.get(id).cloned()),
            was_sent: Some(was_sent),
            model: record.get("model").and_then(Json::as_object).cloned(),
            state,
            instructions: instructions(record, pool),
            memory: self.searches_of(record),
            artifacts: self.artifacts_of(&session),
            stages: Some(stages).filter(|stages| !stages.is_empty()),
            ..RecordedCall::default()
        };
        if !is_known {
            self.broken.push(id.clone());
        } else if !is_whole {
            self.incomplete.push(id.clone());
        }
        let shared = before.n_shared_parts(&sent);
        let call = CallRecord {
            at,
            source,
            session,
            is_aside,
            was_sent,
            seen,
            tools: tools(record, pool),
            declarations: sent.declarations().map(|(name, it)| (name.into(), it.clone())).collect(),
            request: is_whole.then(|| sent.request()),
            alignment: Alignment {
                shared,
                appended: sent.n_parts() - shared,
                removed: before.n_parts() - shared,
                rewritten: 0,
            },
            recorded,
            answers: Vec::new(),
            sent: is_whole.then_some(sent),
        };
        self.by_id.insert(id.clone(), self.list.len());
        if is_known {
            self.requests.insert(lineage, (id, compiled));
        }
        self.list.push(call);
    }

    /// Ids of the events that were in the session, in their order.
    fn seen(&mut self, place: &Place, id: &Str, record: &Object) -> Option<Vec<Str>> {
        let splice = record.get("events")?;
        let before = match (splice.get("of").and_then(Json::as_str), self.seen.remove(place)) {
            (None, _) => Vec::new(),
            (Some(of), Some((last, before))) if *of == *last => before,
            // The call before is lost, and with it what it saw.
            _ => {
                self.states.remove(place);
                return None;
            }
        };
        let seen = spliced(&before, splice, |id| id.as_str().map(Str::from));
        self.seen.insert(place.clone(), (id.clone(), seen.clone()));
        Some(seen)
    }

    fn state(&mut self, place: &Place, record: &Object, pool: &mut Pool) -> Option<Vec<StateEntry>> {
        let change = record.get("state")?;
        if change.get("whole").is_some_and(Json::is_truthy) {
            self.states.insert(place.clone(), Object::new());
        }
        let state = self.states.get_mut(place)?;
        for (key, item) in change.get("set").and_then(Json::as_object).into_iter().flat_map(Object::iter) {
            if let Some(value) = pool.value(item) {
                state.insert(key.clone(), value);
            }
        }
        for key in names(change.get("unset")) {
            state.remove(&key);
        }
        let entries = state.iter().map(|(key, value)| StateEntry {
            key: key.clone(),
            value: Some(value.clone()).filter(|value| !value.is_null()),
            ..StateEntry::default()
        });
        Some(entries.collect())
    }

    /// Whether this is an answer to one of them.
    pub(super) fn has_call_of(&self, answer: &Object) -> bool {
        answer.get("call").and_then(Json::as_str).is_some_and(|id| self.by_id.contains_key(id))
    }

    /// What came back for a call.
    pub(super) fn answer(
        &mut self,
        record: &Object,
        at: usize,
        time: Option<f64>,
        source: SourceRecord,
        pool: &mut Pool,
    ) {
        let Some(place) = record.get("call").and_then(Json::as_str).and_then(|id| self.by_id.get(id)) else {
            return;
        };
        let call = &mut self.list[*place];
        if let (Some(difference), Some(sent)) = (record.get("byModel"), &call.sent) {
            call.recorded.by_model = Some(sent.change_to(&sent.changed(difference, pool)));
        }
        // It is needed no longer, and large.
        call.sent = None;
        let mut timing = Object::new();
        for key in ["sentAt", "firstAt", "chunks"] {
            timing.push_some(key, record.get(key).cloned());
        }
        call.answers.push(AnswerRecord {
            at,
            time,
            source,
            content: record.get("content").and_then(|item| pool.value(item)),
            error: record.get("error").and_then(Json::as_object).cloned(),
            timing,
        });
    }

    /// A search in memory: it belongs to the next request of whoever made it.
    pub(super) fn found(&mut self, record: &Object, pool: &mut Pool, findings: &mut Findings) {
        let Some(query) = pool.text(record.get("query")) else { return };
        let found = record.get("found").and_then(Json::as_array);
        let found = found.map(|found| {
            let found = found.iter().filter_map(|item| pool.value(item));
            found.filter_map(|item| read::<FoundMemory>(item, "found", findings)).collect()
        });
        let asker = ["invocation", "agent", "branch"].map(|key| text(record, key));
        self.searches.push((asker, RecordedSearch { query, found, ..RecordedSearch::default() }));
    }

    fn searches_of(&mut self, record: &Object) -> Option<Vec<RecordedSearch>> {
        let asker = ["invocation", "agent", "branch"].map(|key| text(record, key));
        let (own, others) = std::mem::take(&mut self.searches).into_iter().partition(|(of, _)| *of == asker);
        self.searches = others;
        let own: Vec<RecordedSearch> = own.into_iter().map(|(_, search)| search).collect();
        Some(own).filter(|own| !own.is_empty())
    }

    /// A file that was saved or loaded, or the names of all files.
    pub(super) fn artifact(&mut self, record: &Object, pool: &mut Pool, findings: &mut Findings) {
        let owner = ["app", "user", "session"].map(|key| text(record, key));
        for name in names(record.get("names")) {
            self.kept(&owner, name);
        }
        let Some(name) = text(record, "name").filter(|_| record.get("missing").is_none()) else { return };
        let version =
            record.get("version").and_then(Json::as_i64).and_then(|version| u64::try_from(version).ok());
        let part = record.get("part").and_then(|item| read(pool.value(item)?, "part", findings));
        let kept = self.kept(&owner, name);
        let n_versions = version.map(|version| version + 1).max(kept.n_versions);
        if version.is_none() || n_versions != kept.n_versions || kept.part.is_none() {
            kept.part = part;
        }
        kept.n_versions = n_versions;
    }

    /// Whose session has this name in the file.
    pub(super) fn add_session(&mut self, record: &Object) {
        let key = text(record, "session").unwrap_or_default();
        self.owners.insert(key, ["app", "user", "id"].map(|field| text(record, field)));
    }

    pub(super) fn add_run_config(&mut self, invocation: Str, config: Object) {
        self.run_configs.insert(invocation, config);
    }

    /// The files that a session can see; `None` where none were looked up.
    fn artifacts_of(&self, session: &str) -> Option<Vec<RecordedArtifact>> {
        let [app, user, id] = self.owners.get(session)?;
        let is_visible = |kept: &&KeptArtifact| {
            let [of_app, of_user, of_session] = &kept.owner;
            of_app == app && of_user == user && (of_session.is_none() || of_session == id)
        };
        let own: Vec<_> =
            self.artifacts.iter().filter(is_visible).map(|kept| kept.artifact.clone()).collect();
        Some(own).filter(|own| !own.is_empty())
    }

    fn kept(&mut self, owner: &Owner, name: Str) -> &mut RecordedArtifact {
        let [app, user, session] = owner.clone();
        let session = session.filter(|_| !name.starts_with("user:"));
        let owner = [app, user, session];
        let known = self.artifacts.iter().position(|kept| kept.owner == owner && kept.artifact.name == name);
        let at = known.unwrap_or_else(|| {
            let artifact = RecordedArtifact { name, ..RecordedArtifact::default() };
            self.artifacts.push(KeptArtifact { owner, artifact });
            self.artifacts.len() - 1
        });
        &mut self.artifacts[at].artifact
    }
}

/// The plugins and callbacks that ran, each with what it changed, and the request behind them.
fn stages(record: &Object, compiled: &Snapshot, pool: &mut Pool) -> (Vec<RecordedStage>, Snapshot) {
    let mut last = compiled.clone();
    let mut stages = Vec::new();
    for stage in record.get("stages").and_then(Json::as_array).unwrap_or_default() {
        let Some(stage) = stage.as_object() else { continue };
        let kind = text(stage, "stage").unwrap_or_default();
        if &*kind == "instruction" {
            continue;
        }
        let changes = stage.get("changes").map(|difference| {
            if let Some(before) = stage.get("before") {
                // A tool saw the request before it was whole.
                let before = compiled.changed(before, pool);
                return before.change_to(&before.changed(difference, pool));
            }
            let after = last.changed(difference, pool);
            let change = last.change_to(&after);
            last = after;
            change
        });
        stages.push(RecordedStage {
            kind,
            name: text(stage, "name").unwrap_or_default(),
            class: text(stage, "class"),
            position: stage.get("position").and_then(Json::as_i64).and_then(|at| u64::try_from(at).ok()),
            answered: stage.get("answered").and_then(Json::as_bool),
            error: stage.get("error").and_then(Json::as_object).cloned(),
            changes,
            ..RecordedStage::default()
        });
    }
    (stages, last)
}

fn instructions(record: &Object, pool: &mut Pool) -> Option<Vec<ResolvedInstruction>> {
    let stages = record.get("stages").and_then(Json::as_array).unwrap_or_default();
    let own = stages.iter().filter_map(Json::as_object).filter_map(|stage| {
        Some(ResolvedInstruction {
            agent: text(stage, "agent")?,
            kind: text(stage, "kind")?,
            name: text(stage, "name").unwrap_or_default(),
            text: pool.text(stage.get("text"))?,
            ..ResolvedInstruction::default()
        })
    });
    let own: Vec<ResolvedInstruction> = own.collect();
    Some(own).filter(|own| !own.is_empty())
}

fn tools(record: &Object, pool: &mut Pool) -> Vec<(Str, Str)> {
    let tools = record.get("tools").and_then(|item| pool.value(item)).unwrap_or_default();
    let pair = |tool: &Json| match tool.as_array() {
        Some([Json::String(name), Json::String(class)]) => Some((name.clone(), class.clone())),
        _ => None,
    };
    tools.as_array().unwrap_or_default().iter().filter_map(pair).collect()
}
