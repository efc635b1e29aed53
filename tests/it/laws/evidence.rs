//! An experiment starts from the evidence: what was recorded stays as it was recorded, until an edit says otherwise.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use strata_engine::{
    AppEdit, Catalog, CompactionEdit, Edit, EventsEdit, Experiment, FlowEdit, FlowKind, StageCache, infer_app,
};
use strata_import::{ImportedSession, import};
use strata_measure::analysis::{BilledCalls, CacheAnalysis, Counting, Effect, SessionAnalysis};
use strata_measure::edited;
use strata_measure::prices::Prices;
use strata_model::app::{IncludeContents, Instruction};
use strata_model::{EventIndex, FromJson as _, Json, LlmRequest, Object, RecordedCall, Str, Tool, json};
use strata_testkit::samples;
use strata_wire::request_of;

/// A session as the app opens it: with the requests that were recorded.
fn opened(imported: &ImportedSession) -> Experiment {
    let kind = if imported.format.name().starts_with("adk") { FlowKind::Adk } else { FlowKind::Transcript };
    let session = Arc::new(imported.session.clone());
    let answered = || {
        let requests = imported.requests.iter();
        requests.filter_map(|request| Some((EventIndex(request.answer? as u32), &request.body)))
    };
    let requests: Vec<_> = answered().filter_map(|(at, body)| Some((at, request_of(body)?))).collect();
    let calls = answered().filter_map(|(at, body)| Some((at, RecordedCall::of_body(body)?)));
    let app = match &imported.app {
        Some(app) => Arc::new(app.clone()),
        None => infer_app(&session, kind, &requests).app,
    };
    Experiment::new(session, app, kind).with_recorded_calls(calls).with_requests(requests)
}

