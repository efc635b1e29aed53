//! Why a script gave no request, in words.

use rquickjs::{Coerced, Ctx, FromJs as _, Value};
use strata_engine::ScriptFailure;

use crate::limits::{FILE_NAME, Limits};

pub(crate) fn too_long(limits: Limits) -> String {
    format!("The script took longer than {} ms and was stopped.", limits.time.as_millis())
}

/// What was thrown, as a failure. `is_late`: the script was stopped for its time.
pub(crate) fn thrown(ctx: &Ctx<'_>, is_late: bool, limits: Limits, is_reading: bool) -> ScriptFailure {
    let value = ctx.catch();
    let (message, stack) = described(ctx, value);
    if is_late {
        let place = place(&stack);
        return ScriptFailure {
            code: "time",
            message: too_long(limits),
            line: place.map(|(line, _)| line),
            column: place.and_then(|(_, column)| column),
            stack,
        };
    }
    let code = if message.contains("out of memory") {
        "memory"
    } else if message.contains("stack overflow") || message.contains("call stack size") {
        "stack"
    } else if is_reading {
        "syntax"
    } else {
        "thrown"
    };
    let message = match code {
        "memory" => {
            format!("The script used more than {} MB of memory and was stopped.", limits.memory >> 20)
        }
        "stack" => "The script called itself too deeply and was stopped.".to_owned(),
        _ => message,
    };
    let place = place(&stack);
    ScriptFailure {
        code,
        message,
        line: place.map(|(line, _)| line),
        column: place.and_then(|(_, column)| column),
        stack,
    }
}

/// Message and stack of a thrown value. Reading them may run the script's own code: what fails there is left out.
fn described<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> (String, String) {
    let text = |value: Value<'js>| {
        if let Ok(text) = Coerced::<String>::from_js(ctx, value) {
            return text.0;
        }
        ctx.catch();
        String::new()
    };
    let Some(object) = value.as_object().filter(|_| value.is_error()) else {
        let text = text(value);
        let message = if text.is_empty() {
            "The script threw something that is no error and cannot be shown.".to_owned()
        } else {
            format!("The script threw {}.", cut(&text))
        };
        return (message, String::new());
    };
    let read = |key: &str| {
        let value = object.get::<_, Value<'js>>(key).unwrap_or_else(|_| {
            ctx.catch();
            Value::new_undefined(ctx.clone())
        });
        if value.is_undefined() { String::new() } else { text(value) }
    };
    let (name, message, stack) = (read("name"), read("message"), read("stack"));
    let name = if name.is_empty() { "Error".to_owned() } else { name };
    let message = if message.is_empty() { name } else { format!("{name}: {message}") };
    (cut(&message), own_frames(&stack))
}

/// Messages and stacks are shown to people.
const MAX_CHARS: usize = 2000;
const MAX_FRAMES: usize = 30;

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn own_frames(stack: &str) -> String {
    let frames = stack.lines().map(str::trim).filter(|line| !line.is_empty() && !line.contains("prelude.js"));
    cut(&frames.take(MAX_FRAMES).collect::<Vec<_>>().join("\n"))
}

/// Line and column of the innermost frame in the script.
fn place(stack: &str) -> Option<(u32, Option<u32>)> {
    let at = stack.find(FILE_NAME)? + FILE_NAME.len();
    let mut numbers = stack[at..].strip_prefix(':')?.splitn(2, ':');
    let number = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    let line = number(numbers.next()?)?;
    Some((line, numbers.next().and_then(number)))
}
