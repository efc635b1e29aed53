//! State and its scopes.

use crate::json::Object;

/// Who shares a state key, by its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// `app:`, shared by all users of an app.
    App,
    /// `user:`, shared by all sessions of a user.
    User,
    /// `temp:`, alive during one invocation and never stored.
    Temp,
    Session,
}

impl Scope {
    pub fn of(key: &str) -> Self {
        if key.starts_with("app:") {
            Self::App
        } else if key.starts_with("user:") {
            Self::User
        } else if key.starts_with("temp:") {
            Self::Temp
        } else {
            Self::Session
        }
    }
}

/// State taken apart into the maps it is stored in; keys of `app` and `user` have no prefix there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StateScopes {
    pub app: Object,
    pub user: Object,
    pub session: Object,
}

impl StateScopes {
    /// Splits state by scope. `temp:` keys are left out: they are never stored.
    pub fn split(state: &Object) -> Self {
        let mut scopes = Self::default();
        for (key, value) in state.iter() {
            let (map, name) = match Scope::of(key) {
                Scope::App => (&mut scopes.app, &key["app:".len()..]),
                Scope::User => (&mut scopes.user, &key["user:".len()..]),
                Scope::Session => (&mut scopes.session, &**key),
                Scope::Temp => continue,
            };
            map.insert(name, value.clone());
        }
        scopes
    }

    /// Session values, then `app:`, then `user:`, as ADK reads a session back.
    pub fn merged(&self) -> Object {
        let mut state = self.session.clone();
        for (prefix, map) in [("app:", &self.app), ("user:", &self.user)] {
            for (key, value) in map.iter() {
                state.insert(format!("{prefix}{key}"), value.clone());
            }
        }
        state
    }

    /// Overwrites key by key with what `delta` writes.
    pub fn apply(&mut self, delta: &Object) {
        let delta = Self::split(delta);
        for (map, changes) in
            [(&mut self.app, delta.app), (&mut self.user, delta.user), (&mut self.session, delta.session)]
        {
            map.update(&changes);
        }
    }
}
