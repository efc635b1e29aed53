//! What some code did to a request, as the difference between before and after.

use std::sync::Arc;

use super::read::{read_content, read_tool};
use super::{LlmRequest, RequestTool, RichText};
use crate::decode::{Decoder, FromJson};
use crate::json::{Json, Object};
use crate::{Origin, Str};

/// What a plugin or a callback changed of a request. Made on the very request it was recorded on it gives what was
/// recorded; on another it does the same as far as that can be told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestChange {
    /// Over the list of contents.
    pub contents: Option<Splice<Vec<Json>>>,
    /// Over the bytes of the system instruction, where there was one before and is one after.
    pub system: Option<Splice<Str>>,
    /// All tools as they are afterwards.
    pub tools: Option<Vec<Json>>,
    /// Other fields by name: `model`, `config.temperature`. The system instruction where it is new.
    pub set: Object,
    /// Fields that are gone.
    pub unset: Vec<Str>,
}

/// `before[..keep]`, then what was added, then the last `end` of before.
#[derive(Debug, Clone, PartialEq)]
pub struct Splice<T> {
    pub n_before: usize,
    pub keep: usize,
    pub end: usize,
    pub added: T,
    /// Of a text: what stood in the place of what was added.
    pub removed: T,
}

/// A change of a request that has nothing any more of what was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misfit;

impl RequestChange {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What was done to a request, from its JSON before and after. What JavaScript cannot tell apart is the same.
    pub fn between(before: &Json, after: &Json) -> Self {
        const SYSTEM: &str = "config.systemInstruction";
        const TOOLS: &str = "config.tools";
        let (old, new) = (named(before), named(after));
        let of = |fields: &[(Str, &Json)], name: &str| {
            fields.iter().find(|(known, _)| **known == *name).map(|(_, value)| (*value).clone())
        };
        let mut change = Self { contents: Splice::of_contents(before, after), ..Self::default() };
        for (name, value) in &new {
            let before = of(&old, name);
            if before.as_ref().is_some_and(|before| is_alike_in_scripts(before, value)) {
                continue;
            }
            match (&**name, before, *value) {
                (SYSTEM, Some(Json::String(before)), Json::String(after)) => {
                    change.system = Some(Splice::of_text(&before, after));
                }
                (TOOLS, _, Json::Array(tools)) => change.tools = Some(tools.clone()),
                (_, _, value) => change.set.push(name.clone(), value.clone()),
            }
        }
        let names = old.into_iter().map(|(name, _)| name);
        change.unset = names.filter(|name| of(&new, name).is_none_or(|value| value.is_null())).collect();
        change
    }

    /// Makes the change; `origin` is the source of what it adds. On a [`Misfit`] everything else of it was made.
    pub fn apply(&self, request: &mut LlmRequest, origin: &Origin) -> Result<(), Misfit> {
        for name in &self.unset {
            request.unset_named(name);
        }
        for (name, value) in self.set.iter() {
            request.set_named(name, value.clone(), origin);
        }
        if let Some(tools) = &self.tools {
            request.tools = Arc::new(tools.iter().map(|tool| known_tool(tool, request)).collect());
        }
        if let Some(splice) = &self.contents {
            let added = splice.added.iter().filter_map(|content| read_content(content, origin));
            let (keep, from) = splice.places(request.contents.len());
            // What stays in front stays shared with other requests.
            let tail = request.contents.split_off(keep);
            request.contents.extend(added);
            request.contents.extend(tail.into_iter().skip(from - keep));
        }
        match &self.system {
            Some(splice) => splice.apply_to_system(request, origin),
            None => Ok(()),
        }
    }

