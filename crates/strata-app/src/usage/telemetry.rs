//! Calls that telemetry tells of beside the transcript of the same run, where no id of the provider joins both.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::call::{UsedCall, UsedSession};

/// Both write a call down when its answer is there, in milliseconds.
const SAME_SESSION: u64 = 5_000;
/// Where one of them does not say which session it is.
const SAME_MOMENT: u64 = 1_000;

/// A session and a call of it, by their numbers.
type Place = (usize, usize);

/// Prompt, read from a cache, output.
type Counts = (u64, u64, u64);

/// Which of these calls of telemetry another record tells of: of the same session, at the same time, with the same counts.
/// Each record stands for one call of the logs, whose calls have ids, and for one of the spans, which have none.
pub(super) fn told_elsewhere(sessions: &[UsedSession], calls: &[Place]) -> HashSet<Place> {
    let call = |(at, of): Place| &sessions[at].calls[of];
    let of_telemetry = |place: &Place| sessions[place.0].is_telemetry;
    let (mut telemetry, transcripts): (Vec<Place>, Vec<Place>) =
        calls.iter().copied().partition(|place| of_telemetry(place));
    telemetry.sort_by_key(|place| (Reverse(call(*place).has_provider_id), call(*place).time_ms, *place));
    let mut known: HashMap<Counts, Vec<Place>> = HashMap::new();
    for place in transcripts {
        known.entry(counts(call(place))).or_default().push(place);
    }
    let mut told = HashSet::new();
    for alike in telemetry.chunk_by(|a, b| call(*a).has_provider_id == call(*b).has_provider_id) {
        let (mut taken, mut only_here) = (HashSet::new(), Vec::new());
        for place in alike.iter().filter(|place| call(**place).has_tokens()) {
            let others = known.get(&counts(call(*place))).into_iter().flatten();
            let distance = |other: &Place| {
                let apart = apart((&sessions[place.0], call(*place)), (&sessions[other.0], call(*other)))?;
                (!taken.contains(other)).then_some((apart, *other))
            };
            match others.filter_map(distance).min() {
                Some((_, other)) => {
                    taken.insert(other);
                    told.insert(*place);
                }
                None => only_here.push(*place),
            }
        }
        for place in only_here {
            known.entry(counts(call(place))).or_default().push(place);
        }
    }
    told
}

fn counts(call: &UsedCall) -> Counts {
    (call.tokens.prompt, call.tokens.cached, call.tokens.output)
}

/// How far apart two records of the same counts are, in milliseconds; `None` where they are of two calls.
fn apart(
    (session, call): (&UsedSession, &UsedCall),
    (other_session, other): (&UsedSession, &UsedCall),
) -> Option<u64> {
    // Of the same id, they would be one record.
    if call.has_provider_id && other.has_provider_id {
        return None;
    }
    let are_named = session.is_named && other_session.is_named;
    if are_named && !session.is_of(other_session) {
        return None;
    }
    let most = if are_named { SAME_SESSION } else { SAME_MOMENT };
    let apart = call.time_ms?.abs_diff(other.time_ms?);
    (apart <= most).then_some(apart)
}

/// Telemetry of a session that has a transcript is of the tool that wrote it, and of its folder.
pub(super) fn join_transcripts(sessions: &mut [UsedSession]) {
    let transcripts = sessions.iter().filter(|session| !session.is_telemetry && session.is_named);
    let known: HashMap<_, _> = transcripts
        .map(|session| (session.id.clone(), (session.tool.clone(), session.project.clone())))
        .collect();
    for session in sessions.iter_mut().filter(|session| session.is_telemetry) {
        if let Some((tool, project)) = known.get(&session.id) {
            session.tool.clone_from(tool);
            session.project = session.project.take().or_else(|| project.clone());
        }
    }
}
