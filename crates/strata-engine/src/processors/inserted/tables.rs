//! Lists of rows inside tool results.

use strata_model::{Json, Object};

/// How deep lists of rows are looked for.
const MAX_DEPTH: usize = 4;
/// Members beside a list that may say how many rows there are in truth.
const TOTALS: [&str; 6] = ["total", "total_rows", "totalRows", "total_count", "row_count", "count"];
/// What earlier caps wrote.
pub(super) const LIMITS: &str = "_row_limits";

/// A list of rows.
pub struct Table<'r> {
    /// Keys from the top, with dots between them.
    pub path: String,
    pub rows: &'r [Json],
    /// Rows there are in truth: as many as are here, or more where the result says so.
    pub total: i64,
}

/// All lists of rows in a result: lists that hold objects, or lists, and nothing else.
pub fn tables(result: &Object) -> Vec<Table<'_>> {
    let mut found = Vec::new();
    collect(result, "", result, 0, &mut found);
    found
}

fn collect<'r>(object: &'r Object, prefix: &str, top: &'r Object, depth: usize, found: &mut Vec<Table<'r>>) {
    for (key, value) in object.iter() {
        let path = if prefix.is_empty() { key.to_string() } else { format!("{prefix}.{key}") };
        match value {
            Json::Array(rows) if is_rows(rows) => {
                found.push(Table { total: total(object, top, &path, rows.len()), path, rows });
            }
            Json::Object(inner) if depth < MAX_DEPTH && **key != *LIMITS => {
                collect(inner, &path, top, depth + 1, found);
            }
            _ => {}
        }
    }
}

fn is_rows(items: &[Json]) -> bool {
    !items.is_empty()
        && (items.iter().all(|item| matches!(item, Json::Object(_)))
            || items.iter().all(|item| matches!(item, Json::Array(_))))
}

fn total(beside: &Object, top: &Object, path: &str, n_rows: usize) -> i64 {
    let capped = top.get(LIMITS).and_then(|limits| limits.get(path)?.get("total")?.as_i64());
    let said = || TOTALS.iter().find_map(|name| beside.get(name).and_then(Json::as_i64));
    capped.or_else(said).unwrap_or(0).max(n_rows as i64)
}

/// The result with other values in place of some lists of rows. `None` where `change` changes none.
pub(super) fn replaced(
    result: &Object,
    change: &mut dyn FnMut(&Table<'_>) -> Option<Json>,
) -> Option<Object> {
    let mut changed: Vec<(String, Json)> = Vec::new();
    for table in tables(result) {
        if let Some(value) = change(&table) {
            changed.push((table.path, value));
        }
    }
    if changed.is_empty() {
        return None;
    }
    let mut out = result.clone();
    put(&mut out, "", &mut changed);
    Some(out)
}

fn put(object: &mut Object, prefix: &str, changed: &mut Vec<(String, Json)>) {
    let keys: Vec<_> = object.keys().cloned().collect();
    for key in keys {
        let path = if prefix.is_empty() { key.to_string() } else { format!("{prefix}.{key}") };
        if let Some(at) = changed.iter().position(|(changed, _)| *changed == path) {
            object.insert(key, changed.remove(at).1);
        } else if let Some(Json::Object(inner)) = object.get_mut(&key) {
            put(inner, &path, changed);
        }
    }
}
