//! What reports tell of how a provider counts.

use strata_app::report::{CalibrationReport, ErrorsReport, LearnedFrom, ModelCalibration};

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
    let from = calibrated_from(model.growths, model.learned);
    let Some(fit) = &model.fit else {
        let growths = format!("{} growths tell too little", count(model.growths));
        let learned = model.learned.map(|learned| {
            format!("± {:.1} % from {}; ", learned.error * 100.0, calibrated_from(0, Some(learned)))
        });
        return learned.unwrap_or_default() + &growths;
    };
    let hidden = if fit.set_aside > 0 {
        let off = if fit.hidden_tokens < 0 { '−' } else { '+' };
        let tokens = count(fit.hidden_tokens.unsigned_abs());
        format!("; {} of them are far off, by {off}{tokens} tokens, and set aside", count(fit.set_aside))
    } else {
        String::new()
    };
    let what = if fit.used { "" } else { "not used, being of something else: " };
    format!("{what}± {:.1} % from {from}{hidden}", fit.error * 100.0)
}

/// "88 growths", "88 growths and 900 of 7 stored sessions", "900 growths of 7 stored sessions"
pub(super) fn calibrated_from(growths: u32, learned: Option<LearnedFrom>) -> String {
    let own = (growths > 0).then(|| format!("{} growths", count(growths)));
    let others = learned.map(|learned| {
        let what = if own.is_some() { "" } else { " growths" };
        format!("{}{what} of {} stored sessions", count(learned.growths), count(learned.sessions))
    });
    own.into_iter().chain(others).collect::<Vec<_>>().join(" and ")
}