    fn read(json: &Json) -> Option<Self> {
        let fields = json.as_object()?;
        let list = |key: &str| fields.get(key).and_then(Json::as_array).map(<[Json]>::to_vec);
        let names = |name: &Json| name.as_str().map(Str::from);
        Some(Self {
            contents: fields.get("contents").and_then(|splice| {
                Some(Splice::read(
                    splice,
                    splice.get("add")?.as_array()?.to_vec(),
                    splice.get("removed").and_then(Json::as_array).unwrap_or_default().to_vec(),
                ))
            }),
            system: fields.get("system").and_then(|splice| {
                let text = |key: &str| splice.get(key).and_then(Json::as_str).map(Str::from);
                Some(Splice::read(splice, text("add")?, text("removed").unwrap_or_default()))
            }),
            tools: list("tools"),
            set: fields.get("set").and_then(Json::as_object).cloned().unwrap_or_default(),
            unset: list("unset").unwrap_or_default().iter().filter_map(names).collect(),
        })
    }
}

impl FromJson for RequestChange {
    const EXPECTED: &'static str = "a change of a request";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        Self::read(&value).ok_or(value)
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        let list = |items: &Vec<Json>| (!items.is_empty()).then(|| Json::Array(items.clone()));
        out.push_some("contents", self.contents.as_ref().map(|it| it.write(list)));
        out.push_some(
            "system",
            self.system.as_ref().map(|it| it.write(|text| Some(Json::String(text.clone())))),
        );
        out.push_some("tools", self.tools.clone());
        out.push_some("set", Some(&self.set).filter(|set| !set.is_empty()).cloned());
        let unset: Vec<Json> = self.unset.iter().map(|name| Json::String(name.clone())).collect();
        out.push_some("unset", (!unset.is_empty()).then_some(unset));
        Json::Object(out)
    }
}

/// The fields of a request beside its contents, those of its configuration as `config.<name>`.
fn named(request: &Json) -> Vec<(Str, &Json)> {
    let mut fields = Vec::new();
    for (name, value) in request.as_object().into_iter().flat_map(Object::iter) {
        match (&**name, value) {
            ("contents", _) => {}
            ("config", Json::Object(config)) => {
                fields
                    .extend(config.iter().map(|(name, value)| (Str::from(format!("config.{name}")), value)));
            }
            _ => fields.push((name.clone(), value)),
        }
    }
    fields
}

/// Whether JavaScript sees the same: its numbers are floating-point numbers, and it may move keys.
pub fn is_alike_in_scripts(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_alike_in_scripts(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_alike_in_scripts(a, b)))
        }
        _ => a == b || a.as_f64().is_some_and(|a| b.as_f64() == Some(a)),
    }
}

/// A tool as the request has it already, with its source, else as it is described.
fn known_tool(tool: &Json, request: &LlmRequest) -> RequestTool {
    let known = request.tools.iter().find(|known| known.to_json() == *tool);
    known.cloned().unwrap_or_else(|| read_tool(tool))
}

impl Splice<Vec<Json>> {
    /// `None` where the contents are the same.
    fn of_contents(before: &Json, after: &Json) -> Option<Self> {
        let list = |request: &Json| {
            request.get("contents").and_then(Json::as_array).map(<[Json]>::to_vec).unwrap_or_default()
        };
        let (before, after) = (list(before), list(after));
        let keep = before.iter().zip(&after).take_while(|(a, b)| is_alike_in_scripts(a, b)).count();
        let (old, new) = (&before[keep..], &after[keep..]);
        let end =
            old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| is_alike_in_scripts(a, b)).count();
        let (removed, added) = (old[..old.len() - end].to_vec(), new[..new.len() - end].to_vec());
        let is_same = removed.is_empty() && added.is_empty();
        (!is_same).then_some(Self { n_before: before.len(), keep, end, added, removed })
    }
}

impl Splice<Str> {
    fn of_text(before: &str, after: &str) -> Self {
        let same = |(a, b): &(char, char)| a == b;
        let n_bytes = |pairs: &mut dyn Iterator<Item = (char, char)>| {
            pairs.take_while(same).map(|(letter, _)| letter.len_utf8()).sum::<usize>()
        };
        let keep = n_bytes(&mut before.chars().zip(after.chars()));
        let (old, new) = (&before[keep..], &after[keep..]);
        let end = n_bytes(&mut old.chars().rev().zip(new.chars().rev()));
        Self {
            n_before: before.len(),
            keep,
            end,
            added: new[..new.len() - end].into(),
            removed: old[..old.len() - end].into(),
        }
    }
}

