//! Conversations with planted facts, summaries that keep some of them, and how well the report tells which.
//!
//! The generator writes sessions in which it knows every fact, and summaries in which each fact is kept, said in other
//! words, or left out; half of those that are left out have something in their place that looks like them. A dropped
//! fact that is not reported is a miss; a reported one that the summary does tell is a
//! false alarm.

use std::collections::BTreeMap;

use strata_engine::{EventLog, LoggedEvent};
use strata_measure::lab::{FactKind, FactReader, Verdict, loss};
use strata_testkit::{Seeded, session};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const SEEDS: u64 = 60;
const FACTS_PER_SESSION: usize = 24;

/// What the generator did to a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Paraphrased,
    Dropped,
}

/// A fact with how a session, a faithful summary and a freer one put it.
struct Planted {
    kind: FactKind,
    /// What makes it this fact, in the session's spelling.
    text: String,
    said: String,
    by_user: bool,
    kept: String,
    paraphrased: String,
    /// Something else of its kind that looks like it; empty where nothing does.
    decoy: String,
}

/// A project's name in tickets.
fn prefix(name: &str) -> String {
    name.to_uppercase().chars().filter(char::is_ascii_alphabetic).take(4).collect()
}

fn planted(random: &mut Seeded, kind: FactKind) -> Planted {
    let name = |random: &mut Seeded| {
        const NAMES: [&str; 12] = [
            "billing", "ledger", "export", "gateway", "tariff", "parcel", "harbour", "carrier", "audit",
            "quota", "invoice", "roster",
        ];
        format!("{}{}", random.pick(&NAMES), random.between(10, 99))
    };
    let number = |random: &mut Seeded| random.between(100, 9_999);
    let a = name(random);
    let b = name(random);
    let n = number(random);
    let m = number(random);
    let of = |text: String, said: String, kept: String, paraphrased: String| Planted {
        kind,
        text,
        said,
        by_user: kind == FactKind::Constraint,
        kept,
        paraphrased,
        decoy: match kind {
            FactKind::Path => format!("Another file is src/{a}/{b}_{n}0.rs."),
            FactKind::Identifier => format!("Not to be confused with {}-{n}{}5.", prefix(&a), m % 10),
            FactKind::Number => format!("A second sum is {}.{} EUR.", n + 137, m % 90 + 10),
            FactKind::Date => format!("It began on 2025-{:02}-{:02}.", m % 12 + 1, n % 28 + 1),
            FactKind::Url => format!("There is a page at https://{a}.example.org/help."),
            FactKind::Command => format!("Ran `make clean STAGE={a}`."),
            FactKind::Quoted => "The console was quiet.".to_owned(),
            FactKind::Decision => format!("Moving tables during release {n} was talked about."),
            FactKind::Constraint => format!("The {a} worker was looked at."),
            FactKind::PendingCall => format!("fetch_{b} was not needed."),
        },
    };
    let prefix_ = prefix(&a);
    match kind {
        FactKind::Path => {
            let path = format!("src/{a}/{b}_{n}.rs");
            of(
                path.clone(),
                format!("The fault sits in {path}, near the end."),
                format!("Fault located in {path}."),
                format!("Fault located in {b}_{n}.rs."),
            )
        }
        FactKind::Identifier => {
            let id = format!("{prefix_}-{n}{}", m % 10);
            of(
                id.clone(),
                format!("Ticket {id} tracks it."),
                format!("Tracked as {id}."),
                format!("Tracked as {}.", id.replace('-', " ").to_lowercase()),
            )
        }
        FactKind::Number => {
            let text = format!("{}.{} EUR", n, m % 90 + 10);
            of(
                text.clone(),
                format!("The refund comes to {text} in all."),
                format!("Refund: {text}."),
                format!("Refund of about €{n}."),
            )
        }
        FactKind::Date => {
            let (month, day) = (random.between(1, 12), random.between(1, 28));
            let text = format!("2026-{month:02}-{day:02}");
            of(
                text.clone(),
                format!("Delivery is due on {text} at the latest."),
                format!("Due {text}."),
                format!("Due {} {day}.", MONTHS[month - 1]),
            )
        }
        FactKind::Url => {
            let url = format!("https://{a}.example.org/runs/{b}-{n}");
            of(
                url.clone(),
                format!("The log is at {url} for a week."),
                format!("Log: {url}"),
                format!("Log on {a}.example.org under {b}-{n}."),
            )
        }
        FactKind::Command => {
            let command = format!("make {a} STAGE={b} RETRY={n}");
            of(
                command.clone(),
                format!("I ran `{command}` twice."),
                format!("Ran `{command}`."),
                format!("Ran make {a} for STAGE={b} with RETRY={n}."),
            )
        }
        FactKind::Quoted => {
            let quote = format!("no {a} left for {b} in shard {n}");
            of(
                quote.clone(),
                format!("The console printed \"{quote}\" and stopped."),
                format!("Console: \"{quote}\"."),
                format!("The console complained there was no {a} left for {b}, shard {n}."),
            )
        }
        FactKind::Decision => {
            let text = format!("We will move the {a} table to the {b} cluster during release {n}");
            of(
                text.clone(),
                format!("{text}."),
                format!("Decision: move the {a} table to the {b} cluster during release {n}."),
                format!("The {a} table goes to {b} in release {n}."),
            )
        }
        FactKind::Constraint => {
            let text = format!("You must never restart the {a} worker while the {b} import holds lock {n}");
            of(
                text.clone(),
                format!("{text}."),
                format!("Never restart the {a} worker while the {b} import holds lock {n}."),
                format!("No restarts of {a} worker during {b} import (lock {n})."),
            )
        }
        FactKind::PendingCall => {
            let tool = format!("fetch_{a}");
            of(
                tool.clone(),
                tool.clone(),
                format!("Waiting for {tool} of {b}."),
                format!("{tool} was called."),
            )
        }
    }
}

