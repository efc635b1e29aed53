//! What scripts write to the console.

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::function::Rest;
use rquickjs::{Coerced, Ctx, FromJs as _, Function, Object, Result, Value};
use strata_engine::ScriptLine;

use crate::written::written;

/// Lines that are kept.
const MAX_LINES: usize = 500;
/// Bytes that are kept of all lines.
const MAX_BYTES: usize = 128 << 10;

const LEVELS: [&str; 5] = ["log", "info", "warn", "error", "debug"];

/// Lines so far. Once they are too many, one says so and no more are taken.
#[derive(Clone, Default)]
pub(crate) struct Console(Rc<RefCell<Lines>>);

#[derive(Default)]
struct Lines {
    kept: Vec<ScriptLine>,
    n_bytes: usize,
    is_full: bool,
}

impl Console {
    /// Makes the global `console`.
    pub(crate) fn install(&self, ctx: &Ctx<'_>) -> Result<()> {
        let console = Object::new(ctx.clone())?;
        for level in LEVELS {
            let write = writer(self.0.clone(), level);
            console.set(level, Function::new(ctx.clone(), write)?)?;
        }
        ctx.globals().set("console", console)
    }

    pub(crate) fn lines(&self) -> Vec<ScriptLine> {
        self.0.borrow().kept.clone()
    }
}

fn writer(
    lines: Rc<RefCell<Lines>>,
    level: &'static str,
) -> impl for<'js> Fn(Ctx<'js>, Rest<Value<'js>>) + 'static {
    move |ctx, args| {
        if !lines.borrow().is_full {
            // Making text of a value may run the script's own code, which may write, too.
            let text = args.0.into_iter().map(|arg| shown(&ctx, arg)).collect::<Vec<_>>().join(" ");
            lines.borrow_mut().add(level, text);
        }
    }
}

impl Lines {
    fn add(&mut self, level: &str, text: String) {
        self.n_bytes += text.len();
        self.is_full = self.kept.len() >= MAX_LINES || self.n_bytes > MAX_BYTES;
        let text = if self.is_full { "… what else was written is not kept".to_owned() } else { text };
        self.kept.push(ScriptLine { level: level.to_owned(), text });
    }
}

/// A text as it is, anything else as JSON or, where that fails, as JavaScript shows it.
fn shown<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> String {
    if value.is_object() && !value.is_function() && !value.is_error() {
        let json = written(ctx, value.clone()).ok().flatten();
        if let Some(text) = json.and_then(|json| json.to_string().ok()) {
            return text;
        }
        // The failure to show a value is none of the script.
        ctx.catch();
    }
    match Coerced::<String>::from_js(ctx, value) {
        Ok(text) => text.0,
        Err(_) => {
            ctx.catch();
            "[a value that cannot be shown]".to_owned()
        }
    }
}
