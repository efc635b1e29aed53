//! What teams share: sessions in databases on servers, and tables for other engines.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod databases;
mod tables;
mod watch;
