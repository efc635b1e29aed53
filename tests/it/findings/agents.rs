//! Rules about several agents.

use super::case::{Case, Given, check};

/// A planner with somebody to hand over to.
const TRAVEL: &str = "
    name: planner
    sub_agents: [{name: booker}]";

pub(crate) const CASES: &[Case] = &[
    Case {
        code: "quotation-frames",
        found_in: Given {
            app: TRAVEL,
            session: "
                user: Book a flight
                planner: I look for flights.
                planner: There are two.
                planner => booker
                booker: Which one?
                user: The first
                booker: Booked.",
        },
        says: "Paragraphs and markers around other agents' words took 856 tokens (35 % of \
               everything that was sent) in 2 calls, read by booker.",
        not_in: Given {
            app: TRAVEL,
            session: "
                user: Book a flight
                planner: I look for flights.
                user: Which are there?
                planner: There are two.",
        },
    },
    Case {
        code: "transfer-residue",
        found_in: Given {
            app: TRAVEL,
            session: "
                user: Book a flight
                planner => booker
                booker: Which one?
                user: The first
                booker: Booked.",
        },
        says: "2 events of hand-overs were quoted in 2 calls of booker: 522 tokens that say only \
               who spoke next.",
        not_in: Given {
            app: TRAVEL,
            session: "
                user: Book a flight
                planner: I look for flights.
                user: And?
                booker: Which one?
                user: The first
                booker: Booked.",
        },
    },
    Case {
        code: "quoted-tool-results",
        found_in: Given {
            app: TRAVEL,
            session: "
                user: Book a flight
                planner: -> search(to=Oslo) #c1
                tool: {\"rows\": \"«600 words»\"}
                planner => booker
                booker: Which one?",
        },
        says: "What tools returned to planner was quoted in full to booker: 665 tokens in 1 call \
               (search 665).",
        // The result is the reader's own.
        not_in: Given {
            app: TRAVEL,
            session: "
                user: Book a flight
                planner: -> search(to=Oslo) #c1
                tool: {\"rows\": \"«600 words»\"}
                planner: Which one?",
        },
    },
    Case {
        code: "parallel-branches-joined",
        found_in: Given {
            app: "
                root_agent:
                  name: flow
                  type: sequential
                  sub_agents:
                    - {name: par, type: parallel, sub_agents: [{name: a}, {name: b}]}
                    - {name: writer}",
            session: "
                user: Compare
                a [branch par.a]: «300 words»
                b [branch par.b]: «300 words»
                writer: Both are fine.",
        },
        says: "writer has no branch, so it read everything the parallel branches par.a and par.b \
               did: 678 tokens in 1 call.",
        // One branch is the work of one agent.
        not_in: Given {
            app: "
                root_agent:
                  name: flow
                  type: sequential
                  sub_agents:
                    - {name: par, type: parallel, sub_agents: [{name: a}, {name: b}]}
                    - {name: writer}",
            session: "
                user: Compare
                a [branch par.a]: «600 words»
                writer: It is fine.",
        },
    },
    Case {
        code: "transfer-instructions",
        found_in: Given {
            app: TRAVEL,
            session: "
                user: Hello
                planner: Hello
                user: Hello
                planner: Hello",
        },
        says: "planner was told whom it can hand over to in 2 calls: 510 tokens, 90 % of everything \
               that was sent.",
        not_in: Given {
            app: "
                name: planner",
            session: "
                user: Hello
                planner: Hello
                user: Hello
                planner: Hello",
        },
    },
    Case {
        code: "agents-alternate",
        found_in: Given {
            app: TRAVEL,
            session: "
                user: «800 words»
                planner => booker
                booker => planner
                planner => booker
                booker => planner
                planner: Done",
        },
        says: "planner and booker took turns 4 times. After each change the prompt began anew, and \
               1,701 tokens that an agent staying in charge would have found in its cache were paid \
               in full.",
        not_in: Given {
            app: TRAVEL,
            session: "
                user: «800 words»
                planner => booker
                booker: Which one?
                user: The first
                booker: Booked.",
        },
    },
    Case {
        code: "parent-is-no-target",
        found_in: Given {
            app: "
                root_agent:
                  {name: flow, type: sequential, sub_agents: [{name: desk, sub_agents: [{name: bills}]}]}",
            session: "
                user: Hello
                desk: Hello",
        },
        says: "desk is told \"transfer to your parent agent flow\", but flow runs other agents and \
               cannot be handed over to: a model that obeys fails.",
        not_in: Given {
            app: "
                root_agent:
                  name: flow
                  type: sequential
                  sub_agents: [{name: desk, disallow_transfer_to_parent: true, sub_agents: [{name: bills}]}]",
            session: "
                user: Hello
                desk: Hello",
        },
    },
    Case {
        code: "agent-tool-out-of-sight",
        found_in: Given {
            app: "
                name: desk
                tools: [{type: agent_tool, agent: {name: summer}}]",
            session: "
                user: What do I owe?
                desk: -> summer(request=\"Sum up\") #c1
                tool: {\"result\": 42}
                desk: 42 EUR",
        },
        says: "1 run of summer as a tool, each in a session of its own: what its calls cost is in \
               no number here.",
        not_in: Given {
            app: "
                name: desk
                tools: [{type: function, declaration: {name: summer}}]",
            session: "
                user: What do I owe?
                desk: -> summer(request=\"Sum up\") #c1
                tool: {\"result\": 42}
                desk: 42 EUR",
        },
    },
];

#[test]
fn agents() {
    check(CASES);
}
