//! Bodies that pass through, and the copy of them.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::SystemTime;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};

use crate::exchange::{End, ExchangeId, Told};
use crate::recorder::Desk;

pub(crate) type BodyError = Box<dyn std::error::Error + Send + Sync>;
pub(crate) type Body = UnsyncBoxBody<Bytes, BodyError>;

/// What one exchange tells the recorder.
#[derive(Debug)]
pub(crate) struct Tape {
    id: ExchangeId,
    desk: Desk,
    /// The recorder did not hear all of it.
    misses: AtomicBool,
    is_over: AtomicBool,
}

impl Tape {
    pub(crate) fn new(id: ExchangeId, desk: Desk) -> Self {
        Self { id, desk, misses: AtomicBool::new(false), is_over: AtomicBool::new(false) }
    }

    /// Tells what happened, if there is room for it. Never waits.
    pub(crate) fn tell(&self, told: Told) {
        if !self.desk.take(self.id, told) {
            self.misses.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the recorder heard all of it so far.
    pub(crate) fn is_whole(&self) -> bool {
        !self.misses.load(Ordering::Relaxed)
    }

    /// The first end counts.
    pub(crate) fn end(&self, end: End) {
        if !self.is_over.swap(true, Ordering::Relaxed) {
            let is_whole = self.is_whole();
            self.desk.take_end(self.id, Told::End { end, is_whole, at: SystemTime::now() });
        }
    }
}

impl Drop for Tape {
    /// Nobody waits for the rest: the client went away.
    fn drop(&mut self) {
        self.end(End::ClientLeft);
    }
}

/// Which of the two bodies it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Up,
    Down,
}

/// A body that is passed on as it comes in, frame by frame.
#[derive(Debug)]
pub(crate) struct Copied {
    body: Incoming,
    tape: Arc<Tape>,
    way: Way,
    is_told: bool,
}

impl Copied {
    pub(crate) fn new(body: Incoming, tape: Arc<Tape>, way: Way) -> Self {
        let copied = Self { body, tape, way, is_told: false };
        // A body that is at its end is not asked again.
        if copied.body.is_end_stream() { copied.over() } else { copied }
    }

    fn over(mut self) -> Self {
        self.tell_end();
        self
    }

    fn tell_end(&mut self) {
        if std::mem::replace(&mut self.is_told, true) {
            return;
        }
        match self.way {
            Way::Up => self.tape.tell(Told::RequestIsThere),
            Way::Down => self.tape.end(End::Complete),
        }
    }
}

impl HttpBody for Copied {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(context));
        match &frame {
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    let data = data.clone();
                    self.tape.tell(match self.way {
                        Way::Up => Told::RequestBytes(data),
                        Way::Down => Told::AnswerBytes(data, SystemTime::now()),
                    });
                }
                if self.body.is_end_stream() {
                    self.tell_end();
                }
            }
            Some(Err(_)) => self.tape.end(match self.way {
                Way::Up => End::ClientLeft,
                Way::Down => End::ProviderLeft,
            }),
            None => self.tell_end(),
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
