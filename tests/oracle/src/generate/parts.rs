//! Parts of contents.

use strata_model::{Json, Object};

use super::texts::{data, text};
use crate::dice::{Dice, json, object};

pub(crate) fn text_part(text: &str) -> Json {
    json([("text", text.into())])
}

/// What a model or a user may say besides calls and results.
pub(crate) fn spoken(dice: &mut Dice) -> Json {
    let kind = dice.weighted(&[
        (40, "text"),
        (10, "thought"),
        (4, "signed"),
        (4, "signature"),
        (6, "blob"),
        (4, "file"),
        (4, "code"),
        (4, "code result"),
        (3, "server tool"),
        (3, "empty"),
        (2, "both"),
    ]);
    let part = match *kind {
        "thought" => object([("text", text(dice).into()), ("thought", true.into())]),
        "signed" => object([
            ("text", text(dice).into()),
            ("thoughtSignature", "c2ln".into()),
            ("thought", dice.maybe(30, |dice| dice.chance(50))),
        ]),
        "signature" => object([("thoughtSignature", "-_8=".into()), ("text", dice.maybe(30, |_| ""))]),
        "blob" => object([("inlineData", blob(dice)), ("thought", dice.maybe(10, |_| true))]),
        "file" => object([("fileData", file(dice))]),
        "code" => {
            object([("executableCode", json([("code", text(dice).into()), ("language", "PYTHON".into())]))])
        }
        "code result" => object([(
            "codeExecutionResult",
            json([("outcome", "OUTCOME_OK".into()), ("output", dice.maybe(80, text))]),
        )]),
        "server tool" => server_tool(dice),
        "empty" => object([("thought", dice.maybe(30, |_| true)), ("text", dice.maybe(50, |_| ""))]),
        "both" => object([("text", text(dice).into()), ("inlineData", blob(dice))]),
        _ => object([("text", text(dice).into()), ("thought", dice.maybe(3, |_| false))]),
    };
    Json::Object(part)
}

fn blob(dice: &mut Dice) -> Json {
    json([
        ("data", dice.word(&["aGk=", "-_8=", ""]).into()),
        ("mimeType", dice.word(&["image/png", "text/csv", "text/plain; charset=utf-8", "audio/wav"]).into()),
        ("displayName", dice.maybe(30, |dice| dice.word(&["a b.png", "é.csv"]))),
    ])
}

fn file(dice: &mut Dice) -> Json {
    json([
        ("fileUri", "gs://bucket/spec.pdf".into()),
        ("mimeType", dice.maybe(70, |_| "application/pdf")),
        ("displayName", dice.maybe(30, |_| "spec")),
    ])
}

fn server_tool(dice: &mut Dice) -> Object {
    if dice.chance(50) {
        object([(
            "toolCall",
            json([
                ("id", "t1".into()),
                ("toolType", "GOOGLE_SEARCH_WEB".into()),
                ("args", data(dice, 1).into()),
            ]),
        )])
    } else {
        object([("toolResponse", json([("id", "t1".into()), ("response", data(dice, 1).into())]))])
    }
}

/// Parts that a static instruction may hold.
pub(crate) fn reference(dice: &mut Dice) -> Json {
    match dice.between(0, 3) {
        0 | 1 => text_part(&text(dice)),
        2 => json([("inlineData", blob(dice))]),
        _ => json([("fileData", file(dice))]),
    }
}

pub(crate) fn call(id: &Json, name: &str, args: Json) -> Json {
    json([("functionCall", json([("id", id.clone()), ("name", name.into()), ("args", args)]))])
}

pub(crate) fn response(id: &Json, name: &str, response: Json) -> Json {
    json([("functionResponse", json([("id", id.clone()), ("name", name.into()), ("response", response)]))])
}

/// A result with the pictures a tool returned.
pub(crate) fn response_with_media(dice: &mut Dice, id: &Json, name: &str) -> Json {
    let response = json([
        ("id", id.clone()),
        ("name", name.into()),
        ("response", data(dice, 1).into()),
        ("parts", vec![json([("inlineData", blob(dice))])].into()),
        ("willContinue", dice.maybe(30, |_| true)),
        ("scheduling", dice.maybe(30, |_| "SILENT")),
    ]);
    json([("functionResponse", response)])
}
