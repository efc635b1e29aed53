//! Errors as HTTP answers.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use strata_app::{AppError, ErrorCode};
use tokio::task::JoinError;

/// An error and the status it is told with.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    error: AppError,
}

impl Failure {
    /// The request itself was wrong, before any command saw it.
    pub(crate) fn refused(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, error: AppError::bad_input(message) }
    }

    /// The command did not come back.
    pub(crate) fn defect(name: &str, cause: &JoinError) -> Self {
        let message = format!(
            "`{name}` hit a defect of Strata. The session is untouched. Please report it with the details."
        );
        AppError::internal(message).with_detail(&cause).into()
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        let status = match error.code {
            ErrorCode::Provider => StatusCode::BAD_GATEWAY,
            ErrorCode::NotFound => StatusCode::NOT_FOUND,
            ErrorCode::BadInput => StatusCode::BAD_REQUEST,
            ErrorCode::Unreadable | ErrorCode::NotCompiled => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorCode::Store => StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { status, error }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, Json(self.error)).into_response()
    }
}
