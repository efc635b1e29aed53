//! Values against schemas, as pydantic takes them: what can be read as what is wanted is read as it.

use strata_model::app::{OutputSchema, SchemaKind};
use strata_model::{Json, Object, Str, json, python};

use crate::adk_text::{BAD_STATE_VALUE, UNKNOWN_STATE_KEY, filled};
use crate::halt::Failure;

/// What is wrong with a value, and where in it.
#[derive(Debug, Clone, PartialEq)]
struct Problem {
    at: String,
    message: String,
}

impl Problem {
    /// As pydantic's exception for a class.
    fn of(&self, class: &str) -> Failure {
        let at = if self.at.is_empty() { String::new() } else { format!("{}\n", self.at) };
        Failure::new("ValidationError", format!("1 validation error for {class}\n{at}  {}", self.message))
    }
}

/// The value as the schema has it: converted, and with defaults for what is missing. Absent members of models are left
/// out where they are null.
pub(crate) fn validate(schema: &OutputSchema, value: &Json) -> Result<Json, Failure> {
    let checked = Checker::of(schema).value(&schema.json_schema, value, "");
    checked.map(|value| without_nulls(schema, value)).map_err(|problem| invalid(schema, &problem))
}

/// As [`validate`], from JSON text as a model writes it, perhaps in a fence of Markdown.
pub(crate) fn validate_text(schema: &OutputSchema, text: &str) -> Result<Json, Failure> {
    let text = without_fence(text);
    let value = json::parse(text.as_bytes());
    match schema.kind {
        SchemaKind::PydanticModel | SchemaKind::ListOfPydanticModel => {
            let value = value.map_err(|error| {
                invalid(schema, &Problem { at: String::new(), message: format!("Invalid JSON: {error}") })
            })?;
            validate(schema, &value)
        }
        SchemaKind::Primitive | SchemaKind::JsonSchema => {
            value.map_err(|error| Failure::value_error(format!("Invalid JSON in schema value: {error}")))
        }
    }
}

/// Checks a value by a Python annotation such as `str` or `dict`.
pub(crate) fn coerce_to(annotation: &str, value: &Json) -> Result<Json, Failure> {
    let any = Object::new().into();
    let schema = match annotation {
        "str" => typed("string"),
        "int" => typed("integer"),
        "float" => typed("number"),
        "bool" => typed("boolean"),
        "list" => typed("array"),
        "dict" => typed("object"),
        _ => any,
    };
    let checker = Checker { definitions: None };
    checker.value(&schema, value, "").map_err(|problem| {
        Failure::new("ValidationError", format!("1 validation error for {annotation}\n  {}", problem.message))
    })
}

/// Checks by a JSON Schema that came with a question. What is wrong is told as of a class of that name.
pub(crate) fn check_answer(class: &str, schema: &Json, value: &Json) -> Result<Json, Failure> {
    let checked = Checker { definitions: None }.value(schema, value, "");
    checked.map_err(|problem| problem.of(class))
}

fn typed(name: &str) -> Json {
    Object::from_iter([("type", name)]).into()
}

/// The names of a model's fields, sorted.
pub(crate) fn fields(schema: &OutputSchema) -> Vec<Str> {
    let properties = schema.json_schema.get("properties").and_then(Json::as_object);
    let mut names: Vec<Str> = properties.into_iter().flat_map(Object::keys).cloned().collect();
    names.sort();
    names
}

/// Checks one entry of the state against the schema that declares it.
pub(crate) fn check_state_entry(schema: &OutputSchema, key: &str, value: &Json) -> Result<(), Failure> {
    let class = schema.class.as_deref().unwrap_or_default();
    let Some(field) = schema.json_schema.get("properties").and_then(|properties| properties.get(key)) else {
        let names = fields(schema).into_iter().map(Json::String).collect();
        let places = [("KEY", key), ("SCHEMA", class), ("FIELDS", &*python::str(&Json::Array(names)))];
        return Err(Failure::new("StateSchemaError", filled(UNKNOWN_STATE_KEY, &places)));
    };
    match Checker::of(schema).value(field, value, "") {
        Ok(_) => Ok(()),
        Err(problem) => {
            let kind = python_class(field);
            let error = format!("1 validation error for {kind}\n  {}", problem.message);
            let places = [
                ("KEY", key),
                ("TYPE", &*format!("<class '{kind}'>")),
                ("SCHEMA", class),
                ("ERROR", &*error),
            ];
            Err(Failure::new("StateSchemaError", filled(BAD_STATE_VALUE, &places)))
        }
    }
}

