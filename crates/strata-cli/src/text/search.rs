//! What a search found.

use strata_app::report::{SearchHit, SearchReport};
use strata_app::{counted, cut};

use super::Style;
use super::number::count;

const TITLE: usize = 60;

/// Hits under the session they are in.
pub(crate) fn search(report: &SearchReport, style: Style) -> String {
    if report.hits.is_empty() {
        return format!("Nothing in {} matches {}.\n", report.database, report.query);
    }
    let mut text = String::new();
    let mut session = "";
    for hit in &report.hits {
        if hit.session != session {
            session = &hit.session;
            text += &format!("{}  {}\n", style.quiet(session), style.strong(&cut(&hit.title, TITLE)));
        }
        text += &line(hit, style);
    }
    let more = if report.is_total_capped { "more than " } else { "" };
    let shown = match &report.next {
        Some(next) => format!("; {} shown, go on with `--after {next}`", count(report.hits.len() as u64)),
        None => String::new(),
    };
    text + &format!("{more}{}{shown}\n", counted(report.total as usize, "hit"))
}

fn line(hit: &SearchHit, style: Style) -> String {
    let pieces = hit.snippet.iter();
    let pieces = pieces.map(|it| if it.is_match { style.strong(&it.text) } else { it.text.clone() });
    let who: Vec<&str> =
        hit.author.iter().map(String::as_str).chain(hit.tools.iter().map(String::as_str)).collect();
    let place = hit.address.as_deref().unwrap_or("–");
    let who = if who.is_empty() { String::new() } else { format!("{}  ", style.quiet(&who.join(" "))) };
    format!("  {place:<6} {who}{}\n", pieces.collect::<String>())
}
