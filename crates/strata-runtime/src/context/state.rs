//! State as code reads and writes it: at once for all that runs, and kept for the event that tells of the code.

use strata_model::{Json, Object, Str};

use super::Context;
use crate::halt::Failure;
use crate::schema;

impl Context {
    /// A value of the state. What this code wrote itself goes first.
    pub fn state_value(&self, key: &str) -> Option<Json> {
        if let Some(written) = self.0.actions.lock().state_delta.get(key) {
            return Some(written.clone());
        }
        let invocation = self.0.invocation.lock();
        let session = invocation.run.session.lock();
        session.state.get(key).cloned()
    }

    /// All of the state.
    pub fn state(&self) -> Object {
        let mut state = {
            let invocation = self.0.invocation.lock();
            let session = invocation.run.session.lock();
            session.state.clone()
        };
        state.update(&self.0.actions.lock().state_delta);
        state
    }

    pub fn set_state(&self, key: impl Into<Str>, value: impl Into<Json>) -> Result<(), Failure> {
        let (key, value) = (key.into(), value.into());
        self.check_state(&key, &value)?;
        self.write_state(key, value);
        Ok(())
    }

    /// Changes a list or an object of the state in place.
    pub fn edit_state(&self, key: &str, edit: impl FnOnce(&mut Json)) {
        let Some(mut value) = self.state_value(key) else { return };
        let before = value.clone();
        edit(&mut value);
        if value != before {
            self.write_state(key.into(), value);
        }
    }

    /// Checks an entry against the schema of the state; keys with a colon are free.
    pub(crate) fn check_state(&self, key: &str, value: &Json) -> Result<(), Failure> {
        match &self.0.state_schema {
            Some(schema) if !key.contains(':') => schema::check_state_entry(schema, key, value),
            _ => Ok(()),
        }
    }

    fn write_state(&self, key: Str, value: Json) {
        {
            let invocation = self.0.invocation.lock();
            let mut session = invocation.run.session.lock();
            session.state.insert(key.clone(), value.clone());
        }
        self.0.actions.lock().state_delta.insert(key, value);
    }
}
