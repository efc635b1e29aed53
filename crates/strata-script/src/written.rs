//! Values of a script, written as JSON.

use rquickjs::{Ctx, Function, Result, String, Value};

/// A value as `JSON.stringify` writes it; nothing for what is no JSON.
///
/// The interpreter itself writes on without a step at which it could be stopped, and a list may say that it is of any
/// length. It can be stopped where it calls a function, and this has it call one for each value.
pub(crate) fn written<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Option<String<'js>>> {
    let as_it_is = Function::new(ctx.clone(), as_it_is)?;
    ctx.json_stringify_replacer(value, as_it_is)
}

fn as_it_is<'js>(_key: Value<'js>, value: Value<'js>) -> Value<'js> {
    value
}
