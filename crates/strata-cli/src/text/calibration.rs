//! What reports tell of how a provider counts.

use strata_app::report::{CalibrationReport, ErrorsReport, ModelCalibration};

use super::Style;
use super::fields::Fields;
use super::number::count;
use super::table::{Align, Table};

pub(crate) fn calibration(report: &CalibrationReport, style: Style) -> String {
    let mut fields = Fields::under(&report.title, style);
    fields.add("session", &report.session);
    if report.models.is_empty() {
        fields.add("calibration", "no model of it is counted with another vocabulary and has reports");
    }
    for model in &report.models {
        fields.add(&model.model, &learned(model));
    }
    let mut text = fields.print();
    for model in &report.models {
        let Some(fit) = &model.fit else { continue };
        let mut errors = Table::new([
            ("held out", Align::Left),
            ("growths", Align::Right),
            ("reported", Align::Right),
            ("all together", Align::Right),
            ("middle growth", Align::Right),
        ]);
        let mut row = |name: &str, of: &ErrorsReport| {
            errors.row([
                name.to_owned(),
                count(of.growths),
                count(of.reported),
                format!("{:+.1} %", of.bias * 100.0),
                format!("{:.1} %", of.median * 100.0),
            ]);
        };
        row("before", &fit.counted);
        row("calibrated", &fit.predicted);
        row("of what is shown", &fit.shown);
        let mut ratios =
            Table::new([("kind", Align::Left), ("counted", Align::Right), ("ratio", Align::Right)]);
        for of_kind in &fit.ratios {
            ratios.row([of_kind.kind.clone(), count(of_kind.tokens), format!("{:.2}", of_kind.ratio)]);
        }
        let model = style.strong(&model.model);
        text += &format!("\n{model}\n{}\n{}", errors.print(style), ratios.print(style));
    }
    text
}

/// "± 4.1 % from 88 growths; 7 of them are far off, by +12,310 tokens, and set aside"
fn learned(model: &ModelCalibration) -> String {
    let growths = count(model.growths);
    let Some(fit) = &model.fit else { return format!("{growths} growths tell too little") };
    let hidden = if fit.set_aside > 0 {
        let off = if fit.hidden_tokens < 0 { '−' } else { '+' };
        let tokens = count(fit.hidden_tokens.unsigned_abs());
        format!("; {} of them are far off, by {off}{tokens} tokens, and set aside", count(fit.set_aside))
    } else {
        String::new()
    };
    let what = if fit.used { "" } else { "not used, being no better: " };
    format!("{what}± {:.1} % from {growths} growths{hidden}", fit.error * 100.0)
}
