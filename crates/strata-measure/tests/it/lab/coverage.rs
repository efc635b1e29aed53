//! Tables with planted rows and values, and summaries that tell some of them.

use std::collections::BTreeSet;

use strata_engine::turn::compaction::summarizer_reach;
use strata_engine::{EventLog, LoggedEvent};
use strata_measure::lab::{Coverage, FactReader, coverage};
use strata_testkit::{Seeded, session};

const CITIES: [&str; 8] = ["Oslo", "Lima", "Porto", "Turin", "Quito", "Hanoi", "Dakar", "Basel"];

/// A row of a table of the generator's.
struct Row {
    id: String,
    city: &'static str,
    amount: u64,
    rank: u64,
}

/// Ids and amounts are all different, cities and ranks are shared.
fn rows(random: &mut Seeded, table: usize, n_rows: usize) -> Vec<Row> {
    let row = |nth: usize, random: &mut Seeded| Row {
        id: format!("CMP-{table}{nth:03}"),
        city: CITIES[random.below(CITIES.len())],
        amount: (table * 1_000_000 + nth * 1_000 + random.between(100, 900)) as u64,
        rank: random.between(1, 9) as u64,
    };
    (0..n_rows).map(|nth| row(nth, random)).collect()
}

/// The table as a tool may give it.
fn spelled(rows: &[Row], how: usize) -> String {
    let object = |row: &Row| {
        let Row { id, city, amount, rank } = row;
        format!(
            r#"{{"campaign": {{"id": "{id}", "amount": {amount}}}, "city": "{city}", "rank": {rank}, "on": true}}"#
        )
    };
    let objects = format!("[{}]", rows.iter().map(object).collect::<Vec<_>>().join(", "));
    match how {
        0 => format!(r#"{{"rows": {objects}}}"#),
        1 => format!(r#"{{"result": {objects:?}}}"#),
        _ => {
            let line = |row: &Row| format!("{},{},{},{}", row.id, row.city, row.amount, row.rank);
            let lines = rows.iter().map(line).collect::<Vec<_>>().join("\n");
            format!(r#"{{"csv": {:?}}}"#, format!("id,city,amount,rank\n{lines}"))
        }
    }
}

/// The number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.map(|group| String::from_utf8_lossy(group).into_owned()).collect::<Vec<_>>().join(",")
}

#[test]
fn rows_and_values_are_counted_as_they_are_told() {
    let reader = FactReader::new();
    for seed in 1..=80 {
        let mut random = Seeded::new(seed);
        let mut transcript = "user: How did the campaigns do?\n".to_owned();
        let mut told = vec!["The tool execute_query was called.".to_owned()];
        let mut expected = Coverage::default();
        let mut cities: BTreeSet<&str> = BTreeSet::new();
        // Of each row, whether its id is told, and the city that no other row of its table has.
        let mut by_city: Vec<(bool, Option<&str>)> = Vec::new();
        for table in 1..=random.between(1, 4) {
            let n_rows = random.between(2, 60);
            let rows = rows(&mut random, table, n_rows);
            let how = random.below(3);
            transcript += &format!("bot: -> execute_query(q=\"{table}\") #c{table}\n");
            transcript += &format!("tool #c{table}: {}\n", spelled(&rows, how));
            for row in &rows {
                cities.insert(row.city);
                expected.rows += 1;
                let n_there = rows.iter().filter(|other| other.city == row.city).count();
                let mut is_told_by_id = false;
                expected.values += 2;
                match random.below(5) {
                    // By its id, spelled in another way.
                    0 => {
                        told.push(format!("See {}.", row.id.to_lowercase().replace('-', " ")));
                        expected.values_told += 1;
                        is_told_by_id = true;
                    }
                    // A number says nothing of a row that has a name.
                    1 => {
                        told.push(format!("One spent {} EUR.", grouped(row.amount)));
                        expected.values_told += 1;
                    }
                    // Something else that looks like it.
                    2 => told.push(format!("Not {}7 with {}5.", row.id, row.amount)),
                    _ => {}
                }
                by_city.push((is_told_by_id, (n_there == 1).then_some(row.city)));
            }
        }
        expected.values += cities.len() as u32;
        let said: BTreeSet<&str> = cities.iter().copied().filter(|_| random.below(3) == 0).collect();
        told.extend(said.iter().map(|city| format!("Some are in {city}.")));
        expected.values_told += said.len() as u32;
        let is_told =
            |(by_id, city): &&(bool, Option<&str>)| *by_id || city.is_some_and(|city| said.contains(city));
        expected.rows_told = by_city.iter().filter(is_told).count() as u32;
        random.shuffle(&mut told);
        let session = session(&transcript);
        let log = EventLog::new(session.events.iter().cloned());
        let events: Vec<&LoggedEvent> = log.events().iter().collect();
        assert_eq!(coverage(&reader, &events, &[&told.join("\n")]), expected, "seed {seed}\n{transcript}");
    }
}

#[test]
fn rows_without_a_name_are_told_by_a_number_of_their_own_or_word_for_word() {
    let session = session(
        "user: Well?\nbot: -> query(q=\"1\") #c1\n\
         tool #c1: {\"points\": [[1, 481.5], [2, 512.25], [3, 481.5]], \"pairs\": [[1, 2], [3, 4]]}",
    );
    let log = EventLog::new(session.events.iter().cloned());
    let events: Vec<&LoggedEvent> = log.events().iter().collect();
    let of = |summary: &str| {
        let told = coverage(&FactReader::new(), &events, &[summary]);
        (told.rows, told.rows_told, told.values, told.values_told)
    };
    assert_eq!(of("It reached 512.250."), (5, 1, 2, 1));
    assert_eq!(of("3: 481.5, and the pair 1, 2"), (5, 2, 2, 1));
}

#[test]
fn a_summariser_is_shown_the_beginning_of_long_results() {
    let long = "x".repeat(5_000);
    let session = session(&format!(
        "user: {long}\nbot: -> query(q=\"1\") #c1\ntool #c1: {{\"r\": \"{long}\"}}\nbot: Done."
    ));
    let log = EventLog::new(session.events.iter().cloned());
    let reach: strata_engine::turn::compaction::SummarizerReach =
        log.events().iter().map(summarizer_reach).sum();
    // The user's text whole, `{'q': '1'}` (with the quotes a bare word has not), `{'r': 'xxx…'}`, `Done.`
    assert_eq!((reach.n_cut, reach.unread), (1, 5_009 - 2_000));
    assert_eq!(reach.characters, 5_000 + 10 + 5_009 + 5);
}
