//! Requests as the recorder tells them: three lists and fields by name, as what is different from another request.

use strata_model::text::{common_end, common_start};
use strata_model::{Json, Object, RequestChange, Splice, Str};

use super::pool::{Pool, is_omitted};

/// A request in pieces.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    contents: Vec<Json>,
    /// `{text}` a paragraph; one `{value}` where the instruction is no text.
    system: Vec<Json>,
    /// `{of, function}` for each declaration and `{of, tool}` for all else of the tool with this number.
    tools: Vec<Json>,
    /// `model`, `config.temperature`, ….
    fields: Object,
}

impl Snapshot {
    /// The request that is made of this one by what is different.
    pub(super) fn changed(&self, difference: &Json, pool: &mut Pool) -> Self {
        let mut after = self.clone();
        for (name, list) in
            [("contents", &mut after.contents), ("system", &mut after.system), ("tools", &mut after.tools)]
        {
            if let Some(splice) = difference.get(name) {
                *list = spliced(list, splice, |item| pool.placed(item));
            }
        }
        for (name, item) in difference.get("set").and_then(Json::as_object).into_iter().flat_map(Object::iter)
        {
            if let Some(value) = pool.placed(item) {
                after.fields.insert(name.clone(), value);
            }
        }
        for name in names(difference.get("unset")) {
            after.fields.remove(&name);
        }
        after
    }

    /// Whether nothing of it was left out for its size.
    pub(super) fn is_complete(&self) -> bool {
        let items = self.contents.iter().chain(&self.system).chain(&self.tools);
        !items.chain(self.fields.values()).any(is_omitted)
    }

    /// `{model, contents, config, …}` as google-adk has it.
    pub(super) fn request(&self) -> Object {
        let mut config = Object::new();
        config.push_some("systemInstruction", self.system_instruction());
        config.push_some("tools", Some(self.tools()).filter(|tools| !tools.is_empty()));
        let mut request = Object::new();
        request.push_some("model", self.fields.get("model").cloned());
        request.push("contents", self.contents.clone());
        let mut rest = Object::new();
        for (name, value) in self.fields.iter().filter(|(name, _)| &***name != "model") {
            match name.strip_prefix("config.") {
                Some(name) => config.push(name, value.clone()),
                None => rest.push(name.clone(), value.clone()),
            }
        }
        request.push("config", config);
        request.update(&rest);
        request
    }

    fn system_instruction(&self) -> Option<Json> {
        if let Some(value) = self.system.first()?.get("value") {
            return Some(value.clone());
        }
        let texts = self.system.iter().filter_map(|piece| piece.get("text")?.as_str());
        Some(texts.collect::<String>().into())
    }

    fn system_text(&self) -> Option<String> {
        self.system_instruction()?.as_str().map(str::to_owned)
    }

    fn tools(&self) -> Vec<Json> {
        let mut tools: Vec<(Option<i64>, Object)> = Vec::new();
        for item in &self.tools {
            let number = item.get("of").and_then(Json::as_i64);
            if number.is_none() || tools.last().is_none_or(|(last, _)| *last != number) {
                tools.push((number, Object::new()));
            }
            let Some((_, tool)) = tools.last_mut() else { continue };
            if let Some(function) = item.get("function") {
                let mut declarations = match tool.remove("functionDeclarations") {
                    Some(Json::Array(declarations)) => declarations,
                    _ => Vec::new(),
                };
                declarations.push(function.clone());
                tool.insert("functionDeclarations", declarations);
            } else if let Some(rest) = item.get("tool").and_then(Json::as_object) {
                tool.update(rest);
            }
        }
        tools.into_iter().map(|(_, tool)| Json::Object(tool)).collect()
    }

    /// Function declarations with their names, in the order of the request.
    pub(super) fn declarations(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.tools.iter().filter_map(|item| {
            let function = item.get("function")?;
            Some((function.get("name")?.as_str()?, function))
        })
    }

    pub(super) fn n_parts(&self) -> usize {
        self.contents.iter().map(n_parts).sum()
    }

    /// Parts of the contents that both begin with.
    pub(super) fn n_shared_parts(&self, other: &Self) -> usize {
        let same = self.contents.iter().zip(&other.contents).take_while(|(a, b)| a == b);
        same.map(|(content, _)| n_parts(content)).sum()
    }

    /// What has to be changed to make `after` of this one.
    pub(super) fn change_to(&self, after: &Self) -> RequestChange {
        let mut change = RequestChange::default();
        if self.contents != after.contents {
            let (keep, end) = common_ends(&self.contents, &after.contents);
            change.contents = Some(Splice {
                n_before: self.contents.len(),
                keep,
                end,
                added: after.contents[keep..after.contents.len() - end].to_vec(),
                removed: Vec::new(),
            });
        }
        if self.tools != after.tools {
            change.tools = Some(after.tools());
        }
        for (name, value) in after.fields.iter() {
            if self.fields.get(name) != Some(value) {
                change.set.push(name.clone(), value.clone());
            }
        }
        let gone = self.fields.keys().filter(|name| !after.fields.contains_key(name));
        change.unset = gone.cloned().collect();
        if self.system != after.system {
            self.add_system_change(after, &mut change);
        }
        change
    }

