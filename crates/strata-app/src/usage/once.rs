//! Calls that several files tell of: resumed sessions, copies, forks.

use std::cmp::Reverse;
use std::collections::HashMap;

use strata_model::Fingerprint;

use super::call::{CallKind, UsedCall, UsedSession};

/// The calls that count.
#[derive(Debug)]
pub(crate) struct CountedOnce {
    /// Session and call, in the order of the sessions.
    pub calls: Vec<(usize, usize)>,
    pub n_repeated: u32,
}

/// Chooses one of all records of a call: of the session rather than of its sub-agent, which may begin with what its
/// parent said; the one with most tokens, as others were cut off; of the session that began first.
pub(crate) fn count_once(sessions: &[UsedSession]) -> CountedOnce {
    let mut order: Vec<usize> = (0..sessions.len()).collect();
    order.sort_by_key(|at| {
        let session = &sessions[*at];
        (session.parent.is_some(), session.began_ms.is_none(), session.began_ms, *at)
    });
    let records = |is_wanted: fn(CallKind) -> bool| {
        let of_session = move |at: &usize| {
            let (at, calls) = (*at, sessions[*at].calls.iter().enumerate());
            calls.filter(move |(_, call)| is_wanted(call.kind)).map(move |(of, _)| (at, of))
        };
        order.iter().flat_map(of_session)
    };
    let is_relayed = |kind| kind == CallKind::Relayed;
    let mut chosen: HashMap<Fingerprint, (usize, usize)> = HashMap::new();
    let mut n_records = 0;
    // What a session only repeats of another one counts where nothing else tells of it.
    for (at, of) in records(|kind| kind != CallKind::Relayed).chain(records(is_relayed)) {
        n_records += 1;
        let call = &sessions[at].calls[of];
        chosen
            .entry(call.key)
            .and_modify(|known| {
                let is_better =
                    is_better((&sessions[at], call), (&sessions[known.0], &sessions[known.0].calls[known.1]));
                if is_better {
                    *known = (at, of);
                }
            })
            .or_insert((at, of));
    }
    let n_repeated = n_records - chosen.len() as u32;
    let mut calls: Vec<_> = chosen.into_values().collect();
    calls.sort_unstable();
    CountedOnce { calls, n_repeated }
}

fn is_better(
    (session, call): (&UsedSession, &UsedCall),
    (of_known, known): (&UsedSession, &UsedCall),
) -> bool {
    let rank = |session: &UsedSession, call: &UsedCall| {
        let is_copy = call.kind == CallKind::Relayed;
        (Reverse(is_copy), Reverse(session.parent.is_some()), call.tokens.prompt + call.tokens.output)
    };
    rank(session, call) > rank(of_known, known)
}
