//! Numbers and truth values as pydantic reads them: texts and whole floats count too.

use strata_model::{Json, python};

use super::problem::Problem;

/// Limits of an integer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Bounds {
    pub(super) above: Option<i64>,
    pub(super) at_least: Option<i64>,
    pub(super) at_most: Option<i64>,
}

pub(super) const ANY: Bounds = Bounds { above: None, at_least: None, at_most: None };
pub(super) const POSITIVE: Bounds = Bounds { above: Some(0), ..ANY };
pub(super) const NOT_NEGATIVE: Bounds = Bounds { at_least: Some(0), ..ANY };

pub(super) const fn between(least: i64, most: i64) -> Bounds {
    Bounds { at_least: Some(least), at_most: Some(most), ..ANY }
}

pub(super) fn int_problem(value: &Json, bounds: Bounds) -> Option<Problem> {
    match integer(value) {
        Err(kind) => {
            Some(Problem::new(&[], kind, format!("should be a whole number but is {}", value.kind())))
        }
        Ok(number) => {
            let out =
                |kind, words: &str, limit: i64| Problem::new(&[], kind, format!("should be {words} {limit}"));
            let above = bounds.above.filter(|limit| number <= *limit as f64);
            let at_least = bounds.at_least.filter(|limit| number < *limit as f64);
            let at_most = bounds.at_most.filter(|limit| number > *limit as f64);
            at_most
                .map(|limit| out("less_than_equal", "at most", limit))
                .or_else(|| at_least.map(|limit| out("greater_than_equal", "at least", limit)))
                .or_else(|| above.map(|limit| out("greater_than", "above", limit)))
        }
    }
}

/// The number, or pydantic's name for what is wrong with it.
fn integer(value: &Json) -> Result<f64, &'static str> {
    match value {
        Json::Bool(value) => Ok(f64::from(u8::from(*value))),
        Json::Int(_) | Json::BigInt(_) => value.as_f64().ok_or("int_type"),
        Json::Float(number) if !number.is_finite() => Err("finite_number"),
        Json::Float(number) if number.fract() != 0.0 => Err("int_from_float"),
        Json::Float(number) if number.abs() >= 9.3e18 => Err("int_parsing_size"),
        Json::Float(number) => Ok(*number),
        Json::String(text) => python::pydantic_integer(python::strip(text)).ok_or("int_parsing"),
        Json::Null | Json::Array(_) | Json::Object(_) => Err("int_type"),
    }
}

pub(super) fn float_problem(value: &Json) -> Option<Problem> {
    let kind = match value {
        Json::Bool(_) | Json::Int(_) | Json::BigInt(_) | Json::Float(_) => return None,
        Json::String(text) if python::strip(text).parse::<f64>().is_ok() => return None,
        Json::String(_) => "float_parsing",
        Json::Null | Json::Array(_) | Json::Object(_) => "float_type",
    };
    Some(Problem::new(&[], kind, format!("should be a number but is {}", value.kind())))
}

pub(super) fn bool_problem(value: &Json) -> Option<Problem> {
    let kind = match value {
        value if python::pydantic_bool(value).is_some() => return None,
        Json::Int(_) | Json::Float(_) | Json::BigInt(_) | Json::String(_) => "bool_parsing",
        _ => "bool_type",
    };
    Some(Problem::new(&[], kind, format!("should be true or false but is {}", value.kind())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: impl Into<Json>, bounds: Bounds, expected: Option<&str>) {
        assert_eq!(int_problem(&value.into(), bounds).map(|problem| problem.kind), expected);
    }

    #[test]
    fn integers_come_in_many_spellings() {
        for value in
            [Json::from("3"), "3.0".into(), " +1_000 ".into(), Json::from(1.0), true.into(), Json::Int(5)]
        {
            check(value, POSITIVE, None);
        }
        check("x", ANY, Some("int_parsing"));
        check("1__0", ANY, Some("int_parsing"));
        check(1.5, ANY, Some("int_from_float"));
        check(1e30, ANY, Some("int_parsing_size"));
        check(Json::Null, ANY, Some("int_type"));
        check(Json::Array(Vec::new()), ANY, Some("int_type"));
    }

    #[test]
    fn bounds_are_named_as_pydantic_names_them() {
        check(0, POSITIVE, Some("greater_than"));
        check(-1, NOT_NEGATIVE, Some("greater_than_equal"));
        check(101, between(1, 100), Some("less_than_equal"));
        check(100, between(1, 100), None);
    }
}
