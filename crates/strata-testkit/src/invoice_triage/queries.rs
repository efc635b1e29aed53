//! What `sql_query` is asked and returns.

use std::collections::BTreeSet;

use strata_model::{Json, Object};

use super::incident::{DAY, Failure, Incident, Invoice, RegionFailures, Status};
use super::values::{count, date, decimal, host, object, texts, time};

pub(super) const AFFECTED: &str = "SELECT id, total, currency, country, customer_id, status, total_eur \
    FROM invoices WHERE id IN (SELECT invoice_id FROM invoice_failures \
    WHERE error = 'InvalidOperation' AND failed_at >= TIMESTAMPTZ '2026-11-17 00:00:00+00') \
    AND period_end = DATE '2026-10-31' ORDER BY id";
pub(super) const BY_REGION: &str = "SELECT region, count(*) AS hits, \
    count(DISTINCT invoice_id) AS invoices, array_agg(DISTINCT host) AS hosts, \
    array_agg(DISTINCT country) AS countries, \
    min(failed_at) AS first, max(failed_at) AS last FROM invoice_failures \
    JOIN invoices ON invoices.id = invoice_id JOIN customers ON customers.id = customer_id \
    GROUP BY region";
pub(super) const BACKFILL: &str = "SELECT id, old_total, new_total, currency, country, \
    abs(new_total - old_total) AS difference \
    FROM staging.backfill_totals JOIN invoices ON invoices.id = invoice_id \
    WHERE id IN (SELECT invoice_id FROM invoice_failures \
    WHERE error = 'InvalidOperation' AND failed_at >= TIMESTAMPTZ '2026-11-17 00:00:00+00') \
    AND old_total IS NOT NULL AND new_total IS NOT NULL ORDER BY id";
pub(super) const DISPUTED: &str = "SELECT i.id, i.number, i.customer_id, i.country, i.currency, \
    i.net, i.status, i.period_end, b.old_total, b.new_total, b.new_tax, i.total_eur, f.* \
    FROM staging.backfill_totals AS b JOIN invoices AS i ON i.id = b.invoice_id \
    JOIN failures_by_invoice AS f ON f.invoice_id = i.id \
    WHERE abs(old_total-new_total) > 0.005";

/// Rows that are shown of the two long results.
const N_AFFECTED_SHOWN: usize = 400;
const N_BACKFILL_SHOWN: usize = 450;

pub(super) fn affected(incident: &Incident) -> Object {
    let row = |invoice: &Invoice| {
        Json::Array(vec![
            Json::Int(invoice.id.into()),
            decimal(invoice.total).into(),
            invoice.currency.into(),
            invoice.country.into(),
            customer(invoice),
            invoice.status.name().into(),
            decimal(invoice.total_eur_cents).into(),
        ])
    };
    let of = |status| incident.invoices.iter().filter(|invoice| invoice.status == status).count();
    let statuses =
        [Status::Draft, Status::Open, Status::Paid].map(|status| (status.name(), count(of(status))));
    let statistics = object([
        ("total_eur", amounts(incident.invoices.iter().map(|invoice| invoice.total_eur_cents)).into()),
        ("status", object(statuses).into()),
    ]);
    result(Cut {
        database: "replica",
        columns: &["id", "total", "currency", "country", "customer_id", "status", "total_eur"],
        rows: incident.invoices.iter().take(N_AFFECTED_SHOWN).map(row).collect(),
        n_rows: incident.invoices.len(),
        statistics,
    })
}

pub(super) fn backfill(incident: &Incident) -> Object {
    let row = |invoice: &Invoice| {
        Json::Array(vec![
            Json::Int(invoice.id.into()),
            decimal(invoice.total).into(),
            decimal(invoice.recomputed).into(),
            invoice.currency.into(),
            invoice.country.into(),
            decimal(invoice.difference()).into(),
        ])
    };
    let mut differences = amounts(incident.invoices.iter().map(Invoice::difference));
    differences.push("not_zero", count(incident.disputed().count()));
    let statistics = object([
        ("id", object([("distinct", count(incident.invoices.len()))]).into()),
        ("difference", differences.into()),
    ]);
    result(Cut {
        database: "staging",
        columns: &["id", "old_total", "new_total", "currency", "country", "difference"],
        rows: incident.invoices.iter().take(N_BACKFILL_SHOWN).map(row).collect(),
        n_rows: incident.invoices.len(),
        statistics,
    })
}

struct Cut<'c> {
    database: &'c str,
    columns: &'c [&'c str],
    rows: Vec<Json>,
    n_rows: usize,
    statistics: Object,
}

fn result(cut: Cut<'_>) -> Object {
    let Cut { database, columns, rows, n_rows, statistics } = cut;
    object([
        ("database", database.into()),
        ("row_count", count(n_rows)),
        ("rows_shown", count(rows.len())),
        ("is_cut", (rows.len() < n_rows).into()),
        ("statistics", statistics.into()),
        ("columns", texts(columns.iter().copied())),
        ("rows", rows.into()),
    ])
}