fn python_class(field: &Json) -> &'static str {
    match field.get("type").and_then(Json::as_str) {
        Some("string") => "str",
        Some("integer") => "int",
        Some("number") => "float",
        Some("boolean") => "bool",
        Some("array") => "list",
        Some("object") => "dict",
        _ => "object",
    }
}

fn invalid(schema: &OutputSchema, problem: &Problem) -> Failure {
    let title = schema.class.as_deref().or(schema.annotation.as_deref()).unwrap_or("schema");
    problem.of(title)
}

/// Text without the fence of Markdown around all of it.
fn without_fence(text: &str) -> &str {
    let stripped = python::strip(text);
    let Some(inner) = stripped.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    let language = inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let inner = language.trim_start_matches([' ', '\t']);
    python::strip(inner.strip_prefix('\n').unwrap_or(inner))
}

/// `model_dump(exclude_none=True)`, for models; other values keep their nulls.
fn without_nulls(schema: &OutputSchema, value: Json) -> Json {
    fn go(value: Json) -> Json {
        match value {
            Json::Object(object) => object
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key, go(value)))
                .collect::<Object>()
                .into(),
            Json::Array(items) => items.into_iter().map(go).collect::<Vec<_>>().into(),
            other => other,
        }
    }
    match schema.kind {
        SchemaKind::PydanticModel | SchemaKind::ListOfPydanticModel => go(value),
        SchemaKind::Primitive | SchemaKind::JsonSchema => value,
    }
}

struct Checker<'s> {
    definitions: Option<&'s Json>,
}

type Checked = Result<Json, Problem>;

impl<'s> Checker<'s> {
    fn of(schema: &'s OutputSchema) -> Self {
        Self { definitions: schema.json_schema.get("$defs") }
    }

