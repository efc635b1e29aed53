//! What tests and benchmarks of all crates share: sessions written as text, requests shown as text, the sample
//! session, and sessions of any size.
//!
//! ```
//! use strata_testkit::{contents_shape, experiment, request};
//!
//! let experiment = experiment(
//!     r#"
//!     user: Find flights to Oslo
//!     planner: -> search_flights(dest="Oslo") #c1
//!     tool: {"n": 3}
//!     planner: Three flights.
//!     "#,
//! );
//! let rows = contents_shape(&request(&experiment, 2));
//! let rows: Vec<_> = rows.lines().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
//! assert_eq!(
//!     rows,
//!     [
//!         r#"00 user "Find flights to Oslo" <- E1"#,
//!         r#"01 model call search_flights {"dest":"Oslo"} #c1 <- E2"#,
//!         r#"02 user result search_flights {"n":3} #c1 <- E3"#,
//!     ]
//! );
//! ```
//!
//! For tests only: no crate depends on this one but as a dev-dependency. Nothing here reads a clock, and everything that
//! looks random comes from a fixed seed. One module opens a socket: [`model_server`] plays a model server on the loopback
//! address. One reads folders: [`samples`] finds the files of recorded sessions.
//! And three have to do with processes: [`killed`] ends one in the middle of its work, [`mcp_child`] is one whose tools
//! misbehave, and [`database_server`] is one that keeps tables.

mod compiled;
pub mod database_server;
pub mod invoice_triage;
pub mod killed;
pub mod large;
pub mod mcp_child;
pub mod model_server;
mod recorder;
pub mod samples;
mod seeded;
pub mod shape;
pub mod transcript;
mod waiting;

pub use compiled::{app, experiment, experiment_in, request};
pub use seeded::Seeded;
pub use shape::{content_shape, contents_shape, shape};
pub use transcript::{TranscriptError, read_session, session};
pub use waiting::runtime;
