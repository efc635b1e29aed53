//! A program that is a server: started with a small environment, heard through a bounded pipe, and ended with all that
//! it started.

use std::io;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use crate::limits::{FAREWELL, LAST_WORDS, MAX_MESSAGE};
use crate::source::ChildServer;

/// What every program needs of the environment; all else, keys among it, stays here.
const ENVIRONMENT: [&str; 18] = [
    "APPDATA",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LOCALAPPDATA",
    "LOGNAME",
    "PATH",
    "PATHEXT",
    "PROGRAMFILES",
    "SHELL",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMPDIR",
    "USER",
    "USERPROFILE",
];

/// How long the last words of a program that has ended are waited for.
const LAST_WORDS_COME: Duration = Duration::from_millis(200);

/// A program that runs. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Child {
    process: Box<dyn ChildWrapper>,
    heard: Heard,
}

/// What was heard of a program beside its messages.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Words>>);

#[derive(Debug, Default)]
struct Words {
    last: Vec<u8>,
    is_flooded: bool,
    has_ended: bool,
}

impl Child {
    /// Starts a program. Gives its output and its input, besides.
    pub(crate) fn start(server: &ChildServer) -> io::Result<(Self, BoundedLines, ChildStdin)> {
        let mut command = CommandWrap::with_new(&server.command, |command| {
            command.args(&server.args).current_dir(&server.folder).env_clear();
            for name in ENVIRONMENT {
                if let Some(value) = std::env::var_os(name) {
                    command.env(name, value);
                }
            }
            let own = server.env.iter().map(|(name, value)| (name, value));
            command
                .envs(own)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .kill_on_drop(true);
        });
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        let mut process = command.spawn()?;
        let heard = Heard::default();
        let taken = || io::Error::other("the program's pipes are not there");
        let input = process.stdin().take().ok_or_else(taken)?;
        let output = process.stdout().take().ok_or_else(taken)?;
        let errors = process.stderr().take().ok_or_else(taken)?;
        tokio::spawn(heard.clone().listen(errors));
        let lines = BoundedLines { output, since_line: 0, heard: heard.clone() };
        Ok((Self { process, heard }, lines, input))
    }

    /// Whether it has ended by itself, whatever it started runs on.
    pub(crate) fn has_ended(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(Some(_)))
    }

    /// Lets it end by itself for a moment, and ends what is left.
    pub(crate) async fn end(mut self) {
        let _ = tokio::time::timeout(FAREWELL, self.process.wait()).await;
        // What it started may be there still. Dropping ends that.
    }

    /// What became of it: a sentence or two, for whoever waited for it.
    pub(crate) async fn fate(&mut self) -> String {
        if self.heard.is_flooded() {
            return format!("It sent more than {} MB in one message, and was stopped.", MAX_MESSAGE >> 20);
        }
        let waited = tokio::time::timeout(LAST_WORDS_COME, self.process.wait()).await;
        let ended = match waited {
            Ok(Ok(status)) => format!("It has ended ({status})."),
            _ => "It closed its output.".to_owned(),
        };
        match self.heard.last_words(LAST_WORDS_COME).await {
            Some(words) => format!("{ended} Its last words: {words}"),
            None => ended,
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It may be gone already, and what it started with it.
        let _ = self.process.start_kill();
    }
}

impl Heard {
    async fn listen(self, mut errors: ChildStderr) {
        let mut piece = [0; 1024];
        while let Ok(n) = errors.read(&mut piece).await
            && n > 0
        {
            let mut words = self.words();
            words.last.extend_from_slice(&piece[..n]);
            let too_many = words.last.len().saturating_sub(LAST_WORDS);
            words.last.drain(..too_many);
        }
        self.words().has_ended = true;
    }

    fn words(&self) -> std::sync::MutexGuard<'_, Words> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_flooded(&self) -> bool {
        self.words().is_flooded
    }

    /// The last lines of what it said to people, once it has stopped saying.
    async fn last_words(&self, patience: Duration) -> Option<String> {
        let pause = Duration::from_millis(5);
        let mut waited = Duration::ZERO;
        while !self.words().has_ended && waited < patience {
            tokio::time::sleep(pause).await;
            waited += pause;
        }
        let text = String::from_utf8_lossy(&self.words().last).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

/// What a program writes. A line that is longer than a message may be ends it.
pub(crate) struct BoundedLines {
    output: ChildStdout,
    since_line: usize,
    heard: Heard,
}

impl AsyncRead for BoundedLines {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.output).poll_read(context, buffer);
        if let Poll::Ready(Ok(())) = polled {
            let new = &buffer.filled()[before..];
            self.since_line = match new.iter().rposition(|byte| *byte == b'\n') {
                Some(at) => new.len() - at - 1,
                None => self.since_line + new.len(),
            };
            if self.since_line > MAX_MESSAGE {
                self.heard.words().is_flooded = true;
                return Poll::Ready(Err(io::Error::other("the message is too long")));
            }
        }
        polled
    }
}
