//! The command line as scripts and people use it: through the program itself.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod bad_input;
mod batch;
mod calibrate;
mod capture;
mod check;
mod ci;
mod compile;
mod diff;
mod export;
mod facts;
mod folders;
mod follow;
mod import;
mod lab;
mod lessons;
mod manual;
mod mcp;
mod models;
mod places;
mod run;
mod scripts;
mod search;
mod secrets;
mod served;
mod show;
mod stores;
mod strata;
mod terminal;
mod tokens;
mod unanswered;
mod usage;
mod usage_counted;
