//! Values and lists of values.

use std::sync::Arc;

use super::{Decoder, FromJson, LIST};
use crate::FingerprintBuilder;
use crate::json::{Json, Object, write_compact, write_compact_object, write_compact_string};

impl FromJson for Arc<str> {
    const EXPECTED: &'static str = "a string";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        match value {
            Json::String(text) => Ok(text),
            other => Err(other),
        }
    }

    fn to_json(&self) -> Json {
        Json::String(self.clone())
    }

    fn write_json(&self, out: &mut String) {
        write_compact_string(out, self);
    }

    fn hash_into(&self, hash: &mut FingerprintBuilder) {
        hash.text(self);
    }
}

impl FromJson for bool {
    const EXPECTED: &'static str = "a boolean";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        value.as_bool().ok_or(value)
    }

    fn to_json(&self) -> Json {
        Json::Bool(*self)
    }

    fn hash_into(&self, hash: &mut FingerprintBuilder) {
        hash.flag(*self);
    }
}

impl FromJson for i64 {
    const EXPECTED: &'static str = "an integer";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        value.as_i64().ok_or(value)
    }

    fn to_json(&self) -> Json {
        Json::Int(*self)
    }
}

impl FromJson for u64 {
    const EXPECTED: &'static str = "a count";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        value.as_i64().and_then(|number| Self::try_from(number).ok()).ok_or(value)
    }

    fn to_json(&self) -> Json {
        i64::try_from(*self).map_or_else(|_| Json::BigInt(self.to_string().into()), Json::Int)
    }
}

impl FromJson for f64 {
    const EXPECTED: &'static str = "a number";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        value.as_f64().ok_or(value)
    }

    fn to_json(&self) -> Json {
        Json::Float(*self)
    }
}

impl FromJson for Json {
    const EXPECTED: &'static str = "a value";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        Ok(value)
    }

    fn to_json(&self) -> Json {
        self.clone()
    }

    fn write_json(&self, out: &mut String) {
        write_compact(out, self);
    }

    fn hash_into(&self, hash: &mut FingerprintBuilder) {
        hash.json(self);
    }
}

impl FromJson for Object {
    const EXPECTED: &'static str = "an object";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        match value {
            Json::Object(object) => Ok(object),
            other => Err(other),
        }
    }

    fn to_json(&self) -> Json {
        Json::Object(self.clone())
    }

    fn write_json(&self, out: &mut String) {
        write_compact_object(out, self);
    }

    fn hash_into(&self, hash: &mut FingerprintBuilder) {
        hash.object(self);
    }
}

impl<T: FromJson> FromJson for Arc<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        T::from_json(value, decoder).map(Arc::new)
    }

    fn to_json(&self) -> Json {
        T::to_json(self)
    }

    fn write_json(&self, out: &mut String) {
        T::write_json(self, out);
    }

    fn hash_into(&self, hash: &mut FingerprintBuilder) {
        T::hash_into(self, hash);
    }
}

impl<T: FromJson> FromJson for Box<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        T::from_json(value, decoder).map(Box::new)
    }

    fn to_json(&self) -> Json {
        T::to_json(self)
    }

    fn write_json(&self, out: &mut String) {
        T::write_json(self, out);
    }

    fn hash_into(&self, hash: &mut FingerprintBuilder) {
        T::hash_into(self, hash);
    }
}

/// A list of which one item is unreadable is not read at all: it comes back whole, for the caller to keep.
impl<T: FromJson> FromJson for Vec<T> {
    const EXPECTED: &'static str = LIST;

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        let Json::Array(items) = value else { return Err(value) };
        let mut read = Self::with_capacity(items.len());
        let mut items = items.into_iter();
        while let Some(item) = items.next() {
            match decoder.within_index(read.len(), |decoder| T::from_json(item, decoder)) {
                Ok(item) => read.push(item),
                Err(unread) => {
                    decoder.within_index(read.len(), |decoder| decoder.report_item(T::EXPECTED, &unread));
                    let whole = read.iter().map(T::to_json).chain([unread]).chain(items);
                    return Err(Json::Array(whole.collect()));
                }
            }
        }
        Ok(read)
    }

    fn to_json(&self) -> Json {
        Json::Array(self.iter().map(T::to_json).collect())
    }

    fn write_json(&self, out: &mut String) {
        out.push('[');
        for (at, item) in self.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            item.write_json(out);
        }
        out.push(']');
    }

    fn hash_into(&self, hash: &mut FingerprintBuilder) {
        hash.number(self.len() as u64);
        for item in self {
            item.hash_into(hash);
        }
    }
}