    fn add_system_change(&self, after: &Self, change: &mut RequestChange) {
        match (self.system_text(), after.system_text()) {
            (Some(before), Some(after)) => {
                let keep = common_start(&before, &after);
                let end = common_end(&before[keep..], &after[keep..]);
                change.system = Some(Splice {
                    n_before: before.len(),
                    keep,
                    end,
                    added: after[keep..after.len() - end].into(),
                    removed: before[keep..before.len() - end].into(),
                });
            }
            _ => match after.system_instruction() {
                Some(instruction) => change.set.push("config.systemInstruction", instruction),
                None => change.unset.push("config.systemInstruction".into()),
            },
        }
    }
}

fn n_parts(content: &Json) -> usize {
    content.get("parts").and_then(Json::as_array).map_or(0, <[Json]>::len)
}

/// `before[..keep] + add + before[before.len() - end..]`, as far as `before` goes.
pub(super) fn spliced<T: Clone>(
    before: &[T],
    splice: &Json,
    mut read: impl FnMut(&Json) -> Option<T>,
) -> Vec<T> {
    let number = |key: &str| {
        let number = splice.get(key).and_then(Json::as_i64).and_then(|number| usize::try_from(number).ok());
        number.unwrap_or(0)
    };
    let keep = number("keep").min(before.len());
    let end = number("end").min(before.len() - keep);
    let added = splice.get("add").and_then(Json::as_array).unwrap_or_default();
    let mut after = before[..keep].to_vec();
    after.extend(added.iter().filter_map(&mut read));
    after.extend_from_slice(&before[before.len() - end..]);
    after
}

fn common_ends(before: &[Json], after: &[Json]) -> (usize, usize) {
    let keep = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let rest = before[keep..].iter().rev().zip(after[keep..].iter().rev());
    (keep, rest.take_while(|(a, b)| a == b).count())
}

/// The items of a list of names.
pub(super) fn names(list: Option<&Json>) -> Vec<Str> {
    let names = list.and_then(Json::as_array).unwrap_or_default().iter();
    names.filter_map(|name| name.as_str().map(Str::from)).collect()
}

#[cfg(test)]
mod tests {
    use strata_model::{LlmRequest, Origin, json};

    use super::*;

    fn snapshot(text: &str) -> Snapshot {
        let json = json::parse(text.as_bytes()).expect("valid JSON");
        Snapshot::default().changed(&json, &mut Pool::default())
    }

    const BEFORE: &str = r#"{"contents":{"add":[{"value":{"role":"a"}},{"value":{"role":"b"}}]},"system":{"add":[{"value":{"text":"Über\n\n"}},{"value":{"text":"alles"}}]},"tools":{"add":[{"value":{"of":0,"function":{"name":"f"}}},{"value":{"of":0,"function":{"name":"g"}}},{"value":{"of":1,"tool":{"googleSearch":{}}}}]},"set":{"model":{"value":"m"},"config.topK":{"value":5}}}"#;

    #[test]
    fn a_request_is_put_together() {
        assert_eq!(
            json::to_compact(&Json::Object(snapshot(BEFORE).request())),
            r#"{"model":"m","contents":[{"role":"a"},{"role":"b"}],"config":{"systemInstruction":"Über\n\nalles","tools":[{"functionDeclarations":[{"name":"f"},{"name":"g"}]},{"googleSearch":{}}],"topK":5}}"#
        );
    }

    #[test]
    fn a_change_leads_from_one_to_the_other() {
        let before = snapshot(BEFORE);
        for difference in [
            r#"{"contents":{"keep":1,"end":1,"add":[{"value":{"role":"x"}}]},"unset":["model"]}"#,
            r#"{"contents":{"keep":0,"end":1,"add":[]},"system":{"keep":0,"end":1,"add":[{"value":{"text":"Äber\n\n"}}]}}"#,
            r#"{"system":{"keep":0,"add":[]},"tools":{"keep":2,"add":[]},"set":{"config.topP":{"value":0.5}}}"#,
            r#"{"system":{"keep":0,"add":[{"value":{"value":{"parts":[]}}}]}}"#,
        ] {
            let json = json::parse(difference.as_bytes()).expect("valid JSON");
            let after = before.changed(&json, &mut Pool::default());
            let origin = Origin::Extension { name: "x".into() };
            let mut request = LlmRequest::from_json(&Json::Object(before.request()), &origin);
            let result = before.change_to(&after).apply(&mut request, &origin);
            assert_eq!(result, Ok(()), "{difference}");
            let expected = LlmRequest::from_json(&Json::Object(after.request()), &origin);
            assert_eq!(request.to_json(), expected.to_json());
        }
    }
}
