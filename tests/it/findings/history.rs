//! Rules about what a history leaves out, and its order.

use super::case::{Case, Given, check};

pub(crate) const CASES: &[Case] = &[
    Case {
        code: "call-without-result",
        found_in: Given {
            app: "",
            session: "
                user: What do I owe?
                desk: -> list_bills() #c1
                user: Hello?
                desk: Hello",
        },
        says: "Requests leave out 1 call without a result (of list_bills), so the model does not \
               know of them.",
        // Work that goes on is sent without its result.
        not_in: Given {
            app: "",
            session: "
                user: What do I owe?
                desk [long-running]: -> list_bills() #c1
                user: Hello?
                desk: Hello",
        },
    },
    Case {
        code: "call-without-result",
        found_in: Given {
            app: "",
            session: "
                user: What do I owe?
                tool list_bills #c0 [by desk]: {\"dentist\": 42}
                desk: 42 EUR",
        },
        says: "Requests leave out 1 result without a call (of list_bills), so the model does not \
               know of them.",
        // The turn is not over.
        not_in: Given {
            app: "",
            session: "
                user: What do I owe?
                desk: -> list_bills() #c1",
        },
    },
    Case {
        code: "words-beside-a-request",
        found_in: Given {
            app: "",
            session: "
                user: Pay it
                desk: This costs 42 EUR.
                  -> adk_request_confirmation(hint=\"Pay?\") #adk-9
                user #adk-9: {\"confirmed\": true}
                desk: Paid",
        },
        says: "E2 asked for permission and said or called something else as well; all of it is \
               missing from later requests.",
        not_in: Given {
            app: "",
            session: "
                user: Pay it
                desk: This costs 42 EUR.
                desk: -> adk_request_confirmation(hint=\"Pay?\") #adk-9
                user #adk-9: {\"confirmed\": true}
                desk: Paid",
        },
    },
    Case {
        code: "late-result-hides-turns",
        found_in: Given {
            app: "",
            session: "
                user: Book it
                desk [long-running]: -> book() #c1
                tool: {\"ticket\": 7}
                desk: I am on it.
                user: Meanwhile «300 words»
                desk: Fine
                user #c1: {\"booked\": true}
                desk: Booked.",
        },
        says: "The result of E2 arrived with E7: C4 did not see the 4 events in between, and 21 tokens \
               were paid in full again.",
        // Nothing was said while the call ran.
        not_in: Given {
            app: "",
            session: "
                user: Book it
                desk [long-running]: -> book() #c1
                tool: {\"ticket\": 7}
                desk: I am on it.
                user #c1: {\"booked\": true}
                desk: Booked.",
        },
    },
    Case {
        code: "stored-order-differs",
        found_in: Given {
            app: "",
            session: "
                user: Hello
                desk [at 0.5]: Hello",
        },
        says: "1 event out of order: E2 carries an earlier time than one before it, and stands \
               elsewhere once the session is loaded by time.",
        not_in: Given {
            app: "",
            session: "
                user: Hello
                desk [at 1]: Hello",
        },
    },
    Case {
        code: "history-begins-with-model",
        found_in: Given {
            app: "
                name: desk
                model: {name: anthropic/claude-sonnet-4-5, kind: lite_llm}",
            session: "
                user: Hello
                desk: Hello
                compaction 1: They met.
                user: Bye
                desk: Bye",
        },
        says: "The model has the first word in 1 request to anthropic/claude-sonnet-4-5: a summary \
               stands at the head.",
        not_in: Given {
            app: "
                name: desk
                model: gemini-2.5-flash",
            session: "
                user: Hello
                desk: Hello
                compaction 1: They met.
                user: Bye
                desk: Bye",
        },
    },
];

#[test]
fn histories() {
    check(CASES);
}
