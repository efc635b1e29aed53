//! Flow files of mitmproxy: one typed netstring a flow, one after the other.

use super::http::{Body, Content, Pair, Pairs};
use super::tnetstring::{Value, value_at};
use crate::findings::Findings;
use crate::format::Format;
use crate::head::Head;
use crate::imported::ImportedSession;
use crate::source::SourceRecord;

/// A length and a colon, and the mark of a null value somewhere.
pub(crate) fn is_flow_file(head: &Head<'_>) -> bool {
    let bytes = head.bytes;
    let n_digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=12).contains(&n_digits) && bytes.get(n_digits) == Some(&b':') && bytes.contains(&b'~')
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut pairs = Pairs::new("flow that is no model request");
    let (mut at, mut n_flows) = (0, 0);
    while at < bytes.len() {
        let Some((flow, range)) = value_at(bytes, at) else {
            let message =
                "the file ends in the middle of a flow, or is damaged there; everything before it was kept";
            findings.warning("truncated", format!("byte {at}"), message);
            break;
        };
        at = range.end;
        n_flows += 1;
        let source = SourceRecord::Bytes(range.start as u64..range.end as u64);
        pairs.add(pair(&flow, source.clone()), source);
    }
    pairs.finish(n_flows, format, findings)
}

fn pair<'t>(flow: &Value<'t>, source: SourceRecord) -> Option<Pair<'t>> {
    let request = flow.get("request")?;
    let response = flow.get("response");
    let of_response = |key: &str| response.and_then(|response| response.get(key));
    let text =
        |key: &str| request.get(key).and_then(Value::bytes).map(String::from_utf8_lossy).unwrap_or_default();
    Some(Pair {
        url: format!("{}{}", text("host"), text("path")),
        request: body(request)?,
        response: response.and_then(body),
        status: of_response("status_code").and_then(Value::number).map(|status| status as i64),
        time: request.get("timestamp_start").and_then(Value::number),
        end: of_response("timestamp_end").and_then(Value::number),
        source,
    })
}

fn body<'t>(message: &Value<'t>) -> Option<Body<'t>> {
    let content = Content::Bytes(message.get("content")?.bytes()?.into());
    let headers = message.get("headers").map(Value::items).unwrap_or_default();
    let headers = headers.iter().filter_map(|header| match header.items() {
        [name, value] => {
            Some((String::from_utf8_lossy(name.bytes()?), String::from_utf8_lossy(value.bytes()?)))
        }
        _ => None,
    });
    Some(Body::new(content, headers))
}
