//! Counts of tokens beside those of another implementation.

use strata_app::report::VerifyReport;

use super::Style;
use super::fields::Fields;
use super::number::count;
use super::table::{Align, Table};

pub(crate) fn verify(report: &VerifyReport, style: Style) -> String {
    let mut fields = Fields::under(&report.title, style);
    fields.add("session", &report.session);
    for model in &report.models {
        let name = if model.model.is_empty() { "model not known" } else { &model.model };
        fields.add(name, &model.verification.message);
    }
    let mut text = fields.print();
    let mut table = Table::new([("text", Align::Left), ("tokens", Align::Right), ("referee", Align::Right)]);
    let differing = report.models.iter().flat_map(|model| &model.verification.differing);
    let mut n_rows = 0;
    for disputed in differing {
        table.row([disputed.place.clone(), count(disputed.tokens), count(disputed.referee)]);
        n_rows += 1;
    }
    if n_rows > 0 {
        text += &format!("\n{}\n{}", style.strong("Counted otherwise"), table.print(style));
    }
    text
}
