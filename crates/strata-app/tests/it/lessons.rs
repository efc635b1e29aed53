//! Lessons as the window runs them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use strata_app::ErrorCode;
use strata_app::lessons::{self, ClassChoice};

use crate::{ask, import, import_files, refuse, start, start_at};

fn progress(list: &Value, id: &str) -> Value {
    let lessons = list["lessons"].as_array().expect("lessons");
    lessons.iter().find(|lesson| lesson["row"]["id"] == id).expect("the lesson").clone()
}

#[test]
fn a_lesson_is_met_by_an_experiment_and_that_is_remembered() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("x.db");
    let strata = start_at(&database);
    let page = ask(&strata, "lesson/get", &json!({ "lesson": "filtering", "withSolutions": true }));
    assert_eq!((&page["explanation"], &page["progress"]["isSolved"]), (&Value::Null, &Value::from(false)));
    let experiment = ask(&strata, "lesson/start", &json!({ "lesson": "filtering" }))["experiment"].clone();
    let grade = json!({ "lesson": "filtering", "experiment": experiment, "answers": {} });
    assert_eq!(ask(&strata, "lesson/grade", &grade)["isSolved"], false);

    let edits = &page["solutions"][0]["edits"];
    ask(
        &strata,
        "experiment/edit",
        &json!({ "experiment": experiment, "edits": edits, "replacesLast": false }),
    );
    let met = ask(&strata, "lesson/grade", &grade);
    assert_eq!(met["isSolved"], true, "{met}");
    assert!(met["explanation"].as_str().is_some_and(|text| !text.is_empty()));

    // Taking the edit back does not take the lesson back, and neither does another start.
    ask(&strata, "experiment/undo", &json!({ "experiment": experiment }));
    assert_eq!(ask(&strata, "lesson/grade", &grade)["isSolved"], false);
    drop(strata);
    let list = ask(&start_at(&database), "lesson/list", &json!({}));
    let progress = progress(&list, "filtering");
    assert_eq!(progress["isSolved"], true);
    assert_eq!(progress["met"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_lesson_with_a_session_of_its_own_brings_it_along_once() {
    let strata = start();
    let started = ask(&strata, "lesson/start", &json!({ "lesson": "seven-fixes" }));
    let session = started["session"].clone();
    let again = ask(&strata, "lesson/start", &json!({ "lesson": "seven-fixes" }));
    assert_eq!(again["session"], session);
    assert_ne!(again["experiment"], started["experiment"]);

    // It is the session with the app that it ran in, so that its numbers are those that goals are about.
    let header = ask(&strata, "session/open", &json!({ "session": session }));
    assert_eq!(header["app"]["name"], "ads_june", "{header}");
    let graded = json!({
        "lesson": "seven-fixes",
        "experiment": started["experiment"],
        "answers": { "heaviest": "run_query" },
    });
    let goals = ask(&strata, "lesson/grade", &graded)["goals"].clone();
    assert_eq!((&goals[0]["goal"], &goals[0]["isMet"]), (&Value::from("heaviest"), &Value::from(true)));
}

#[test]
fn what_cannot_be_graded_is_refused() {
    let strata = start();
    let other = ask(&strata, "lesson/start", &json!({ "lesson": "coding-agent" }))["experiment"].clone();
    let grade = json!({ "lesson": "filtering", "experiment": other, "answers": {} });
    let (code, message) = refuse(&strata, "lesson/grade", &grade);
    assert_eq!(code, ErrorCode::BadInput);
    assert!(message.contains("over another session than that of the lesson"), "{message}");
    let grade = json!({ "lesson": "prefixes", "experiment": null, "answers": { "kay": "hits" } });
    assert!(refuse(&strata, "lesson/grade", &grade).1.contains("Did you mean key?"));
    let (code, _) = refuse(&strata, "lesson/get", &json!({ "lesson": "nothing", "withSolutions": false }));
    assert_eq!(code, ErrorCode::NotFound);
}

/// A lesson over a file beside it, and the class file that carries both.
fn class_file(folder: &Path) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../strata-cli/tests/samples");
    for name in ["weather.session.json", "weather.app.yaml"] {
        fs::copy(samples.join(name), folder.join(name)).expect("a sample");
    }
    let lesson = "---\nid: weather\ntitle: Weather\nlevel: beginner\nminutes: 5\nsession: weather.session.json\n\
                  app: weather.app.yaml\ngoals:\n  - id: short\n    text: Shorter\n    \
                  check: {total_tokens: {less_by: 0.01}}\n    hints: [Look at the instruction, Shorten it]\n  \
                  - id: largest\n    text: Which?\n    check: {answer: {largest_prompt: {}}}\nsolutions:\n  \
                  - title: Shorten\n    edits:\n      - {edit: set_instruction, agent: forecaster, text: Short.}\n    \
                  answers: {largest: C1}\n---\nAbout the weather.\n\n## Explanation\n\nSo.\n";
    fs::write(folder.join("weather.md"), lesson).expect("a lesson");
    let out = folder.join("class.strata");
    let choice = ClassChoice {
        lessons: vec![folder.join("weather.md").display().to_string(), "append-everything".to_owned()],
        out: out.clone(),
        masks_secrets: true,
    };
    lessons::class(&choice).expect("a class file");
    out
}

#[test]
fn a_lesson_of_a_class_can_be_removed_and_its_results_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let class = class_file(folder.path());
    let strata = start();
    import(&strata, &class);
    let answer = json!({ "lesson": "weather", "experiment": null, "answers": { "largest": "C99" } });
    ask(&strata, "lesson/grade", &answer);
    let list = ask(&strata, "lesson/remove", &json!({ "lesson": "weather" }));
    assert_eq!(list["lessons"].as_array().map(Vec::len), Some(11));
    let (code, _) = refuse(&strata, "lesson/get", &json!({ "lesson": "weather", "withSolutions": false }));
    assert_eq!(code, ErrorCode::NotFound);
    let results = ask(&strata, "lesson/results", &json!({ "as": "csv" }));
    assert!(results["text"].as_str().is_some_and(|text| text.contains("weather")), "{results}");

    // In the place of one that comes with Strata stands that one again, and it stays.
    ask(&strata, "lesson/remove", &json!({ "lesson": "append-everything" }));
    let own = ask(&strata, "lesson/get", &json!({ "lesson": "append-everything", "withSolutions": false }));
    assert_eq!(own["progress"]["isOfClass"], false);
    let (_, message) = refuse(&strata, "lesson/remove", &json!({ "lesson": "append-everything" }));
    assert_eq!(message, "Why appending everything fails comes with Strata; nothing was removed.");

    // Its class file brings it back, with what it needs.
    import(&strata, &class);
    let started = ask(&strata, "lesson/start", &json!({ "lesson": "weather" }));
    let header = ask(&strata, "session/open", &json!({ "session": started["session"] }));
    assert_eq!(header["app"]["name"], "weather");
}

