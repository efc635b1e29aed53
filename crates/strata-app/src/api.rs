//! The shapes that cross to the window and to scripts. They are made for showing: every number comes with its unit
//! in the name, every list in pages, every place with an address.
//!
//! Addresses are short texts: `E7` (event), `C17` (call), `C17/contents` (stage), `C17/4.0` (part 0 of content 4),
//! `C17/sys.1` (second block of the system instruction), `C17/tool.sql_query` (a declaration), `state.hits`,
//! `agent.log_analyst`, `tool.sql_query`.

pub mod app;
pub mod cache;
pub mod call;
pub mod capture;
pub mod common;
pub mod comparison;
pub mod counts;
pub mod event;
pub mod experiment;
pub mod finding;
pub mod home;
pub mod job;
pub mod lab;
pub mod lab_batch;
pub mod lab_prediction;
pub mod lesson;
pub mod model;
pub mod palette;
pub mod part;
pub mod place;
pub mod processor;
pub mod run;
pub mod script;
pub mod search;
pub mod secret;
pub mod session;
pub mod state;
pub mod stores;
pub mod stores_kept;
pub mod usage;
pub mod verification;
