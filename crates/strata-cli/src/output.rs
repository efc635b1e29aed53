//! Writing results.

use std::io::{self, BufWriter, ErrorKind, IsTerminal as _, Write as _};
use std::ops::ControlFlow;

use anyhow::{Context as _, Result};
use serde::Serialize;
use strata_app::report::FileDiagnostic;

use crate::terminal;
use crate::text::{self, Style};

/// Writes a document to standard output: as JSON, or as text with its diagnostics on standard error.
pub(crate) fn print(
    is_json: bool,
    document: &impl Serialize,
    diagnostics: &[FileDiagnostic],
    text: impl FnOnce(Style) -> String,
) -> Result<()> {
    let written = if is_json {
        write_json(document)
    } else {
        let style = Style::of(io::stdout().is_terminal());
        let written = terminal::write(&mut io::stdout().lock(), &text(style));
        self::diagnostics(diagnostics);
        written
    };
    is_read(written).map(|_| ())
}

/// Writes what another program reads to standard output, as it is.
pub(crate) fn print_raw(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    is_read(out.write_all(text.as_bytes()).and_then(|()| out.flush())).map(|_| ())
}

/// Writes one of several documents to standard output, as a line. Breaks when nobody reads any more.
pub(crate) fn line(
    is_json: bool,
    document: &impl Serialize,
    text: impl FnOnce(Style) -> String,
) -> Result<ControlFlow<()>> {
    let mut out = io::stdout().lock();
    let written = if is_json {
        terminal::write_json(&mut out, &(serde_json::to_string(document)? + "\n"))
    } else {
        let line = text(Style::of(out.is_terminal()));
        terminal::write(&mut out, &(line + "\n"))
    };
    is_read(written.and_then(|()| out.flush()))
}

/// Whoever reads may have read enough.
fn is_read(written: io::Result<()>) -> Result<ControlFlow<()>> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
        written => written.map(ControlFlow::Continue).context("The result could not be printed."),
    }
}

/// Tells whoever sits at the terminal.
pub(crate) fn note(text: &str) {
    let _ = terminal::write(&mut io::stderr(), &format!("{text}\n"));
}

/// Writes diagnostics to standard error.
pub(crate) fn diagnostics(diagnostics: &[FileDiagnostic]) {
    // With the terminal gone there is nobody left to tell.
    let style = Style::of(io::stderr().is_terminal());
    let _ = terminal::write(&mut io::stderr(), &text::diagnostics(diagnostics, style));
}

fn write_json(document: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        return terminal::write_json(&mut out, &(serde_json::to_string_pretty(document)? + "\n"));
    }
    let mut out = BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, document)?;
    out.write_all(b"\n")?;
    out.flush()
}
