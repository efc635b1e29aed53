//! Dropped, edited and pinned events.

use strata_testkit::experiment;

use crate::{edited, last_contents};

const TALK: &str = r#"
user: Find flights to Oslo
bot: -> search(dest="Oslo") #c1
tool #c1: {"n": 3}
bot: Three flights.
user: And to Rome?
bot: None.
"#;

#[test]
fn a_dropped_event_is_in_no_history_and_its_call_stays() {
    let base = experiment(TALK);
    let without = edited(&base, r#"[{"edit":"drop_event","event":4}]"#);
    assert_eq!(without.calls().len(), base.calls().len());
    assert_eq!(
        last_contents(&without),
        [
            r#"00 user "Find flights to Oslo" <- E1"#,
            r#"01 model call search {"dest":"Oslo"} #c1 <- E2"#,
            r#"02 user result search {"n":3} #c1 <- E3"#,
            r#"03 user "And to Rome?" <- E5"#,
        ]
    );
}

#[test]
fn dropping_half_of_a_tool_call_warns_of_the_other_half() {
    let edits = crate::edits(r#"[{"edit":"drop_event","event":3}]"#);
    let found = experiment(TALK).lay(&edits, &strata_engine::Catalog::new()).finish().notes;
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("E2 holds the other half"), "{}", found[0].message);
}

#[test]
fn an_edited_event_is_sent_as_edited_with_its_own_source() {
    let base = experiment(TALK);
    let text = r#"[{"edit":"edit_event","event":3,"content":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"search","response":{"n":7}}}]}}]"#;
    assert_eq!(last_contents(&edited(&base, text))[2], r#"02 user result search {"n":7} #c1 <- E3"#);
    assert_eq!(last_contents(&base)[2], r#"02 user result search {"n":3} #c1 <- E3"#, "the recording stays");
}

#[test]
fn a_pinned_event_outlives_a_summary_and_processors() {
    let talk = r#"
user: The customer number is K-77
bot: Noted.
user: Second
bot: Yes.
compaction 1-2: They talked.
user: Third
bot: Done.
"#;
    let base = experiment(talk);
    let summarised = last_contents(&base);
    assert!(!summarised.iter().any(|row| row.contains("K-77")), "{summarised:?}");
    let pinned = last_contents(&edited(&base, r#"[{"edit":"pin_event","event":1}]"#));
    assert!(pinned.iter().any(|row| row.contains("K-77")), "{pinned:?}");
    let without = last_contents(&edited(&base, r#"[{"edit":"drop_event","event":5}]"#));
    assert_eq!(without.len(), 5, "without the summary its events are back: {without:?}");
    let retention = r#"{"edit":"insert_processor","use":"retention","params":{"max_turns":1}}"#;
    let kept = last_contents(&edited(&base, &format!(r#"[{{"edit":"pin_event","event":1}}, {retention}]"#)));
    assert!(kept.iter().any(|row| row.contains("K-77")), "{kept:?}");
}
