//! Batches: what each configuration came to with each model.

use strata_app::api::lab::ProbeCounts;
use strata_app::api::lab_batch::{BatchBudget, BatchCell, BatchCellState, BatchPlanCell};
use strata_app::report::{BatchPlanReport, BatchReport, utc_minute};
use strata_app::{asked, counted};

use super::Style;
use super::fields::Fields;
use super::number::{count, dollars};
use super::table::{Align, Table};

pub(crate) fn batch(report: &BatchReport, style: Style) -> String {
    let batch = &report.batch;
    let mut fields = Fields::under(&format!("Batch of {}", counted(batch.cells.len(), "run")), style);
    fields.add("batch", &batch.batch);
    fields.add("session", &batch.session);
    if !batch.reason.is_empty() {
        fields.add("take", &batch.reason);
    }
    let spent = format!("{} tokens, {}", count(batch.spent_tokens as i64), dollars(batch.spent_usd));
    fields.add("spent", &spent);
    if let Some(budget) = budget_text(batch.budget) {
        fields.add("budget", &budget);
    }
    let mut table = Table::new([
        ("", Align::Left),
        ("setting", Align::Left),
        ("model", Align::Left),
        ("cost", Align::Right),
        ("billed", Align::Right),
        ("longest", Align::Right),
        ("lost", Align::Right),
        ("regret", Align::Right),
        ("answered", Align::Right),
        ("tokens", Align::Right),
        ("paid", Align::Right),
        ("seconds", Align::Right),
        ("", Align::Left),
    ]);
    for (at, cell) in batch.cells.iter().enumerate() {
        let mark = if batch.recommended == Some(at as u32) { "★" } else { "" };
        table.row(cells(mark, cell));
    }
    let mut text = fields.print();
    text += "\n";
    text += &table.print(style);
    text += &style.quiet(
        "  cost, billed, longest: of the session with these summaries   lost: facts that no summary tells\n",
    );
    text += &style.quiet(
        "  regret: values that later answers used and no summary tells   tokens, paid: for the summaries, by this batch\n",
    );
    if let Some(probes) = &batch.probes {
        let by = asked(&probes.writer, probes.model.as_deref());
        let questions = counted(probes.questions as usize, "question");
        text += &style.quiet(&format!(
            "  answered: from the summaries, by {by}, of {questions} that it could answer from them or from the events\n"
        ));
    }
    text
}

fn cells(mark: &str, cell: &BatchCell) -> [String; 13] {
    let bill = cell.bill.as_ref();
    let lost = cell.dropped.zip(cell.kept).map(|(dropped, kept)| format!("{dropped} of {}", dropped + kept));
    [
        mark.to_owned(),
        cell.config.clone(),
        asked(&cell.writer, cell.model.as_deref()),
        bill.map_or_else(String::new, |bill| dollars(bill.cost_usd)),
        bill.map_or_else(String::new, |bill| count(bill.billed_tokens as i64)),
        bill.map_or_else(String::new, |bill| count(bill.peak_tokens)),
        lost.unwrap_or_default(),
        cell.regret.map_or_else(String::new, count),
        cell.answers.map_or_else(String::new, |answers| answered(&answers)),
        count(cell.tokens as i64),
        if cell.run.is_some() { dollars(cell.cost_usd) } else { String::new() },
        cell.seconds.map_or_else(String::new, |seconds| format!("{seconds:.1}")),
        state(cell),
    ]
}

/// Of the questions that the events or the summary answered, those that the summary did.
fn answered(answers: &ProbeCounts) -> String {
    match answers.kept + answers.lost {
        0 => "–".to_owned(),
        n => format!("{} of {n}", answers.kept),
    }
}

fn state(cell: &BatchCell) -> String {
    if let Some(note) = &cell.note {
        return note.clone();
    }
    match cell.state {
        BatchCellState::Waiting => "waiting".to_owned(),
        BatchCellState::Running => "running".to_owned(),
        BatchCellState::Asking => "asking questions".to_owned(),
        BatchCellState::Done => String::new(),
        BatchCellState::Kept => format!("kept from {}", utc_minute(cell.kept_ms.unwrap_or(0.0) as i64)),
        BatchCellState::LeftOut => "left out".to_owned(),
        BatchCellState::Stopped => "stopped".to_owned(),
        BatchCellState::Failed => "failed".to_owned(),
    }
}

/// A cell that is over, in one line.
pub(crate) fn batch_cell(cell: &BatchCell) -> String {
    let done = match cell.state {
        BatchCellState::Done => {
            format!(
                "{} written, {} tokens",
                counted(cell.written as usize, "summary"),
                count(cell.tokens as i64)
            )
        }
        _ => state(cell),
    };
    format!("{} with {}: {done}", cell.config, asked(&cell.writer, cell.model.as_deref()))
}

pub(crate) fn batch_plan(report: &BatchPlanReport, style: Style) -> String {
    let plan = &report.plan;
    let mut fields = Fields::under(&format!("{} would be made", counted(plan.cells.len(), "run")), style);
    fields.add("tokens", &format!("≈{}", count(plan.tokens as i64)));
    fields.add(
        "cost",
        &plan.cost_usd.map_or("not known: a model has no price".to_owned(), |usd| {
            if usd == 0.0 { "$0".to_owned() } else { format!("≈{}", dollars(Some(usd))) }
        }),
    );
    fields.add("time", &format!("≈{:.0} s with usual rates", plan.seconds.ceil()));
    if let Some(refusal) = &plan.refusal {
        fields.add("refused", refusal);
    }
    let mut table = Table::new([
        ("setting", Align::Left),
        ("model", Align::Left),
        ("summaries", Align::Right),
        ("tokens", Align::Right),
        ("cost", Align::Right),
        ("", Align::Left),
    ]);
    for cell in &plan.cells {
        table.row(planned(cell));
    }
    fields.print() + "\n" + &table.print(style)
}

fn planned(cell: &BatchPlanCell) -> [String; 6] {
    let kept = cell.kept_ms.map(|ms| format!("kept from {}", utc_minute(ms as i64)));
    [
        cell.config.clone(),
        asked(&cell.writer, cell.model.as_deref()),
        count(cell.need.summaries),
        format!("≈{}", count(cell.need.tokens as i64)),
        dollars(cell.need.cost_usd),
        kept.or_else(|| cell.left_out.clone()).unwrap_or_default(),
    ]
}

fn budget_text(budget: BatchBudget) -> Option<String> {
    let tokens = budget.tokens.map(|tokens| format!("{} tokens", count(tokens as i64)));
    let usd = budget.usd.map(|usd| dollars(Some(usd)));
    let both: Vec<String> = [tokens, usd].into_iter().flatten().collect();
    (!both.is_empty()).then(|| both.join(", "))
}
