//! A class file as a page: what a lesson is about, for whoever has no Strata yet, with the lessons in it for Strata.

use maud::{DOCTYPE, PreEscaped, html};

use crate::class_file::{ClassFile, ELEMENT, GENERATOR};
use crate::error::AppError;
use crate::lesson_shelf as shelf;
use crate::lesson_shelf::wanted;
use crate::show::words::counted;

const STYLE: &str = include_str!("../../assets/report.css");
/// Nothing is loaded and nothing runs: the lessons in the page are data.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

pub(super) fn class_page(class: &ClassFile) -> Result<String, AppError> {
    let lessons = shelf::of_class(class)?;
    let title = match &lessons[..] {
        [only] => only.lesson.head.title.clone(),
        lessons => counted(lessons.len(), "lesson"),
    };
    let (begin, end) = ELEMENT;
    let document = class.to_json()?;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content=(GENERATOR);
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Strata" }
                style { (PreEscaped(STYLE)) }
            }
            body { main {
                h1 { (title) }
                p { "Save this page and open it in Strata: with " code { "strata serve THIS-FILE.html" }
                    ", or with Open in the window. Learn then has "
                    @if lessons.len() == 1 { "the lesson" } @else { "the lessons" } ", on the session that is in this file." }
                @for shelved in &lessons {
                    @let head = &shelved.lesson.head;
                    section {
                        h2 { (head.title) }
                        p.quiet { (head.level.name()) ", about " (head.minutes) " min" }
                        div style="white-space: pre-wrap" dir="auto" { (shelved.lesson.text) }
                        h3 { "Goals" }
                        ol { @for goal in &head.goals {
                            li dir="auto" { (goal.text) " (" (wanted(&goal.check)) ")" }
                        } }
                    }
                }
            } (PreEscaped(format!("{begin}{document}{end}"))) }
        }
    };
    Ok(page.into_string())
}