#[test]
fn a_class_file_brings_its_lessons_and_their_sessions() {
    let folder = tempfile::tempdir().expect("a folder");
    let class = class_file(folder.path());
    let database = folder.path().join("ada.db");
    let strata = start_at(&database);
    let job = import(&strata, &class);
    assert_eq!((&job["state"], &job["lessons"]), (&json!("done"), &json!(["weather", "append-everything"])));
    assert_eq!(job["outcome"], "Learn has 2 lessons.");
    // No session is there before somebody begins.
    assert_eq!(job["sessions"], json!([]));
    let list = ask(&strata, "lesson/list", &json!({}));
    assert_eq!(list["lessons"].as_array().map(Vec::len), Some(12));
    assert_eq!(progress(&list, "weather")["isOfClass"], true);

    let started = ask(&strata, "lesson/start", &json!({ "lesson": "weather" }));
    let header = ask(&strata, "session/open", &json!({ "session": started["session"] }));
    assert_eq!((&header["app"]["name"], &header["calls"]), (&json!("weather"), &json!(4)), "{header}");
    // The sample that a class file carries is the one that is there.
    let sample = ask(&strata, "app/start", &json!({}))["sampleSession"].clone();
    assert_eq!(ask(&strata, "lesson/start", &json!({ "lesson": "append-everything" }))["session"], sample);

    let page = ask(&strata, "lesson/get", &json!({ "lesson": "weather", "withSolutions": true }));
    let experiment = &started["experiment"];
    let grade = |answer: &str| {
        let answers = json!({ "largest": answer });
        let params = json!({ "lesson": "weather", "experiment": experiment, "answers": answers });
        ask(&strata, "lesson/grade", &params)
    };
    assert_eq!(grade("C99")["isSolved"], false);
    let hint = json!({ "lesson": "weather", "goal": "short", "taken": 1 });
    assert_eq!(ask(&strata, "lesson/hint", &hint)["taken"], 1);
    let edits = &page["solutions"][0]["edits"];
    ask(
        &strata,
        "experiment/edit",
        &json!({ "experiment": experiment, "edits": edits, "replacesLast": false }),
    );
    let largest = page["goals"][1]["id"].clone();
    assert_eq!(largest, "largest");
    let right = ["C1", "C2", "C3", "C4"].into_iter().find(|answer| grade(answer)["isSolved"] == true);
    let solved = grade(right.expect("one of the calls is the largest"));
    // What one's own edits come to is what the solution comes to, for they are the same.
    assert_eq!(
        (&solved["numbers"], &solved["recorded"]),
        (&page["solutions"][0]["numbers"], &page["recorded"])
    );
    assert_ne!(solved["numbers"], solved["recorded"]);
    assert_eq!(solved["explanation"], "So.");

    let csv = ask(&strata, "lesson/results", &json!({ "as": "csv" }));
    let rows: Vec<Vec<&str>> =
        csv["text"].as_str().expect("a table").lines().map(|row| row.split(',').collect()).collect();
    let row = rows.iter().find(|row| row[1] == "weather" && row[7] == "short").expect("the goal");
    assert_eq!((row[3], row[9], row[10], row[11]), ("yes", "yes", "1", "1"), "{row:?}");
    let tokens = |place: &Value| place["bill"]["promptTokens"].to_string();
    assert_eq!([row[5], row[6]], [&*tokens(&solved["recorded"]), &*tokens(&solved["numbers"])]);
    assert!(row[4].ends_with('Z') && row[12] <= row[4], "{row:?}");

    // What is handed in and the store say the same.
    let handed_in = ask(&strata, "lesson/results", &json!({ "as": "strata" }));
    let file = folder.path().join("ada.strata");
    fs::write(&file, handed_in["text"].as_str().expect("a text")).expect("a file");
    drop(strata);
    let joined = lessons::results(&[file, database]).expect("results");
    let [of_file, of_store] = &joined.learners[..] else { panic!("{joined:?}") };
    assert_eq!((&*of_file.learner, &of_file.lessons), ("ada", &of_store.lessons));
    assert_eq!(joined.to_csv().lines().filter(|row| row.starts_with("ada,weather,")).count(), 4);
}

