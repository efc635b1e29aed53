//! Scripts that mean no good, or do none. Whatever they do, the host answers with a request or with a reason, and goes
//! on to run the next one.

use std::time::{Duration, Instant};

use strata_engine::{ScriptHost as _, ScriptRun};
use strata_model::{Json, json};
use strata_script::{Limits, QuickJs};

/// Shorter than for people, so that endless scripts end soon.
const LIMITS: Limits = Limits { time: Duration::from_millis(100), ..Limits::DEFAULT };

/// What a case ends with: the code of a failure, or `ok` for a request that is unchanged.
const CASES: &[(&str, &str, &str)] = &[
    // Endless work.
    ("an endless loop", "time", "while (true) {}"),
    ("an endless loop that catches", "time", "while (true) { try { while (true) {} } catch {} }"),
    ("an endless loop in finally", "time", "try { while (true) {} } finally { while (true) {} }"),
    ("endless recursion by turns", "stack", "const a = () => b(); const b = () => a(); a()"),
    ("an endless generator", "time", "function* g() { while (true) yield 1 } for (const x of g()) {}"),
    ("a regular expression that blows up", "time", "/^(a+)+$/.test('a'.repeat(40) + '!')"),
    ("a replacement that blows up", "time", "('a'.repeat(60) + 'b').replace(/(.*)*c/, '')"),
    ("endless sorting", "time", "[3, 2, 1].sort(() => { while (true) {} })"),
    ("a getter that never ends", "time", "return { get contents() { while (true) {} } }"),
    ("toJSON that never ends", "time", "return { contents: [], toJSON() { while (true) {} } }"),
    ("an error whose message never ends", "thrown", "throw { toString() { while (true) {} } }"),
    (
        "an error whose stack never ends",
        "thrown",
        "const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { while (true) {} } }); throw e",
    ),
    (
        "jobs that make jobs",
        "time",
        "const again = () => Promise.resolve().then(again); again(); return new Promise(() => {})",
    ),
    ("a long list that is none", "thrown", "Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)"),
    ("a list of holes", "thrown", "const a = []; a.length = 4294967295; a.forEach(() => {})"),
    ("joining holes", "thrown", "const a = []; a.length = 4294967295; a.join('x')"),
    ("holes that are returned", "time", "request.contents.length = 4294967295; return request"),
    ("holes as JSON", "time", "const a = []; a.length = 4294967295; JSON.stringify(a)"),
    (
        "holes as JSON of some keys",
        "time",
        "const a = []; a.length = 4294967295; JSON.stringify({ a }, ['a'])",
    ),
    (
        "holes as JSON by a function of the interpreter",
        "time",
        "const a = []; a.length = 4294967295; JSON.stringify(a, ((key, value) => value).bind(null))",
    ),
    ("holes that are shown", "time", "const a = []; a.length = 4294967295; console.log(a); while (true) {}"),
    (
        "a small thing that is written long",
        "time",
        "let o = {}; for (let i = 0; i < 40; i++) o = [o, o]; return o",
    ),
    ("big numbers", "memory|time|thrown", "let n = 2n; while (true) n = n ** 64n"),
    // Memory and stack.
    ("a list that grows", "memory|time", "const a = []; while (true) a.push('x'.repeat(10000) + a.length)"),
    ("a text that doubles", "memory|thrown", "let s = 'x'; while (true) s += s"),
    ("an enormous text", "memory|thrown", "'x'.repeat(2 ** 29)"),
    ("an enormous buffer", "memory|thrown", "new Uint8Array(2 ** 31)"),
    (
        "memory that is caught",
        "ok|memory|time|thrown",
        "try { const a = []; while (true) a.push(new Uint8Array(1e6)) } catch {} return request",
    ),
    ("deep recursion", "stack", "const f = () => f() + 1; f()"),
    (
        "deep recursion that catches",
        "ok|stack|time",
        "const f = () => { try { f() } catch { } }; f(); return request",
    ),
    (
        "deep JSON",
        "stack|result|thrown|memory|time",
        "let o = {}; for (let i = 0; i < 1e6; i++) o = { o }; return o",
    ),
    ("JSON too deep for us", "result|stack", "let o = {}; for (let i = 0; i < 300; i++) o = { o }; return o"),
    // Garbage.
    ("nothing", "ok:null", ""),
    ("null", "ok:null", "return null"),
    ("a number", "ok:5", "return 5"),
    ("a text", "ok:\"request\"", "return 'request'"),
    ("a function", "ok:null", "return () => request"),
    ("a symbol", "ok:null", "return Symbol('request')"),
    ("not a number", "ok:null", "return NaN"),
    ("a big integer", "result", "request.contents[0].n = 1n; return request"),
    ("a circle", "result", "request.self = request; return request"),
    (
        "a getter that throws",
        "result",
        "Object.defineProperty(request, 'contents', { get() { throw new Error('no') }, enumerable: true }); return request",
    ),
    (
        "a proxy that lies",
        "result",
        "return new Proxy(request, { ownKeys() { throw new TypeError('mine') } })",
    ),
    (
        "a proxy that is revoked",
        "result",
        "const { proxy, revoke } = Proxy.revocable(request, {}); revoke(); return proxy",
    ),
    ("a promise that never settles", "result", "return new Promise(() => {})"),
    ("a promise that fails", "thrown", "return Promise.reject(new Error('later'))"),
    ("a thenable", "ok:{}", "return { then() {} }"),
    ("half a character", "ok|result", "request.model = '\\ud800'; return request"),
    // Errors.
    ("an error", "thrown", "throw new Error('mine')"),
    ("a thrown text", "thrown", "throw 'mine'"),
    ("a thrown nothing", "thrown", "throw undefined"),
    (
        "an error with a getter that throws",
        "thrown",
        "throw Object.defineProperty(new Error('x'), 'message', { get() { throw 1 } })",
    ),
    ("something that is not there", "thrown", "return request.contents.nothing.at(0)"),
    // Reaching out.
    ("the clock", "thrown", "Date.now()"),
    ("a date", "thrown", "new Date()"),
    ("chance", "thrown", "Math.random()"),
    ("another way to the clock", "thrown", "performance.now()"),
    ("a timer", "thrown", "setTimeout(() => {}, 1)"),
    ("the network", "thrown", "fetch('http://localhost')"),
    ("another module", "thrown|result", "return import('std')"),
    ("modules of the interpreter", "thrown", "std.open('/etc/passwd')"),
    ("the program", "thrown", "process.exit(1)"),
    // Prototype games.
    ("a poisoned prototype", "ok", "Object.prototype.contents = 1; return request"),
    (
        "a setter on the prototype",
        "ok",
        "Object.defineProperty(Object.prototype, 'role', { set() { throw 1 }, configurable: true }); return request",
    ),
    ("JSON taken away", "ok", "JSON.stringify = JSON.parse = () => { throw 1 }; return request"),
    ("toJSON on everything", "ok:5", "Object.prototype.toJSON = () => 5; return request"),
    (
        "globals taken away",
        "ok",
        "for (const key of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[key] } catch {} } return request",
    ),
    ("frozen", "ok", "Object.freeze(request); Object.freeze(Object.prototype); return request"),
    ("code made from text", "thrown", "return eval('throw new Error(\"inside\")')"),
    ("the constructor's way out", "thrown", "return (() => {}).constructor('return process.exit()')()"),
    // The console.
    ("a flood of lines", "ok|time", "for (let i = 0; i < 1e5; i++) console.log('line', i); return request"),
    ("a long line", "ok|memory", "console.log('x'.repeat(1e6)); return request"),
    (
        "a line that throws",
        "ok",
        "console.log({ toJSON() { throw 1 }, toString() { throw 2 } }); return request",
    ),
    (
        "a line that writes",
        "ok",
        "console.log({ toJSON() { console.log('inner'); return 1 } }); return request",
    ),
];

