//! Records as pydantic checks them.

use strata_model::{Json, Object};

use super::number::{Bounds, bool_problem, float_problem, int_problem};
use super::problem::Problem;

/// A pydantic model.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) fields: &'static [Field],
    /// What becomes of fields that are not in the list.
    pub(super) extra: Extra,
    /// Fields may be spelled in camelCase too.
    pub(super) has_aliases: bool,
    /// The mistake of a value that is no object.
    pub(super) no_object: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    Forbidden,
    Ignored,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) need: Need,
}

/// Whether a field may be left out, or null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    /// It has a default, and null is no value.
    Default,
    Nullable,
}

/// What a field takes.
#[derive(Debug)]
pub(super) enum Shape {
    Any,
    Text,
    Bool,
    Int(Bounds),
    Float,
    /// One of some texts.
    Literal(&'static [&'static str]),
    /// As [`Shape::Literal`], of an enum.
    Enum(&'static [&'static str]),
    List(&'static Shape),
    /// As [`Shape::List`], without order.
    Set(&'static Shape),
    Map(&'static Shape),
    Record(&'static Record),
    /// As the shape, and then what the function finds.
    Checked(&'static Shape, fn(&Json) -> Vec<Problem>),
}

pub(super) const fn required(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, need: Need::Required }
}

pub(super) const fn defaulted(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, need: Need::Default }
}

pub(super) const fn nullable(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, need: Need::Nullable }
}

/// Everything wrong with the fields of a record, in the order of the fields; unknown ones come last.
pub(super) fn check_record(record: &Record, value: &Json) -> Vec<Problem> {
    let Json::Object(object) = value else {
        return vec![Problem::here(record.no_object, format!("should be an object but is {}", value.kind()))];
    };
    let mut problems = Vec::new();
    for field in record.fields {
        match given(object, field.name, record.has_aliases) {
            Some((_, Json::Null)) if field.need == Need::Nullable => {}
            Some((key, value)) => {
                problems
                    .extend(check_shape(&field.shape, value).into_iter().map(|problem| problem.below(key)));
            }
            None if field.need == Need::Required => {
                let name = if record.has_aliases { camel(field.name) } else { field.name.to_owned() };
                problems.push(Problem::here("missing", "is required").below(&name));
            }
            None => {}
        }
    }
    if record.extra == Extra::Forbidden {
        let is_known =
            |key: &str| record.fields.iter().any(|field| is_spelling(key, field.name, record.has_aliases));
        for key in object.keys().filter(|key| !is_known(key)) {
            problems.push(Problem::here("extra_forbidden", "is no field here: take it out").below(key));
        }
    }
    problems
}

pub(super) fn check_shape(shape: &Shape, value: &Json) -> Vec<Problem> {
    let one = |kind: &'static str, wanted: &str| {
        vec![Problem::here(kind, format!("should be {wanted} but is {}", value.kind()))]
    };
    match (shape, value) {
        (Shape::Any, _) | (Shape::Text, Json::String(_)) => Vec::new(),
        (Shape::Text, _) => one("string_type", "a string"),
        (Shape::Bool, value) => bool_problem(value).into_iter().collect(),
        (Shape::Int(bounds), value) => int_problem(value, *bounds).into_iter().collect(),
        (Shape::Float, value) => float_problem(value).into_iter().collect(),
        (Shape::Literal(words) | Shape::Enum(words), Json::String(text)) if words.contains(&&**text) => {
            Vec::new()
        }
        (Shape::Literal(words), _) => one("literal_error", &words.join(" or ")),
        (Shape::Enum(words), _) => one("enum", &words.join(" or ")),
        (Shape::List(of) | Shape::Set(of), Json::Array(items)) => {
            let each = items.iter().enumerate();
            each.flat_map(|(at, item)| {
                check_shape(of, item).into_iter().map(move |problem| problem.below(&at.to_string()))
            })
            .collect()
        }
        (Shape::List(_), _) => one("list_type", "an array"),
        (Shape::Set(_), _) => one("set_type", "an array"),
        (Shape::Map(of), Json::Object(members)) => members
            .iter()
            .flat_map(|(key, value)| {
                check_shape(of, value).into_iter().map(move |problem| problem.below(key))
            })
            .collect(),
        (Shape::Map(_), _) => one("dict_type", "an object"),
        (Shape::Record(record), value) => check_record(record, value),
        (Shape::Checked(shape, check), value) => {
            let problems = check_shape(shape, value);
            if problems.is_empty() { check(value) } else { problems }
        }
    }
}

/// A field in whatever spelling it is given; camelCase goes first.
fn given<'o>(object: &'o Object, name: &str, has_aliases: bool) -> Option<(&'o str, &'o Json)> {
    let camel = camel(name);
    let aliased = object.iter().find(|(key, _)| has_aliases && ***key == *camel);
    aliased.or_else(|| object.iter().find(|(key, _)| ***key == *name)).map(|(key, value)| (&**key, value))
}

fn is_spelling(key: &str, name: &str, has_aliases: bool) -> bool {
    key == name || (has_aliases && key == camel(name))
}

pub(super) fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| {
        let mut letters = word.chars();
        let head: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        all + &head + letters.as_str()
    })
}