impl<T> Splice<T> {
    fn read(json: &Json, added: T, removed: T) -> Self {
        let number = |key: &str| {
            let number = json.get(key).and_then(Json::as_i64).and_then(|number| usize::try_from(number).ok());
            number.unwrap_or(0)
        };
        let n_before = number("before");
        let keep = number("keep").min(n_before);
        Self { n_before, keep, end: number("end").min(n_before - keep), added, removed }
    }

    fn write(&self, list: impl Fn(&T) -> Option<Json>) -> Json {
        let mut out = Object::new();
        for (key, number) in [("before", self.n_before), ("keep", self.keep), ("end", self.end)] {
            out.push(key, number as i64);
        }
        out.push("add", list(&self.added).unwrap_or(Json::Array(Vec::new())));
        out.push_some("removed", list(&self.removed));
        Json::Object(out)
    }

    /// In a list of `len`: how many are kept at the beginning, and where what is kept at the end begins.
    fn places(&self, len: usize) -> (usize, usize) {
        if len == self.n_before {
            return (self.keep, len - self.end);
        }
        if self.keep + self.end == self.n_before {
            // Nothing was taken out: what was put in stays at the nearer end.
            let at = if self.keep <= self.end { self.keep.min(len) } else { len.saturating_sub(self.end) };
            return (at, at);
        }
        // What was cut keeps as much at both ends as it kept then.
        let keep = self.keep.min(len);
        (keep, len.saturating_sub(self.end).max(keep))
    }
}

impl Splice<Str> {
    fn apply_to_system(&self, request: &mut LlmRequest, origin: &Origin) -> Result<(), Misfit> {
        let before = request.system_instruction.clone().unwrap_or_default();
        let text = before.to_text();
        let (keep, from) = self.place_in(&text).ok_or(Misfit)?;
        let mut after = before.slice(0, keep);
        after.push(self.added.clone(), origin.clone());
        after.append(before.slice(from, text.len()));
        request.system_instruction = Some(Arc::new(after));
        Ok(())
    }

    /// The bytes that what was added takes the place of.
    fn place_in(&self, text: &str) -> Option<(usize, usize)> {
        let (keep, from) = self.places(text.len());
        let fits = |(keep, from): (usize, usize)| text.get(keep..from) == Some(&*self.removed);
        if fits((keep, from)) {
            return Some((keep, from));
        }
        if self.removed.is_empty() {
            return None;
        }
        // The same words in the nearest place.
        let places = text.match_indices(&*self.removed).map(|(at, found)| (at, at + found.len()));
        places.min_by_key(|(at, _)| at.abs_diff(self.keep))
    }
}

