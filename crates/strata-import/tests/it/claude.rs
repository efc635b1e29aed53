//! How transcripts of Claude Code become sessions.

use strata_import::{Format, Import, ImportedSession, Importer, SourceFacts, marks};
use strata_model::{Event, Json, Object};

/// A transcript that is written record by record.
#[derive(Default)]
struct Transcript {
    lines: Vec<String>,
}

impl Transcript {
    /// A record of the main conversation. `rest` is JSON members, without braces.
    fn record(&mut self, kind: &str, uuid: &str, parent: &str, rest: &str) -> &mut Self {
        let parent = if parent.is_empty() { "null".into() } else { format!("\"{parent}\"") };
        let second = self.lines.len() + 1;
        self.lines.push(format!(
            r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"isSidechain":false,"sessionId":"s","version":"2.1.60","timestamp":"1970-01-01T00:00:{second:02}Z",{rest}}}"#
        ));
        self
    }

    fn user(&mut self, uuid: &str, parent: &str, content: &str) -> &mut Self {
        self.record("user", uuid, parent, &format!(r#""message":{{"role":"user","content":{content}}}"#))
    }

    fn assistant(&mut self, uuid: &str, parent: &str, id: &str, block: &str, output: u64) -> &mut Self {
        let usage = format!(
            r#"{{"input_tokens":1,"cache_read_input_tokens":20,"cache_creation_input_tokens":300,"cache_creation":{{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":200}},"output_tokens":{output}}}"#
        );
        let message =
            format!(r#""message":{{"id":"{id}","model":"claude-x","content":[{block}],"usage":{usage}}}"#);
        self.record("assistant", uuid, parent, &message)
    }

    fn import(&self) -> Import {
        let mut importer = Importer::new(Format::CLAUDE_CODE);
        importer.feed(self.lines.join("\n").as_bytes());
        importer.finish()
    }

    fn session(&self) -> ImportedSession {
        self.import().sessions.remove(0)
    }
}

fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"Read","input":{{"n":1}}}}"#)
}

fn answer(id: &str) -> String {
    format!(r#"[{{"type":"tool_result","tool_use_id":"{id}","content":"ok"}}]"#)
}

/// Ids of the events on each branch, as `id@branch`.
fn branches(session: &ImportedSession) -> Vec<String> {
    let branch = |event: &Event| event.branch.as_deref().unwrap_or("?").to_owned();
    session.session.events.iter().map(|event| format!("{}@{}", event.id, branch(event))).collect()
}

fn invocations(session: &ImportedSession) -> Vec<&str> {
    session.session.events.iter().map(|event| &*event.invocation_id).collect()
}

fn custom<'s>(session: &'s ImportedSession, event: usize, mark: &str) -> Option<&'s Json> {
    session.session.events[event].custom_metadata.as_ref()?.get(mark)
}

fn codes(imported: &Import) -> Vec<&str> {
    imported.diagnostics.iter().map(|found| found.code).collect()
}

