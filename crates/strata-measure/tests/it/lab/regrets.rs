//! Sessions with planted values of which later answers use some, and summaries that tell some.

use std::collections::BTreeSet;

use strata_engine::Experiment;
use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::lab::{
    Extractive, FactReader, Lab, Regret, Replayed, SizedWriter, Stop, SummaryDue, SummarySize, Writer,
    WrittenSummary,
};
use strata_model::{Content, LlmRequest, Part, json};
use strata_testkit::{Seeded, experiment, experiment_in, invoice_triage, large};

use super::with_lab;

const LOOKUPS: usize = 12;

/// Says the same each time.
struct Says(String);

impl Writer for Says {
    fn write(&mut self, _: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
        let content = Content::new("model", [Part::from_text(&*self.0)]);
        Ok(Some(WrittenSummary { content, by: "given".into(), ..WrittenSummary::default() }))
    }
}

/// What becomes of a planted value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// A later answer uses it, and nothing tells it.
    Regretted,
    /// A later tool call has it among its arguments.
    RegrettedByCall,
    /// The summary tells it.
    Told,
    /// The user says it again before it is used.
    SaidAgain,
    /// Used while it is still there.
    InTime,
    Unused,
    /// Used, and so short that it may be chance.
    Short,
}

const FATES: [Fate; 7] = [
    Fate::Regretted,
    Fate::RegrettedByCall,
    Fate::Told,
    Fate::SaidAgain,
    Fate::InTime,
    Fate::Unused,
    Fate::Short,
];

fn value(random: &mut Seeded, nth: usize, fate: Fate) -> String {
    if fate == Fate::Short {
        return ["12", "200", "2026", "ok", "c17", "2026-11-20"][random.below(6)].to_owned();
    }
    let n = 10_000 + nth * 317 + random.between(1, 300);
    match random.below(4) {
        0 => format!("ORD-{n}"),
        1 => format!("{n}.{}", random.between(11, 19)),
        2 => format!("src/billing/rates_{n}.py"),
        _ => format!(
            "Harbour Works {} Limited",
            ["Ada", "Bo", "Cy", "Di", "Ed", "Fay", "Gus", "Hal", "Ivy", "Jo", "Kit", "Lu"][nth]
        ),
    }
}

#[test]
fn what_later_answers_use_and_nothing_tells_is_regretted_and_nothing_else() {
    for seed in 1..=20 {
        let mut random = Seeded::new(seed);
        let padding = "nothing to see in here ".repeat(40);
        let (mut lines, mut last) =
            (Vec::new(), ["user: Now go on.".to_owned(), String::new(), String::new()]);
        let (mut told, mut expected) = ("Things were looked up.".to_owned(), BTreeSet::new());
        for nth in 0..LOOKUPS {
            let fate = *random.pick(&FATES);
            let value = value(&mut random, nth, fate);
            lines.push(format!("user: Look up number {nth}."));
            lines.push(format!("bot: -> lookup(q=\"{nth}\") #c{nth}"));
            lines.push(format!("tool #c{nth}: {{\"found\": {value:?}, \"note\": \"{padding}\"}}"));
            let is_in_time = fate == Fate::InTime;
            lines.push(if is_in_time { format!("bot: It is {value}.") } else { "bot: Done.".to_owned() });
            let event = nth as u32 * 4 + 2;
            match fate {
                Fate::Regretted => {
                    last[2] += &format!(" And \"{value}\".");
                    expected.insert((value, event, LOOKUPS as u32 * 2 + 2, None));
                }
                Fate::RegrettedByCall => {
                    last[1] += &format!("{value}; ");
                    expected.insert((value, event, LOOKUPS as u32 * 2 + 1, Some("book".to_owned())));
                }
                Fate::Told => {
                    told += &format!(" {value} was found.");
                    last[2] += &format!(" Also {value}.");
                }
                Fate::SaidAgain => {
                    last[0] += &format!(" With {value}.");
                    last[2] += &format!(" As you said, {value}.");
                }
                Fate::Short => last[2] += &format!(" So {value}."),
                Fate::InTime | Fate::Unused => {}
            }
        }
        lines.push(last[0].clone());
        lines.push(format!("bot: -> book(refs={:?}) #b", last[1]));
        lines.push("tool #b: {\"booked\": true}".to_owned());
        lines.push(format!("bot: Here it is.{}", last[2]));
        let transcript = lines.join("\n");
        with_lab(&experiment(&transcript), |lab| {
            let config =
                CompactionConfig::parse(&format!("interval={LOOKUPS},overlap=0")).expect("a setting");
            let replayed = lab.replay(&config, &mut Says(told)).expect("nothing stops it");
            assert!(replayed.windows[0].is_laid(), "seed {seed}");
            let found: BTreeSet<_> = lab
                .regret(&replayed)
                .into_iter()
                .map(|regret| {
                    assert_eq!(regret.window, Some(0));
                    (regret.value, regret.event.0, regret.call, regret.tool.map(|tool| tool.to_string()))
                })
                .collect();
            assert_eq!(found, expected, "seed {seed}\n{transcript}");
        });
    }
}