fn amounts(hundredths: impl Iterator<Item = i64> + Clone) -> Object {
    let shown = |amount: Option<i64>| decimal(amount.unwrap_or(0)).into();
    object([
        ("min", shown(hundredths.clone().min())),
        ("max", shown(hundredths.clone().max())),
        ("sum", shown(Some(hundredths.sum()))),
    ])
}

/// Short results come as objects.
fn short_result(database: &str, rows: Vec<Object>) -> Object {
    object([
        ("database", database.into()),
        ("row_count", count(rows.len())),
        ("is_cut", false.into()),
        ("rows", rows.into_iter().map(Json::from).collect::<Vec<_>>().into()),
    ])
}

pub(super) fn by_region(incident: &Incident) -> Object {
    let regions = incident.by_region();
    let mut result =
        short_result("replica", regions.iter().map(|region| region_row(incident, region)).collect());
    let column = |values: Vec<usize>| {
        object([
            ("min", count(values.iter().min().copied().unwrap_or(0))),
            ("max", count(values.iter().max().copied().unwrap_or(0))),
            ("sum", count(values.iter().sum())),
        ])
    };
    let statistics = object([
        ("hits", column(regions.iter().map(|region| region.failures.len()).collect()).into()),
        ("invoices", column(regions.iter().map(|region| region.n_invoices).collect()).into()),
    ]);
    result.push("statistics", statistics);
    result
}

fn region_row(incident: &Incident, found: &RegionFailures<'_>) -> Object {
    let RegionFailures { region, failures, n_invoices } = found;
    let at = |failure: Option<&&Failure>| failure.map_or(0, |failure| failure.at);
    let country = |failure: &Failure| incident.invoices[failure.invoice].country;
    object([
        ("region", region.code().into()),
        ("hits", count(failures.len())),
        ("invoices", count(*n_invoices)),
        ("hosts", distinct(failures.iter().map(|failure| host(failure.host)))),
        ("countries", distinct(failures.iter().map(|failure| country(failure).to_owned()))),
        ("first", time(at(failures.first())).into()),
        ("last", time(at(failures.last())).into()),
    ])
}

pub(super) fn disputed(incident: &Incident) -> Object {
    let rows = incident.disputed().map(|(place, invoice)| disputed_row(incident, place, invoice));
    short_result("staging", rows.collect())
}

fn disputed_row(incident: &Incident, place: usize, invoice: &Invoice) -> Object {
    let failures: Vec<_> = incident.failures_of(place).collect();
    let first = failures.first().map_or(0, |failure| failure.at);
    let last = failures.last().map_or(0, |failure| failure.at);
    let hosts = || failures.iter().map(|failure| host(failure.host));
    // A tenth is tax.
    let net = invoice.recomputed * 10 / 11;
    object([
        ("id", Json::Int(invoice.id.into())),
        ("number", format!("R-2026-{}", 700_000 + invoice.id % 10_000).into()),
        ("customer_id", customer(invoice)),
        ("country", invoice.country.into()),
        ("currency", invoice.currency.into()),
        ("net", decimal(net).into()),
        ("status", invoice.status.name().into()),
        ("period_end", "2026-10-31".into()),
        ("old_total", decimal(invoice.total).into()),
        ("new_total", decimal(invoice.recomputed).into()),
        ("new_tax", decimal(invoice.recomputed - net).into()),
        ("total_eur", decimal(invoice.total_eur_cents).into()),
        ("failures", count(failures.len())),
        ("first_failed_at", time(first).into()),
        ("last_failed_at", time(last).into()),
        ("last_failed_day", date(last - last % DAY).into()),
        ("hosts", distinct(hosts())),
        ("builds", distinct(hosts().map(|host| build(&host).to_owned()))),
        ("error", "InvalidOperation".into()),
        ("lines", count(place % 5 + 1)),
        ("issued_at", Json::Null),
        ("payment_method", "konbini".into()),
        ("locale", "ja-JP".into()),
        ("rate_file", "rates-2026-07-01".into()),
        ("recomputed_at", format!("2026-11-20T14:19:{:02}Z", 11 + place % 40).into()),
        ("recomputed_by", "billing:8.15.1-rc1".into()),
    ])
}

fn customer(invoice: &Invoice) -> Json {
    Json::Int(i64::from(invoice.id % 3571) + 20_000)
}

/// The values in order, each once.
fn distinct(values: impl Iterator<Item = String>) -> Json {
    let values: BTreeSet<String> = values.collect();
    texts(values.iter().map(String::as_str))
}

fn build(host: &str) -> &'static str {
    match host {
        "bill-2" | "bill-5" => "4f2c",
        _ => "51d0",
    }
}
