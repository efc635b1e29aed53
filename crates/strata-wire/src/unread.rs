//! Fields that have no place in what is read.

use std::collections::BTreeMap;

use strata_model::{Json, Object};

/// Takes note of what a body holds and no reader carries, so that nothing is dropped without a word.
pub trait UnreadFields {
    /// `name` is a field of `owner` that was met with this value. Null says nothing and is not noted.
    fn field(&mut self, owner: &str, name: &str, value: &Json);

    /// Notes every field of an object that nobody took.
    fn rest(&mut self, owner: &str, rest: &Object) {
        for (key, value) in rest.iter() {
            self.field(owner, key, value);
        }
    }
}

/// For readers of whom nobody asks what they left.
impl UnreadFields for () {
    fn field(&mut self, _: &str, _: &str, _: &Json) {}
}

/// How often each field was met, by path, such as `response.message.annotations`.
impl UnreadFields for BTreeMap<String, u64> {
    fn field(&mut self, owner: &str, name: &str, value: &Json) {
        if !value.is_null() {
            *self.entry(format!("{owner}.{name}")).or_default() += 1;
        }
    }
}
