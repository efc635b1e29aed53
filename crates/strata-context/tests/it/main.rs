//! Laws of contexts, over anything that may happen to them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod article;
mod happening;
mod laws;
mod texts;