    fn value(&self, schema: &Json, value: &Json, at: &str) -> Checked {
        if let Some(reference) = schema.get("$ref").and_then(Json::as_str) {
            let name = reference.rsplit('/').next().unwrap_or_default();
            return match self.definitions.and_then(|definitions| definitions.get(name)) {
                Some(schema) => self.value(schema, value, at),
                None => Ok(value.clone()),
            };
        }
        if let Some([only]) = schema.get("allOf").and_then(Json::as_array) {
            return self.value(only, value, at);
        }
        let choices = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Json::as_array);
        if let Some(choices) = choices {
            return self.any_of(choices, value, at);
        }
        if let Some(constant) = schema.get("const") {
            return one_of(std::slice::from_ref(constant), value, at);
        }
        if let Some(allowed) = schema.get("enum").and_then(Json::as_array) {
            return one_of(allowed, value, at);
        }
        match schema.get("type").and_then(Json::as_str) {
            Some("string") => text(schema, value, at),
            Some("integer") => integer(value, at).and_then(|value| in_range(schema, value, at)),
            Some("number") => number(value, at).and_then(|value| in_range(schema, value, at)),
            Some("boolean") => boolean(value, at),
            Some("null") => {
                if value.is_null() {
                    Ok(Json::Null)
                } else {
                    problem(at, "Input should be None")
                }
            }
            Some("array") => self.array(schema, value, at),
            Some("object") => self.object(schema, value, at),
            _ => Ok(value.clone()),
        }
    }

    /// The choice that takes the value as it is, else the first that can.
    fn any_of(&self, choices: &[Json], value: &Json, at: &str) -> Checked {
        let read: Vec<Checked> = choices.iter().map(|choice| self.value(choice, value, at)).collect();
        let exact = read.iter().flatten().find(|checked| is_same(checked, value));
        if let Some(exact) = exact.or_else(|| read.iter().flatten().next()) {
            return Ok(exact.clone());
        }
        read.into_iter().next().unwrap_or_else(|| problem(at, "no type fits"))
    }

    fn array(&self, schema: &Json, value: &Json, at: &str) -> Checked {
        let Some(items) = value.as_array() else { return problem(at, "Input should be a valid list") };
        let count = |key: &str| schema.get(key).and_then(Json::as_i64);
        if count("minItems").is_some_and(|least| (items.len() as i64) < least)
            || count("maxItems").is_some_and(|most| items.len() as i64 > most)
        {
            return problem(at, "List has a length that is not allowed");
        }
        let Some(item) = schema.get("items") else { return Ok(value.clone()) };
        let checked =
            items.iter().enumerate().map(|(n, value)| self.value(item, value, &below(at, &n.to_string())));
        Ok(checked.collect::<Result<Vec<_>, _>>()?.into())
    }

    fn object(&self, schema: &Json, value: &Json, at: &str) -> Checked {
        let Some(object) = value.as_object() else {
            return problem(at, "Input should be a valid dictionary");
        };
        let Some(properties) = schema.get("properties").and_then(Json::as_object) else {
            return self.mapping(schema, object, at);
        };
        let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
        let mut out = Object::new();
        for (name, property) in properties.iter() {
            let at = below(at, name);
            match (object.get(name), property.get("default")) {
                (Some(value), _) => out.push(name.clone(), self.value(property, value, &at)?),
                (None, Some(default)) => out.push(name.clone(), default.clone()),
                (None, None) if required.iter().any(|known| known.as_str() == Some(name)) => {
                    return problem(&at, "Field required");
                }
                // A default that is made anew each time is not written down; one of its kind that is empty is.
                (None, None) => out.push(name.clone(), empty(property)),
            }
        }
        if schema.get("additionalProperties") == Some(&Json::Bool(false))
            && let Some(extra) = object.keys().find(|key| !properties.contains_key(key))
        {
            return problem(&below(at, extra), "Extra inputs are not permitted");
        }
        Ok(out.into())
    }

    /// A dictionary of any keys.
    fn mapping(&self, schema: &Json, object: &Object, at: &str) -> Checked {
        let Some(item @ Json::Object(_)) = schema.get("additionalProperties") else {
            return Ok(object.clone().into());
        };
        let checked = object
            .iter()
            .map(|(key, value)| Ok((key.clone(), self.value(item, value, &below(at, key))?)))
            .collect::<Result<Vec<_>, Problem>>()?;
        Ok(checked.into_iter().collect::<Object>().into())
    }
}

fn empty(property: &Json) -> Json {
    match property.get("type").and_then(Json::as_str) {
        Some("array") => Vec::new().into(),
        Some("object") => Object::new().into(),
        _ => Json::Null,
    }
}

fn below(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

fn problem(at: &str, message: &str) -> Checked {
    Err(Problem { at: at.to_owned(), message: message.to_owned() })
}

/// As pydantic compares: 1 and 1.0 are two values.
fn is_same(a: &Json, b: &Json) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b) && a == b
}

fn text(schema: &Json, value: &Json, at: &str) -> Checked {
    let Some(text) = value.as_str() else { return problem(at, "Input should be a valid string") };
    let count = |key: &str| schema.get(key).and_then(Json::as_i64);
    let len = python::len(text) as i64;
    if count("minLength").is_some_and(|least| len < least)
        || count("maxLength").is_some_and(|most| len > most)
    {
        return problem(at, "String has a length that is not allowed");
    }
    Ok(value.clone())
}

fn integer(value: &Json, at: &str) -> Checked {
    match value {
        Json::Int(_) | Json::BigInt(_) => Ok(value.clone()),
        Json::Bool(flag) => Ok(Json::Int(i64::from(*flag))),
        Json::Float(float) if float.fract() == 0.0 && float.abs() < 9.0e15 => Ok(Json::Int(*float as i64)),
        Json::Float(_) => problem(at, "Input should be a valid integer, got a number with a fractional part"),
        Json::String(text) => match python::strip(text).parse() {
            Ok(number) => Ok(Json::Int(number)),
            Err(_) => problem(at, "Input should be a valid integer, unable to parse string as an integer"),
        },
        _ => problem(at, "Input should be a valid integer"),
    }
}

