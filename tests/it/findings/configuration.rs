//! Rules about instructions, state, artifacts, tools and models.

use super::case::{Case, Given, check};

const PIPELINE: &str = "
    name: pipeline
    type: sequential
    sub_agents:
      - {name: fetcher, tools: [{type: function, declaration: {name: fetch}}]}
      - {name: writer}";

pub(crate) const CASES: &[Case] = &[
    Case {
        code: "instruction-in-tool-loop",
        found_in: Given {
            app: "
                name: desk
                static_instruction: You do bills.
                instruction: «600 words»",
            session: "
                user: What do I owe?
                desk: -> list_bills() #c1
                tool: {}
                desk: Nothing",
        },
        says: "The instruction of desk was sent again after each result: 737 tokens in 1 call.",
        not_in: Given {
            app: "
                name: desk
                static_instruction: You do bills.
                instruction: «600 words»",
            session: "
                user: What do I owe?
                desk: Nothing
                user: Sure?
                desk: Yes",
        },
    },
    Case {
        code: "braces-not-escaped",
        found_in: Given {
            app: "
                name: desk
                instruction: \"Write {{name}} for a name.\"",
            session: "
                user [state name=Ana]: Hello
                desk: Hello",
        },
        says: "The instruction of desk doubles the braces around name, and the values are filled in \
               all the same.",
        not_in: Given {
            app: "
                name: desk
                instruction: \"Write ${name} for a name, and {{\\\"a\\\": 1}} for JSON. You serve {name}.\"",
            session: "
                user [state name=Ana]: Hello
                desk: Hello",
        },
    },
    Case {
        code: "state-printed-as-python",
        found_in: Given {
            app: "
                name: desk
                instruction: The bills are {bills}.",
            session: "
                user [state bills={\"dentist\":null}]: Hello
                desk: Hello",
        },
        says: "The instruction of desk shows bills as Python prints lists and mappings, which is no \
               JSON.",
        not_in: Given {
            app: "
                name: desk
                instruction: The bills are {bills}.",
            session: "
                user [state bills=none]: Hello
                desk: Hello",
        },
    },
    Case {
        code: "provider-not-filled",
        found_in: Given {
            app: "
                name: desk
                instruction: {provider: \"You serve {customer}.\"}",
            session: "
                user [state customer=Ana]: Hello
                desk: Hello",
        },
        says: "The provider of the instruction of desk returns customer in braces, and the model is \
               sent the braces.",
        // No such key: the braces may be meant.
        not_in: Given {
            app: "
                name: desk
                instruction: {provider: \"Write {customer} for the customer.\"}",
            session: "
                user: Hello
                desk: Hello",
        },
    },
    Case {
        code: "rewind-cleared-state",
        found_in: Given {
            app: "
                name: desk
                instruction: You serve {customer}.",
            session: "
                user: Hello
                desk: Hello
                user: Bye
                desk: Bye
                rewind 2 [state customer=null]
                user: Hello again
                desk: Hello",
        },
        says: "The rewind E5 set customer to nothing: only the initial state held a value. The \
               instruction of desk shows nothing in their place.",
        // An event had written the key.
        not_in: Given {
            app: "
                name: desk
                instruction: You serve {customer}.",
            session: "
                user: Hello
                desk: Hello
                user [state customer=Ana]: Bye
                desk: Bye
                rewind 2 [state customer=null]
                user: Hello again
                desk: Hello",
        },
    },
    Case {
        code: "loaded-file-not-shown",
        found_in: Given {
            app: "
                name: desk
                static_instruction: You do bills.
                instruction: Be brief.
                tools: [{type: load_artifacts}]",
            session: "
                user [artifact bill.txt=0]: What is in the bill?
                desk: -> load_artifacts(artifact_names=[\"bill.txt\"]) #c1
                tool: {\"artifact_names\": [\"bill.txt\"], \"status\": \"inserted\"}
                desk: I cannot see it.",
        },
        says: "desk loaded files (E3) and did not see them in 1 call: its instruction stands behind \
               the result.",
        not_in: Given {
            app: "
                name: desk
                static_instruction: You do bills. Be brief.
                tools: [{type: load_artifacts}, {type: preload_memory}]",
            session: "
                user [artifact bill.txt=0]: What is in the bill?
                desk: -> load_artifacts(artifact_names=[\"bill.txt\"]) #c1
                tool: {\"artifact_names\": [\"bill.txt\"], \"status\": \"inserted\"}
                desk: 42 EUR",
        },
    },
    Case {
        code: "loaded-file-not-shown",
        found_in: Given {
            app: "
                name: desk
                tools: [{type: preload_memory}, {type: load_artifacts}]",
            session: "
                user [artifact bill.txt=0]: What is in the bill?
                desk: -> load_artifacts(artifact_names=[\"bill.txt\"]) #c1
                tool: {\"artifact_names\": [\"bill.txt\"], \"status\": \"inserted\"}
                desk: I cannot see it.",
        },
        says: "desk loaded files (E3) and did not see them in 1 call: preload_memory puts what it \
               finds behind the result.",
        not_in: Given {
            app: "
                name: desk
                tools: [{type: preload_memory}, {type: load_artifacts}]",
            session: "
                user [artifact bill.txt=0]: Is there a bill?
                desk: Yes",
        },
    },
    Case {
        code: "rewound-file-listed",
        found_in: Given {
            app: "
                name: desk
                tools: [{type: load_artifacts}, {type: function, declaration: {name: keep}}]",
            session: "
                user: Hello
                desk: Hello
                user: Keep the bill
                desk: -> keep() #c1
                tool [artifact bill.txt=0]: {}
                desk: Kept
                rewind 2 [artifact bill.txt=1]
                user: Is there a bill?
                desk: Yes",
        },
        says: "bill.txt was saved in a turn that a rewind took back (E5), and is still listed in 1 \
               call.",
        // Saved again since.
        not_in: Given {
            app: "
                name: desk
                tools: [{type: load_artifacts}, {type: function, declaration: {name: keep}}]",
            session: "
                user: Hello
                desk: Hello
                user: Keep the bill
                desk: -> keep() #c1
                tool [artifact bill.txt=0]: {}
                desk: Kept
                rewind 2 [artifact bill.txt=1]
                user: Keep the bill
                desk: -> keep() #c2
                tool [artifact bill.txt=2]: {}
                desk: Kept",
        },
    },
    Case {
        code: "duplicate-tools",
        found_in: Given {
            app: "
                name: desk
                tools: [{type: function, declaration: {name: f}}, {type: function, declaration: {name: f}}]",
            session: "
                user: Hello
                desk: Hello",
        },
        says: "desk has more than one tool called f; the model sees all of them, and the last one \
               runs.",
        not_in: Given {
            app: "
                name: desk
                tools:
                  - {type: function, declaration: {name: f}}
                  - {type: toolset, prefix: my, tools: [{type: function, declaration: {name: f}}]}",
            session: "
                user: Hello
                desk: Hello",
        },
    },
    Case {
        code: "unused-tools",
        found_in: Given {
            app: "
                name: desk
                tools:
                  - {type: function, declaration: {name: list_bills, description: Lists them}}
                  - {type: function, declaration: {name: pay, description: «500 words»}}",
            session: "
                user: What do I owe?
                desk: -> list_bills() #c1
                tool: {\"dentist\": 42}
                desk: 42 EUR",
        },
        says: "pay is declared in 2 calls and never called: 968 tokens, 88 % of everything that was sent.",
        not_in: Given {
            app: "
                name: desk
                tools:
                  - {type: function, declaration: {name: list_bills, description: Lists them}}
                  - {type: function, declaration: {name: pay, description: «500 words»}}",
            session: "
                user: What do I owe?
                desk: -> list_bills() #c1
                tool: {\"dentist\": 42}
                desk: -> pay() #c2
                tool: {}
                desk: Paid",
        },
    },
    Case {
        code: "unused-parameters",
        found_in: Given {
            app: "
                name: desk
                tools:
                  - type: function
                    declaration:
                      name: pay
                      parameters:
                        type: object
                        properties:
                          bill: {type: string}
                          note: {type: string, description: «500 words»}",
            session: "
                user: Pay 1
                desk: -> pay(bill=\"1\") #c1
                tool: {}
                desk: Paid
                user: Pay 2
                desk: -> pay(bill=\"2\") #c2
                tool: {}
                desk: Paid
                user: Pay 3
                desk: -> pay(bill=\"3\") #c3
                tool: {}
                desk: Paid",
        },
        says: "pay is called 3 times and never with note: 2,994 tokens of its declaration in 6 calls, 86 % of everything \
               that was sent.",
        not_in: Given {
            app: "
                name: desk
                tools:
                  - type: function
                    declaration:
                      name: pay
                      parameters:
                        type: object
                        properties:
                          bill: {type: string}
                          note: {type: string, description: «500 words»}",
            session: "
                user: Pay 1
                desk: -> pay(bill=\"1\") #c1
                tool: {}
                desk: Paid
                user: Pay 2
                desk: -> pay(bill=\"2\") #c2
                tool: {}
                desk: Paid
                user: Pay 3
                desk: -> pay(bill=\"3\", note=\"late\") #c3
                tool: {}
                desk: Paid",
        },
    },
    Case {
        code: "unused-answer-fields",
        found_in: Given {
            app: "",
            session: "
                user: Look
                desk: {\"id\": \"bill-17\", \"trace\": \"run_7 «500 words»\"}
                user: And bill-17?
                desk: bill-17 is paid
                user: Thanks
                desk: Welcome",
        },
        says: "Nothing later names what trace holds in 1 JSON answer: 1,128 tokens, 87 % of everything \
               that was sent.",
        not_in: Given {
            app: "",
            session: "
                user: Look
                desk: {\"id\": \"bill-17\", \"trace\": \"run_7 «500 words»\"}
                user: And bill-17 in run_7?
                desk: bill-17 is paid
                user: Thanks
                desk: Welcome",
        },
    },
    Case {
        code: "spaced-answers",
        found_in: Given {
            app: "",
            session: "
                user: Look
                desk: {«200 fields»\"id\": 17, \"text\": \"«900 words»\"}
                user: And now?
                desk: Paid
                user: Thanks
                desk: Welcome",
        },
        says: "The white space in 1 JSON answer took 2,406 tokens, 34 % of everything that was sent.",
        not_in: Given {
            app: "",
            session: "
                user: Look
                desk: {\"id\": 17, \"text\": \"«900 words»\"}
                user: And now?
                desk: Paid
                user: Thanks
                desk: Welcome",
        },
    },
    Case {
        code: "words-around-json",
        found_in: Given {
            app: "
                name: desk",
            session: "
                user: Look
                desk: Here it is «300 words» {\"id\": 17}
                user: And now?
                desk: Here it is «300 words» {\"id\": 18}
                user: Thanks
                desk: Here you are {\"id\": 19}",
        },
        says: "Each of desk’s 3 answers holds one JSON object, and what is said around it took 966 tokens, 93 % of \
               everything that was sent.",
        // One of the answers is no JSON.
        not_in: Given {
            app: "
                name: desk",
            session: "
                user: Look
                desk: Here it is «300 words» {\"id\": 17}
                user: And now?
                desk: Here it is «300 words» {\"id\": 18}
                user: Thanks
                desk: Welcome",
        },
    },
    Case {
        code: "long-answers-for-agents",
        found_in: Given {
            app: PIPELINE,
            session: "
                user: Look
                fetcher: I fetched «300 words»
                writer: All is well.
                user: Again
                fetcher: I fetched «300 words»
                writer: All is well.",
        },
        says: "fetcher gave 2 answers of 342 tokens on average that only other agents read: 1,343 tokens in 3 calls, \
               73 % of everything that was sent. It is the most that a schema can save: what it answers by one is not \
               known before. It has tools: by a schema it answers with a call of `set_model_response`, and later \
               prompts hold the call, its result and the answer, unless other agents’ calls are stripped from them.",
        // The writer is the last of each turn, and the fetcher is short.
        not_in: Given {
            app: PIPELINE,
            session: "
                user: Look
                fetcher: Fetched
                writer: All is «300 words»
                user: Again
                fetcher: Fetched
                writer: All is «300 words»",
        },
    },
    Case {
        code: "data-file-renamed",
        found_in: Given {
            app: "
                name: desk
                static_instruction: You do bills.
                instruction: Be brief.
                code_executor: {type: host, optimize_data_file: true}",
            session: "
                user: Sum this up
                  part {\"inlineData\": {\"mimeType\": \"text/csv\", \"data\": \"YSxi\"}}
                desk: Done
                user: Again
                desk: Done",
        },
        says: "Data files of desk changed their names once (data_2_2.csv → data_1_2.csv), because \
               what stands before them changed.",
        not_in: Given {
            app: "
                name: desk
                instruction: You do bills. Be brief.
                code_executor: {type: host, optimize_data_file: true}",
            session: "
                user: Sum this up
                  part {\"inlineData\": {\"mimeType\": \"text/csv\", \"data\": \"YSxi\"}}
                desk: Done
                user: Again
                desk: Done",
        },
    },
    Case {
        code: "model-family-changed",
        found_in: Given {
            app: "",
            session: "
                user: Hello
                desk [model gemini-2.5-flash]: Hello
                user: Bye
                desk [model openai/gpt-5]: Bye",
        },
        says: "desk was answered by gemini-2.5-flash and openai/gpt-5 in turn: 1 change, and 24 \
               tokens of history had to be read anew.",
        not_in: Given {
            app: "",
            session: "
                user: Hello
                desk [model gemini-2.5-flash]: Hello
                user: Bye
                desk [model gemini-2.5-flash-001]: Bye",
        },
    },
];

#[test]
fn configurations() {
    check(CASES);
}
