//! Real servers, started for a test where they are installed, and addresses.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod address;
mod mysql;
mod postgres;
mod sessions;