/// The numbers of a row and of a sentence are said to have been read where the answer speaks of these, and not elsewhere.
#[test]
fn short_numbers_are_regretted_where_the_answer_says_whose_they_are() {
    let row = |at: usize| {
        format!("{{\"campaign\": \"Camp-{at}\", \"status\": \"active\", \"clicks\": {}}}", 2000 + at * 7)
    };
    let rows: Vec<String> = (0..40).map(row).collect();
    let check = |answer: &str, expected: &[(&str, u32)]| {
        let lines = [
            "user: How did campaigns do? The door code is 4471, and the alarm rings at level 318.".to_owned(),
            "bot: -> lookup(q=\"all\") #c1".to_owned(),
            format!("tool #c1: {{\"rows\": [{}], \"notes\": [\"The gate code is 5582.\"]}}", rows.join(", ")),
            "bot: All of them are there.".to_owned(),
            "user: And Camp-17?".to_owned(),
            format!("bot: {answer}"),
        ];
        with_lab(&experiment(&lines.join("\n")), |lab| {
            let config = CompactionConfig::parse("interval=1,overlap=0").expect("a setting");
            let replayed = lab.replay(&config, &mut Says("Campaigns were looked up.".to_owned()));
            let found = lab.regret(&replayed.expect("nothing stops it"));
            let found: Vec<(&str, u32)> =
                found.iter().map(|regret| (&*regret.value, regret.event.number())).collect();
            assert_eq!(found, expected, "{answer}");
        });
    };
    check("Camp-17 had 2119 clicks.", &[("2119", 3)]);
    check("Camp-17 had 2,119 clicks.", &[("2,119", 3)]);
    // Another row's number, one that is said of nothing in the table, and one of a value that many rows have.
    check("Camp-17 had 2126 clicks.", &[]);
    check("It had 2119 clicks.", &[]);
    check("An active one had 2119 clicks.", &[]);
    check("The door code is 4471.", &[("4471", 1)]);
    check("The gate code is 5582.", &[("5582", 3)]);
    check("There are 4471 of them.", &[]);
    check("Camp-17 had 2026 and 12 and 200 clicks.", &[]);
}

#[test]
fn a_result_that_was_cleared_is_regretted_too() {
    let mut lines = vec!["user: Look it up.".to_owned()];
    for nth in 0..6 {
        let padding = "much to be said of it ".repeat(80);
        lines.push(format!("bot: -> lookup(q=\"{nth}\") #c{nth}"));
        lines.push(format!("tool #c{nth}: {{\"id\": \"ORD-4411{nth}\", \"note\": \"{padding}\"}}"));
    }
    lines.push("bot: It was ORD-44111.".to_owned());
    with_lab(&experiment(&lines.join("\n")), |lab| {
        let config = CompactionConfig::parse("limit=1500,keep=4,clear=results").expect("a setting");
        let replayed = lab.replay(&config, &mut Says("Nothing.".to_owned())).expect("nothing stops it");
        assert!(!replayed.cleared.is_empty());
        let found = lab.regret(&replayed);
        let cleared: Vec<&Regret> = found.iter().filter(|regret| regret.window.is_none()).collect();
        assert!(
            matches!(&cleared[..], [one] if one.value == "ORD-44111" && one.event.number() == 5),
            "{found:?}"
        );
    });
}

/// What a value is regretted for: the recorded prompt has it, and the one of the replay does not.
#[track_caller]
fn is_regretted(lab: &Lab<'_>, replayed: &Replayed) -> usize {
    // `214` is not said by `08.214377`.
    let says = |request: &LlmRequest, value: &str| {
        let (text, value) = (json::to_compact(&request.to_json()).to_lowercase(), value.to_lowercase());
        text.match_indices(&value).any(|(at, _)| {
            let around = [text[..at].chars().next_back(), text[at + value.len()..].chars().next()];
            around.into_iter().flatten().all(|letter| !letter.is_ascii_digit())
        })
    };
    let regrets = lab.regret(replayed);
    for regret in &regrets {
        let at = regret.call as usize - 1;
        assert!(!says(&replayed.calls[at].request, &regret.value), "{regret:?}");
        assert!(says(&lab.analysis.calls()[at].request, &regret.value), "{regret:?}");
    }
    regrets.len()
}

#[test]
fn what_is_regretted_stands_in_no_prompt_of_the_replay() {
    let sessions: [Experiment; 2] = [
        experiment_in(invoice_triage::app(), invoice_triage::session()),
        experiment_in(large::app(), large::session(400)),
    ];
    let reader = FactReader::new();
    for session in &sessions {
        with_lab(session, |lab| {
            for config in [
                "interval=2,overlap=0",
                "interval=4,overlap=1",
                "threshold=5000,retention=4",
                "limit=6000,keep=4,clear=results",
            ] {
                let config = CompactionConfig::parse(config).expect("a setting");
                let sized = lab.replay(&config, &mut SizedWriter::new(SummarySize::stated(100)));
                let extracts = lab.replay(&config, &mut Extractive { reader: &reader });
                let most = is_regretted(lab, &sized.expect("nothing stops it"));
                let told = is_regretted(lab, &extracts.expect("nothing stops it"));
                assert!(most > 0 || told == 0, "{config}: {told} of at most {most}");
            }
            assert_eq!(lab.regret(&lab.unchanged()), []);
        });
    }
}
