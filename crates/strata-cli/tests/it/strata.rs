//! Running the program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The JSON document, of a run that succeeded.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!((self.code, &*self.stderr), (0, ""));
        self.document()
    }

    /// The JSON document, whatever the exit code.
    #[track_caller]
    pub(crate) fn document(&self) -> Value {
        let document: Value = serde_json::from_str(&self.stdout).unwrap();
        assert_eq!(document["version"], 1);
        document
    }

    /// Everything a person sees: both streams and the exit code.
    pub(crate) fn seen(&self) -> String {
        let mut seen = self.stdout.clone();
        if !self.stderr.is_empty() {
            seen += &format!("[stderr]\n{}", self.stderr);
        }
        if self.code != 0 {
            seen += &format!("[exit {}]\n", self.code);
        }
        seen
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        Self { code: output.status.code().unwrap(), stdout, stderr }
    }
}

/// Sessions of our own, whole and broken.
pub(crate) fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

/// A computer with an empty data folder.
pub(crate) struct Computer {
    home: TempDir,
}

impl Computer {
    pub(crate) fn new() -> Self {
        Self { home: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The program, started in the folder of the samples.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_strata"));
        command.args(arguments.split_whitespace());
        command.current_dir(samples());
        command.env("HOME", self.home.path()).env("XDG_DATA_HOME", self.home.path());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.command(arguments).output().unwrap().into()
    }
}

/// A run on a computer that knows nothing yet.
pub(crate) fn strata(arguments: &str) -> Run {
    Computer::new().run(arguments)
}