const CHATTER: [&str; 8] = [
    "I looked at it again and it reads as before.",
    "That fits with what we saw earlier today.",
    "Thank you, that helps a lot.",
    "It took a moment longer than usual.",
    "Nothing else stood out to me there.",
    "The rest of it looked fine at first sight.",
    "Could you have another look at it for me?",
    "Here is what came of it.",
];

/// A session, a summary of it, and what became of each fact.
struct Case {
    transcript: String,
    summary: String,
    fates: Vec<(Planted, Fate)>,
}

fn case(seed: u64) -> Case {
    let mut random = Seeded::new(seed);
    let mut lines: Vec<String> = vec!["user: Please find out what is wrong with the night job.".to_owned()];
    let mut told: Vec<String> = vec!["The user asked for the reason of the failing night job.".to_owned()];
    let mut fates = Vec::new();
    for nth in 0..FACTS_PER_SESSION {
        let kind = FactKind::ALL[(nth + seed as usize) % FactKind::ALL.len()];
        let fact = planted(&mut random, kind);
        let fate = *random.pick(&[Fate::Kept, Fate::Paraphrased, Fate::Dropped]);
        let chatter = random.pick(&CHATTER);
        if kind == FactKind::PendingCall {
            lines.push(format!("bot: -> {}(q=\"{nth}\") #p{nth}", fact.text));
        } else if !fact.by_user && nth % 4 == 3 {
            lines.push(format!("bot: -> lookup(q=\"{nth}\") #c{nth}"));
            lines.push(format!("tool #c{nth}: {{\"note\": {:?}}}", fact.said));
        } else {
            let author = if fact.by_user { "user" } else { "bot" };
            lines.push(format!("{author}: {chatter} {}", fact.said));
        }
        match fate {
            Fate::Kept => told.push(fact.kept.clone()),
            Fate::Paraphrased => told.push(fact.paraphrased.clone()),
            Fate::Dropped if random.below(2) == 0 => told.push(fact.decoy.clone()),
            Fate::Dropped => told.push((*random.pick(&CHATTER)).to_owned()),
        }
        // A sentence in a tool's result is what a tool said, and no decision of anybody's.
        let is_fact = !(kind == FactKind::Decision && nth % 4 == 3);
        if is_fact {
            fates.push((fact, fate));
        }
    }
    random.shuffle(&mut told);
    Case { transcript: lines.join("\n"), summary: told.join("\n"), fates }
}

