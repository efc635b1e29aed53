//! Schemas in the order in which google-adk's own library writes their fields: a prompt has bytes, and caches know them.

use strata_model::{Json, Object};

const ORDER: [&str; 59] = [
    "$schema",
    "$vocabulary",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$ref",
    "$dynamicRef",
    "$defs",
    "$comment",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "prefixItems",
    "items",
    "contains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxContains",
    "minContains",
    "maxProperties",
    "minProperties",
    "required",
    "dependentRequired",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "title",
    "description",
    "default",
    "deprecated",
    "readOnly",
    "writeOnly",
    "examples",
    "discriminator",
    "xml",
];

const LAST: [&str; 2] = ["externalDocs", "example"];

/// Below these keys is one schema.
const ONE: [&str; 11] = [
    "not",
    "if",
    "then",
    "else",
    "items",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];

/// Below these is a list of schemas.
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// Below these are schemas by name.
const MAPS: [&str; 4] = ["$defs", "dependentSchemas", "properties", "patternProperties"];

/// Numbers that are written with a decimal point.
const DECIMALS: [&str; 5] = ["multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"];

/// A schema with its fields in order and without nulls.
pub(super) fn ordered(schema: &Json) -> Json {
    let Some(object) = schema.as_object() else { return schema.clone() };
    let mut out = Object::new();
    let known = || ORDER.into_iter().chain(LAST);
    for key in known() {
        if let Some(value) = object.get(key).filter(|value| !value.is_null()) {
            out.push(key, field(key, value));
        }
    }
    for (key, value) in object.iter() {
        if !known().any(|known| *known == **key) && !value.is_null() {
            out.push(key.clone(), value.clone());
        }
    }
    out.into()
}

fn field(key: &str, value: &Json) -> Json {
    match value {
        Json::Array(items) if LISTS.contains(&key) => items.iter().map(ordered).collect::<Vec<_>>().into(),
        Json::Object(map) if MAPS.contains(&key) => {
            map.iter().map(|(name, schema)| (name.clone(), ordered(schema))).collect::<Object>().into()
        }
        _ if ONE.contains(&key) => ordered(value),
        _ if DECIMALS.contains(&key) => value.as_f64().map_or_else(|| value.clone(), Json::from),
        _ => value.clone(),
    }
}
