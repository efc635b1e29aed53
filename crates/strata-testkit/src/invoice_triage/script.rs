//! The conversation, turn by turn.

use strata_engine::adk_text::LOAD_ARTIFACTS_STATUS;
use strata_model::{Json, Object, Session};

use super::incident::Incident;
use super::names::{APP_NAME, MODEL, REPORT, SESSION_ID, USER_ID};
use super::texts::{self, answer};
use super::values::{count, object, texts};
use super::{code, logs, memories, queries};
use crate::recorder::{Recorder, Start, ToolRun};

/// 20 November 2026, 14:02:00 UTC.
const BEGIN_S: u64 = 1_795_183_320;

const COORDINATOR: &str = "coordinator";
const LOG_ANALYST: &str = "log_analyst";
const REPORT_WRITER: &str = "report_writer";

/// Hits the state holds after each complete search.
const HITS_LAST_HOUR: usize = 41;
const HITS_TOTAL: usize = 2318;
const HITS_WITH_DISPUTED: usize = 2324;

pub(super) fn record() -> Session {
    let incident = Incident::new();
    let mut session = Recorder::new(Start {
        session_id: SESSION_ID.into(),
        app_name: APP_NAME.into(),
        user_id: USER_ID.into(),
        state: initial_state(),
        root: COORDINATOR.into(),
        model: MODEL.into(),
        at_s: BEGIN_S,
        seed: 0x5742,
    });
    find_the_cause(&mut session, &incident);
    measure_the_damage(&mut session, &incident);
    session.summarizes(1..=6, texts::SUMMARY_1_6.trim_end());
    plan_and_report(&mut session);
    check_the_fix(&mut session, &incident);
    session.summarizes(6..=12, texts::SUMMARY_6_12.trim_end());
    close(&mut session);
    session.finish()
}

/// What the incident desk puts into a session it opens. No event writes these keys.
fn initial_state() -> Object {
    object([
        ("app:environment", "production".into()),
        ("app:release_train", "8.15".into()),
        ("app:service_owner", "team billing".into()),
        ("user:name", "Mara".into()),
        ("user:timezone", "Europe/Berlin".into()),
    ])
}

/// Turns 1 to 4.
fn find_the_cause(session: &mut Recorder, incident: &Incident) {
    let settings = object([("user:currency", "EUR".into())]);
    session.user_says("Invoices fail with decimal errors since Tuesday. Find out why.", settings, 4_000);
    let args = object([("query", "decimal error".into()), ("service", "billing".into())]);
    let search = ToolRun::new("search_logs", args, logs::last_hour(incident), 1_900);
    session.calls(None, vec![counting(search, HITS_LAST_HOUR, "decimal error")]);
    session.hands_over(None, LOG_ANALYST);
    let args =
        object([("query", "InvalidOperation".into()), ("level", "ERROR".into()), ("limit", count(500))]);
    run(session, "search_logs", args, logs::oldest(incident), 4_200);
    read_file(session, "src/billing/invoice.py", code::INVOICE);
    say(session);

    ask(session, "Which hosts are hit most?", 64_000);
    let args = object([("metric", "errors_by_host".into()), ("window", "7d".into())]);
    run(session, "query_metrics", args, logs::errors_by_host(incident), 1_300);
    say(session);

    ask(session, "Check yesterday’s deploy diff.", 58_000);
    let args = object([("base", "v8.14".into()), ("head", "v8.15".into())]);
    run(session, "git_diff", args, code::release_diff(), 2_100);
    read_file(session, "src/billing/rates.py", code::RATES);
    say(session);

    ask(session, "Is the same bug in refunds?", 71_000);
    grep(session, "Decimal\\(", "src/", code::grep_decimal());
    read_file(session, "src/refund/refund.py", code::REFUND);
    say(session);
}

/// Turns 5 and 6.
fn measure_the_damage(session: &mut Recorder, incident: &Incident) {
    ask(session, "List the affected invoices.", 83_000);
    run(session, "sql_query", sql(queries::AFFECTED), queries::affected(incident), 3_400);
    say(session);

    ask(session, "How many hits in total, and in which regions?", 47_000);
    let query = ToolRun::new("sql_query", sql(queries::BY_REGION), queries::by_region(incident), 1_200);
    session.calls(None, vec![counting(query, HITS_TOTAL, queries::BY_REGION)]);
    say(session);
}

