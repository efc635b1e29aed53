//! A session that grows piece by piece is the session read whole: its calls, the evidence of each and its stages,
//! tokens, prefixes, breaks, caches and bills, the ledger, findings, fixes, and experiments over it. Every committed
//! sample, every vector and made-up sessions are cut anywhere.

mod compare;
mod generated;
mod grow;

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use rayon::prelude::*;
use strata_engine::{FlowKind, infer_app};
use strata_import::import;
use strata_model::{App, Decoder, EventIndex, FromJson as _, Json, RecordedCall, Session, json};
use strata_testkit::{Seeded, samples};
use strata_wire::request_of;

use compare::assert_same;
use generated::{Step, steps};
use grow::{Piece, Recorded, Tables, grown_along};

/// Sessions of at most so many events are cut at every place.
const SMALL: usize = 24;
/// Ways in which a larger one is cut.
const N_WAYS: usize = 4;

fn recorded_samples() -> Vec<(String, Recorded)> {
    let mut found = Vec::new();
    let folders = [samples::of_formats(), samples::own()];
    for path in folders.iter().flat_map(|folder| samples::files_below(folder)) {
        let Ok(bytes) = fs::read(&path) else { continue };
        for imported in import(&bytes).sessions {
            let is_adk = imported.format.id().starts_with("adk");
            let kind = if is_adk { FlowKind::Adk } else { FlowKind::Transcript };
            let answered = || {
                imported
                    .requests
                    .iter()
                    .filter_map(|request| Some((EventIndex(request.answer? as u32), &request.body)))
            };
            let requests: Vec<_> =
                answered().filter_map(|(answer, body)| Some((answer, request_of(body)?))).collect();
            let inferred = || infer_app(&imported.session, kind, &requests).app;
            let recorded = Recorded {
                app: imported.app.as_ref().map_or_else(inferred, |app| Arc::new(app.clone())),
                calls: answered()
                    .filter_map(|(answer, body)| Some((answer, RecordedCall::of_body(body)?)))
                    .collect(),
                requests,
                session: imported.session,
                kind,
            };
            found.push((path.display().to_string(), recorded));
        }
    }
    found
}

/// Sessions of the vectors, with their app where it is given.
fn vectors() -> Vec<(String, Recorded)> {
    let mut found = Vec::new();
    for path in samples::files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/vectors")) {
        let Some(vector) = fs::read(&path).ok().and_then(|bytes| json::parse(&bytes).ok()) else { continue };
        let one = vector.get("session").into_iter();
        let several = vector.get("sessions").and_then(Json::as_array).into_iter().flatten();
        for session in one.chain(several).filter(|session| session.get("events").is_some()) {
            let decoder = &mut Decoder::new();
            let session = Session::from_json(session.clone(), decoder);
            let app = vector.get("app").and_then(|app| App::from_json(app.clone(), decoder).ok());
            let kind = FlowKind::Adk;
            let app = app.map_or_else(|| infer_app(&session, kind, &[]).app, Arc::new);
            found.push((path.display().to_string(), Recorded::of(session, app, kind)));
        }
    }
    found
}

/// Cuts a session in ways that chance chooses: at any places, some pieces with a tail that the next one replaces.
fn random_pieces(n_events: usize, seeded: &mut Seeded) -> Vec<Piece> {
    let mut ends: Vec<usize> = (0..seeded.between(1, 6)).map(|_| seeded.below(n_events + 1)).collect();
    ends.push(n_events);
    ends.sort_unstable();
    let last = ends.len() - 1;
    let piece = |(nth, end): (usize, usize)| Piece {
        end,
        n_replaced: if nth < last { seeded.below(4).saturating_sub(1) } else { 0 },
        n_given_up: seeded.below(4),
        most_calls: if seeded.below(3) == 0 { seeded.below(4) } else { usize::MAX },
        is_late: seeded.below(4) == 0,
    };
    ends.into_iter().enumerate().map(piece).collect()
}

fn check_every_way((name, recorded): &(String, Recorded), tables: &Tables) {
    let n_events = recorded.session.events.len();
    let whole = grown_along(recorded, &[Piece::whole(n_events)], tables);
    let mut ways: Vec<Vec<Piece>> = Vec::new();
    if n_events <= SMALL {
        ways.extend((0..n_events).map(|at| vec![Piece::whole(at), Piece::whole(n_events)]));
        ways.push((0..=n_events).map(Piece::whole).collect());
    }
    let mut seeded = Seeded::new(n_events as u64);
    ways.extend((0..N_WAYS).map(|_| random_pieces(n_events, &mut seeded)));
    for pieces in ways {
        let grown = grown_along(recorded, &pieces, tables);
        assert_same(&whole, &grown, tables, &format!("{name} in {pieces:?}"));
    }
}

#[test]
fn samples_grow_into_what_they_are() {
    let samples = recorded_samples();
    assert!(samples.len() > 50, "{} sessions", samples.len());
    let tables = Tables::embedded();
    samples.par_iter().for_each(|sample| check_every_way(sample, &tables));
}

#[test]
fn vectors_grow_into_what_they_are() {
    let vectors = vectors();
    assert!(vectors.len() > 200, "{} sessions", vectors.len());
    let tables = Tables::embedded();
    vectors.par_iter().for_each(|vector| check_every_way(vector, &tables));
}

/// Long enough for histories to settle in what is given up.
#[test]
fn a_growth_that_is_given_up_leaves_no_trace() {
    let steps: Vec<_> = (0..300).map(|at| (Step::Say(at % 2), 0, false)).collect();
    let recorded = generated::recorded(&steps);
    let tables = Tables::embedded();
    let whole = grown_along(&recorded, &[Piece::whole(300)], &tables);
    let pieces = [Piece::whole(60), Piece { n_given_up: 200, ..Piece::whole(300) }];
    assert_same(&whole, &grown_along(&recorded, &pieces, &tables), &tables, "a growth given up");
}

static MADE_UP: LazyLock<Tables> = LazyLock::new(Tables::embedded);

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn made_up_sessions_grow_into_what_they_are(steps in steps(), seed in any::<u64>()) {
        let tables = &*MADE_UP;
        let recorded = generated::recorded(&steps);
        let n_events = recorded.session.events.len();
        let whole = grown_along(&recorded, &[Piece::whole(n_events)], tables);
        let pieces = random_pieces(n_events, &mut Seeded::new(seed));
        assert_same(&whole, &grown_along(&recorded, &pieces, tables), tables, &format!("{pieces:?}"));
    }
}
