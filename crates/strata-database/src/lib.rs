//! Session databases on servers: PostgreSQL and MySQL (with MariaDB), opened by their address and only read.
//!
//! A [`DatabaseAddress`] is what stands in the code of an app that uses google-adk's `DatabaseSessionService`. [`Server`]
//! is a connection to it: tables, and rows by the values of some columns, for whoever reads sessions out of them. One
//! transaction is open as long as the connection, which may read and do nothing else; all that is read is from one moment.
//!
//! Everything blocks. A connection drives itself on the thread that asks, and needs no runtime of the process.
#![warn(missing_docs)]

mod address;
mod dialect;
mod failure;
mod server;

pub use address::{AddressError, DatabaseAddress};
pub use failure::ConnectError;
pub use server::Server;
