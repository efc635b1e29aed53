//! The pictures of the page as files: with what stands around them there, in light colours, for documents and slides.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};

use super::map::{self, MAX_PARTS};
use super::strip::{self, Bars};
use super::texts::{Texts, count};
use crate::report::opened::OpenedSession;
use crate::report::tokens::TokensReport;
use crate::show::words;

const STYLE: &str = include_str!("../../../assets/picture.css");
const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 24.0;
/// Above a drawing: the title.
const TOP: f64 = 56.0;
/// Below it: the calls, what the colours are, and what was left out.
const BOTTOM: f64 = 78.0;
const STRIP_HEIGHT: f64 = 300.0;
const MAP_ROW: f64 = 16.0;
/// Of the names of parts, and of the tokens beside bars.
const NAMES: f64 = 300.0;
/// Characters of a name that fit beside the map.
const MAX_NAME: usize = 42;

/// Where a drawing stands, and how large it is.
struct Place {
    left: f64,
    width: f64,
    height: f64,
}

/// What stands around a drawing.
struct Around<'a> {
    title: &'a str,
    /// What the picture is of.
    about: &'a str,
    n_calls: usize,
    /// Classes of colours with what they are.
    colours: Vec<(&'static str, &'static str)>,
    note: String,
}

/// One bar a call.
pub(super) fn strip(title: &str, ledger: &TokensReport) -> Markup {
    let bars = Bars::of(ledger);
    let place = Place { left: MARGIN + 70.0, width: WIDTH - 2.0 * MARGIN - 70.0, height: STRIP_HEIGHT };
    let around = Around {
        title,
        about: "Prompts, call by call, in tokens",
        n_calls: ledger.calls.len(),
        colours: vec![
            ("paid", "not from a cache"),
            ("cached", "from a cache"),
            ("hidden", "not shown by the recording"),
        ],
        note: bars.caption(),
    };
    let scale = html! {
        text.quiet.end x=(place.left - 8.0) y=(TOP + 12.0) { (count(bars.top)) }
        text.quiet.end x=(place.left - 8.0) y=(TOP + place.height) { "0" }
    };
    file(&around, &place, &scale, &strip::picture(&bars, place.width, place.height))
}

/// One row a part, the heaviest over the session first.
pub(super) fn map(title: &str, opened: &OpenedSession, ledger: &TokensReport, texts: &Texts) -> Markup {
    let parts = map::rows(opened, ledger);
    let (shown, rest) = parts.split_at(parts.len().min(MAX_PARTS));
    let left = MARGIN + NAMES;
    let place = Place { left, width: WIDTH - MARGIN - left, height: MAP_ROW * shown.len() as f64 };
    let kinds: BTreeSet<&'static str> = shown.iter().map(|row| row.part.kind.name()).collect();
    let left_out = rest.iter().map(|row| row.part.lifetime_tokens).sum::<u64>();
    let note = match rest.len() {
        0 => "One row a part; tokens over all calls.".to_owned(),
        n => format!(
            "One row a part; tokens over all calls. Left out: {}, {} tokens.",
            words::counted(n, "lighter part"),
            count(left_out)
        ),
    };
    let around = Around {
        title,
        about: "Which part was sent in which calls",
        n_calls: ledger.calls.len(),
        colours: kinds.into_iter().map(|kind| (kind, kind)).collect(),
        note,
    };
    let names = html! {
        @for (at, row) in shown.iter().enumerate() {
            @let y = TOP + at as f64 * MAP_ROW + 12.0;
            text x=(MARGIN) y=(y) { (words::cut(&texts.line(&row.part.from, 80), MAX_NAME)) }
            text.quiet.end x=(left - 8.0) y=(y) { (count(row.part.lifetime_tokens)) }
        }
    };
    file(&around, &place, &names, &map::bars(shown, ledger.calls.len(), place.width, MAP_ROW, texts))
}

/// A file of its own. `beside` stands where it says; the drawing at its place.
fn file(around: &Around<'_>, place: &Place, beside: &Markup, drawing: &Markup) -> Markup {
    let height = TOP + place.height + BOTTOM;
    let below = TOP + place.height;
    html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(height) viewBox=(format!("0 0 {WIDTH} {height}")) role="img" {
            title { (around.title) ": " (around.about) }
            style { (PreEscaped(STYLE)) }
            rect.page width=(WIDTH) height=(height) {}
            text.title x=(MARGIN) y="24" { (around.title) }
            text.quiet x=(MARGIN) y="43" { (around.about) }
            (beside)
            g transform=(format!("translate({} {TOP})", place.left)) { (drawing) }
            line.axis x1=(place.left) x2=(place.left + place.width) y1=(below + 0.5) y2=(below + 0.5) {}
            @if around.n_calls > 0 {
                text.quiet x=(place.left) y=(below + 16.0) { "C1" }
                text.quiet.end x=(place.left + place.width) y=(below + 16.0) { "C" (around.n_calls) }
            } @else {
                text.quiet x=(place.left) y=(below + 16.0) { "This session has no calls." }
            }
            @for (at, (class, name)) in around.colours.iter().enumerate() {
                @let x = place.left + at as f64 * 120.0 * if around.colours.len() > 4 { 1.0 } else { 1.6 };
                rect class=(class) x=(x) y=(below + 30.0) width="12" height="12" {}
                text x=(x + 18.0) y=(below + 40.0) { (name) }
            }
            text.quiet x=(place.left) y=(below + 62.0) { (around.note) }
        }
    }
}
