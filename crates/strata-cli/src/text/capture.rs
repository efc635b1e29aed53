//! What was caught.

use strata_app::api::capture::{Exchange, Provider, Recipe};
use strata_app::report::{AdkUpdate, AttachReport, CaptureReport, Elsewhere, Received, Signal};
use strata_app::{counted, listed, size};

use super::Style;
use super::import::sessions;
use super::number::count;

/// How clients are pointed at the gateway.
pub(crate) fn listening(base: &str, recipes: &[Recipe], upstreams: &[Provider]) -> String {
    let mut text = format!("Listening on this computer only, at\n\n  {base}\n\nPoint a client at it:\n\n");
    for Recipe { client, command, note, .. } in recipes {
        text += &format!("# {client}. {note}\n{command}\n\n");
    }
    text += "Requests go on to\n\n";
    for Provider { name, url } in upstreams {
        text += &format!("  {name:<12}{url}\n");
    }
    text + "\nby their paths, or by the provider's name before the path. Ctrl-C ends it; what was caught stays.\n"
}

/// "  3  200  52.7 kB → 5.1 kB   0.4 s  POST https://…".
pub(crate) fn exchange(exchange: &Exchange, style: Style) -> String {
    let status = exchange.status.map_or("–".to_owned(), |status| status.to_string());
    let sizes =
        format!("{} → {}", size(exchange.bytes_sent as usize), size(exchange.bytes_received as usize));
    let seconds = exchange.ms / 1000.0;
    let problem = exchange.problem.as_ref().map_or(String::new(), |problem| format!("  {problem}"));
    let Exchange { number, method, url, .. } = exchange;
    format!(
        "{number:>4}  {status:>3}  {sizes:>20}  {seconds:>6.1} s  {} {}{problem}",
        method,
        style.quiet(url)
    )
}

/// "      telemetry  12 log records  3.1 kB".
pub(crate) fn telemetry(batch: &Received) -> String {
    let what = match batch.signal {
        Signal::Traces => "span",
        Signal::Logs | Signal::Metrics => "log record",
    };
    let problem = batch.problem.as_ref().map_or(String::new(), |problem| format!("  {problem}"));
    format!(
        "      telemetry  {}  {}{problem}",
        counted(batch.n_kept as usize, what),
        size(batch.bytes as usize)
    )
}

pub(crate) fn captured(report: &CaptureReport, style: Style) -> String {
    if report.exchanges == 0 && report.telemetry_records == 0 {
        let about = match &report.client {
            Some(client) => format!("{} sent nothing through Strata. ", client.name),
            None => "No client sent anything. ".to_owned(),
        };
        let elsewhere = elsewhere(report);
        return format!(
            "{about}{elsewhere}A client that is pointed elsewhere by its own settings goes there.\n"
        );
    }
    let mut text = format!(
        "{} caught, {} sent and {} received.\n",
        counted(report.exchanges as usize, "request"),
        size(report.bytes_sent as usize),
        size(report.bytes_received as usize)
    );
    if report.telemetry_records > 0 {
        text += &format!("{} of telemetry caught.\n", counted(report.telemetry_records as usize, "record"));
    }
    if report.with_problems > 0 {
        let n = count(report.with_problems);
        text += &format!("{n} of them were not sent, were cut off, or are not recorded whole.\n");
    }
    text += &elsewhere(report);
    text.extend(report.budget.iter().map(|word| format!("{}\n", word.text)));
    if report.sessions.is_empty() {
        return text
            + &format!("None of them was to a model that Strata knows. All of it is in {}.\n", report.log);
    }
    text + &sessions(&report.sessions, style)
        + &format!("Stored in {}; all of it is in {}.\n", report.database, report.log)
}

/// Where clients were besides.
fn elsewhere(report: &CaptureReport) -> String {
    if report.elsewhere.is_empty() {
        return String::new();
    }
    let said = |Elsewhere { host, problem }: &Elsewhere| match problem {
        Some(problem) => format!("{host} ({problem})"),
        None => host.clone(),
    };
    let hosts: Vec<_> = report.elsewhere.iter().map(said).collect();
    format!("Clients also asked for {}; nothing of that was read.\n", listed(&hosts))
}

/// What was found out about a server of ADK.
pub(crate) fn attached(update: &AdkUpdate) -> String {
    match update {
        AdkUpdate::Grown { app, user, session, n_events, n_spans } => format!(
            "{app}  {user}  {session}  {}, {}",
            counted(*n_events, "event"),
            counted(*n_spans, "span")
        ),
        AdkUpdate::Problem(problem) => problem.clone(),
        AdkUpdate::Back => "It answers again.".to_owned(),
        AdkUpdate::NoTraces => {
            "This server keeps no traces: events can be seen, requests cannot. `adk web` keeps them; with \
                                `adk api_server`, send telemetry to `strata capture --otlp`."
                .to_owned()
        }
    }
}

pub(crate) fn attached_in_all(report: &AttachReport, style: Style) -> String {
    if report.sessions.is_empty() {
        return "The server has no sessions of these users. Name others with `--adk-user`.\n".to_owned();
    }
    sessions(&report.sessions, style)
        + &format!("Stored in {}; what the server gave is in {}.\n", report.database, report.folder)
}
