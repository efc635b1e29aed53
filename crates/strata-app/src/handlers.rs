//! What the commands do.

use std::sync::Arc;

use crate::Strata;
use crate::api::{app, call, event, job, palette, part, session};
use crate::command::{Command, Handler};
use crate::error::{AppError, ErrorCode};

macro_rules! not_yet {
    ($($command:ty),* $(,)?) => {
        $(
            impl Handler for $command {
                fn run(self, strata: &Arc<Strata>) -> Result<Self::Output, AppError> {
                    let _ = (strata.options(), Strata::notify);
                    Err(AppError::new(ErrorCode::Internal, format!("`{}` is not there yet.", Self::NAME)))
                }
            }
        )*
    };
}

not_yet!(
    app::Start,
    app::SetSettings,
    session::List,
    session::Import,
    session::ImportUpload,
    session::Open,
    session::Header,
    session::SetApp,
    session::Remove,
    call::Columns,
    call::Map,
    call::Get,
    call::Stages,
    call::StageParts,
    call::StageText,
    call::StageJson,
    part::Get,
    part::Text,
    part::Diff,
    event::Page,
    event::Get,
    event::Stratum,
    palette::Search,
    palette::Ask,
    job::List,
    job::Cancel,
    job::Dismiss,
);