impl LlmRequest {
    /// The system instruction as it is; `None` is not the same as an empty one.
    pub fn system_text(&self) -> Option<Str> {
        self.system_instruction.as_deref().map(RichText::to_text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn request(text: &str) -> LlmRequest {
        LlmRequest::from_json(&json::parse(text.as_bytes()).expect("valid JSON"), &Origin::processor("test"))
    }

    fn changed(before: &str, change: &str) -> (String, Result<(), Misfit>) {
        let mut request = request(before);
        let change = RequestChange::read(&json::parse(change.as_bytes()).expect("valid JSON"));
        let change = change.expect("a change");
        assert_eq!(RequestChange::read(&change.to_json()), Some(change.clone()));
        let result = change.apply(&mut request, &Origin::Extension { name: "x".into() });
        (json::to_compact(&request.to_json()), result)
    }

    const THREE: &str =
        r#"{"contents":[{"role":"a"},{"role":"b"},{"role":"c"}],"config":{"systemInstruction":"One. Two."}}"#;

    #[test]
    fn a_change_gives_what_was_recorded() {
        let change = r#"{"contents":{"before":3,"keep":0,"end":1,"add":[]},"system":{"before":9,"keep":9,"end":0,"add":" Three.","removed":""},"set":{"config.temperature":0.5,"model":"m"}}"#;
        let (after, result) = changed(THREE, change);
        assert_eq!(result, Ok(()));
        assert_eq!(
            after,
            r#"{"model":"m","contents":[{"role":"c"}],"config":{"systemInstruction":"One. Two. Three.","temperature":0.5}}"#
        );
    }

    #[test]
    fn on_another_request_a_change_does_the_same() {
        let longer =
            THREE.replace(r#"{"role":"a"}"#, r#"{"role":"a"},{"role":"a"}"#).replace("One.", "Once more.");
        let keeps_last = r#"{"contents":{"before":3,"keep":0,"end":1,"add":[]}}"#;
        assert!(changed(&longer, keeps_last).0.starts_with(r#"{"contents":[{"role":"c"}]"#));
        let appends = r#"{"system":{"before":9,"keep":9,"end":0,"add":"!","removed":""}}"#;
        assert!(changed(&longer, appends).0.contains("Once more. Two.!"));
        let prepends = r#"{"system":{"before":9,"keep":0,"end":9,"add":"!","removed":""}}"#;
        assert!(changed(&longer, prepends).0.contains("!Once more. Two."));
        let replaces = r#"{"system":{"before":9,"keep":5,"end":0,"add":"2","removed":"Two."}}"#;
        assert!(changed(&longer, replaces).0.contains("Once more. 2\""));
        let inserts = r#"{"contents":{"before":3,"keep":2,"end":1,"add":[{"role":"x"}]}}"#;
        assert!(changed(&longer, inserts).0.contains(r#"{"role":"b"},{"role":"x"},{"role":"c"}"#));
    }

    #[test]
    fn what_lies_between_two_requests_makes_one_of_the_other() {
        let whole = |text: &str| json::parse(text.as_bytes()).expect("valid JSON");
        for after in [
            THREE,
            r#"{"contents":[{"role":"a"},{"role":"x"},{"role":"c"}],"config":{"systemInstruction":"One. Zwölf."}}"#,
            r#"{"contents":[],"config":{"systemInstruction":"One. Two. Two."}}"#,
            r#"{"model":"m","contents":[{"role":"a"},{"role":"b"},{"role":"c"},{"role":"d"}],"config":{}}"#,
            r#"{"contents":[{"role":"c"}],"config":{"systemInstruction":"","tools":[{"googleSearch":{}}],"temperature":0.5}}"#,
        ] {
            for (before, after) in [(THREE, after), (after, THREE)] {
                let change = RequestChange::between(&whole(before), &whole(after));
                assert_eq!(RequestChange::read(&change.to_json()), Some(change.clone()));
                let mut request = request(before);
                change.apply(&mut request, &Origin::Extension { name: "x".into() }).expect("it fits");
                assert_eq!(request.to_json(), whole(after), "{before} {change:?}");
            }
        }
        let number = |number: &str| whole(&format!(r#"{{"contents":[{{"parts":[{number}]}}]}}"#));
        assert!(RequestChange::between(&number("1.0"), &number("1")).is_empty());
        assert!(!RequestChange::between(&number("1.0"), &number("2")).is_empty());
    }

    #[test]
    fn what_no_longer_fits_is_said() {
        let replaces =
            r#"{"system":{"before":9,"keep":5,"end":0,"add":"2","removed":"Two."},"unset":["model"]}"#;
        let (after, result) =
            changed(r#"{"model":"m","contents":[],"config":{"systemInstruction":"None"}}"#, replaces);
        assert_eq!(result, Err(Misfit));
        assert_eq!(after, r#"{"contents":[],"config":{"systemInstruction":"None"}}"#);
    }
}
