//! App configurations attached to sessions.

use strata_store::{AppConfig, AppConfigOrigin, Listing, SessionId};

use crate::{Place, import_one, listing, session, source, stage};

fn config(origin: AppConfigOrigin, text: &str) -> AppConfig {
    AppConfig { origin, format: "json".into(), text: text.into(), location: Some("app.json".into()) }
}

#[test]
fn the_given_configuration_counts_before_the_inferred_one() {
    let place = Place::new();
    let mut store = place.open();
    let inferred = config(AppConfigOrigin::Inferred, "{}");
    let given = config(AppConfigOrigin::Given, r#"{"name":"app"}"#);
    let mut import = store.begin_import(source("a.json")).unwrap();
    let with_config = Listing { app_config: Some(inferred.clone()), ..listing("A") };
    stage(&mut import, &session("s", 1, "x"), with_config);
    let id = import.commit(&[]).unwrap().remove(0).id;
    assert_eq!(store.app_config(&id).unwrap(), Some(inferred.clone()));

    assert!(store.set_app_config(&id, &config(AppConfigOrigin::Given, "old")).unwrap());
    assert!(store.set_app_config(&id, &given).unwrap());
    assert_eq!(store.app_config(&id).unwrap(), Some(given));

    assert!(store.remove_app_config(&id, AppConfigOrigin::Given).unwrap());
    assert!(!store.remove_app_config(&id, AppConfigOrigin::Given).unwrap());
    assert_eq!(store.app_config(&id).unwrap(), Some(inferred));
}

#[test]
fn a_given_configuration_survives_importing_again_and_goes_with_its_session() {
    let place = Place::new();
    let mut store = place.open();
    let given = config(AppConfigOrigin::Given, "{}");
    let id = import_one(&mut store, "a.json", &session("s", 1, "x"));
    store.set_app_config(&id, &given).unwrap();
    import_one(&mut store, "a.json", &session("s", 2, "y"));
    assert_eq!(store.app_config(&id).unwrap(), Some(given.clone()));

    store.delete_session(&id).unwrap();
    assert_eq!(store.app_config(&id).unwrap(), None);
    assert!(!store.set_app_config(&id, &given).unwrap(), "there is no such session any more");
    assert_eq!(store.app_config(&SessionId::from("none")).unwrap(), None);
}
