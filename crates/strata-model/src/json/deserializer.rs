//! From a [`Json`] that is read already to whatever `serde` can make of it.

use serde::de::value::{Error, MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Error as _, IntoDeserializer, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};

use super::{Json, Object};

impl IntoDeserializer<'_, Error> for Json {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// As reading its text does: integers beyond 64 bits are read as floats.
impl<'de> Deserializer<'de> for Json {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Int(value) => match u64::try_from(value) {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_i64(value),
            },
            Self::BigInt(digits) => match digits.parse() {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_f64(digits.parse().unwrap_or(f64::NAN)),
            },
            Self::Float(value) => visitor.visit_f64(value),
            Self::String(text) => visitor.visit_str(&text),
            Self::Array(items) => {
                let mut items = SeqDeserializer::new(items.into_iter());
                let value = visitor.visit_seq(&mut items)?;
                items.end()?;
                Ok(value)
            }
            Self::Object(object) => {
                let mut members = MapDeserializer::new(members(object));
                let value = visitor.visit_map(&mut members)?;
                members.end()?;
                Ok(value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Null => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    /// A variant by its name, or `{name: its content}`.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::String(name) => visitor.visit_enum(name.to_string().into_deserializer()),
            Self::Object(object) => {
                visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(members(object))))
            }
            other => Err(Error::custom(format!("expected a name, found {}", other.kind()))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

fn members(object: Object) -> impl Iterator<Item = (String, Json)> {
    object.into_iter().map(|(key, value)| (key.to_string(), value))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::{parse, to_compact};
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Shape {
        name: String,
        #[serde(default)]
        size: Option<u32>,
        #[serde(default)]
        ratio: f64,
        #[serde(default)]
        kinds: Vec<Kind>,
        #[serde(default)]
        rest: Json,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Plain,
        Sized { bytes: i64 },
        Named(String),
    }

    #[test]
    fn a_value_gives_what_its_text_gives() {
        for text in [
            r#"{"name":"a","size":null}"#,
            r#"{"name":"a","size":3,"ratio":2,"kinds":["plain",{"sized":{"bytes":-5}},{"named":"b"}]}"#,
            r#"{"name":"a","rest":{"z":[1,-1,1.5,true,null,18446744073709551615,"t"],"a":{}}}"#,
            r#"{"name":"a","rest":123456789012345678901234567890}"#,
        ] {
            let value = Shape::deserialize(parse(text.as_bytes()).unwrap()).unwrap();
            assert_eq!(value, serde_json::from_str(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error_that_says_so() {
        for (text, says) in [
            (r#"{"size":3}"#, "missing field `name`"),
            (r#"{"name":"a","sise":3}"#, "unknown field `sise`"),
            (r#"{"name":"a","size":-3}"#, "-3"),
            (r#"{"name":"a","kinds":["round"]}"#, "unknown variant `round`"),
            (r#"{"name":"a","kinds":[7]}"#, "expected a name"),
            ("[]", "invalid"),
        ] {
            let error = Shape::deserialize(parse(text.as_bytes()).unwrap()).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn keys_keep_their_order() {
        let text = r#"{"z":1,"a":{"y":2,"b":3}}"#;
        assert_eq!(to_compact(&Json::deserialize(parse(text.as_bytes()).unwrap()).unwrap()), text);
    }
}
