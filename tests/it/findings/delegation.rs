//! Rules about work inside another agent's turn.

use super::case::{Case, Given, check};

pub(crate) const CASES: &[Case] = &[
    Case {
        code: "task-scope-lost",
        found_in: Given {
            app: "
                name: desk
                sub_agents: [{name: bills, mode: task}]",
            session: "
                user: What do I owe?
                desk: -> bills(request=\"Sum up May\") #t1
                bills: Paid ones too?",
        },
        says: "1 answer of task agents without a scope and a place in the run: the coordinator \
               reads their dialogue as its own history.",
        not_in: Given {
            app: "
                name: desk
                sub_agents: [{name: bills, mode: task}]",
            session: "
                user: What do I owe?
                desk [path desk@1]: -> bills(request=\"Sum up May\") #t1
                bills [scope t1, branch bills@t1, path desk@1/bills@t1]: Paid ones too?",
        },
    },
    Case {
        code: "unexplained-transfer-tool",
        found_in: Given {
            app: "
                name: desk
                sub_agents: [{name: bills, mode: task}]",
            session: "
                user: What do I owe?
                desk [path desk@1]: -> bills(request=\"Sum up May\") #t1
                bills [scope t1, branch bills@t1, path desk@1/bills@t1]: Paid ones too?",
        },
        says: "bills could hand its work over in 1 call and was told nothing about it.",
        not_in: Given {
            app: "
                name: desk
                sub_agents:
                  - {name: bills, mode: task, disallow_transfer_to_parent: true, disallow_transfer_to_peers: true}",
            session: "
                user: What do I owe?
                desk [path desk@1]: -> bills(request=\"Sum up May\") #t1
                bills [scope t1, branch bills@t1, path desk@1/bills@t1]: Paid ones too?",
        },
    },
    Case {
        code: "input-shown-twice",
        found_in: Given {
            app: "
                name: desk
                sub_agents: [{name: summer, mode: single_turn, include_contents: default}]",
            session: "
                user: What do I owe?
                desk [path desk@1]: -> summer(request=\"Sum up 1 and 2\") #t1
                summer [branch summer@t1, path desk@1/summer@1]: 3",
        },
        says: "summer read its input twice in 1 call: in the call that is quoted to it, and as a \
               message of 7 tokens in all.",
        not_in: Given {
            app: "
                name: desk
                sub_agents: [{name: summer, mode: single_turn}]",
            session: "
                user: What do I owe?
                desk [path desk@1]: -> summer(request=\"Sum up 1 and 2\") #t1
                summer [branch summer@t1, path desk@1/summer@1]: 3",
        },
    },
    Case {
        code: "turn-begins-with-an-agent",
        found_in: Given {
            app: "
                root_agent:
                  name: flow
                  type: sequential
                  sub_agents: [{name: finder}, {name: writer, include_contents: none}]",
            session: "
                user: Write about Oslo
                finder: Oslo is a city.
                writer: A city by a fjord.",
        },
        says: "writer saw the last message of finder and not what the user said, in 1 call.",
        not_in: Given {
            app: "
                root_agent:
                  name: flow
                  type: sequential
                  sub_agents: [{name: finder}, {name: writer}]",
            session: "
                user: Write about Oslo
                finder: Oslo is a city.
                writer: A city by a fjord.",
        },
    },
];

#[test]
fn delegated_work() {
    check(CASES);
}
