//! Making a case smaller while its difference stays.

use std::sync::Arc;

use strata_model::{Json, Object};

/// Tries this many smaller cases at most.
const MAX_TRIES: usize = 6000;

/// The smallest case found for which `still_differs` holds, from one for which it does. Members at `fixed` places stay.
pub(crate) fn shrink<E>(
    question: Json,
    fixed: &[&str],
    mut still_differs: impl FnMut(&Json) -> Result<bool, E>,
) -> Result<Json, E> {
    let mut best = question;
    let mut n_tries = 0;
    loop {
        let mut is_smaller = false;
        let mut edits = edits(&best, "", fixed);
        let mut at = 0;
        while let Some(edit) = edits.get(at) {
            if n_tries == MAX_TRIES {
                return Ok(best);
            }
            n_tries += 1;
            let candidate = edit.applied(&best);
            if still_differs(&candidate)? {
                best = candidate;
                is_smaller = true;
                // What stood before did not help; the list goes on at the same place.
                edits = self::edits(&best, "", fixed);
            } else {
                at += 1;
            }
        }
        if !is_smaller {
            return Ok(best);
        }
    }
}

/// One way to make a value smaller.
struct Edit {
    /// Where, from the innermost step to the outermost.
    path: Vec<Step>,
    change: Change,
}

#[derive(Clone)]
enum Step {
    Item(usize),
    Member(Arc<str>),
}

enum Change {
    RemoveItems { start: usize, size: usize },
    RemoveMember(Arc<str>),
    Replace(Json),
}

/// Everything to try below `place`, what removes much first.
fn edits(value: &Json, place: &str, fixed: &[&str]) -> Vec<Edit> {
    let here = |change: Change| Edit { path: Vec::new(), change };
    let mut found = Vec::new();
    match value {
        Json::Array(items) => {
            let mut size = items.len();
            while size > 0 {
                let starts = (0..items.len()).step_by(size);
                found.extend(starts.map(|start| here(Change::RemoveItems { start, size })));
                size /= 2;
            }
            let place = format!("{place}[]");
            for (at, item) in items.iter().enumerate() {
                found.extend(edits(item, &place, fixed).into_iter().map(|edit| edit.below(Step::Item(at))));
            }
        }
        Json::Object(object) => {
            let place_of = |key: &str| format!("{place}.{key}");
            let removable = object.keys().filter(|key| !fixed.contains(&&*place_of(key)));
            found.extend(removable.map(|key| here(Change::RemoveMember(key.clone()))));
            for (key, value) in object.iter() {
                let below = edits(value, &place_of(key), fixed).into_iter();
                found.extend(below.map(|edit| edit.below(Step::Member(key.clone()))));
            }
        }
        Json::String(text) if !fixed.contains(&place) => {
            found.extend(simpler_texts(text).into_iter().map(|text| here(Change::Replace(text.into()))));
        }
        _ => {}
    }
    found
}

fn simpler_texts(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let (front, back) = letters.split_at(letters.len() / 2);
    let parts = [&[][..], &['x'], front, back, letters.get(1..).unwrap_or_default()];
    let texts = parts.map(|letters| letters.iter().collect::<String>());
    texts.into_iter().filter(|simpler| simpler.len() < text.len()).collect()
}

impl Edit {
    fn below(mut self, step: Step) -> Self {
        self.path.push(step);
        self
    }

    fn applied(&self, value: &Json) -> Json {
        self.change_below(value, self.path.len())
    }

    fn change_below(&self, value: &Json, depth: usize) -> Json {
        let Some(depth) = depth.checked_sub(1) else { return self.change.applied(value) };
        match (&self.path[depth], value) {
            (Step::Item(at), Json::Array(items)) => {
                let mut items = items.clone();
                items[*at] = self.change_below(&items[*at], depth);
                Json::Array(items)
            }
            (Step::Member(key), Json::Object(object)) => {
                let mut object = object.clone();
                let inner = object.get(key).map(|inner| self.change_below(inner, depth));
                object.insert(key.clone(), inner.unwrap_or_default());
                Json::Object(object)
            }
            (_, value) => value.clone(),
        }
    }
}

impl Change {
    fn applied(&self, value: &Json) -> Json {
        match (self, value) {
            (Self::RemoveItems { start, size }, Json::Array(items)) => {
                let is_kept = |at: &usize| at < start || *at >= start + size;
                let kept = items.iter().enumerate().filter(|(at, _)| is_kept(at));
                Json::Array(kept.map(|(_, item)| item.clone()).collect())
            }
            (Self::RemoveMember(key), Json::Object(object)) => {
                let kept = object.iter().filter(|(other, _)| *other != key);
                Json::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect::<Object>())
            }
            (Self::Replace(new), _) => new.clone(),
            (_, value) => value.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use strata_model::json;

    use super::*;

    #[track_caller]
    fn check(given: &str, needed: &str, smallest: &str) {
        let given = json::parse(given.as_bytes()).unwrap();
        let found =
            shrink::<Infallible>(given, &[], |candidate| Ok(json::to_compact(candidate).contains(needed)));
        assert_eq!(json::to_compact(&found.unwrap()), smallest);
    }

    #[test]
    fn only_what_matters_stays() {
        check(r#"{"a":[1,2,{"b":"long needle"},4],"c":"d"}"#, "needle", r#"{"a":[{"b":"needle"}]}"#);
        check(r#"["x","yy",{"k":[]}]"#, r#""k""#, r#"[{"k":[]}]"#);
        check("[[1],[2],[3,4]]", "3", "[[3]]");
    }

    #[test]
    fn a_smallest_case_stays_as_it_is() {
        check(r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":1}"#);
    }
}
