//! What the sample and its parts are called.

pub(super) const SESSION_ID: &str = "invoice-triage";
pub(super) const APP_NAME: &str = "invoice_triage";
pub(super) const USER_ID: &str = "mara";
pub(super) const MODEL: &str = "gemini-3.5-flash";
/// The artifact the report writer keeps.
pub(super) const REPORT: &str = "incident-report.md";
