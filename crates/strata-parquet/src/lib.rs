//! Rows as Parquet files, which databases and data frames of elsewhere read.
//!
//! A [`TableFile`] takes rows one by one and writes them in groups, so that any number of them takes the memory of one
//! group. [`read`] gives them back, for whoever wants to be sure.
#![warn(missing_docs)]

mod reading;
mod value;
mod writing;

pub use reading::read;
pub use value::{Column, Form, Value};
pub use writing::{ParquetError, TableFile};