#[test]
fn lines_of_one_response_are_one_event_with_the_usage_of_the_last() {
    let mut it = Transcript::default();
    it.user("u", "", r#""go""#);
    it.assistant("a1", "u", "m", &text("one"), 1).assistant("a2", "a1", "m", &call("t"), 1);
    it.user("r", "a2", &answer("t")).assistant("a3", "a2", "m", &call("t2"), 50);
    let session = it.session();
    assert_eq!(branches(&session), ["u@main", "a1@main", "r@main"]);
    let event = &session.session.events[1];
    assert_eq!(event.parts().len(), 3);
    let usage = event.usage_metadata.as_ref().unwrap();
    assert_eq!((usage.prompt_token_count, usage.cached_content_token_count), (Some(321), Some(20)));
    assert_eq!((usage.candidates_token_count, usage.total_token_count), (Some(50), Some(371)));
    let write = custom(&session, 1, marks::CACHE_WRITE).unwrap();
    assert_eq!(write.get("tokens"), Some(&Json::Int(300)));
    assert_eq!(
        (write.get("ephemeral5m"), write.get("ephemeral1h")),
        (Some(&Json::Int(100)), Some(&Json::Int(200)))
    );
    assert_eq!(session.sources[1].len(), 3);
    let SourceFacts::ClaudeCode(own) = &session.facts.source else { panic!("a transcript") };
    assert_eq!((own.naive_per_line_input_sum, session.facts.input_tokens), (963, 321));
}

#[test]
fn thoughts_that_are_counted_apart_are_told_apart() {
    let mut it = Transcript::default();
    it.record(
        "assistant",
        "a",
        "",
        r#""message":{"id":"m","content":[{"type":"thinking","thinking":"hm","signature":"AB+/"}],"usage":{"input_tokens":1,"output_tokens":10,"output_tokens_details":{"thinking_tokens":7}}}"#,
    );
    let session = it.session();
    let event = &session.session.events[0];
    assert!(event.parts()[0].is_thought());
    assert_eq!(event.parts()[0].thought_signature.as_deref(), Some("AB-_"));
    let usage = event.usage_metadata.as_ref().unwrap();
    assert_eq!((usage.candidates_token_count, usage.thoughts_token_count), (Some(3), Some(7)));
    assert_eq!(session.summary().reported_usage.unwrap().output_tokens, 10);
}

#[test]
fn answers_to_calls_made_side_by_side_stay_on_the_path() {
    let mut it = Transcript::default();
    it.user("u", "", r#""go""#);
    it.assistant("a1", "u", "m", &call("t1"), 1).assistant("a2", "a1", "m", &call("t2"), 2);
    it.user("r2", "a2", &answer("t2"));
    it.record("attachment", "at", "r2", r#""attachment":{"type":"file","content":"seen with r2"}"#);
    it.user("r1", "a1", &answer("t1")).assistant("a3", "r1", "m2", &text("done"), 3);
    let session = it.session();
    assert_eq!(branches(&session), ["u@main", "a1@main", "r2@main", "at@main", "r1@main", "a3@main"]);
    let SourceFacts::ClaudeCode(own) = &session.facts.source else { panic!("a transcript") };
    assert_eq!(own.abandoned_events, 0);
}

#[test]
fn what_a_rewind_left_is_on_a_branch_the_path_does_not_see() {
    let mut it = Transcript::default();
    it.user("u1", "", r#""go""#).assistant("a1", "u1", "m1", &call("t"), 1).user("r1", "a1", &answer("t"));
    it.user("u2", "r1", r#""wrong way""#).assistant("a2", "u2", "m2", &call("t2"), 1);
    it.user("r2", "a2", &answer("t2"));
    it.record("attachment", "at", "r1", r#""attachment":{"type":"file","content":"x"}"#);
    it.user("u3", "at", r#""right way""#).assistant("a3", "u3", "m3", &text("yes"), 1);
    let session = it.session();
    let expected = [
        "u1@main",
        "a1@main",
        "r1@main",
        "u2@main.abandoned-1",
        "a2@main.abandoned-1",
        "r2@main.abandoned-1",
        "at@main",
        "u3@main",
        "a3@main",
    ];
    assert_eq!(branches(&session), expected);
    assert_eq!(session.facts.user_turns, 3);
}

#[test]
fn records_that_are_no_conversation_leave_no_branch() {
    let mut it = Transcript::default();
    it.user("u1", "", r#""go""#).assistant("a1", "u1", "m1", &text("yes"), 1);
    it.record("system", "e", "a1", r#""subtype":"api_error","error":{"status":529,"message":"busy"}"#);
    it.record("system", "d", "a1", r#""subtype":"turn_duration","durationMs":5"#);
    it.user("u2", "a1", r#""more""#);
    let session = it.session();
    assert_eq!(branches(&session), ["u1@main", "a1@main", "e@main", "u2@main"]);
    let error = &session.session.events[2];
    assert_eq!((error.error_code.as_deref(), error.error_message.as_deref()), (Some("529"), Some("busy")));
    assert_eq!(session.facts.model_responses, 1);
    assert_eq!(session.unmapped.records.keys().collect::<Vec<_>>(), ["system.turn_duration"]);
}

#[test]
fn what_failed_and_was_sent_again_is_an_attempt() {
    let error = r#""subtype":"api_error","error":{"status":529},"retryInMs":500,"retryAttempt":1"#;
    let mut it = Transcript::default();
    it.user("u1", "", r#""go""#).record("system", "e1", "u1", error);
    it.record("system", "e2", "e1", error).assistant("a1", "e2", "m1", &text("yes"), 1);
    // This one was given up, and nothing is known of what became of the last.
    it.user("u2", "a1", r#""more""#).record("system", "e3", "u2", error);
    it.user("u3", "e3", r#""other""#).record("system", "e4", "u3", error);
    let session = it.session();
    let errors = session.session.events.iter().filter(|event| event.error_code.is_some());
    let attempts: Vec<bool> = errors.map(|event| strata_model::marks::has(event, marks::ATTEMPT)).collect();
    assert_eq!(attempts, [true, true, false, false]);
}

#[test]
fn circles_and_lost_parents_end_somewhere() {
    let mut it = Transcript::default();
    it.user("u1", "u1", r#""my own parent""#).user("u2", "u3", r#""in a""#).user("u3", "u2", r#""circle""#);
    it.user("u4", "lost", r#""an orphan""#);
    let imported = it.import();
    let session = &imported.sessions[0];
    assert_eq!(branches(session), ["u1@main.abandoned-1", "u2@main", "u3@main", "u4@main"]);
    assert_eq!(codes(&imported), ["missing-parent"]);
}

#[test]
fn a_compaction_covers_what_came_before_it() {
    let mut it = Transcript::default();
    it.user("u1", "", r#""go""#).assistant("a1", "u1", "m1", &text("yes"), 1);
    it.user("x", "u1", r#""left by a rewind""#).user("u2", "a1", r#""more""#);
    it.record("system", "c1", "", r#""subtype":"compact_boundary","logicalParentUuid":"u2","compactMetadata":{"trigger":"auto","preTokens":9}"#);
    it.record(
        "user",
        "s1",
        "c1",
        r#""isCompactSummary":true,"message":{"role":"user","content":"first summary"}"#,
    );
    it.user("u3", "s1", r#""on""#).assistant("a3", "u3", "m3", &text("sure"), 1);
    it.record("system", "c2", "", r#""subtype":"compact_boundary","logicalParentUuid":"gone","compactMetadata":{"preservedSegment":{"headUuid":"a3","tailUuid":"a3"}}"#);
    it.record(
        "user",
        "s2",
        "c2",
        r#""isCompactSummary":true,"message":{"role":"user","content":"second summary"}"#,
    );
    it.assistant("a4", "s2", "m4", &text("go on"), 1);
    let session = it.session();
    let spans: Vec<_> = session
        .session
        .events
        .iter()
        .filter_map(|event| event.actions.compaction.as_ref())
        .map(|it| (it.start_timestamp.unwrap(), it.end_timestamp.unwrap()))
        .collect();
    assert_eq!(spans, [(1.0, 4.0), (1.0, 7.0)], "the second stops before the preserved answer at 8");
    let first = &session.session.events[4];
    assert_eq!((&*first.id, &*first.author, first.content.is_none()), ("c1", "user", true));
    let summary = first.actions.compaction.as_ref().unwrap().compacted_content.as_ref().unwrap();
    assert_eq!(summary.parts()[0].text.as_deref(), Some("first summary"));
    let source = custom(&session, 4, marks::SOURCE).unwrap();
    assert_eq!(source.get("compactMetadata").unwrap().get("preTokens"), Some(&Json::Int(9)));
    assert_eq!((session.summary().compactions, session.summary().user_turns), (2, 4));
    assert_eq!(branches(&session).last().unwrap(), "a4@main");
}

#[test]
fn a_summary_without_its_boundary_is_a_compaction_and_a_boundary_without_summary_too() {
    let mut it = Transcript::default();
    it.user("u1", "", r#""go""#);
    it.record("user", "s1", "u1", r#""isCompactSummary":true,"message":{"role":"user","content":"summary"}"#);
    it.record("system", "c2", "", r#""subtype":"compact_boundary","compactMetadata":{}"#);
    let session = it.session();
    assert_eq!(session.facts.compactions, 2);
    assert_eq!(branches(&session), ["u1@main", "s1@main", "c2@main"]);
}

#[test]
fn context_the_client_adds_is_no_turn() {
    let mut it = Transcript::default();
    it.user("u1", "", r#""go""#);
    it.record("user", "m", "u1", r#""isMeta":true,"message":{"role":"user","content":"a skill"}"#);
    it.user("c", "m", r#""<command-name>/model</command-name>""#);
    it.user("o", "c", r#""<local-command-stdout>set</local-command-stdout>""#);
    it.user("i", "o", r#"[{"type":"text","text":"[Request interrupted by user]"}]"#);
    it.record(
        "user",
        "n",
        "i",
        r#""origin":{"kind":"task-notification"},"message":{"role":"user","content":"done"}"#,
    );
    it.record("user", "h", "n", r#""origin":{"kind":"human"},"message":{"role":"user","content":"typed"}"#);
    it.record(
        "attachment",
        "at",
        "h",
        r#""attachment":{"type":"todo_reminder","content":[{"content":"x","status":"open"}]}"#,
    );
    it.record("attachment", "quiet", "at", r#""attachment":{"type":"plan_mode_exit","planExists":false}"#);
    let session = it.session();
    let kinds: Vec<_> =
        session.session.events.iter().map(|event| marks::injected(event).unwrap_or("-")).collect();
    let expected = [
        "-",
        "meta",
        "command",
        "command-output",
        "interrupt",
        "task-notification",
        "-",
        "attachment.todo_reminder",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(session.summary().user_turns, 2);
    let shown = session.session.events[7].parts()[0].text.as_deref();
    assert_eq!(shown, Some(r#"[{"content":"x","status":"open"}]"#));
    assert_eq!(session.unmapped.records.keys().collect::<Vec<_>>(), ["attachment.plan_mode_exit"]);
}

#[test]
fn a_turn_begins_with_a_prompt_or_with_a_command_the_model_answers() {
    let mut it = Transcript::default();
    it.record("user", "m", "", r#""isMeta":true,"message":{"role":"user","content":"caveat"}"#);
    it.user("u1", "m", r#""go""#).assistant("a1", "u1", "m1", &text("yes"), 1);
    it.user("c1", "a1", r#""<command-name>/cost</command-name>""#).user("u2", "c1", r#""more""#);
    it.assistant("a2", "u2", "m2", &text("more"), 1);
    it.user("c2", "a2", r#""<command-name>/review</command-name>""#);
    it.record("user", "m2", "c2", r#""isMeta":true,"message":{"role":"user","content":"review it"}"#);
    it.assistant("a3", "m2", "m3", &text("fine"), 1);
    let session = it.session();
    assert_eq!(invocations(&session), ["u1", "u1", "u1", "u1", "u2", "u2", "c2", "c2", "c2"]);
    assert_eq!(session.title, "go");
}

#[test]
fn ids_of_the_source_name_the_turn() {
    let mut it = Transcript::default();
    it.record("user", "u1", "", r#""promptId":"p-1","message":{"role":"user","content":"go"}"#);
    it.assistant("a1", "u1", "m1", &text("yes"), 1);
    assert_eq!(invocations(&it.session()), ["p-1", "p-1"]);
}

#[test]
fn sub_agents_of_every_age_have_their_own_branch() {
    let mut it = Transcript::default();
    it.user("u1", "", r#""go""#).assistant("a1", "u1", "m1", &call("task"), 1);
    it.lines.push(r#"{"type":"user","uuid":"12345678-x","parentUuid":null,"isSidechain":true,"message":{"role":"user","content":"dig"}}"#.into());
    it.lines.push(r#"{"type":"assistant","uuid":"x2","parentUuid":"12345678-x","isSidechain":true,"message":{"id":"mx","content":"dug","usage":{"input_tokens":5,"output_tokens":1}}}"#.into());
    it.lines.push(r#"{"type":"user","uuid":"y1","parentUuid":null,"isSidechain":true,"agentId":"agent7","message":{"role":"user","content":"dig more"}}"#.into());
    it.record("progress", "p1", "a1", r#""parentToolUseID":"task","data":{"type":"agent_progress","agentId":"far","message":{"type":"assistant","uuid":"z1","message":{"id":"mz","content":"seen","usage":{"input_tokens":1000,"output_tokens":1}}}}"#);
    it.user("r1", "a1", &answer("task"));
    let session = it.session();
    let expected = [
        "u1@main",
        "a1@main",
        "12345678-x@agent.12345678",
        "x2@agent.12345678",
        "y1@agent.agent7",
        "z1@agent.far",
        "r1@main",
    ];
    assert_eq!(branches(&session), expected);
    assert_eq!(&*session.session.events[3].author, "claude.12345678");
    assert!(invocations(&session).iter().all(|invocation| *invocation == "u1"));
    assert!(marks::is_relayed(&session.session.events[5]));
    let summary = session.summary();
    assert_eq!((summary.user_turns, summary.calls), (1, 3), "what is relayed counts, too");
    assert_eq!(summary.reported_usage.unwrap().input_tokens, 1326);
    assert_eq!(
        summary.agents.iter().map(|agent| &**agent).collect::<Vec<_>>(),
        ["claude", "claude.12345678", "claude.far"]
    );
}

#[test]
fn a_synthetic_message_is_no_call() {
    let mut it = Transcript::default();
    it.user("u1", "", r#""go""#);
    it.record("assistant", "a1", "u1", r#""isApiErrorMessage":true,"message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"API Error"}],"usage":{"input_tokens":0,"output_tokens":0}}"#);
    let session = it.session();
    let event = &session.session.events[1];
    assert!(event.usage_metadata.is_none());
    assert_eq!(
        (event.error_code.as_deref(), event.error_message.as_deref()),
        (Some("api_error"), Some("API Error"))
    );
    assert_eq!((session.facts.model_responses, session.summary().calls), (0, 0));
}

#[test]
fn what_the_client_answers_by_itself_was_not_sent() {
    let mut it = Transcript::default();
    it.user("u1", "", r#""go""#).assistant("a1", "u1", "m1", &text("yes"), 10);
    let synthetic = r#""message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}],"usage":{"input_tokens":0,"output_tokens":0}}"#;
    it.record("assistant", "a2", "a1", &format!(r#""isApiErrorMessage":false,{synthetic}"#));
    it.record(
        "assistant",
        "a3",
        "a2",
        &format!(r#""isApiErrorMessage":true,{}"#, synthetic.replace(r#""x""#, r#""y""#)),
    );
    let session = it.session();
    let kept_by = |at: usize| {
        let marks = session.session.events[at].custom_metadata.as_ref()?;
        marks.get(marks::NOT_SENT)?.as_str()
    };
    assert_eq!(
        (kept_by(1), kept_by(2), kept_by(3)),
        (None, Some("client"), None),
        "an answer, its own, a refusal"
    );
    assert_eq!(session.session.events[2].parts()[0].text.as_deref(), Some("No response requested."));
}

#[test]
fn records_written_twice_are_kept_once_and_different_ones_both() {
    let mut it = Transcript::default();
    it.user("u1", "", r#""go""#).user("u1", "", r#""go""#).user("u1", "", r#""go there""#);
    it.assistant("a1", "u1", "m1", &text("yes"), 1).assistant("a1", "u1", "m1", &text("yes"), 1);
    let imported = it.import();
    assert_eq!(imported.sessions[0].session.events.len(), 3);
    assert_eq!(imported.sessions[0].sources[0].len(), 2);
    assert_eq!(codes(&imported), ["repeated-record", "repeated-block", "repeated-id"]);
    let SourceFacts::ClaudeCode(own) = &imported.sessions[0].facts.source else { panic!("a transcript") };
    assert_eq!(own.duplicate_uuids, 3);
}

#[test]
fn blocks_of_every_kind_are_carried() {
    let mut it = Transcript::default();
    it.user("u1", "", r#"[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"image","source":{"type":"url","url":"https://x/y.png"}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a letter"}},{"type":"later_kind","x":1}]"#);
    it.assistant(
        "a1",
        "u1",
        "m1",
        r#"{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":"x"}}"#,
        1,
    );
    it.assistant("a2", "a1", "m1", r#"{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}"#, 1);
    it.assistant("a3", "a2", "m1", r#"{"type":"redacted_thinking","data":"QUJD"}"#, 1);
    it.assistant("a4", "a3", "m1", r#"{"type":"tool_use","id":"t1","name":"f","input":"odd"}"#, 1);
    it.user("r1", "a4", r#"[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAAAAAA"}},{"type":"text","text":"é"}]}]"#);
    let session = it.session();
    let prompt = session.session.events[0].parts();
    assert_eq!(prompt[0].inline_data.as_ref().unwrap().mime_type.as_deref(), Some("image/png"));
    assert_eq!(prompt[1].file_data.as_ref().unwrap().file_uri.as_deref(), Some("https://x/y.png"));
    assert_eq!(prompt[2].text.as_deref(), Some("a letter"));
    assert_eq!(prompt[3].other.get("partMetadata").unwrap().get("type"), Some(&Json::from("later_kind")));
    assert_eq!(session.unmapped.fields.get("user.content.later_kind"), Some(&1));
    let response = session.session.events[1].parts();
    assert!(response[0].has_server_tool() && response[1].has_server_tool());
    assert_eq!(response[2].thought_signature.as_deref(), Some("QUJD"));
    assert_eq!(response[2].other.get("partMetadata").unwrap().get("encrypted"), Some(&Json::Bool(true)));
    let args = response[3].function_call.as_ref().unwrap().args.clone().unwrap();
    assert_eq!(*args, Object::from_iter([("input", "odd")]));
    let result = session.session.events[2].function_responses().next().unwrap();
    assert_eq!(result.name.as_deref(), Some("f"));
    assert_eq!(result.response.as_ref().unwrap().get("isError"), Some(&Json::Bool(true)));
    assert_eq!(result.other.get("parts").unwrap().as_array().unwrap().len(), 1);
    let SourceFacts::ClaudeCode(own) = &session.facts.source else { panic!("a transcript") };
    assert_eq!((own.images, own.largest_image_base64_chars), (2, 8));
    assert_eq!(session.facts.largest_tool_result_bytes, 2);
}

#[test]
fn a_transcript_without_messages_says_so() {
    let imported = strata_import::import(b"{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}\n");
    assert!(imported.sessions.is_empty());
    assert_eq!(codes(&imported), ["no-session"]);
}

#[test]
fn indented_records_are_read_like_lines() {
    let mut it = Transcript::default();
    it.user("u1", "", r#""go""#).assistant("a1", "u1", "m1", &text("yes"), 1);
    let indented: Vec<_> = it
        .lines
        .iter()
        .map(|line| strata_model::json::to_pretty(&strata_model::json::parse(line.as_bytes()).unwrap()))
        .collect();
    let imported = strata_import::import(indented.join("\n").as_bytes());
    assert_eq!(imported.sessions[0].session, it.session().session);
}

#[test]
fn old_versions_are_known_to_report_too_little_output() {
    let mut it = Transcript::default();
    it.assistant("a1", "", "m1", &text("yes"), 1);
    assert_eq!(it.session().facts.output_caveat, None);
    it.lines[0] = it.lines[0].replace("2.1.60", "2.1.42");
    assert!(it.session().facts.output_caveat.is_some());
    assert_eq!(codes(&it.import()), ["output-under-reported"]);
}
