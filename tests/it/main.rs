//! Tests of the whole, in one program: each that is linked alone carries the tables of all tokenizers.

mod analysis;
mod cache;
mod causes;
mod counts;
mod edited;
mod findings;
mod growth;
mod laws;
mod live;
mod recorded;
mod releases;
mod told;
