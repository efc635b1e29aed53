//! Threads that tests wait for connections on.

use std::sync::LazyLock;

use tokio::runtime::{Builder, Handle, Runtime};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a test may have a thread")
});

/// The one runtime of a test's process, as a shell has it.
pub fn runtime() -> Handle {
    RUNTIME.handle().clone()
}
