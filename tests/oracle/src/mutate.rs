//! Scenarios, invented: recorded ones with parts exchanged among them, dropped, doubled and moved.
//!
//! What may stand where is learnt from the corpus: a value takes the place of another of the same name, and an object
//! gets members that objects of its kind have elsewhere.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use strata_model::{Json, Object, Str, json};

use crate::dice::Dice;

/// The parts of a scenario that are changed.
const PARTS: [&str; 5] = ["app", "models", "tools", "turns", "services"];

/// Recorded scenarios, and what is found in them.
pub(crate) struct Corpus {
    /// What is given in each.
    scenarios: Vec<Object>,
    /// Values by the name of the member they stand in; items of lists by the name of the list and `[]`.
    values: BTreeMap<String, Vec<Json>>,
    /// Members of objects, by the kind of object.
    members: BTreeMap<String, Vec<(Str, Json)>>,
}

/// One step on the way to a value.
#[derive(Clone)]
enum Step {
    Item(usize),
    Member(Str),
}

/// A place in a scenario, with the name under which its values are known.
struct Place {
    path: Vec<Step>,
    name: String,
}

impl Corpus {
    /// Reads the scenarios of a folder's folders.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let mut files = Vec::new();
        for family in std::fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
            let Ok(entries) = std::fs::read_dir(family?.path()) else { continue };
            for entry in entries {
                files.push(entry?.path());
            }
        }
        files.sort();
        let mut corpus = Self { scenarios: Vec::new(), values: BTreeMap::new(), members: BTreeMap::new() };
        for file in files {
            let text = std::fs::read(&file).with_context(|| format!("read {}", file.display()))?;
            let scenario =
                json::parse(&text).map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
            corpus.add(&scenario);
        }
        ensure!(!corpus.scenarios.is_empty(), "there are no scenarios in {}", folder.display());
        Ok(corpus)
    }

    fn add(&mut self, scenario: &Json) {
        let given: Object =
            PARTS.iter().filter_map(|part| Some((Str::from(*part), scenario.get(part)?.clone()))).collect();
        for (key, value) in given.iter() {
            self.learn(key, value);
        }
        self.scenarios.push(given);
    }

    fn learn(&mut self, name: &str, value: &Json) {
        let known = self.values.entry(name.to_owned()).or_default();
        if !known.contains(value) {
            known.push(value.clone());
        }
        match value {
            Json::Array(items) => {
                for item in items {
                    self.learn(&item_name(name), item);
                }
            }
            Json::Object(object) => {
                for (key, value) in object.iter() {
                    let known = self.members.entry(kind_of(name, object)).or_default();
                    let member = (key.clone(), value.clone());
                    if !known.contains(&member) {
                        known.push(member);
                    }
                    self.learn(key, value);
                }
            }
            _ => {}
        }
    }

    /// One case of a run. The case 0 of a seed and so on are the recorded ones for seed 0.
    pub(crate) fn question(&self, seed: u64, case: u64) -> Json {
        let n_scenarios = self.scenarios.len() as u64;
        if seed == 0 {
            return self.scenarios[(case % n_scenarios) as usize].clone().into();
        }
        let dice = &mut Dice::new(seed, case);
        let mut question = Json::from(dice.pick(&self.scenarios).clone());
        for _ in 0..*dice.weighted(&[(3, 1), (3, 2), (2, 3), (1, 5)]) {
            self.change(dice, &mut question);
        }
        question
    }

    fn change(&self, dice: &mut Dice, question: &mut Json) {
        // Each part is as likely as another, however large it is.
        let Some(parts) = question.as_object() else { return };
        let parts: Vec<Str> = parts.keys().cloned().collect();
        let part = dice.pick(&parts).clone();
        let mut places = Vec::new();
        if let Some(value) = question.get(&part) {
            list_places(&part, value, &mut vec![Step::Member(part.clone())], &mut places);
        }
        if places.is_empty() {
            return;
        }
        let place = dice.pick(&places);
        let Some(target) = at(question, &place.path) else { return };
        match target {
            Json::Array(items) if dice.chance(70) => self.change_list(dice, &item_name(&place.name), items),
            Json::Object(object) if dice.chance(70) => self.change_object(dice, &place.name, object),
            Json::Bool(value) if dice.chance(70) => *value = !*value,
            Json::Int(number) if dice.chance(50) => *number += if dice.chance(50) { 1 } else { -1 },
            other => {
                if let Some(values) = self.values.get(&place.name) {
                    *other = dice.pick(values).clone();
                }
            }
        }
    }

    fn change_list(&self, dice: &mut Dice, name: &str, items: &mut Vec<Json>) {
        let at = dice.between(0, items.len().saturating_sub(1));
        match dice.between(0, 3) {
            0 if !items.is_empty() => {
                items.remove(at);
            }
            1 if !items.is_empty() => items.insert(at, items[at].clone()),
            2 if items.len() > 1 => {
                let other = dice.between(0, items.len() - 1);
                items.swap(at, other);
            }
            _ => {
                if let Some(values) = self.values.get(name) {
                    items.insert(at.min(items.len()), dice.pick(values).clone());
                }
            }
        }
    }

    fn change_object(&self, dice: &mut Dice, name: &str, object: &mut Object) {
        if dice.chance(30) && !object.is_empty() {
            let keys: Vec<Str> = object.keys().cloned().collect();
            let key: &Str = dice.pick(&keys);
            object.remove(key);
        } else if let Some(members) = self.members.get(&kind_of(name, object)) {
            let (key, value) = dice.pick(members).clone();
            object.insert(key, value);
        }
    }
}

/// The name under which the items of a list are known.
fn item_name(list: &str) -> String {
    format!("{list}[]")
}

/// Objects of one kind have the same name, and the same type or operation.
fn kind_of(name: &str, object: &Object) -> String {
    let word = |key: &str| object.get(key).and_then(Json::as_str).unwrap_or_default();
    format!("{name} {} {}", word("type"), word("op"))
}

fn list_places(name: &str, value: &Json, path: &mut Vec<Step>, places: &mut Vec<Place>) {
    places.push(Place { path: path.clone(), name: name.to_owned() });
    match value {
        Json::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                path.push(Step::Item(at));
                list_places(&item_name(name), item, path, places);
                path.pop();
            }
        }
        Json::Object(object) => {
            for (key, value) in object.iter() {
                path.push(Step::Member(key.clone()));
                list_places(key, value, path, places);
                path.pop();
            }
        }
        _ => {}
    }
}

fn at<'v>(value: &'v mut Json, path: &[Step]) -> Option<&'v mut Json> {
    path.iter().try_fold(value, |value, step| match (step, value) {
        (Step::Item(at), Json::Array(items)) => items.get_mut(*at),
        (Step::Member(key), Json::Object(object)) => object.get_mut(key),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Corpus {
        Corpus::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance/runtime"))).unwrap()
    }

    #[test]
    fn a_case_is_the_same_every_time() {
        let corpus = corpus();
        assert_eq!(corpus.question(1, 7), corpus.question(1, 7));
        assert_ne!(corpus.question(1, 7), corpus.question(1, 8));
    }

    #[test]
    fn most_cases_are_new() {
        let corpus = corpus();
        let recorded: Vec<Json> = corpus.scenarios.iter().cloned().map(Json::from).collect();
        let n_new = (0..100).filter(|case| !recorded.contains(&corpus.question(3, *case))).count();
        assert!(n_new > 80, "{n_new} of 100 are new");
    }
}
