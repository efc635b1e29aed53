//! What was learned of how providers count.

use strata_app::counted;
use strata_app::report::LearnedReport;

use super::Style;
use super::calibration::calibrated_from;
use super::fields::Fields;
use super::table::{Align, Table};

pub(crate) fn calibrate(report: &LearnedReport, style: Style) -> String {
    let read = report.read.map_or_else(String::new, |read| {
        let failed = match read.failed {
            0 => String::new(),
            failed => format!("; {} could not be read", counted(failed as usize, "other")),
        };
        format!("{} of {} read{failed}.\n", counted(read.sessions as usize, "session"), report.database)
    });
    if report.models.is_empty() {
        return format!(
            "{read}Nothing is learned from {}: at least two sessions are needed whose providers report usage, with a \
             model whose vocabulary is not carried along.\n",
            report.database
        );
    }
    let mut text = read;
    for model in &report.models {
        let mut fields = Fields::under(&format!("Models like {}", model.model), style);
        let from = calibrated_from(0, Some(model.from));
        fields.add("counts", &format!("± {:.1} % from {from}", model.from.error * 100.0));
        let mut ratios = Table::new([("kind", Align::Left), ("ratio", Align::Right)]);
        for ratio in &model.ratios {
            ratios.row([ratio.kind.clone(), format!("{:.2}", ratio.ratio)]);
        }
        text += &format!("{}{}\n", fields.print(), ratios.print(style));
    }
    text + "Stored sessions begin with these ratios to the plain count; a window that is open goes on as it began.\n"
}
