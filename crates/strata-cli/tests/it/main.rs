//! The command line as scripts and people use it: through the program itself.

mod bad_input;
mod compile;
mod facts;
mod import;
mod show;
mod strata;
mod terminal;
mod tokens;
