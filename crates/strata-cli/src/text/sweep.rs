//! Sweeps: what each configuration costs, and which to take.

use strata_app::counted;
use strata_app::report::{BillReport, SweepReport, SweepRowReport};

use super::Style;
use super::fields::Fields;
use super::number::{count, dollars, share};
use super::table::{Align, Table};

pub(crate) fn sweep(report: &SweepReport, limit: usize, style: Style) -> String {
    let mut fields = Fields::under(
        &format!("{} replayed over {}", counted(report.rows.len(), "configuration"), report.title),
        style,
    );
    if report.rows.len() < report.configs {
        fields.add("stopped", &format!("before {} were replayed", counted(report.configs, "configuration")));
    }
    fields.add("session", &report.session);
    fields.add("take", &report.reason);
    fields.add("summaries", &format!("size {}", report.summary_size));
    if report.app.inferred {
        fields.add(
            "app",
            "inferred from the events; instructions and tools that are not recorded cost nothing here",
        );
    }
    let mut text = fields.print();
    text +=
        &format!("\n{}\n{}", style.strong("Settings, the cheapest first"), table(report, limit).print(style));
    text += &style.quiet("  regret: values that later answers used and only a summary could tell them\n");
    text += &style.quiet("  ★ to take   ● no other is better in cost, longest prompt and regret\n");
    text
}

fn table(report: &SweepReport, limit: usize) -> Table {
    let mut table = Table::new([
        ("", Align::Left),
        ("setting", Align::Left),
        ("cost", Align::Right),
        ("billed", Align::Right),
        ("cached", Align::Right),
        ("longest", Align::Right),
        ("summaries", Align::Right),
        ("breaks", Align::Right),
        ("regret", Align::Right),
        ("wait", Align::Right),
        ("", Align::Left),
    ]);
    table.quiet_row(cells("", "as recorded", &report.baseline, None, ""));
    if report.unchanged.prompt_tokens != report.baseline.prompt_tokens {
        table.quiet_row(cells("", "no compaction", &report.unchanged, None, ""));
    }
    let mut order: Vec<usize> = (0..report.rows.len()).collect();
    let measure = |at: usize| {
        let bill = &report.rows[at].bill;
        bill.cost.unwrap_or(bill.billed_tokens as f64)
    };
    order.sort_by(|a, b| measure(*a).total_cmp(&measure(*b)).then(a.cmp(b)));
    let n_shown = if limit == 0 { order.len() } else { limit.min(order.len()) };
    // What is worth knowing is shown however long the table is.
    let is_marked = |at: &usize| report.recommended == Some(*at) || report.front.contains(at);
    let shown = order.iter().enumerate().filter(|(rank, at)| *rank < n_shown || is_marked(at));
    for (_, at) in shown {
        let row: &SweepRowReport = &report.rows[*at];
        let mark = match (report.recommended == Some(*at), report.front.contains(at)) {
            (true, _) => "★",
            (false, true) => "●",
            (false, false) => "",
        };
        let flags = row.flags.join(", ").replace('_', " ");
        table.row(cells(mark, &row.config, &row.bill, Some(row.regret), &flags));
    }
    if order.len() > n_shown {
        table.quiet_line(format!("{} in all; --limit 0 shows them", count(order.len() as u64)));
    }
    table
}

fn cells(mark: &str, name: &str, bill: &BillReport, regret: Option<u32>, flags: &str) -> [String; 11] {
    [
        mark.to_owned(),
        name.to_owned(),
        dollars(bill.cost),
        count(bill.billed_tokens),
        share(bill.cached_tokens, bill.prompt_tokens),
        count(bill.peak_tokens),
        count(bill.compactions),
        count(bill.breaks),
        regret.map_or_else(String::new, count),
        format!("{:.1} s", bill.latency_s),
        flags.to_owned(),
    ]
}
