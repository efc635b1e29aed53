//! Rules about what is sent again and again.

use super::case::{Case, Given, check};

pub(crate) const CASES: &[Case] = &[
    Case {
        code: "memories-stay",
        found_in: Given {
            app: "",
            session: "
                user: What did I owe?
                desk: -> load_memory(query=owe) #c1
                tool: {\"memories\": [\"«600 words»\"]}
                desk: 900 EUR
                user: Thanks
                desk: Bye",
        },
        says: "Memories that were found by load_memory (E3) went on being sent after the call that \
               asked: 670 tokens in 1 call.",
        // Read once, by the call that asked.
        not_in: Given {
            app: "",
            session: "
                user: What did I owe?
                desk: -> load_memory(query=owe) #c1
                tool: {\"memories\": [\"«600 words»\"]}
                desk: 900 EUR",
        },
    },
    Case {
        code: "memories-preloaded-each-call",
        found_in: Given {
            app: "
                name: desk
                tools: [{type: preload_memory}]",
            session: "
                user: What do I owe?
                desk: -> list_bills() #c1
                tool: {}
                desk: -> list_rents() #c2
                tool: {}
                desk: Nothing",
        },
        says: "desk has preload_memory and searched memory again for the same words twice, in turns \
               of up to 3 calls.",
        not_in: Given {
            app: "
                name: desk
                tools: [{type: preload_memory}]",
            session: "
                user: What do I owe?
                desk: Nothing
                user: Sure?
                desk: Yes
                user: Thanks
                desk: Bye",
        },
    },
    Case {
        code: "skills-stay",
        found_in: Given {
            app: "",
            session: "
                user: Make slides
                desk: -> load_skill(name=slides) #c1
                tool: {\"instructions\": \"«600 words»\"}
                desk: Here they are.
                user: Thanks
                desk: Bye",
        },
        says: "Skills that were loaded by load_skill (E3) went on being sent after the call that asked: \
               668 tokens in 1 call.",
        not_in: Given {
            app: "",
            session: "
                user: Make slides
                desk: -> list_skills(name=slides) #c1
                tool: {\"instructions\": \"«600 words»\"}
                desk: Here they are.
                user: Thanks
                desk: Bye",
        },
    },
    Case {
        code: "structured-answer-thrice",
        found_in: Given {
            app: "",
            session: "
                user: List my bills
                desk: -> set_model_response(bills=\"«400 words»\") #c1
                tool [fields {\"actions\": {\"setModelResponse\": {\"bills\": \"\"}}}]: {\"bills\": \"«400 words»\"}
                desk: «400 words»
                user: Thanks
                desk: Bye",
        },
        says: "Answers of desk are in the history as a text, and twice more as call and result of \
               set_model_response: 900 tokens in 1 call.",
        not_in: Given {
            app: "",
            session: "
                user: List my bills
                desk: «400 words»
                user: Thanks
                desk: Bye",
        },
    },
    Case {
        code: "thoughts-resent",
        found_in: Given {
            app: "",
            session: "
                user: List my bills
                desk: ~ «600 words»
                  + You have none.
                user: Thanks
                desk: Bye",
        },
        says: "desk read thoughts of 1 earlier answer again: 661 tokens, 87 % of everything that was sent.",
        // Nobody reads the thoughts of the last answer.
        not_in: Given {
            app: "",
            session: "
                user: List my bills
                desk: You have none.
                user: Thanks
                desk: ~ «600 words»
                  + Bye",
        },
    },
    Case {
        code: "media-attached-forever",
        found_in: Given {
            app: "",
            session: "
                session s1 [state multimodal_tool_results_plugin:PARTS_RETURNED_BY_TOOLS_ID=[\"a\"]]
                user: Show the chart
                desk: There.",
        },
        says: "State holds media that tools returned, and they were attached to 1 request without \
               being shown here.",
        not_in: Given {
            app: "",
            session: "
                session s1 [state temp:PARTS_RETURNED_BY_TOOLS_ID=[\"a\"]]
                user: Show the chart
                desk: There.",
        },
    },
];

#[test]
fn sent_again_and_again() {
    check(CASES);
}
