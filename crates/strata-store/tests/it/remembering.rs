//! Settings and token counts.

use strata_model::Fingerprint;

use crate::Place;

#[test]
fn settings_survive_and_are_replaced() {
    let place = Place::new();
    let mut store = place.open();
    assert_eq!(store.setting("theme").unwrap(), None);
    store.set_setting("theme", "dark").unwrap();
    store.set_setting("theme", "light").unwrap();
    drop(store);
    assert_eq!(place.open().setting("theme").unwrap().as_deref(), Some("light"));
}

#[test]
fn token_counts_come_back_in_the_order_asked_for() {
    let place = Place::new();
    let mut store = place.open();
    let content = |at: u32| Fingerprint::of(&at.to_le_bytes());
    let counts: Vec<_> = (0..3_000).map(|at| (content(at), at)).collect();
    store.put_token_counts("o200k_base", &counts).unwrap();
    store.put_token_counts("cl100k_base", &[(content(1), 77)]).unwrap();
    store.put_token_counts("o200k_base", &[(content(2), 99)]).unwrap();

    let asked = [content(2_999), content(9_999), content(2), content(1)];
    assert_eq!(store.token_counts("o200k_base", &asked).unwrap(), [Some(2_999), None, Some(99), Some(1)]);
    assert_eq!(store.token_counts("cl100k_base", &asked).unwrap(), [None, None, None, Some(77)]);
    assert_eq!(store.token_counts("o200k_base", &[]).unwrap(), []);
}

#[test]
fn counts_are_no_news_to_readers() {
    let place = Place::new();
    let mut store = place.open();
    let before = store.change_counter().unwrap();
    store.put_token_counts("o200k_base", &[(Fingerprint::of(b"a"), 1)]).unwrap();
    assert_eq!(store.change_counter().unwrap(), before);
    store.set_setting("theme", "dark").unwrap();
    assert!(store.change_counter().unwrap() > before);
}
