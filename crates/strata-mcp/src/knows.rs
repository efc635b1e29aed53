//! The sessions that can be asked about, and those that are open.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use strata_app::cut;
use strata_app::report::{KnownSession, KnownSessions, OpenedSession, SessionsKept, Source};

use crate::answer::{Answer, Refusal};
use crate::asked::Question;
use crate::own::{Chosen, own};
use crate::page::Pages;
use crate::symbols::{quoted, recorded};

/// Sessions that are kept open.
const OPEN: usize = 4;
/// Files whose titles are looked at for a part of one.
const TITLES_OF: usize = 200;
/// Sessions that a refusal lists.
const LISTED: usize = 8;
/// Letters of an id that stand for the whole.
const MIN_ID: usize = 4;

/// Everything that answers are made from.
pub(crate) struct Knows {
    pub sessions: KnownSessions,
    pub pages: Pages,
    open: Mutex<Vec<Open>>,
}

/// A session that was asked about, as it was then.
struct Open {
    id: String,
    within: Option<String>,
    kept: SessionsKept,
    opened: Arc<OpenedSession>,
}

/// A session that is asked about.
pub(crate) struct Subject {
    pub opened: Arc<OpenedSession>,
    pub source: Source,
    pub known: KnownSession,
    /// How it was chosen.
    pub rule: String,
}

impl Knows {
    pub(crate) fn new(database: Option<PathBuf>) -> Self {
        Self { sessions: KnownSessions::new(database), pages: Pages::default(), open: Mutex::default() }
    }

    /// The session that a question is about, read again if it has grown.
    pub(crate) fn subject(&self, question: &Question) -> Result<Subject, Refusal> {
        let chosen = match question.arguments.text("session") {
            Some(name) => self.named(name)?,
            None => own(&self.sessions, &question.caller, &question.stop)?,
        };
        let Chosen { session: known, within, rule } = chosen;
        let within = within.or_else(|| known.within.clone());
        let opened = self.opened(&known, within, question)?;
        Ok(Subject { opened, source: self.sessions.source(&known), known, rule })
    }

    /// A known session, read if it is not open.
    pub(crate) fn opened(
        &self,
        known: &KnownSession,
        within: Option<String>,
        question: &Question,
    ) -> Result<Arc<OpenedSession>, Refusal> {
        let kept = known.kept();
        // Whoever asks for the same meanwhile waits, and finds it open.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |it: &Open| it.id == known.id && it.within == within;
        if let Some(at) = open.iter().position(|it| is_it(it) && it.kept == kept) {
            let it = open.remove(at);
            let opened = it.opened.clone();
            open.push(it);
            return Ok(opened);
        }
        open.retain(|it| !is_it(it));
        let source = self.sessions.source(known);
        let opened = Arc::new(OpenedSession::read(&source, within.as_deref(), &question.stop)?);
        open.push(Open { id: known.id.clone(), within, kept, opened: opened.clone() });
        let n_over = open.len().saturating_sub(OPEN);
        open.drain(..n_over);
        Ok(opened)
    }

    /// The session with this id, with an id that begins so, or with these words in its title. `FILE#ID` is one of a file
    /// with several.
    fn named(&self, name: &str) -> Result<Chosen, Refusal> {
        let (name, within) = match name.split_once('#') {
            Some((file, id)) => (file, Some(id.to_owned())),
            None => (name, None),
        };
        let all = self.sessions.all()?;
        let chosen = |session: KnownSession| {
            let session = self.sessions.told(session);
            Chosen { session, within: within.clone(), rule: "it was named".to_owned() }
        };
        if let Some(session) = all.iter().find(|session| session.is_called(name)) {
            return Ok(chosen(session.clone()));
        }
        let begins = |session: &&KnownSession| {
            session.id.starts_with(name) || session.own_id.as_deref().is_some_and(|id| id.starts_with(name))
        };
        let mut found: Vec<KnownSession> = Vec::new();
        if name.len() >= MIN_ID {
            found.extend(all.iter().filter(begins).cloned());
        }
        if found.is_empty() {
            let wanted = name.to_lowercase();
            let told = all.into_iter().take(TITLES_OF).map(|session| self.sessions.told(session));
            let fits = |session: &KnownSession| {
                session.is_called(name)
                    || session.title.as_ref().is_some_and(|title| title.to_lowercase().contains(&wanted))
            };
            found.extend(told.filter(fits));
        }
        let name = recorded(name);
        match (found.pop(), found.len()) {
            (Some(only), 0) => Ok(chosen(only)),
            (Some(last), _) => {
                found.push(last);
                let rows = found.into_iter().take(LISTED).map(|session| {
                    let session = self.sessions.told(session);
                    let title = session.title.as_deref().map(|title| quoted(&recorded(title)));
                    format!("  {} {}", session.id, title.unwrap_or_default())
                });
                let rows: Vec<String> = rows.collect();
                Err(Refusal(format!(
                    "{} may be any of these sessions. Name one by its id:\n{}",
                    quoted(&name),
                    rows.join("\n")
                )))
            }
            (None, _) => Err(Refusal(format!(
                "No known session is called {}. `sessions` lists those that are known; leave `session` out for your own.",
                quoted(&name)
            ))),
        }
    }
}

impl Subject {
    /// An answer that says which session it is about.
    pub(crate) fn answer(&self) -> Answer {
        let report = self.opened.session();
        let mut answer = Answer::default();
        let title = recorded(&cut(&report.title, 80));
        answer.say(format!(
            "Session {} ({}, id {}); {}.",
            quoted(&title),
            report.format_name,
            self.known.id,
            self.rule
        ));
        answer.fact(
            "session",
            json!({"id": self.known.id, "title": title, "client": report.format_name, "chosen": self.rule}),
        );
        answer
    }
}
