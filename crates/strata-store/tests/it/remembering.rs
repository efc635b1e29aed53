//! Settings.

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