fn request() -> Json {
    json::parse(br#"{"model":"m","contents":[{"role":"user","parts":[{"text":"hi"}]}],"config":{}}"#)
        .expect("it is JSON")
}

fn outcome(run: &ScriptRun) -> String {
    match &run.result {
        Ok(value) if *value == request() => "ok".to_owned(),
        Ok(value) => format!("ok:{}", json::to_compact(value)),
        Err(failure) => failure.code.to_owned(),
    }
}

#[test]
fn hostile_scripts_end_with_a_request_or_a_reason() {
    let host = QuickJs::new(LIMITS);
    let mut problems = Vec::new();
    for (name, expected, body) in CASES {
        let source = format!("export function process(request, context) {{\n{body}\n}}\n");
        let start = Instant::now();
        let run = host.run(&source, &request(), &Json::Null);
        let outcome = outcome(&run);
        // A run that had to be left to itself takes seconds: none of these may.
        if start.elapsed() > Duration::from_secs(2) {
            problems.push(format!("{name}: was not stopped by the interpreter"));
        }
        let is_plain = |known: &str| known == "ok" && outcome == "ok";
        if !expected.split('|').any(|known| known == outcome || is_plain(known)) {
            problems.push(format!("{name}: {outcome}, not {expected} ({:?})", run.result));
        }
        if let Err(failure) = &run.result
            && failure.message.is_empty()
        {
            problems.push(format!("{name}: fails without a word"));
        }
        let after = host.run("export function process(request) { return request }", &request(), &Json::Null);
        if after.result.as_ref() != Ok(&request()) {
            problems.push(format!("{name}: the next script suffers: {:?}", after.result));
        }
    }
    assert!(CASES.len() >= 40);
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn scripts_write_json_as_everywhere() {
    let host = QuickJs::new(LIMITS);
    let cases = [
        ("JSON.stringify({ a: [undefined, () => 1, NaN], b: undefined })", r#"{"a":[null,null,null]}"#),
        ("JSON.stringify([new String('x'), new Number(2), new Boolean(true)])", r#"["x",2,true]"#),
        (
            "JSON.stringify({ a: 1, b: { a: 2, c: 3 }, d: [{ a: 4, e: 5 }] }, ['b', 'a', 'd'])",
            r#"{"b":{"a":2},"a":1,"d":[{"a":4}]}"#,
        ),
        ("JSON.stringify({ 1: 'x', 2: 'y' }, [2])", r#"{"2":"y"}"#),
        (
            "JSON.stringify({ a: 1, b: 'x' }, function (key, value) { return key === 'b' ? this.a : value })",
            r#"{"a":1,"b":1}"#,
        ),
        ("JSON.stringify([1], null, 1)", "[\n 1\n]"),
        ("JSON.stringify({ toJSON() { return [this.n] }, n: 7 })", "[7]"),
        ("String(JSON.stringify(undefined))", "undefined"),
        ("JSON.stringify.name + JSON.stringify.length", "stringify3"),
    ];
    for (expression, expected) in cases {
        let source = format!("export function process() {{ return {expression} }}");
        let result = host.run(&source, &request(), &Json::Null).result;
        assert_eq!(result, Ok(Json::String(expected.into())), "{expression}");
    }
}

#[test]
fn a_run_leaves_nothing_to_the_next() {
    let host = QuickJs::new(LIMITS);
    let count = "globalThis.n = (globalThis.n ?? 0) + 1; export function process() { return globalThis.n }";
    for _ in 0..2 {
        assert_eq!(host.run(count, &request(), &Json::Null).result, Ok(Json::Int(1)));
    }
}

#[test]
fn a_failure_says_where() {
    let host = QuickJs::new(LIMITS);
    let source = "function inner() {\n  throw new TypeError('no such thing')\n}\nexport function process() {\n  inner()\n}\n";
    let failure = host.run(source, &request(), &Json::Null).result.unwrap_err();
    assert_eq!(
        (failure.code, &*failure.message, failure.line),
        ("thrown", "TypeError: no such thing", Some(2))
    );
    assert!(failure.stack.lines().count() == 2 && failure.stack.contains("process"), "{}", failure.stack);
    let failure = host.check("export function process( {\n  return 1\n").result.unwrap_err();
    assert_eq!(failure.code, "syntax");
    assert!(failure.line.is_some(), "{failure:?}");
    assert_eq!(host.check("export function process() { return missing }").result, Ok(Json::Null));
    let failure = host.check("export const nothing = 1").result.unwrap_err();
    assert!(failure.message.contains("export function process"), "{failure:?}");
}

#[test]
fn the_console_is_kept_with_what_failed_after_it() {
    let host = QuickJs::new(LIMITS);
    let source =
        "export function process(request) { console.log('a', 1, { b: [2] }); console.warn(null); throw 1 }";
    let run = host.run(source, &request(), &Json::Null);
    let lines: Vec<_> = run.console.iter().map(|line| (&*line.level, &*line.text)).collect();
    assert_eq!(lines, [("log", "a 1 {\"b\":[2]}"), ("warn", "null")]);
    assert!(run.result.is_err());
}

#[test]
fn an_async_function_may_do_what_others_do() {
    let host = QuickJs::new(LIMITS);
    let source = "export async function process(request) { await null; return request }";
    assert_eq!(host.run(source, &request(), &Json::Null).result, Ok(request()));
}
