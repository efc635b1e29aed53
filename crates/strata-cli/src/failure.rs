//! Telling a person why a command gave up.

use std::process::ExitCode;

use strata_app::AppError;

use crate::terminal;

/// Bad usage or input. 1 is kept for checks that failed.
pub(crate) const BAD_INPUT: u8 = 2;

/// Writes what happened and what to do, then the causes, and returns the exit code for it.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    // With the terminal gone there is nobody left to tell.
    let _ = terminal::write(&mut std::io::stderr(), &format!("{}\n", text(error)));
    ExitCode::from(BAD_INPUT)
}

fn text(error: &anyhow::Error) -> String {
    let mut lines = vec![error.to_string()];
    if let Some(detail) = error.downcast_ref::<AppError>().and_then(|error| error.detail.as_deref()) {
        lines.push(format!("  {detail}"));
    }
    lines.extend(error.chain().skip(1).map(|cause| format!("  {cause}")));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn causes_follow_what_happened() {
        let error =
            anyhow!("address in use").context("Port 80 cannot be opened. Choose another with `--port`.");
        assert_eq!(text(&error), "Port 80 cannot be opened. Choose another with `--port`.\n  address in use");
    }

    #[test]
    fn details_of_the_app_are_shown() {
        let mut error = AppError::not_found("There is no session `7`. `strata sessions` lists them.");
        error.detail = Some("3 sessions".into());
        assert_eq!(
            text(&error.into()),
            "There is no session `7`. `strata sessions` lists them.\n  3 sessions"
        );
    }
}
