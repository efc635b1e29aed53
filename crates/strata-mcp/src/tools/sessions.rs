//! Which sessions are known.

use serde_json::json;
use strata_app::report::{KnownPlace, KnownSession, utc_day, utc_minute};

use crate::answer::{Answer, Refusal};
use crate::arguments::{Argument, CURSOR, Shape};
use crate::asked::Question;
use crate::knows::Knows;
use crate::spec::ToolSpec;
use crate::symbols::{quoted, recorded};

/// Files whose folders are looked at.
const LOOKED_AT: usize = 500;

pub(super) const TOOL: ToolSpec = ToolSpec {
    name: "sessions",
    title: "Which sessions are known?",
    about: "Lists sessions that the other tools can be asked about, the newest first: those that agents left on this \
            computer, those in Strata's store, and captured ones.",
    arguments: &[
        Argument {
            name: "folder",
            about: "Only those recorded in a folder whose path has this in it",
            shape: Shape::Text,
            is_required: false,
        },
        Argument {
            name: "client",
            about: "Only those of this tool, as Claude Code",
            shape: Shape::Text,
            is_required: false,
        },
        Argument {
            name: "since",
            about: "Only those that changed on this day or later, as 2026-11-20 (UTC)",
            shape: Shape::Text,
            is_required: false,
        },
        Argument {
            name: "limit",
            about: "Sessions at most",
            shape: Shape::Whole { least: 1, most: 200, usual: Some(20) },
            is_required: false,
        },
        CURSOR,
    ],
    is_always_loaded: false,
    answer,
};

fn answer(knows: &Knows, question: &Question) -> Result<Answer, Refusal> {
    let arguments = &question.arguments;
    let folder = arguments.text("folder");
    let client = arguments.text("client").map(str::to_lowercase);
    let since = match arguments.text("since") {
        None => None,
        Some(day) => Some(utc_day(day).ok_or_else(|| {
            Refusal(format!("`since` is {}, and should be a day such as 2026-11-20.", quoted(&recorded(day))))
        })?),
    };
    let all = knows.sessions.all()?;
    let total = all.len();
    let is_asked = |session: &KnownSession| {
        session.parent.is_none()
            && client.as_ref().is_none_or(|client| session.client.to_lowercase().contains(&**client))
            && since.is_none_or(|since| session.last_ms.is_some_and(|ms| ms >= since))
    };
    let told = all.into_iter().filter(is_asked).take(LOOKED_AT).map(|session| knows.sessions.told(session));
    let is_there = |session: &KnownSession| {
        let recorded = session.folder.as_deref();
        folder.is_none_or(|folder| recorded.is_some_and(|recorded| recorded.contains(folder)))
    };
    let limit = arguments.whole("limit").unwrap_or(20) as usize;
    let listed: Vec<KnownSession> = told.filter(is_there).take(limit).collect();

    let mut answer = Answer::default();
    answer.say(format!("{} of {total} known sessions, the newest first.", listed.len()));
    answer.fact("known", total);
    answer.rows_name = "sessions";
    for session in &listed {
        let title = session.title.as_deref().map(recorded);
        let folder = session.folder.as_deref().map(recorded);
        let place = match session.place {
            KnownPlace::Store => "store",
            KnownPlace::Client => "file",
            KnownPlace::Capture => "capture",
        };
        let time = session.last_ms.map(utc_minute);
        answer.row(
            format!(
                "{} {}, {}, {}{}",
                session.id,
                title.as_deref().map_or_else(|| "without a title".to_owned(), quoted),
                session.client,
                time.as_deref().unwrap_or("no time known"),
                folder.as_ref().map_or_else(String::new, |folder| format!(", in {folder}"))
            ),
            json!({
                "id": session.id,
                "title": title,
                "client": session.client,
                "folder": folder,
                "changed": time,
                "from": place,
            }),
        );
    }
    Ok(answer)
}
