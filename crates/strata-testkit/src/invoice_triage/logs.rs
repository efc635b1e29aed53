//! What `search_logs` and `query_metrics` return.

use strata_model::{Json, Object};

use super::code;
use super::incident::{DAY, Failure, Incident, NOW};
use super::values::{count, date, decimal, host, object, texts, time, time_of_day};

/// Rows a limited search returns.
const LIMIT: usize = 500;

/// The rows of the last hour, whole.
pub(super) fn last_hour(incident: &Incident) -> Object {
    let rows: Vec<Json> = incident.last_hour().map(|failure| row(incident, failure).into()).collect();
    object([
        ("service", "billing".into()),
        ("from", time(NOW - 3600).into()),
        ("to", time(NOW).into()),
        ("n_rows", count(rows.len())),
        ("rows", rows.into()),
    ])
}

fn row(incident: &Incident, failure: &Failure) -> Object {
    let invoice = incident.invoices[failure.invoice].id;
    object([
        ("ts", time(failure.at).into()),
        ("level", "ERROR".into()),
        ("host", host(failure.host).into()),
        ("error", "decimal.InvalidOperation".into()),
        ("logger", "billing.invoice".into()),
        ("msg", format!("decimal error in compute_total, invoice={invoice}").into()),
        ("trace", failure.trace.as_str().into()),
    ])
}

/// The oldest rows, with what all of them share stated once.
pub(super) fn oldest(incident: &Incident) -> Object {
    let shown = &incident.failures[..LIMIT];
    let mut days: Vec<(String, Vec<Json>)> = Vec::new();
    for failure in shown {
        let day = date(failure.at);
        if days.last().is_none_or(|(last, _)| *last != day) {
            days.push((day, Vec::new()));
        }
        let invoice = &incident.invoices[failure.invoice];
        let (at, host) = (time_of_day(failure.at), host(failure.host));
        let Failure { millisecond, worker, trace, .. } = failure;
        let folded = format!(
            "{at}.{millisecond:03} {host} worker-{worker} {} {} {trace}",
            invoice.id, invoice.country
        );
        if let Some((_, rows)) = days.last_mut() {
            rows.push(folded.into());
        }
    }
    let days: Object = days.into_iter().collect();
    object([
        ("level", "ERROR".into()),
        ("service", "billing".into()),
        ("since", date(shown[0].at).into()),
        ("order", "oldest first".into()),
        ("n_rows", count(shown.len())),
        ("is_cut", true.into()),
        ("msg", "decimal error in compute_total, invoice=%s: InvalidOperation".into()),
        ("traceback", texts(traceback().iter().map(String::as_str))),
        ("locals_of_first_row", locals(incident).into()),
        ("columns", "time host worker invoice country trace".into()),
        ("rows", days.into()),
    ])
}

fn traceback() -> [String; 6] {
    let at = |text| code::line_of(code::INVOICE, text);
    let (call, charged) =
        ("invoice.total = compute_total(invoice)", "charged = (base * rate).quantize(rate)");
    [
        "Traceback (most recent call last):".into(),
        format!("  File \"/srv/billing/src/billing/invoice.py\", line {}, in issue", at(call)),
        format!("    {call}"),
        format!("  File \"/srv/billing/src/billing/invoice.py\", line {}, in compute_total", at(charged)),
        format!("    {charged}"),
        "decimal.InvalidOperation: [<class 'decimal.InvalidOperation'>]".into(),
    ]
}

fn locals(incident: &Incident) -> Object {
    let base = incident.invoices[incident.failures[0].invoice].total * 100 / 119;
    object([
        ("country", "'DE'".into()),
        ("category", "'standard'".into()),
        ("base", format!("Decimal('{}')", decimal(base)).into()),
        ("rate", "Decimal('0.190000000000000002220446049250313080847263336181640625')".into()),
    ])
}

/// Errors of each host in steps of half a day, from 14 November on.
pub(super) fn errors_by_host(incident: &Incident) -> Object {
    let series: Vec<Json> = (0..8).map(|number| series(incident, number).into()).collect();
    object([
        ("metric", "errors_by_host".into()),
        ("service", "billing".into()),
        ("window", "7d".into()),
        ("step", "12h".into()),
        ("unit", "errors".into()),
        ("series", series.into()),
    ])
}

fn series(incident: &Incident, number: usize) -> Object {
    let errors: Vec<&Failure> = incident.failures.iter().filter(|failure| failure.host == number).collect();
    let mut points: Vec<Json> = (14..17)
        .flat_map(|day| ["00", "12"].map(|hour| point(format!("2026-11-{day}T{hour}:00Z"), 0)))
        .collect();
    for half_day in 0..8 {
        let (from, to) = (half_day * DAY / 2, (half_day + 1) * DAY / 2);
        let n = errors.iter().filter(|failure| (from..to).contains(&failure.at)).count();
        points.push(point(format!("{}T{}Z", date(from), &time_of_day(from)[..5]), n));
    }
    let (build, since, before) = match number {
        2 | 5 => ("4f2c", "2026-11-17T09:00Z", "3e91"),
        _ => ("51d0", "2026-11-19T17:30Z", "3e91"),
    };
    object([
        ("label", host(number).into()),
        ("build", build.into()),
        ("since", since.into()),
        ("build_before", before.into()),
        ("sum", count(errors.len())),
        ("points", points.into()),
    ])
}

fn point(time: String, n: usize) -> Json {
    Json::Array(vec![time.into(), count(n)])
}
