//! Values by their content: order of keys and kind of number included.

use std::hash::{Hash, Hasher};

use super::{Json, Object};
use crate::fingerprint::FingerprintBuilder;

impl FingerprintBuilder {
    pub fn json(&mut self, value: &Json) -> &mut Self {
        match value {
            Json::Null => self.number(0),
            Json::Bool(value) => self.number(1).flag(*value),
            Json::Int(value) => self.number(2).number(*value as u64),
            Json::BigInt(digits) => self.number(3).text(digits),
            Json::Float(value) => self.number(4).number(value.to_bits()),
            Json::String(text) => self.number(5).text(text),
            Json::Array(items) => {
                self.number(6).number(items.len() as u64);
                for item in items {
                    self.json(item);
                }
                self
            }
            Json::Object(object) => self.number(7).object(object),
        }
    }

    pub fn object(&mut self, object: &Object) -> &mut Self {
        self.number(object.len() as u64);
        for (key, value) in object.iter() {
            self.text(key).json(value);
        }
        self
    }
}

impl Hash for Json {
    fn hash<H: Hasher>(&self, state: &mut H) {
        FingerprintBuilder::new().json(self).finish().hash(state);
    }
}

impl Hash for Object {
    fn hash<H: Hasher>(&self, state: &mut H) {
        FingerprintBuilder::new().object(self).finish().hash(state);
    }
}
