//! A display of one's own, of a known size, whatever machine this is.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};

pub(crate) struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// With a screen of this width and height.
    pub(crate) fn start((width, height): (u32, u32)) -> Result<Self> {
        let mut server = tied_to_this_thread("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", &format!("{width}x{height}x24"), "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("start Xvfb")?;
        // It writes the number of the display it found free, once it can be used.
        let stdout = server.stdout.take().context("read what Xvfb says")?;
        let mut number = String::new();
        BufReader::new(stdout).read_line(&mut number).context("read the number of the display")?;
        Ok(Self { server, name: format!(":{}", number.trim()) })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        end(&mut self.server);
    }
}

/// A program that the system ends with the thread that started it, so that nothing is left behind when a test is
/// killed.
pub(crate) fn tied_to_this_thread(program: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", program]);
    command
}

pub(crate) fn end(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}
