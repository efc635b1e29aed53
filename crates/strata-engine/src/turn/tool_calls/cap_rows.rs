//! Long lists of rows in tool results are cut before the model sees them.

use strata_model::app::Callback;
use strata_model::{Json, Object};

/// Lets the callbacks that cap rows work on a result. The first one that changes it is the last one that runs.
pub fn apply(callbacks: &[Callback], result: Json, state: &mut Object) -> Json {
    for callback in callbacks {
        let Callback::CapRows { max_rows, store_full_as } = callback else { continue };
        let Json::Object(full) = &result else { continue };
        if let Some(key) = store_full_as {
            state.insert(key.clone(), full.clone());
        }
        if let Some(capped) = capped(full, usize::try_from(*max_rows).unwrap_or(0)) {
            return Json::Object(capped);
        }
    }
    result
}

/// The result with every list of rows cut to `max_rows`, and how many rows each had. `None`: nothing is too long.
fn capped(full: &Object, max_rows: usize) -> Option<Object> {
    let mut capped = full.clone();
    let mut limits = Object::new();
    for (key, value) in full.iter() {
        let Json::Array(rows) = value else { continue };
        if rows.len() > max_rows && matches!(rows.first(), Some(Json::Object(_))) {
            capped.insert(key.clone(), rows[..max_rows].to_vec());
            let mut limit = Object::new();
            limit.push("shown", max_rows as i64);
            limit.push("total", rows.len() as i64);
            limits.push(key.clone(), limit);
        }
    }
    if limits.is_empty() {
        return None;
    }
    capped.insert("_row_limits", limits);
    Some(capped)
}

#[cfg(test)]
mod tests {
    use strata_model::json::{parse, to_compact};

    use super::*;

    #[track_caller]
    fn check(max_rows: i64, result: &str, expected: &str) {
        let callback = Callback::CapRows { max_rows, store_full_as: Some("full".into()) };
        let mut state = Object::new();
        let capped = apply(&[callback], parse(result.as_bytes()).unwrap(), &mut state);
        assert_eq!(format!("{} {}", to_compact(&capped), to_compact(&Json::Object(state))), expected);
    }

    #[test]
    fn only_long_lists_of_rows_at_the_top_are_cut() {
        check(
            1,
            r#"{"rows":[{"a":1},{"a":2}],"names":["x","y"],"in":{"rows":[{},{}]}}"#,
            r#"{"rows":[{"a":1}],"names":["x","y"],"in":{"rows":[{},{}]},"_row_limits":{"rows":{"shown":1,"total":2}}} {"full":{"rows":[{"a":1},{"a":2}],"names":["x","y"],"in":{"rows":[{},{}]}}}"#,
        );
    }

    #[test]
    fn a_result_that_fits_is_stored_and_left_alone() {
        check(2, r#"{"rows":[{"a":1}]}"#, r#"{"rows":[{"a":1}]} {"full":{"rows":[{"a":1}]}}"#);
    }

    #[test]
    fn a_result_that_is_no_object_is_left_alone() {
        check(1, "[{},{}]", "[{},{}] {}");
    }
}
