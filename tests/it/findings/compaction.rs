//! Rules about summaries.

use super::case::{Case, Given, check};

pub(crate) const CASES: &[Case] = &[
    Case {
        code: "summary-lost-facts",
        found_in: Given {
            app: "",
            session: "
                user: Look it up.
                desk: -> lookup(q=\"order\") #c1
                tool: ORD-44117
                desk: Done.
                compaction 1: It was looked up.
                user: Ship it.
                desk: ORD-44117 is shipped.",
        },
        says: "E5 stands for what an event held and does not tell it, and later answers used it: `ORD-44117` (E3). C3 used \
               `ORD-44117` although nothing that is recorded of the prompt tells it.",
        not_in: Given {
            app: "",
            session: "
                user: Look it up.
                desk: -> lookup(q=\"order\") #c1
                tool: ORD-44117
                desk: Done.
                compaction 1: ORD-44117 was looked up.
                user: Ship it.
                desk: ORD-44117 is shipped.",
        },
    },
    Case {
        code: "summaries-pile-up",
        found_in: Given {
            app: "",
            session: "
                user: One
                desk: One
                compaction 1: «600 words»
                user: Two
                desk: Two
                compaction 2: They said two.
                user: Three
                desk: Three",
        },
        says: "2 summaries (E3 and E6) stand one behind the other. The older ones took 661 tokens in 1 \
               call beside newer ones.",
        // The second summary contains the first.
        not_in: Given {
            app: "",
            session: "
                user: One
                desk: One
                compaction 1: «600 words»
                user: Two
                desk: Two
                compaction 1-2: They said two.
                user: Three
                desk: Three",
        },
    },
    Case {
        code: "compaction-does-not-pay",
        found_in: Given {
            app: "",
            session: "
                user: «1500 words»
                desk: One
                user: Two
                desk: Two
                compaction 1-2: «1400 words»
                user: Three
                desk: Three",
        },
        says: "E5 made 1,585 tokens be paid in full again, and the calls behind it were shorter by 112 \
               tokens in all, most of which the cache would have held.",
        not_in: Given {
            app: "",
            session: "
                user: «1500 words»
                desk: One
                user: Two
                desk: Two
                compaction 1-2: They counted.
                user: Three
                desk: Three",
        },
    },
    Case {
        code: "summaries-by-main-model",
        found_in: Given {
            app: "
                events_compaction_config: {compaction_interval: 2, overlap_size: 0}
                root_agent: {name: desk, model: gemini-2.5-pro}",
            session: "
                user: «600 words»
                desk: One
                user: Two
                desk: Two
                compaction 1-2: They counted.
                user: Three
                desk: Three",
        },
        says: "No summarizer is set, so gemini-2.5-pro wrote 1 summary (E5) of 633 tokens of \
               history, at its own price.",
        not_in: Given {
            app: "
                events_compaction_config:
                  {compaction_interval: 2, overlap_size: 0, summarizer: {model: gemini-2.5-flash-lite}}
                root_agent: {name: desk, model: gemini-2.5-pro}",
            session: "
                user: «600 words»
                desk: One
                user: Two
                desk: Two
                compaction 1-2: They counted.
                user: Three
                desk: Three",
        },
    },
    Case {
        code: "summary-keeps-thoughts",
        found_in: Given {
            app: "",
            session: "
                user: One
                desk: One
                compaction 1: ~ «600 words»
                  + They counted.
                user: Two
                desk: Two",
        },
        says: "What the summarizer thought is part of E3: 661 tokens that were sent as history.",
        not_in: Given {
            app: "",
            session: "
                user: One
                desk: One
                compaction 1: «600 words»
                user: Two
                desk: Two",
        },
    },
    Case {
        code: "question-summarised",
        found_in: Given {
            app: "",
            session: "
                user: What do I owe?
                desk: -> list_bills() #c1
                tool: {\"dentist\": 42}
                compaction E1-E3: They asked for bills.
                desk: 42 EUR",
        },
        says: "E4 summarised E1, the message that a call had yet to answer: the model answers a \
               summary of the question.",
        // The question came behind the summary.
        not_in: Given {
            app: "",
            session: "
                user: What do I owe?
                desk: -> list_bills() #c1
                tool: {\"dentist\": 42}
                desk: 42 EUR
                compaction 1: They asked for bills.
                user: Until when?
                desk: Monday",
        },
    },
    Case {
        code: "question-summarised",
        found_in: Given {
            app: "",
            session: "
                user: What do I owe?
                desk: -> list_bills() #c1
                tool: {\"dentist\": 42}
                compaction E1-E3: They asked what they owe.
                desk: 42 EUR",
        },
        says: "E4 summarised E1, the message that a call had yet to answer: the model answers a \
               summary of the question.",
        // The summary has the question word for word.
        not_in: Given {
            app: "",
            session: "
                user: What do I owe?
                desk: -> list_bills() #c1
                tool: {\"dentist\": 42}
                compaction E1-E3: Bills were listed.
                  + What do I owe?
                desk: 42 EUR",
        },
    },
    Case {
        code: "turn-is-a-summary",
        found_in: Given {
            app: "
                name: desk
                include_contents: none",
            session: "
                user: Hello
                desk: Hello
                user: What do I owe?
                compaction 1: They met.
                desk: 42 EUR",
        },
        says: "desk sees its current turn only, and since E4 the turn begins with that summary: E3 \
               and what followed is not sent.",
        not_in: Given {
            app: "
                name: desk",
            session: "
                user: Hello
                desk: Hello
                user: What do I owe?
                compaction 1: They met.
                desk: 42 EUR",
        },
    },
    Case {
        code: "covered-without-summary",
        found_in: Given {
            app: "",
            session: "
                user: Hello
                desk: Hello
                compaction 1: They met.
                desk [at 1.5]: I forgot to say something.
                user [at 5]: What?
                desk [at 6]: Nothing",
        },
        says: "E4 came in after a summary that covers their time: they are neither sent nor \
               summarised.",
        not_in: Given {
            app: "",
            session: "
                user: Hello
                desk: Hello
                compaction 1: They met.
                desk: I forgot to say something.
                user: What?
                desk: Nothing",
        },
    },
    Case {
        code: "summary-in-anothers-name",
        found_in: Given {
            app: "
                name: planner
                sub_agents: [{name: booker}]",
            session: "
                user: Hello
                planner: Hello
                compaction 1: They met.
                user: Book it
                booker: Booked.",
        },
        says: "booker read E3 as its own words in 1 call; the work in it was done by planner.",
        not_in: Given {
            app: "
                name: planner
                sub_agents: [{name: booker}]",
            session: "
                user: Hello
                planner: Hello
                booker: Hello
                compaction 1: They met.
                user: Book it
                booker: Booked.",
        },
    },
    Case {
        code: "summary-ends-early",
        found_in: Given {
            app: "",
            session: "
                user: Compare
                a [branch par.a, at 5]: Fine
                b [branch par.b, at 3]: Fine too
                compaction E1-E3: They compared.
                user [at 8]: And?
                c [at 9]: Both are fine.",
        },
        says: "E4 ends at the time of E3. Later by the clock and told in it: E2, sent as well.",
        not_in: Given {
            app: "",
            session: "
                user: Compare
                a [branch par.a]: Fine
                b [branch par.b]: Fine too
                compaction E1-E3: They compared.
                user: And?
                c: Both are fine.",
        },
    },
    Case {
        code: "compaction-overdue",
        found_in: Given {
            app: "
                events_compaction_config: {compaction_interval: 1, overlap_size: 0}
                root_agent: {name: desk}",
            session: "
                user: One
                desk: One
                user: Two
                desk: Two
                user: Three
                desk: Three",
        },
        says: "A summary is due every turn, and 2 turns have passed without one.",
        not_in: Given {
            app: "
                events_compaction_config: {compaction_interval: 1, overlap_size: 0}
                root_agent: {name: desk}",
            session: "
                user: One
                desk: One
                compaction 1: They counted.
                user: Two
                desk: Two
                compaction 2: They counted.
                user: Three
                desk: Three",
        },
    },
    Case {
        code: "compaction-overdue",
        found_in: Given {
            app: "
                events_compaction_config: {token_threshold: 1000, event_retention_size: 1}
                root_agent: {name: desk}",
            session: "
                user: One
                desk [usage 1100]: One
                user: Two
                desk [usage 1200]: Two
                user: Three
                desk [usage 1300]: Three",
        },
        says: "The threshold is 1,000 tokens. The prompts of 3 calls in a row by desk were reported \
               above it, and no summary was written.",
        not_in: Given {
            app: "
                events_compaction_config: {token_threshold: 1000, event_retention_size: 1}
                root_agent: {name: desk}",
            session: "
                user: One
                desk [usage 1100]: One
                user: Two
                desk [usage 200]: Two
                user: Three
                desk [usage 1300]: Three",
        },
    },
    Case {
        code: "threshold-without-usage",
        found_in: Given {
            app: "
                events_compaction_config: {token_threshold: 200, event_retention_size: 1}
                root_agent: {name: desk, instruction: «300 words»}",
            session: "
                user: One
                desk: One",
        },
        says: "No usage is recorded for desk, so its prompts are guessed from characters: up to 330 \
               tokens of tools and instructions count nothing against the threshold of 200.",
        not_in: Given {
            app: "
                events_compaction_config: {token_threshold: 200, event_retention_size: 1}
                root_agent: {name: desk, instruction: «300 words»}",
            session: "
                user: One
                desk [usage 320]: One",
        },
    },
    Case {
        code: "no-summarizer-for-workflow",
        found_in: Given {
            app: "
                events_compaction_config: {compaction_interval: 5, overlap_size: 0}
                root_agent: {name: flow, type: sequential, sub_agents: [{name: desk}]}",
            session: "
                user: One
                desk: One",
        },
        says: "flow is a sequential agent and has no model, and no summarizer is set: the run \
               raises an error when a compaction is due.",
        not_in: Given {
            app: "
                events_compaction_config:
                  {compaction_interval: 5, overlap_size: 0, summarizer: {model: gemini-2.5-flash}}
                root_agent: {name: flow, type: sequential, sub_agents: [{name: desk}]}",
            session: "
                user: One
                desk: One",
        },
    },
];

#[test]
fn summaries() {
    check(CASES);
}