/// Lists of edits that set what is so already, or take back what they did.
fn no_ops(base: &Experiment) -> Vec<(&'static str, Vec<Edit>)> {
    let mut all: Vec<(&'static str, Vec<Edit>)> = vec![("nothing", Vec::new())];
    let index = base.index();
    for id in index.ids() {
        let name = Some(index.agent(id).name.clone());
        let steps: Vec<Str> = base.flow(id).steps().iter().map(|step| step.processor.name().into()).collect();
        let Some(first) = steps.first() else { continue };
        let enable = |processor: &Str| FlowEdit::Enable { processor: processor.clone(), agent: name.clone() };
        all.push(("enable", vec![enable(first).into()]));
        if let Some(next) = steps.get(1) {
            let before = Some(next.clone());
            all.push((
                "move",
                vec![FlowEdit::Move { processor: first.clone(), before, agent: name.clone() }.into()],
            ));
        }
        for processor in &steps {
            let disable = FlowEdit::Disable { processor: processor.clone(), agent: name.clone() };
            all.push(("disable and enable", vec![disable.into(), enable(processor).into()]));
        }
    }
    let huge =
        |key: &str| Object::from_iter([(key, if key == "max_rows" { 100_000_i64 } else { 10_000_000 })]);
    let truncate = FlowEdit::insert("truncate_middle", huge("max_chars"));
    let rows = FlowEdit::insert("cap_rows", huge("max_rows"));
    let remove = FlowEdit::Remove { processor: "cap_rows".into(), agent: None };
    let configure =
        FlowEdit::Configure { processor: "cap_rows".into(), params: huge("max_rows"), agent: None };
    all.push(("insert", vec![truncate.into()]));
    if index.ids().next().is_some() {
        all.push(("insert and configure", vec![rows.clone().into(), configure.into()]));
        all.push(("insert and remove", vec![rows.into(), remove.into()]));
    }
    all.extend(app_no_ops(base).into_iter().map(|(name, edit)| (name, vec![edit.into()])));
    let events = &base.session().events;
    for (at, event) in events.iter().enumerate() {
        if let Some(content) = &event.content {
            let replace = EventsEdit::Replace { event: at as u32 + 1, content: content.to_json() };
            all.push(("replace an event", vec![replace.into()]));
        }
    }
    if !events.iter().any(|event| event.is_compaction()) {
        let pins = (1..=events.len() as u32).map(|event| EventsEdit::Pin { event }.into());
        all.push(("pin", pins.collect()));
        all.push(("compaction", vec![CompactionEdit::Set { config: None }.into()]));
    }
    all
}

fn app_no_ops(base: &Experiment) -> Vec<(&'static str, AppEdit)> {
    let mut all = Vec::new();
    let (app, index) = (base.app(), base.index());
    let cache = app.context_cache_config.as_ref().and_then(|config| config.to_json().as_object().cloned());
    all.push(("cache", AppEdit::Cache { config: cache }));
    for id in index.ids() {
        let agent = index.agent(id);
        let name = agent.name.clone();
        let text = agent.instruction.as_ref().map(|instruction| instruction.text().clone());
        all.push(("instruction", AppEdit::Instruction { agent: name.clone(), text }));
        if let Some(instruction) = &agent.static_instruction
            && let [part] = instruction.content.parts()
            && let Some(text) = part.text.clone()
        {
            let edit = AppEdit::StaticInstruction { agent: name.clone(), text: Some(text) };
            all.push(("static instruction", edit));
        }
        let value = match agent.include_contents {
            Some(IncludeContents::None) => Some("none"),
            Some(IncludeContents::Default) => Some("default"),
            None if agent.mode.is_none() => Some("default"),
            None => None,
        };
        if let Some(value) = value {
            let edit = AppEdit::IncludeContents { agent: name.clone(), value: value.into() };
            all.push(("include contents", edit));
        }
        if agent.output_schema.is_none() {
            all.push(("output schema", AppEdit::OutputSchema { agent: name.clone(), schema: None }));
        }
        for tool in agent.tools() {
            if let Tool::Function { declaration, .. } | Tool::LongRunningFunction { declaration } = tool
                && let Some(tool) = declaration.get("name").and_then(Json::as_str)
            {
                let declaration = Some(declaration.clone());
                all.push(("tool", AppEdit::Tool { agent: name.clone(), tool: tool.into(), declaration }));
            }
        }
    }
    if let Some(root) = &app.root_agent {
        let text = root.global_instruction.as_ref().map(|instruction| instruction.text().clone());
        all.push(("global instruction", AppEdit::GlobalInstruction { text }));
    }
    all
}

fn analysed(experiment: &Experiment, counting: &Counting) -> SessionAnalysis {
    let mut analysis = SessionAnalysis::default();
    while analysis.step(experiment, counting) {}
    analysis
}

/// A session without edits, and what its calls come to.
struct Unedited {
    analysis: SessionAnalysis,
    caches: CacheAnalysis,
}

impl Unedited {
    fn of(experiment: &Experiment, counting: &Counting, prices: &Prices) -> Self {
        let analysis = analysed(experiment, counting);
        let caches = CacheAnalysis::new(experiment, &analysis, analysis.rules(), prices);
        Self { analysis, caches }
    }
}

/// What differs between a session and what edits made of it.
fn difference(
    before: &Unedited,
    experiment: &Experiment,
    after: &SessionAnalysis,
    prices: &Prices,
) -> Option<String> {
    for (a, b) in before.analysis.calls().iter().zip(after.calls()) {
        let bytes = [&a.request, &b.request].map(|request| json::to_pretty(&request.to_json()));
        if bytes[0] != bytes[1] {
            let [a_len, b_len] = bytes.map(|text| text.len());
            return Some(format!("C{}: {a_len} bytes became {b_len}", a.number));
        }
    }
    let before = BilledCalls { analysis: &before.analysis, caches: &before.caches };
    let caches = CacheAnalysis::of_edited(experiment, after, before, after.rules(), prices);
    let effect = Effect::of(before, BilledCalls { analysis: after, caches: &caches });
    let is_same = effect.before == effect.after && effect.calls_changed == 0;
    (!is_same).then(|| format!("{:?} became {:?}", effect.before, effect.after))
}

/// Everything the session's no-ops change, once for each kind of edit.
fn failures(name: &str, imported: &ImportedSession) -> Vec<String> {
    let base = opened(imported);
    let (counting, prices, catalog) = (Counting::default(), Prices::embedded(), Catalog::new());
    let before = Unedited::of(&base, &counting, &prices);
    let mut failed: Vec<(&str, String)> = Vec::new();
    for (kind, edits) in no_ops(&base) {
        if failed.iter().any(|(known, _)| *known == kind) {
            continue;
        }
        let laid = edited(&base, &edits, &catalog, &counting);
        let refused = laid.notes.iter().map(|note| note.diagnostic().message.clone());
        let refused = refused.collect::<Vec<_>>().join(" ");
        let after = analysed(&laid.experiment, &counting);
        match difference(&before, &laid.experiment, &after, &prices) {
            Some(difference) => failed.push((kind, format!("{name}: {kind}: {difference} {refused}"))),
            None if !refused.is_empty() => failed.push((kind, format!("{name}: {kind}: {refused}"))),
            None => {}
        }
    }
    failed.into_iter().map(|(_, failure)| failure).collect()
}

/// Edits that change something wherever they fit: the middle event is dropped or rewritten, long texts are cut, tools and
/// instructions are other ones.
fn changes(base: &Experiment) -> Vec<Edit> {
    let mut all: Vec<Edit> = Vec::new();
    let event = base.session().events.len() as u32 / 2 + 1;
    all.push(EventsEdit::Drop { event }.into());
    let content = json::parse(br#"{"role":"user","parts":[{"text":"Something else"}]}"#).expect("JSON");
    all.push(EventsEdit::Replace { event: 1, content }.into());
    all.push(FlowEdit::insert("truncate_middle", Object::from_iter([("max_chars", 40_i64)])).into());
    all.push(FlowEdit::Disable { processor: "contents".into(), agent: None }.into());
    for id in base.index().ids() {
        let agent = base.index().agent(id);
        // What code returned for each call stays in that call, beside what is written in its place.
        if !matches!(agent.instruction, Some(Instruction::Provider { .. })) {
            let text = agent.instruction.as_ref().map_or("", |instruction| instruction.text());
            let text = Some(format!("{text} Be brief.").into());
            all.push(AppEdit::Instruction { agent: agent.name.clone(), text }.into());
        }
        for tool in agent.tools() {
            if let Tool::Function { declaration, .. } = tool
                && let Some(tool) = declaration.get("name").and_then(Json::as_str)
            {
                let edit = AppEdit::Tool { agent: agent.name.clone(), tool: tool.into(), declaration: None };
                all.push(edit.into());
            }
        }
    }
    all
}

fn sessions_below(folder: &Path, max_events: usize) -> Vec<(String, ImportedSession)> {
    let mut found = Vec::new();
    for path in samples::files_below(folder) {
        let Ok(bytes) = fs::read(&path) else { continue };
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let small = import(&bytes).sessions.into_iter().filter(|it| it.session.events.len() <= max_events);
        found.extend(small.map(|imported| (format!("{name} {}", imported.session.id), imported)));
    }
    found
}

fn committed() -> Vec<(String, ImportedSession)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/strata-import/samples");
    let sessions = sessions_below(&folder, usize::MAX);
    assert!(sessions.len() > 40, "there are samples: {}", sessions.len());
    sessions
}

#[test]
fn an_edit_that_changes_nothing_changes_no_byte_and_no_number_of_any_sample() {
    let sessions = committed();
    let failures: Vec<String> = sessions.iter().flat_map(|(name, it)| failures(name, it)).collect();
    assert!(failures.is_empty(), "{} of them:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn an_edit_that_changes_nothing_changes_nothing_of_recorded_sessions_either() {
    let Some(folder) = samples::larger() else { return };
    let all = sessions_below(&folder, 60);
    // All of a client's sessions are alike: those with requests count, and one of each folder.
    let mut folders: Vec<String> = Vec::new();
    let chosen = all.iter().filter(|(name, imported)| {
        let folder = name.split('/').next().unwrap_or_default().to_owned();
        let is_new = !folders.contains(&folder);
        if is_new {
            folders.push(folder);
        }
        is_new || (!imported.requests.is_empty() && imported.session.events.len() <= 20)
    });
    let failures: Vec<String> = chosen.flat_map(|(name, it)| failures(name, it)).collect();
    assert!(failures.is_empty(), "{} of them:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn an_edit_that_changes_nothing_changes_nothing_of_requests_that_clients_wrote_down() {
    let Some(folder) = samples::captured() else { return };
    let all = sessions_below(&folder.join("sessions"), 60);
    let written: Vec<_> = all.iter().filter(|(_, imported)| !imported.requests.is_empty()).collect();
    assert!(written.len() > 10, "there are requests: {}", written.len());
    let failures: Vec<String> = written.iter().flat_map(|(name, it)| failures(name, it)).collect();
    assert!(failures.is_empty(), "{} of them:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn what_a_client_tells_an_agent_opens_every_request_whatever_is_compacted() {
    let sessions = committed();
    let (_, rollout) =
        sessions.iter().find(|(name, _)| name.starts_with("codex.jsonl ")).expect("the sample");
    assert!(rollout.session.events.iter().any(|event| event.is_compaction()));
    let experiment = opened(rollout);
    let mut cache = StageCache::new();
    assert_eq!(experiment.calls().len(), 5, "one of them wrote the summary, and one failed");
    for call in experiment.calls() {
        let request = experiment.compile(call, &mut cache).expect("a compilation").working_context();
        let told = "You are a careful coding agent.";
        assert_eq!(request.system_text().as_deref(), Some(told), "C{}", call.number);
        let mut parts = request.contents.iter().flat_map(|content| &content.parts);
        assert!(!parts.any(|part| part.part.text.as_deref() == Some(told)), "C{}", call.number);
    }
}

#[test]
fn taking_any_edit_back_gives_every_byte_and_number_back() {
    let (counting, prices, catalog) = (Counting::default(), Prices::embedded(), Catalog::new());
    let mut n_changed = 0;
    for (name, imported) in committed() {
        let base = opened(&imported);
        let before = Unedited::of(&base, &counting, &prices);
        for edit in changes(&base) {
            let laid = edited(&base, std::slice::from_ref(&edit), &catalog, &counting).experiment;
            let mut tried = before.analysis.sharing();
            while tried.step(&laid, &counting) {}
            n_changed += u32::from(difference(&before, &laid, &tried, &prices).is_some());
            let again = edited(&base, &[], &catalog, &counting).experiment;
            let mut after = tried.sharing();
            while after.step(&again, &counting) {}
            assert_eq!(difference(&before, &again, &after, &prices), None, "{name}: {edit:?}");
        }
    }
    assert!(n_changed > 100, "edits change something: {n_changed}");
}

/// The events that a request shows, a number for each part.
fn shown_events(request: &LlmRequest) -> Vec<u32> {
    let parts = request.contents.iter().flat_map(|content| &content.parts);
    parts.filter_map(|part| part.main_origin().event()).map(|event| event.number()).collect()
}

#[test]
fn what_edits_leave_alone_stays_as_it_was_sent() {
    let (counting, catalog) = (Counting::default(), Catalog::new());
    let mut n_calls = 0;
    for (name, imported) in committed().iter().filter(|(_, imported)| !imported.requests.is_empty()) {
        let base = opened(imported);
        let before = analysed(&base, &counting);
        for edit in changes(&base) {
            let laid = edited(&base, std::slice::from_ref(&edit), &catalog, &counting).experiment;
            let after = analysed(&laid, &counting);
            for ((call, a), b) in base.calls().iter().zip(before.calls()).zip(after.calls()) {
                let (a, b) = (&a.request, &b.request);
                let at = format!("{name}: {edit:?}");
                n_calls += 1;
                match &edit {
                    Edit::Events(EventsEdit::Drop { event }) => {
                        assert!(!shown_events(b).contains(event), "{at}");
                        assert_eq!((a.system_text(), &a.tools), (b.system_text(), &b.tools), "{at}");
                    }
                    Edit::App(AppEdit::Instruction { .. }) => {
                        let (a_text, b_text) = (a.system_text(), b.system_text());
                        let is_written = b_text.as_deref().is_some_and(|text| text.contains("Be brief."));
                        assert!(a_text == b_text || is_written, "{at}");
                        assert_eq!((&a.contents, &a.tools), (&b.contents, &b.tools), "{at}");
                    }
                    Edit::App(AppEdit::Tool { agent, .. }) if *agent != call.invocation.agent => {
                        assert_eq!(
                            (a.system_text(), &a.contents, &a.tools),
                            (b.system_text(), &b.contents, &b.tools),
                            "{at}"
                        );
                    }
                    Edit::App(AppEdit::Tool { tool, .. }) => {
                        let names = |request: &LlmRequest| -> Vec<Json> {
                            request.tools.iter().map(|tool| tool.to_json()).collect()
                        };
                        let text = json::to_compact(&Json::Array(names(b)));
                        assert!(!text.contains(&format!("\"name\":\"{tool}\"")), "{at}");
                        assert_eq!((a.system_text(), &a.contents), (b.system_text(), &b.contents), "{at}");
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(n_calls > 100, "there are recorded calls: {n_calls}");
}
