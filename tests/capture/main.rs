//! The gateway, as a client and a provider meet it.

mod adk;
mod door;
mod ends;
mod equality;
mod hold;
mod keys;
mod peers;
mod proxy;
mod sessions;
mod socket;
mod telemetry;