#[test]
fn a_class_file_that_cannot_be_used_adds_nothing_and_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let class = class_file(folder.path());
    let whole = fs::read_to_string(&class).expect("a text");
    let strata = start();
    let refused = |text: &str| {
        fs::write(&class, text).expect("a file");
        let job = import(&strata, &class);
        assert_eq!(job["state"], "failed", "{job}");
        job["outcome"].as_str().expect("why").to_owned()
    };
    assert!(refused(&whole[..whole.len() / 2]).contains("it is cut off, or was changed"));
    assert!(
        refused(&whole.replace("weather.session.json\":", "other.json\":"))
            .contains("does not carry weather.session.json")
    );
    assert!(
        refused(&whole.replace("largest_prompt", "largest_promise"))
            .contains("is no lesson that can be used")
    );
    let list = ask(&strata, "lesson/list", &json!({}));
    assert_eq!(list["lessons"].as_array().map(Vec::len), Some(11));

    // Beside another file, each is told.
    fs::write(&class, "{\"format\":\"strata-lessons\",\"version\":7}").expect("a file");
    let session = folder.path().join("weather.session.json");
    let job = import_files(&strata, &[&class, &session]);
    assert_eq!(job["sessions"].as_array().map(Vec::len), Some(1), "{job}");
    let said = job["diagnostics"].to_string();
    assert!(said.contains("it is of version 7, and this Strata knows version 1"), "{said}");
}
