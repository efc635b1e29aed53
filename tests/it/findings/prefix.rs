//! Rules about prefixes and the context filter.

use super::case::{Case, Given, check};

pub(crate) const CASES: &[Case] = &[
    Case {
        code: "state-in-instruction",
        found_in: Given {
            app: "
                name: desk
                instruction: You serve {customer}. «5000 words»",
            session: "
                user [state customer=Ana]: Hello
                desk: Hello
                user [state customer=Ben]: Hello
                desk: Hello",
        },
        says: "state.customer changed Ana → Ben inside the instruction. 5,272 tokens were paid in full \
               again for it, once, by desk.",
        // The value is written again and is the same.
        not_in: Given {
            app: "
                name: desk
                instruction: You serve {customer}. «5000 words»",
            session: "
                user [state customer=Ana]: Hello
                desk: Hello
                user [state customer=Ana]: Hello
                desk: Hello",
        },
    },
    Case {
        code: "artifact-list-changes",
        found_in: Given {
            app: "
                name: desk
                tools: [{type: load_artifacts}, {type: function, declaration: {name: keep}}]",
            session: "
                user: «5000 words»
                desk: -> keep(what=bill) #c1
                tool [artifact bill.txt=0]: {}
                desk: Done",
        },
        says: "The list of artifacts in the instruction of desk changed once, and 5,379 tokens were \
               paid in full again.",
        // The name was on the list already.
        not_in: Given {
            app: "
                name: desk
                tools: [{type: load_artifacts}, {type: function, declaration: {name: keep}}]",
            session: "
                user: «5000 words»
                desk: -> keep(what=bill) #c1
                tool [artifact bill.txt=1]: {}
                desk: Done",
        },
    },
    Case {
        code: "instruction-before-history",
        found_in: Given {
            app: "
                name: desk
                static_instruction: [You do bills., {inlineData: {mimeType: image/png, data: iVBORw==}}]
                instruction: You serve {customer}.",
            session: "
                user [state customer=Ana]: «5000 words»
                desk: Hello
                user [state customer=Ben]: Hello
                desk: Hello",
        },
        says: "The static instruction of desk holds files, so its other instruction stands before \
               the history. It changed once, and 6,514 tokens were paid in full again.",
        // Without a file the instruction stands behind the history.
        not_in: Given {
            app: "
                name: desk
                static_instruction: You do bills.
                instruction: You serve {customer}.",
            session: "
                user [state customer=Ana]: «5000 words»
                desk: Hello
                user [state customer=Ben]: Hello
                desk: Hello",
        },
    },
    Case {
        code: "cache-never-made",
        found_in: Given {
            app: "
                context_cache_config: {cache_intervals: 5}
                root_agent: {name: desk, model: gemini-2.5-flash}",
            session: "
                user: Hello
                desk: Hello
                user: Hello
                desk: Hello
                user: Hello
                desk: Hello",
        },
        says: "No cache can be made for desk: its largest prompt has 25 tokens, and \
               gemini-2.5-flash needs 2,048.",
        not_in: Given {
            app: "
                context_cache_config: {cache_intervals: 5}
                root_agent: {name: desk, model: gemini-2.5-flash, instruction: «5000 words»}",
            session: "
                user: Hello
                desk: Hello
                user: Hello
                desk: Hello
                user: Hello
                desk: Hello",
        },
    },
    Case {
        code: "prefix-out-of-reach",
        found_in: Given {
            app: "
                root_agent: {name: desk, model: {name: anthropic/claude-sonnet-4-5, kind: lite_llm}}",
            session: "
                user: «5000 words»
                desk: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                user: Hello
                desk: Hello",
        },
        says: "23 blocks came in at once, and from a breakpoint the provider looks back over 20. 5,573 tokens \
               were paid in full again for it, once, by desk.",
        // Each call goes on from what was just sent.
        not_in: Given {
            app: "
                root_agent: {name: desk, model: {name: anthropic/claude-sonnet-4-5, kind: lite_llm}}",
            session: "
                user: «5000 words»
                desk: Hello
                user: Hello
                desk: Hello",
        },
    },
    Case {
        code: "cache-never-read",
        found_in: Given {
            app: "
                root_agent: {name: desk, model: gpt-4o, instruction: «5000 words»}",
            session: "
                user: Hello
                desk [usage 5100 cached 0]: Hello
                user: Hello
                desk [usage 5110 cached 0]: Hello
                user: Hello
                desk [usage 5120 cached 0]: Hello",
        },
        says: "By the provider's reports, nothing of desk's prompts was ever read from a cache: 9,984 tokens that were sent \
               before were paid in full, twice.",
        not_in: Given {
            app: "
                root_agent: {name: desk, model: gpt-4o, instruction: «5000 words»}",
            session: "
                user: Hello
                desk [usage 5100 cached 0]: Hello
                user: Hello
                desk [usage 5110 cached 0]: Hello
                user: Hello
                desk [usage 5120 cached 4992]: Hello",
        },
    },
    Case {
        code: "filter-shifts-every-turn",
        found_in: Given {
            app: "
                plugins: [{type: context_filter, num_invocations_to_keep: 2, remove_amount: 1}]
                root_agent: {name: desk}",
            session: "
                user: First «3000 words»
                desk: Hello
                user: Second «3000 words»
                desk: Hello
                user: Third «3000 words»
                desk: Hello
                user: Fourth «3000 words»
                desk: Hello",
        },
        says: "context_filter_plugin dropped the oldest turn in 2 turns in a row, and 12,642 tokens \
               were paid in full again.",
        // Turns are dropped three at a time, so once here.
        not_in: Given {
            app: "
                plugins: [{type: context_filter, num_invocations_to_keep: 2, remove_amount: 3}]
                root_agent: {name: desk}",
            session: "
                user: First «3000 words»
                desk: Hello
                user: Second «3000 words»
                desk: Hello
                user: Third «3000 words»
                desk: Hello
                user: Fourth «3000 words»
                desk: Hello",
        },
    },
    Case {
        code: "filter-cuts-the-turn",
        found_in: Given {
            app: "
                plugins: [{type: context_filter, num_invocations_to_keep: 1, remove_amount: 1}]
                root_agent: {name: desk, static_instruction: You do bills., instruction: Be brief.}",
            session: "
                user: What do I owe?
                desk: -> list_bills() #adk-1
                tool: {\"dentist\": 42}
                desk: 42 EUR",
        },
        says: "context_filter_plugin left 1 call without the question it answers, E1 for the first.",
        not_in: Given {
            app: "
                plugins: [{type: context_filter, num_invocations_to_keep: 1, remove_amount: 1}]
                root_agent: {name: desk, instruction: You do bills. Be brief.}",
            session: "
                user: What do I owe?
                desk: -> list_bills() #adk-1
                tool: {\"dentist\": 42}
                desk: 42 EUR",
        },
    },
];

#[test]
fn prefixes_and_filters() {
    check(CASES);
}
