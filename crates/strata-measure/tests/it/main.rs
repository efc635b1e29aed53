//! What a compilation is worth, through the public interface. One program, since each that is linked alone carries the
//! tables of all tokenizers.

mod before_after;
mod cache;
mod calibration;
mod edits;
mod fixes;
mod lab;