/// Turns 7 and 8.
fn plan_and_report(session: &mut Recorder) {
    ask(session, "Coordinator: plan the fix.", 66_000);
    session.hands_over(None, COORDINATOR);
    say(session);

    ask(session, "Write the incident report.", 95_000);
    hand_over_with_facts(session, REPORT_WRITER);
    save_report(session, texts::REPORT_V1, 1);
    say(session);
}

/// Turns 9 to 12.
fn check_the_fix(session: &mut Recorder, incident: &Incident) {
    ask(session, "Back to the analyst: verify the fix branch.", 455_000);
    session.hands_over(None, LOG_ANALYST);
    let args = object([("base", "v8.15".into()), ("head", "fix/decimal".into())]);
    run(session, "git_diff", args, code::fix_diff(), 1_800);
    read_file(session, "src/billing/rates.py@fix", code::RATES_FIX);
    grep(session, "float\\(", "src/billing", code::grep_float());
    say(session);

    ask(session, "Run the backfill query on staging.", 88_000);
    run(session, "sql_query", sql(queries::BACKFILL), queries::backfill(incident), 6_700);
    say(session);

    ask(session, "Show those six.", 41_000);
    let query = ToolRun::new("sql_query", sql(queries::DISPUTED), queries::disputed(incident), 900);
    session.calls(None, vec![counting(query, HITS_WITH_DISPUTED, queries::DISPUTED)]);
    say(session);

    ask(session, "Is zero-decimal handled anywhere?", 69_000);
    grep(session, "zero_decimal|currency_exp", "src/", code::grep_zero_decimal());
    read_file(session, "src/common/money.py", code::MONEY);
    say(session);
}

/// Turns 13 and 14.
fn close(session: &mut Recorder) {
    ask(session, "Update the report and close the incident.", 92_000);
    hand_over_with_facts(session, REPORT_WRITER);
    let names = texts([REPORT]);
    let args = object([("artifact_names", names.clone())]);
    let loaded = object([("artifact_names", names), ("status", LOAD_ARTIFACTS_STATUS.into())]);
    run(session, "load_artifacts", args, loaded, 20);
    save_report(session, texts::REPORT_V2, 2);
    say(session);

    ask(session, "Thanks. Remind me next week.", 58_000);
    session.hands_over(None, COORDINATOR);
    let args = object([("query", "follow-up reminders".into())]);
    run(session, "load_memory", args, memories::found(), 40);
    say(session);
}

fn ask(session: &mut Recorder, text: &str, pause_ms: u64) {
    session.user_says(text, Object::new(), pause_ms);
}

/// The answer that belongs at this place.
fn say(session: &mut Recorder) {
    session.answers(answer(session.n_events() + 1));
}

/// To an agent that sees the current turn only.
fn hand_over_with_facts(session: &mut Recorder, to: &str) {
    session.hands_over(Some(answer(session.n_events() + 1)), to);
}

fn run(session: &mut Recorder, tool: &str, args: Object, response: Object, takes_ms: u64) {
    session.calls(None, vec![ToolRun::new(tool, args, response, takes_ms)]);
}

fn sql(statement: &str) -> Object {
    object([("sql", statement.into())])
}

fn read_file(session: &mut Recorder, path: &str, file: &str) {
    run(session, "read_file", object([("path", path.into())]), code::read_file(path, file), 120);
}

fn grep(session: &mut Recorder, pattern: &str, path: &str, matches: Object) {
    run(session, "grep", object([("pattern", pattern.into()), ("path", path.into())]), matches, 640);
}

fn save_report(session: &mut Recorder, text: &str, version: i64) {
    let args = object([("filename", REPORT.into()), ("content", text.into())]);
    let saved = object([
        ("filename", REPORT.into()),
        ("version", version.into()),
        ("size_bytes", count(text.len())),
        ("mime_type", "text/markdown".into()),
    ]);
    let artifact_delta = object([(REPORT, Json::Int(version))]);
    session.calls(None, vec![ToolRun { artifact_delta, ..ToolRun::new("save_artifact", args, saved, 60) }]);
}

/// A result that was not cut is kept in the state.
fn counting(run: ToolRun, hits: usize, query: &str) -> ToolRun {
    ToolRun { state_delta: object([("hits", count(hits)), ("last_query", query.into())]), ..run }
}
