//! What a tool may be asked: one table for its schema, for reading what came, and for saying what was wrong with it.

use serde_json::{Map, Value, json};

/// An argument of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument {
    pub name: &'static str,
    /// For the model that fills it in.
    pub about: &'static str,
    pub shape: Shape,
    pub is_required: bool,
}

/// What an argument may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    Text,
    /// `C7`, the seventh call of a session.
    Call,
    Whole {
        least: u32,
        most: u32,
        /// Taken where nothing is said.
        usual: Option<u32>,
    },
    /// One of these words; the first is taken where nothing is said.
    OneOf(&'static [&'static str]),
}

/// The session that is asked about.
pub(crate) const SESSION: Argument = Argument {
    name: "session",
    about: "Session id or part of its title, as `sessions` lists them; leave out for your own session",
    shape: Shape::Text,
    is_required: false,
};

/// The rest of an answer.
pub(crate) const CURSOR: Argument = Argument {
    name: "cursor",
    about: "From an earlier answer of this tool: gives its next page",
    shape: Shape::Text,
    is_required: false,
};

/// Arguments that were read, with nothing in them that the tool does not take.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arguments {
    given: Map<String, Value>,
    table: &'static [Argument],
}

impl Arguments {
    /// Reads what came; says what is wrong with it, and what would be right.
    pub(crate) fn read(
        tool: &str,
        table: &'static [Argument],
        given: Map<String, Value>,
    ) -> Result<Self, String> {
        let known = || table.iter().map(|argument| argument.name).collect::<Vec<_>>().join(", ");
        for name in given.keys() {
            if !table.iter().any(|argument| argument.name == name) {
                return Err(format!("{tool} has no argument `{name}`. It has: {}.", known()));
            }
        }
        // A null is what clients send for nothing.
        let given: Map<String, Value> = given.into_iter().filter(|(_, value)| !value.is_null()).collect();
        for argument in table {
            let Some(value) = given.get(argument.name) else {
                if argument.is_required && !given.contains_key(CURSOR.name) {
                    return Err(format!("{tool} needs `{}`: {}.", argument.name, argument.about));
                }
                continue;
            };
            if !argument.shape.fits(value) {
                return Err(format!(
                    "`{}` is {value}, and should be {}.",
                    argument.name,
                    argument.shape.said()
                ));
            }
        }
        Ok(Self { given, table })
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.given.get(name)?.as_str().filter(|text| !text.trim().is_empty())
    }

    /// The number of a call.
    pub(crate) fn call(&self, name: &str) -> Option<u32> {
        self.text(name)?.strip_prefix('C')?.parse().ok()
    }

    pub(crate) fn whole(&self, name: &str) -> Option<u32> {
        let given = self.given.get(name).and_then(Value::as_u64).and_then(|number| number.try_into().ok());
        given.or_else(|| match self.argument(name)?.shape {
            Shape::Whole { usual, .. } => usual,
            Shape::Text | Shape::Call | Shape::OneOf(_) => None,
        })
    }

    /// What was chosen of several words.
    pub(crate) fn choice(&self, name: &str) -> &str {
        let usual = self.argument(name).and_then(|argument| match argument.shape {
            Shape::OneOf(words) => words.first().copied(),
            Shape::Text | Shape::Call | Shape::Whole { .. } => None,
        });
        self.text(name).or(usual).unwrap_or_default()
    }

    fn argument(&self, name: &str) -> Option<&Argument> {
        self.table.iter().find(|argument| argument.name == name)
    }
}

impl Shape {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Call => value.as_str().and_then(|text| text.strip_prefix('C')).is_some_and(|digits| {
                !digits.is_empty() && digits.len() < 10 && digits.bytes().all(|byte| byte.is_ascii_digit())
            }),
            Self::Whole { least, most, .. } => {
                value.as_u64().is_some_and(|number| (u64::from(least)..=u64::from(most)).contains(&number))
            }
            Self::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        }
    }

    fn said(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Call => "a call such as \"C7\"".to_owned(),
            Self::Whole { least, most, .. } => format!("a whole number from {least} to {most}"),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Call => json!({"type": "string", "pattern": "^C[0-9]+$"}),
            Self::Whole { least, most, usual } => {
                let mut schema = json!({"type": "integer", "minimum": least, "maximum": most});
                if let Some(usual) = usual {
                    schema["default"] = usual.into();
                }
                schema
            }
            Self::OneOf(words) => json!({"type": "string", "enum": words}),
        }
    }
}

/// The JSON schema of a table.
pub(crate) fn schema(table: &[Argument]) -> Value {
    let mut properties = Map::new();
    for argument in table {
        let mut schema = argument.shape.schema();
        schema["description"] = argument.about.into();
        properties.insert(argument.name.to_owned(), schema);
    }
    let required: Vec<&str> =
        table.iter().filter(|argument| argument.is_required).map(|argument| argument.name).collect();
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}
