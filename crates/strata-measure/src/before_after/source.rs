//! What pieces of prompts are, said so that those of two sessions can be told to be the same.

use std::collections::HashMap;

use strata_engine::{EventLog, Experiment};
use strata_model::{Event, Fingerprint, FingerprintBuilder, FromJson as _, LlmRequest, Origin, Part, Str};

use super::cause::{CauseKind, Side, Subject};
use super::turns::AlignedTurns;
use crate::analysis::{Kind, Piece};
use crate::phrases;

/// Something that prompts carry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// The nth thing of its kind that somebody said in a turn, which both sides number alike.
    Said { turn: u32, author: Str, subject: Subject, nth: u32, is_quoted: bool },
    /// A text before the conversation.
    Text { subject: Subject, text: Fingerprint },
    /// All others of a kind.
    Other { subject: Subject },
}

/// What is said in a session, part by part.
pub(super) struct SaidParts<'s> {
    log: &'s EventLog,
    /// By event and part.
    sources: Vec<Vec<Source>>,
    /// What each source says, whatever the ids in it.
    texts: HashMap<SaidKey, Fingerprint>,
}

type SaidKey = (u32, Str, Subject, u32);

impl<'s> SaidParts<'s> {
    pub(super) fn of(experiment: &'s Experiment, side: Side, turns: &AlignedTurns) -> Self {
        let log = experiment.log();
        let mut n_said: HashMap<(u32, Str, Subject), u32> = HashMap::new();
        let mut texts = HashMap::new();
        let mut sources = Vec::with_capacity(log.len());
        for logged in log.events() {
            let event = &*logged.event;
            let turn = turns.common(side, &event.invocation_id);
            let of_event = event.parts().iter().map(|part| {
                let (author, subject) = (event.author.clone(), said_subject(event, part));
                let nth = n_said.entry((turn, author.clone(), subject.clone())).or_insert(0);
                *nth += 1;
                texts.insert((turn, author.clone(), subject.clone(), *nth), text_of(part));
                Source::Said { turn, author, subject, nth: *nth, is_quoted: false }
            });
            sources.push(of_event.collect());
        }
        Self { log, sources, texts }
    }

    /// What a piece of the conversation shows.
    pub(super) fn source(&self, piece: &Piece) -> Source {
        let (Origin::Event { event, part } | Origin::Rewritten { event: Some(event), part, .. }) =
            &piece.origin
        else {
            return Source::Other { subject: self.subject(piece) };
        };
        let said = self.sources.get(event.as_usize()).and_then(|parts| parts.get(usize::from(*part)));
        match said {
            Some(Source::Said { turn, author, subject, nth, .. }) => Source::Said {
                turn: *turn,
                author: author.clone(),
                subject: subject.clone(),
                nth: *nth,
                is_quoted: piece.is_quoted,
            },
            _ => Source::Other { subject: self.subject(piece) },
        }
    }

    /// What it says, where it is something that this session says.
    pub(super) fn text(&self, source: &Source) -> Option<Fingerprint> {
        match source {
            Source::Said { turn, author, subject, nth, .. } => {
                self.texts.get(&(*turn, author.clone(), subject.clone(), *nth)).copied()
            }
            Source::Text { text, .. } => Some(*text),
            Source::Other { .. } => None,
        }
    }

    /// What a piece that is nobody's words is a part of.
    pub(super) fn subject(&self, piece: &Piece) -> Subject {
        let named = |kind| Subject::named(kind, &phrases::source(&piece.origin, self.log));
        match (piece.kind, &piece.origin) {
            (Kind::Tools, Origin::Tool { name }) => Subject::named(CauseKind::Declarations, name),
            (Kind::Tools, _) => named(CauseKind::Declarations),
            (Kind::System, Origin::Processor { .. }) => {
                Subject::named(CauseKind::Instructions, "words of the runtime")
            }
            (Kind::System, _) => named(CauseKind::Instructions),
            (Kind::Memory, _) => Subject::of(CauseKind::Memory),
            (Kind::Summary, _) => Subject::of(CauseKind::Summaries),
            (Kind::User, _) => Subject::of(CauseKind::UserMessages),
            (Kind::Model, _) => Subject::of(CauseKind::Answers),
            (Kind::Result, _) => Subject::of(CauseKind::Results),
        }
    }
}

impl Source {
    /// The cause that it is where it is more or less of it.
    pub(super) fn subject(&self) -> Subject {
        match self {
            Self::Said { author, is_quoted: true, .. } => Subject::named(CauseKind::HandOff, author),
            Self::Said { subject, .. } | Self::Text { subject, .. } | Self::Other { subject } => {
                subject.clone()
            }
        }
    }
}

/// The texts of a request before its conversation, in the order in which they are weighed.
pub(super) fn head_texts(request: &LlmRequest) -> Vec<Fingerprint> {
    let definitions = strata_wire::definitions(request);
    let definitions = definitions.map(|segment| Fingerprint::of(segment.text().as_bytes()));
    let spans = request.system_instruction.iter().flat_map(|text| text.spans());
    definitions.chain(spans.map(|span| Fingerprint::of(span.text.as_bytes()))).collect()
}

fn said_subject(event: &Event, part: &Part) -> Subject {
    if let Some(call) = &part.function_call {
        return Subject::named(CauseKind::ToolCalls, call.name.as_deref().unwrap_or_default());
    }
    if let Some(response) = &part.function_response {
        return Subject::named(CauseKind::Results, response.name.as_deref().unwrap_or_default());
    }
    Subject::of(match () {
        () if part.code_execution_result.is_some() => CauseKind::Results,
        () if part.is_thought() => CauseKind::Thoughts,
        () if event.is_from_user() => CauseKind::UserMessages,
        () => CauseKind::Answers,
    })
}

/// What a part says. Ids of calls and signatures of thoughts are others in each run.
fn text_of(part: &Part) -> Fingerprint {
    let mut hash = FingerprintBuilder::new();
    if let Some(call) = &part.function_call {
        hash.number(1).optional(call.name.as_deref());
        if let Some(args) = &call.args {
            args.hash_into(&mut hash);
        }
    } else if let Some(response) = &part.function_response {
        hash.number(2).optional(response.name.as_deref());
        if let Some(response) = &response.response {
            response.hash_into(&mut hash);
        }
    } else if let Some(text) = &part.text {
        hash.number(3).text(text);
    } else {
        part.hash_into(hash.number(4));
    }
    hash.finish()
}