fn number(value: &Json, at: &str) -> Checked {
    match value {
        Json::Float(_) => Ok(value.clone()),
        Json::Bool(flag) => Ok(Json::Float(f64::from(u8::from(*flag)))),
        Json::Int(_) | Json::BigInt(_) => Ok(Json::Float(value.as_f64().unwrap_or_default())),
        Json::String(text) => match python::strip(text).parse::<f64>() {
            Ok(number) => Ok(Json::Float(number)),
            Err(_) => problem(at, "Input should be a valid number, unable to parse string as a number"),
        },
        _ => problem(at, "Input should be a valid number"),
    }
}

#[expect(clippy::float_cmp, reason = "pydantic takes just 0.0 and 1.0")]
fn boolean(value: &Json, at: &str) -> Checked {
    const TRUE: [&str; 6] = ["1", "true", "t", "yes", "y", "on"];
    const FALSE: [&str; 6] = ["0", "false", "f", "no", "n", "off"];
    let lowered = value.as_str().map(str::to_lowercase);
    let is_in = |words: [&str; 6]| lowered.as_deref().is_some_and(|text| words.contains(&text));
    match value {
        Json::Bool(_) => Ok(value.clone()),
        Json::String(_) if is_in(TRUE) => Ok(Json::Bool(true)),
        Json::String(_) if is_in(FALSE) => Ok(Json::Bool(false)),
        Json::Int(1) => Ok(Json::Bool(true)),
        Json::Int(0) => Ok(Json::Bool(false)),
        Json::Float(float) if *float == 1.0 => Ok(Json::Bool(true)),
        Json::Float(float) if *float == 0.0 => Ok(Json::Bool(false)),
        Json::String(_) | Json::Int(_) => {
            problem(at, "Input should be a valid boolean, unable to interpret input")
        }
        _ => problem(at, "Input should be a valid boolean"),
    }
}

fn in_range(schema: &Json, value: Json, at: &str) -> Checked {
    let Some(number) = value.as_f64() else { return Ok(value) };
    let limit = |key: &str| schema.get(key).and_then(Json::as_f64);
    let is_out = limit("minimum").is_some_and(|least| number < least)
        || limit("maximum").is_some_and(|most| number > most)
        || limit("exclusiveMinimum").is_some_and(|least| number <= least)
        || limit("exclusiveMaximum").is_some_and(|most| number >= most);
    if is_out { problem(at, "Input is out of the range that is allowed") } else { Ok(value) }
}

fn one_of(allowed: &[Json], value: &Json, at: &str) -> Checked {
    if allowed.iter().any(|allowed| allowed == value) {
        return Ok(value.clone());
    }
    let names: Vec<String> = allowed.iter().map(python::repr).collect();
    problem(at, &format!("Input should be {}", names.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schema: &str, value: &str, expected: Option<&str>) {
        let parse = |text: &str| json::parse(text.as_bytes()).unwrap();
        let schema = OutputSchema {
            kind: SchemaKind::PydanticModel,
            class: Some("Model".into()),
            annotation: None,
            json_schema: parse(schema),
        };
        let found = validate(&schema, &parse(value)).ok().map(|value| json::to_compact(&value));
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn what_can_be_read_is_read() {
        let schema = r#"{"type":"object","properties":{"n":{"type":"integer"},"x":{"type":"number"},
            "s":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"d":{"type":"integer","default":1}},
            "required":["n"]}"#;
        check(schema, r#"{"n":"5","x":2,"more":1}"#, Some(r#"{"n":5,"x":2.0,"d":1}"#));
        check(schema, r#"{"n":5.0,"s":"t","x":"1.5"}"#, Some(r#"{"n":5,"x":1.5,"s":"t","d":1}"#));
        check(schema, r#"{"n":5.5}"#, None);
        check(schema, r#"{"x":1}"#, None);
        check(schema, r#"{"n":1,"s":3}"#, None);
    }

    #[test]
    fn a_fence_is_taken_off() {
        assert_eq!(without_fence("```json\n{\"a\": 1}\n```"), "{\"a\": 1}");
        assert_eq!(without_fence("```{}```"), "{}");
        assert_eq!(without_fence(" {} "), " {} ");
    }
}
