//! Files that agents save, and what they remember.

use strata_store::{ArtifactHome, MemoryHome, NewArtifact, NewMemory};

use crate::Place;

const SESSION: ArtifactHome<'_> = ArtifactHome { app: "a", user: "u", session: Some("s") };
const USER: ArtifactHome<'_> = ArtifactHome { app: "a", user: "u", session: None };

fn file<'a>(name: &'a str, part: &'a str) -> NewArtifact<'a> {
    NewArtifact { name, part: Some(part), mime_type: None, bytes: part.len() as u64, saved_at_ms: 7 }
}

fn said(event: &str, words: &str) -> NewMemory {
    NewMemory {
        event: event.to_owned(),
        author: "user".to_owned(),
        said_at: 1.5,
        content: format!(r#"{{"parts":[{{"text":"{words}"}}]}}"#),
        words: words.to_owned(),
    }
}

#[test]
fn versions_are_counted_in_each_home_and_what_they_hold_stands_once() {
    let place = Place::new();
    let mut store = place.open();
    let (one, two) = (r#"{"text":"one"}"#, r#"{"text":"two"}"#);
    assert_eq!(store.save_artifact(SESSION, file("x", one)).unwrap(), 0);
    assert_eq!(store.save_artifact(SESSION, file("x", two)).unwrap(), 1);
    assert_eq!(store.save_artifact(SESSION, file("y", one)).unwrap(), 0);
    assert_eq!(store.save_artifact(USER, file("user:x", one)).unwrap(), 0);
    let empty = NewArtifact { part: None, bytes: 0, ..file("x", "") };
    assert_eq!(store.save_artifact(SESSION, empty).unwrap(), 2);
    let blobs =
        || place.bare().query_row("SELECT count(*) FROM blobs", [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(blobs(), 2);
    let all = store.artifacts().unwrap();
    let rows: Vec<_> = all.iter().map(|row| (row.session.as_deref(), &*row.name, row.version)).collect();
    let own = Some("s");
    assert_eq!(rows, [(None, "user:x", 0), (own, "x", 0), (own, "x", 1), (own, "x", 2), (own, "y", 0)]);
    assert_eq!(store.artifact_part(all[2].hash.as_deref().unwrap()).unwrap().as_deref(), Some(two));
    assert_eq!(
        (all[3].hash.as_deref(), store.artifact_part("00ff").unwrap(), store.artifact_part("x").unwrap()),
        (None, None, None)
    );
    assert_eq!(store.remove_artifact(SESSION, "x").unwrap(), 3);
    assert_eq!(blobs(), 1, "what others hold stays");
    assert_eq!(store.remove_artifact(SESSION, "x").unwrap(), 0);
    drop(store);
    assert_eq!(place.open().artifacts().unwrap().len(), 2);
}

#[test]
fn two_who_save_at_once_get_two_versions() {
    let place = Place::new();
    let mut versions: Vec<u32> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|n| {
                let mut store = place.open();
                scope.spawn(move || {
                    let saved = (0..5).map(|m| {
                        let part = format!(r#"{{"text":"{n} {m}"}}"#);
                        store.save_artifact(SESSION, file("x", &part)).unwrap()
                    });
                    saved.collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    versions.sort_unstable();
    assert_eq!(versions, (0..20).collect::<Vec<_>>());
}

#[test]
fn memories_are_found_by_whole_words_of_their_user() {
    let place = Place::new();
    let mut store = place.open();
    let home = |user, session| MemoryHome { app: "a", user, session };
    store.remember(home("u", "s1"), &[said("e1", "blue whale"), said("e2", "red b_c")], 1).unwrap();
    store.remember(home("v", "s2"), &[said("e3", "blue sky")], 2).unwrap();
    store.remember(home("u", "s3"), &[said("e4", "whales sing blue")], 3).unwrap();
    let found = |words: &[&str]| {
        let found = store.memories_with("a", "u", words).unwrap();
        found.into_iter().map(|memory| memory.event).collect::<Vec<_>>()
    };
    assert_eq!(found(&["blue"]), ["e1", "e4"]);
    assert_eq!(found(&["whale", "red"]), ["e1", "e2"]);
    assert_eq!(found(&["b_c"]), ["e2"], "an underscore is of the word");
    assert_eq!(found(&["c"]), Vec::<String>::new());
    assert_eq!(
        found(&["OR", "NEAR(", "*", "\"", ""]),
        Vec::<String>::new(),
        "operators are words like others"
    );
    assert_eq!(found(&[]), Vec::<String>::new());
    assert_eq!(store.memories("a", "u").unwrap().len(), 3);
}

#[test]
fn a_session_that_is_added_again_replaces_what_was_remembered_of_it() {
    let place = Place::new();
    let mut store = place.open();
    let home = |session| MemoryHome { app: "a", user: "u", session };
    store.remember(home("s1"), &[said("e1", "blue"), said("e2", "red")], 1).unwrap();
    store.remember(home("s2"), &[said("e3", "blue")], 2).unwrap();
    store.remember(home("s1"), &[said("e4", "green")], 3).unwrap();
    let events = |words: &[&str]| {
        let found = store.memories_with("a", "u", words).unwrap();
        found.into_iter().map(|memory| memory.event).collect::<Vec<_>>()
    };
    assert_eq!(
        (events(&["blue"]), events(&["red"]), events(&["green"])),
        (vec!["e3".into()], vec![], vec!["e4".to_owned()])
    );
    let all = store.memories("a", "u").unwrap();
    assert_eq!(
        all.iter().map(|memory| &*memory.session).collect::<Vec<_>>(),
        ["s1", "s2"],
        "it keeps its place"
    );
    let sessions = store.remembered_sessions().unwrap();
    assert_eq!((sessions[0].n_memories, sessions[0].added_at_ms), (1, 3));
    assert_eq!(store.forget_remembered(home("s1")).unwrap(), Some(1));
    assert_eq!(store.forget_remembered(home("s1")).unwrap(), None);
    assert_eq!(store.memories_with("a", "u", &["green"]).unwrap(), []);
    assert_eq!(store.remembered_sessions().unwrap().len(), 1);
}

#[test]
fn keys_are_masked_in_files_and_memories_for_good() {
    const KEY: &str = "sk-proj-abcdefghij0123456789ABCDEFGHIJ";
    let place = Place::new();
    let mut store = place.open();
    let part = format!(r#"{{"text":"the key is {KEY}"}}"#);
    store.save_artifact(SESSION, file("x", &part)).unwrap();
    store.remember(MemoryHome { app: "a", user: "u", session: "s" }, &[said("e", KEY)], 1).unwrap();
    assert_eq!(store.secrets_in_artifacts(false).unwrap().n_values(), 1);
    assert_eq!(store.secrets_in_memory(false).unwrap().n_values(), 1);
    store.secrets_in_artifacts(true).unwrap();
    store.secrets_in_memory(true).unwrap();
    let hash = store.artifacts().unwrap()[0].hash.clone().unwrap();
    let kept = store.artifact_part(&hash).unwrap().unwrap();
    assert!(kept.starts_with(r#"{"text":"the key is "#) && !kept.contains(KEY), "{kept}");
    assert!(!store.memories("a", "u").unwrap()[0].content.contains(KEY));
    assert!(
        store.secrets_in_artifacts(false).unwrap().is_empty()
            && store.secrets_in_memory(false).unwrap().is_empty()
    );
    // Nor is it in a free page, an index or the log.
    store.give_back_space().unwrap();
    let word = b"abcdefghij0123456789abcdefghij";
    for file in std::fs::read_dir(place.folder.path()).unwrap() {
        let file = file.unwrap().path();
        let bytes = std::fs::read(&file).unwrap().to_ascii_lowercase();
        assert!(!bytes.windows(word.len()).any(|piece| piece == word), "the key is in {}", file.display());
    }
    store.set_masks_secrets(true).unwrap();
    store.save_artifact(SESSION, file("x", &part)).unwrap();
    store.remember(MemoryHome { app: "a", user: "u", session: "s" }, &[said("e", KEY)], 1).unwrap();
    assert!(
        store.secrets_in_artifacts(false).unwrap().is_empty()
            && store.secrets_in_memory(false).unwrap().is_empty()
    );
}
