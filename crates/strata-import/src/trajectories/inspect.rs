//! Logs of inspect_ai: one JSON object, or an archive with a member a sample. Long texts and messages are pooled, and
//! what was really sent stands in the events of each sample.

mod archive;
mod conversation;
mod events;
mod pool;

use memchr::memmem;
use strata_model::take::{take_list, take_text};
use strata_model::{Json, Object, json};
use strata_wire::usage::Counts;
use strata_wire::usage::spelling::INSPECT;

use crate::documents::read_documents;
use crate::draft::Draft;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::own_total;
use crate::source::SourceRecord;
use events::Events;
use pool::Pool;

pub(crate) fn is_log(keys: Keys<'_>) -> bool {
    keys.has("eval") && keys.has_any(&["samples", "plan", "version"])
}

/// Archives of logs begin with one of these members.
pub(crate) fn is_archive(head: &[u8]) -> bool {
    let has = |name: &[u8]| memmem::find(head, name).is_some();
    head.starts_with(b"PK\x03\x04") && (has(b"_journal/start.json") || has(b"header.json"))
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let (samples, about) = if bytes.starts_with(b"PK") {
        archive::samples(bytes, findings)
    } else {
        of_document(bytes, findings)
    };
    let told = samples.into_iter().filter_map(|(sample, source)| session(sample, &source, format, findings));
    let mut sessions: Vec<ImportedSession> = told.collect();
    // What is said of all samples is counted with the first.
    if let Some(first) = sessions.first_mut() {
        for (key, value) in about.iter() {
            first.unmapped.field("log", key, value);
        }
    }
    sessions
}

/// The samples, and what the log says of all of them.
fn of_document(bytes: &[u8], findings: &mut Findings) -> (Vec<(Object, SourceRecord)>, Object) {
    let (mut samples, mut about) = (Vec::new(), Object::new());
    for mut document in read_documents(bytes, &["samples"], findings) {
        for value in document.take("samples") {
            let (source, place) = (value.source(), value.place());
            match value.json {
                Json::Object(sample) => samples.push((sample, source)),
                other => {
                    let message =
                        format!("{} stands where a sample should be; it was left out", other.kind());
                    findings.error("unexpected-type", place, message);
                }
            }
        }
        about.update(&document.fields);
    }
    (samples, about)
}

fn session(
    mut sample: Object,
    source: &SourceRecord,
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let mut draft = Draft::new("inspect", "assistant");
    let text = |value: Option<Json>| {
        value
            .map(|value| value.as_str().map_or_else(|| json::to_compact(&value), str::to_owned))
            .unwrap_or_default()
    };
    let (id, epoch) = (text(sample.remove("id")), text(sample.remove("epoch")));
    draft.session.id =
        take_text(&mut sample, "uuid").unwrap_or_else(|| format!("sample-{id}-epoch-{epoch}").into());
    let pool = Pool::take(&mut sample, &mut draft);
    let events = Events::take(&mut sample, &pool, &mut draft);
    if let Some(own) = sample.get("model_usage").and_then(Json::as_object).filter(|own| !own.is_empty()) {
        let by_model = own.values().filter_map(Json::as_object).map(|usage| INSPECT.read(usage));
        let own = by_model.fold(Counts::default(), Counts::plus);
        let place = format!("sample {id}, epoch {epoch}");
        own_total::check("the sample's own total", own, events.counts(), place, findings);
    }
    let messages = take_list(&mut sample, "messages").unwrap_or_default();
    conversation::tell(messages, events, &pool, source, &mut draft);
    for key in ["target", "scores", "metadata", "store", "model_usage", "error"] {
        if let Some(value) = sample.remove(key).filter(Json::is_truthy) {
            draft.session.state.insert(key, value);
        }
    }
    for key in ["input", "output", "started_at", "completed_at", "total_time", "working_time"] {
        sample.remove(key);
    }
    sample.retain(|_, value| value.is_truthy());
    draft.note_rest("sample", &sample);
    draft.finish(format, findings)
}
