//! What `load_memory` finds.

use strata_model::{Json, Object};

use super::values::object;

const WISH: &str = "Please remind me about open points one week after an incident, in the morning, and only if \
    something is still open. I do not want a summary, just the points and who owns them. If a release was part of \
    the repair, ask first whether it is on all hosts: last time we believed it was, and two hosts had been drained \
    for the weekend and came back with the old build on Monday. And name the version of the report the points were \
    taken from, because finance works with a copy. Not on weekends or holidays in Berlin: the next working day is \
    early enough.";
const AGREEMENT: &str = "Agreed: one week after an incident is ready to close you get a reminder in the morning, \
    Berlin time. It lists the open points of the report with their owners and nothing else. If all of them are done \
    there is no reminder. If a release was part of the repair, the first question is whether it runs on all hosts, \
    and it is answered from the builds of the hosts and not from the deploy log. The next one is due on 2 November, \
    for the incident with the duplicate dunning letters; its report is at version 3 and has two open points. I will \
    name the version each time, and say so if a newer one was saved in the meantime.";
const REMINDER: &str = "Reminder for the incident with the duplicate dunning letters: 1) idempotency key for the mail \
    queue, billing, open; 2) alarm on more than one letter for an invoice, platform, done on 30 October. Release \
    8.14 was on all eight hosts, build 3e91, and no host was drained. You answered that the first point moved to \
    the next release, that finance had confirmed the refunds of the duplicate fees, and that no further reminder is \
    needed for this incident. Points were taken from version 3 of its report; there is no newer one. The preference for later ones stays as agreed.";

/// Three memories of earlier sessions, as ADK returns them.
pub(super) fn found() -> Object {
    let memories = [
        memory("user", "2026-10-26T16:41:08.214377", WISH),
        memory("coordinator", "2026-10-26T16:41:13.902518", AGREEMENT),
        memory("coordinator", "2026-11-02T08:00:04.118920", REMINDER),
    ];
    let memories = object([("memories", Json::Array(memories.into_iter().map(Json::from).collect()))]);
    object([("result", memories.into())])
}

fn memory(author: &str, timestamp: &str, text: &str) -> Object {
    let role = if author == "user" { "user" } else { "model" };
    let part = object([("text", text.into())]);
    let content = object([("parts", vec![Json::from(part)].into()), ("role", role.into())]);
    let day: String = timestamp.chars().filter(char::is_ascii_digit).take(14).collect();
    object([
        ("content", content.into()),
        ("custom_metadata", Object::new().into()),
        ("id", format!("incident-{day}").into()),
        ("author", author.into()),
        ("timestamp", timestamp.into()),
    ])
}