#[derive(Default, Clone, Copy)]
struct Figures {
    dropped: usize,
    found: usize,
    told: usize,
    alarms: usize,
}

#[test]
fn dropped_facts_are_found_and_others_are_left_alone() {
    let reader = FactReader::new();
    let mut by_kind: BTreeMap<FactKind, Figures> = BTreeMap::new();
    let (mut reported, mut unfounded) = (0, 0);
    let mut examples = Vec::new();
    for seed in 1..=SEEDS {
        let case = case(seed);
        let session = session(&case.transcript);
        let log = EventLog::new(session.events.iter().cloned());
        let events: Vec<&LoggedEvent> = log.events().iter().collect();
        let report = loss(&reader, &reader.read(&events, &events), &case.summary, &BTreeMap::default());
        let is_in = |text: &str, fact: &str| fact.contains(text) || text.contains(fact);
        for (planted, fate) in &case.fates {
            let figures = by_kind.entry(planted.kind).or_default();
            let item = report
                .items
                .iter()
                .find(|item| item.fact.kind == planted.kind && is_in(&planted.text, &item.fact.text));
            let is_reported = item.is_some_and(|item| item.verdict == Verdict::Dropped);
            if *fate == Fate::Dropped {
                figures.dropped += 1;
                figures.found += usize::from(is_reported);
            } else {
                figures.told += 1;
                figures.alarms += usize::from(is_reported);
            }
            if is_reported != (*fate == Fate::Dropped) {
                examples.push(format!("{seed}: {:?} {fate:?} {} -> {item:?}", planted.kind, planted.text));
            }
        }
        // What is reported as dropped has to be something that was planted and dropped, in whole or in part.
        for item in report.items.iter().filter(|item| item.verdict == Verdict::Dropped) {
            reported += 1;
            let is_founded = case.fates.iter().any(|(planted, fate)| {
                *fate == Fate::Dropped
                    && (is_in(&planted.said, &item.fact.text) || is_in(&planted.text, &item.fact.text))
            });
            if !is_founded {
                unfounded += 1;
                examples.push(format!("{seed}: unfounded {:?} {}", item.fact.kind, item.fact.text));
            }
        }
    }
    println!("kind           dropped  found  told  false alarms");
    let mut sum = Figures::default();
    for (kind, figures) in &by_kind {
        println!(
            "{:<14} {:>7} {:>6} {:>5} {:>13}",
            kind.name(),
            figures.dropped,
            figures.found,
            figures.told,
            figures.alarms
        );
        sum.dropped += figures.dropped;
        sum.found += figures.found;
        sum.told += figures.told;
        sum.alarms += figures.alarms;
    }
    println!("{:<14} {:>7} {:>6} {:>5} {:>13}", "all", sum.dropped, sum.found, sum.told, sum.alarms);
    println!("reported as dropped: {reported}, of these without a reason: {unfounded}");
    examples.iter().take(30).for_each(|example| println!("{example}"));
    assert!(sum.found * 100 >= sum.dropped * 95, "{} of {}", sum.found, sum.dropped);
    assert!(sum.alarms * 100 <= sum.told * 5, "{} of {}", sum.alarms, sum.told);
    assert!(unfounded * 100 <= reported * 5, "{unfounded} of {reported}");
}

#[test]
fn what_is_used_again_weighs_more_and_comes_first() {
    let session = session(
        "user: The order is ORD-4411 and the file is /data/in/a.csv\nbot: Noted.\nuser: Go on with ORD-4411\nbot: ORD-4411 is done.",
    );
    let log = EventLog::new(session.events.iter().cloned());
    let events: Vec<&LoggedEvent> = log.events().iter().collect();
    let reader = FactReader::new();
    let report = loss(&reader, &reader.read(&events[..2], &events), "Noted it.", &reader.uses(&events[2..]));
    let items: Vec<(&str, u32)> =
        report.items.iter().map(|item| (&*item.fact.text, item.used_later)).collect();
    assert_eq!(items, [("ORD-4411", 2), ("/data/in/a.csv", 0)]);
    assert!((report.lost_share - 1.0).abs() < 1e-9);
}
