//! One run of a script in an interpreter of its own.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rquickjs::context::{EvalOptions, intrinsic};
use rquickjs::module::Evaluated;
use rquickjs::promise::PromiseState;
use rquickjs::{Array, Context, Ctx, Error, Function, Module, Persistent, Runtime, Value};
use strata_engine::{ScriptFailure, ScriptRun};
use strata_model::{Json, json};

use crate::console::Console;
use crate::failure;
use crate::limits::{FILE_NAME, Limits};
use crate::written::written;

/// What scripts have. No dates, no timers, nothing that looks at the collector of garbage.
type Intrinsics = (
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

const PRELUDE: &str = include_str!("prelude.js");
/// Bytes that the interpreter may take for a byte of a request's JSON, while it is handed over.
const MEMORY_PER_BYTE: usize = 40;

/// A call of a function that a script exports: its name and its two arguments, as JSON text.
pub(crate) struct Call {
    pub function: String,
    pub arguments: (String, String),
    /// What the function made of its second argument is part of the result: `[returned, second]`.
    pub gives_second: bool,
}

/// What is done with a script.
pub(crate) enum Task {
    /// It is read, and has to export a processor.
    Check,
    /// The names of the functions that it exports, in the order of the alphabet.
    Exports,
    Call(Call),
}

/// Reads a script and does the task.
pub(crate) fn run(limits: Limits, source: &str, task: Task) -> ScriptRun {
    let console = Console::default();
    let result = Sandbox::new(limits).and_then(|sandbox| sandbox.run(source, task, &console));
    ScriptRun { result, console: console.lines() }
}

/// What a processor exports.
pub(crate) const PROCESS: &str = "process";

struct Sandbox {
    limits: Limits,
    runtime: Runtime,
    context: Context,
    clock: Rc<Clock>,
}

/// When the script has to be done.
#[derive(Default)]
struct Clock {
    end: Cell<Option<Instant>>,
    is_late: Cell<bool>,
}

impl Clock {
    fn start(&self, time: Duration) {
        self.end.set(Some(Instant::now() + time));
    }

    fn stop(&self) {
        self.end.set(None);
    }
}

impl Sandbox {
    fn new(limits: Limits) -> Result<Self, ScriptFailure> {
        let no_interpreter =
            |error: Error| plain("memory", format!("No interpreter could be made: {error}."));
        let runtime = Runtime::new().map_err(no_interpreter)?;
        runtime.set_max_stack_size(limits.stack);
        let clock = Rc::<Clock>::default();
        let watched = clock.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || {
            let is_late = watched.end.get().is_some_and(|end| Instant::now() > end);
            if is_late {
                watched.is_late.set(true);
            }
            watched.is_late.get()
        })));
        let context = Context::custom::<Intrinsics>(&runtime).map_err(no_interpreter)?;
        Ok(Self { limits, runtime, context, clock })
    }

    fn run(&self, source: &str, task: Task, console: &Console) -> Result<Json, ScriptFailure> {
        // The interpreter's limits can be set between these steps and not inside of them.
        self.context.with(|ctx| self.prepare(&ctx, console))?;
        let (name, given) = match task {
            Task::Exports => {
                self.limit_memory();
                self.clock.start(self.limits.time);
                return self.context.with(|ctx| self.exports(&ctx, source));
            }
            Task::Check => (PROCESS.to_owned(), None),
            Task::Call(Call { function, arguments: (first, second), gives_second }) => {
                let handed_over = (first.len() + second.len()).saturating_mul(MEMORY_PER_BYTE);
                self.runtime.set_memory_limit(self.limits.memory.saturating_add(handed_over));
                let arguments = self.context.with(|ctx| {
                    let read = |text: String| ctx.json_parse(text).map_err(|_| self.thrown(&ctx, false));
                    Ok((Persistent::save(&ctx, read(first)?), Persistent::save(&ctx, read(second)?)))
                })?;
                (function, Some((arguments, gives_second)))
            }
        };
        self.limit_memory();
        self.clock.start(self.limits.time);
        self.context.with(|ctx| {
            let function = self.function(&ctx, source, &name)?;
            let Some(((first, second), gives_second)) = given else { return Ok(Json::Null) };
            let lost = |_| self.thrown(&ctx, false);
            let (first, second) = (first.restore(&ctx).map_err(lost)?, second.restore(&ctx).map_err(lost)?);
            let returned: Value<'_> = function.call((first, second.clone())).map_err(lost)?;
            let returned = self.settled(&ctx, returned, &name)?;
            if !gives_second {
                return self.read(&ctx, returned, &name);
            }
            let both = Array::new(ctx.clone()).map_err(lost)?;
            both.set(0, returned).map_err(lost)?;
            both.set(1, second).map_err(lost)?;
            self.read(&ctx, both.into_value(), &name)
        })
    }

    fn prepare(&self, ctx: &Ctx<'_>, console: &Console) -> Result<(), ScriptFailure> {
        console.install(ctx).map_err(|_| self.thrown(ctx, false))?;
        let mut options = EvalOptions::default();
        options.filename = Some("prelude.js".to_owned());
        ctx.eval_with_options::<(), _>(PRELUDE, options).map_err(|_| self.thrown(ctx, false))
    }

    /// What the script may use from here on, beside what is in use.
    fn limit_memory(&self) {
        let used = usize::try_from(self.runtime.memory_usage().malloc_size).unwrap_or(0);
        self.runtime.set_memory_limit(used.saturating_add(self.limits.memory));
    }

    fn thrown(&self, ctx: &Ctx<'_>, is_reading: bool) -> ScriptFailure {
        // What was thrown may run code of the script when it is looked at.
        let is_late = self.clock.is_late.replace(false);
        self.clock.start(self.limits.time);
        let failure = failure::thrown(ctx, is_late, self.limits, is_reading);
        self.clock.stop();
        failure
    }

    /// The script, read and evaluated.
    fn module<'js>(
        &self,
        ctx: &Ctx<'js>,
        source: &str,
        name: &str,
    ) -> Result<Module<'js, Evaluated>, ScriptFailure> {
        if source.contains('\0') {
            return Err(plain("syntax", "The script holds a null character.".to_owned()));
        }
        let module = Module::declare(ctx.clone(), FILE_NAME, source).map_err(|_| self.thrown(ctx, true))?;
        let (module, evaluated) = module.eval().map_err(|_| self.thrown(ctx, false))?;
        self.settled(ctx, evaluated.into_value(), name)?;
        Ok(module)
    }

    fn exports(&self, ctx: &Ctx<'_>, source: &str) -> Result<Json, ScriptFailure> {
        let module = self.module(ctx, source, FILE_NAME)?;
        let exported = module.namespace().map_err(|_| self.thrown(ctx, false))?;
        let functions = exported.props::<String, Value<'_>>().filter_map(|property| {
            let (name, value) = property.ok()?;
            value.is_function().then(|| Json::from(name))
        });
        Ok(functions.collect::<Vec<_>>().into())
    }

    /// The function of this name that the script exports.
    fn function<'js>(
        &self,
        ctx: &Ctx<'js>,
        source: &str,
        name: &str,
    ) -> Result<Function<'js>, ScriptFailure> {
        let module = self.module(ctx, source, name)?;
        let exported: Result<Value<'js>, Error> = module.get(name);
        match exported.ok().and_then(Value::into_function) {
            Some(function) => Ok(function),
            None => {
                ctx.catch();
                let parameters = if name == PROCESS { "request" } else { "args" };
                let message = format!(
                    "The script exports no function `{name}`. It begins with \
                     `export function {name}({parameters}, context) {{`."
                );
                Err(plain("result", message))
            }
        }
    }

    /// The value of a promise, once all work on it is done; any other value as it is.
    fn settled<'js>(
        &self,
        ctx: &Ctx<'js>,
        value: Value<'js>,
        name: &str,
    ) -> Result<Value<'js>, ScriptFailure> {
        let Some(promise) = value.as_promise() else { return Ok(value) };
        while promise.state() == PromiseState::Pending && !self.clock.is_late.get() {
            if !ctx.execute_pending_job() {
                break;
            }
        }
        match promise.result::<Value<'js>>() {
            Some(Ok(value)) => Ok(value),
            Some(Err(_)) => Err(self.thrown(ctx, false)),
            None if self.clock.is_late.get() => Err(self.thrown(ctx, false)),
            None => {
                let message = format!("`{name}` returned a promise that nothing is left to settle.");
                Err(plain("result", message))
            }
        }
    }

    /// What was returned, as JSON. Getters and `toJSON` of it are code of the script, too.
    fn read<'js>(&self, ctx: &Ctx<'js>, returned: Value<'js>, name: &str) -> Result<Json, ScriptFailure> {
        self.clock.start(self.limits.time);
        let text = written(ctx, returned).map_err(|_| self.unreadable(ctx, name))?;
        // Nothing, a function or a symbol is no JSON.
        let Some(text) = text else { return Ok(Json::Null) };
        let text = text.to_string().map_err(|_| self.unreadable(ctx, name))?;
        self.clock.stop();
        json::parse(text.as_bytes())
            .map_err(|error| plain("result", format!("What `{name}` returned is no JSON: {error}.")))
    }

    fn unreadable(&self, ctx: &Ctx<'_>, name: &str) -> ScriptFailure {
        let failure = self.thrown(ctx, false);
        match failure.code {
            "thrown" => ScriptFailure {
                code: "result",
                message: format!("What `{name}` returned cannot be written as JSON: {}", failure.message),
                ..failure
            },
            _ => failure,
        }
    }
}

fn plain(code: &'static str, message: String) -> ScriptFailure {
    ScriptFailure { code, message, ..ScriptFailure::default() }
}
