//! Parameters of inserted processors: what there is to set, and reading what was given.

use strata_model::{Json, Object, Str};

/// A parameter, with all that a form for it needs.
#[derive(Debug, Clone, Copy)]
pub struct ParamSpec {
    pub name: &'static str,
    pub kind: ParamKind,
    /// As JSON text; `null` for one that may be left empty, and then does nothing.
    pub default: &'static str,
    /// What a number counts: `rows`, `characters`.
    pub unit: Option<&'static str>,
    /// What it does, in a sentence.
    pub doc: &'static str,
}

/// What a parameter holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// A whole number, both ends included.
    Integer { min: i64, max: i64 },
    /// One line.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of words, such as names of tools.
    Words,
    /// Source text in JavaScript.
    Code,
}

impl ParamKind {
    fn expected(self) -> String {
        match self {
            Self::Integer { min, max } if max == i64::MAX => format!("a whole number from {min} on"),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Text | Self::Code => "a text".to_owned(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Words => "a list of texts".to_owned(),
        }
    }

    fn takes(self, value: &Json) -> bool {
        match self {
            Self::Integer { min, max } => value.as_i64().is_some_and(|number| (min..=max).contains(&number)),
            Self::Text | Self::Code => value.as_str().is_some(),
            Self::Choice(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Self::Words => {
                value.as_array().is_some_and(|words| words.iter().all(|word| word.as_str().is_some()))
            }
        }
    }
}

/// Parameters that fit their kind, defaults filled in.
pub(crate) struct Params {
    values: Object,
}

impl Params {
    /// Of a kind of processor, by what it takes. An error says what does not fit, and what would.
    pub(super) fn read(kind: &str, specs: &[ParamSpec], given: &Object) -> Result<Self, String> {
        for name in given.keys() {
            if !specs.iter().any(|param| *param.name == **name) {
                let known: Vec<&str> = specs.iter().map(|param| param.name).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(format!("`{kind}` has no parameter `{name}`. Its parameters: {known}."));
            }
        }
        let mut values = Object::new();
        for param in specs {
            let default = || strata_model::json::parse(param.default.as_bytes()).unwrap_or_default();
            let is_optional = param.default == "null";
            let value = match given.get(param.name) {
                None => default(),
                Some(Json::Null) if is_optional => Json::Null,
                Some(value) if param.kind.takes(value) => value.clone(),
                Some(value) => {
                    return Err(format!(
                        "`{}` of `{kind}` is {}, not {}.",
                        param.name,
                        param.kind.expected(),
                        excerpt(value)
                    ));
                }
            };
            values.push(param.name, value);
        }
        Ok(Self { values })
    }

    pub(crate) fn number(&self, name: &str) -> i64 {
        self.optional_number(name).unwrap_or(0)
    }

    /// As a length or a count: never below 0.
    pub(crate) fn size(&self, name: &str) -> usize {
        usize::try_from(self.number(name)).unwrap_or(0)
    }

    pub(crate) fn optional_number(&self, name: &str) -> Option<i64> {
        self.values.get(name).and_then(Json::as_i64)
    }

    pub(crate) fn optional_size(&self, name: &str) -> Option<usize> {
        self.optional_number(name).and_then(|number| usize::try_from(number).ok())
    }

    pub(crate) fn text(&self, name: &str) -> Str {
        self.values.get(name).and_then(Json::as_str).unwrap_or_default().into()
    }

    pub(crate) fn words(&self, name: &str) -> Vec<Str> {
        let words = self.values.get(name).and_then(Json::as_array).unwrap_or_default();
        words.iter().filter_map(Json::as_str).map(Str::from).collect()
    }
}

fn excerpt(value: &Json) -> String {
    let text = strata_model::json::to_compact(value);
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
