//! `strata stores`.

use crate::strata::strata;

#[test]
fn keys_agents_and_hand_offs_of_the_sample_are_printed() {
    insta::assert_snapshot!(strata("stores sample --call 17").seen());
}

#[test]
fn one_agent_hands_nothing_over() {
    insta::assert_snapshot!(strata("stores weather.session.json --app weather.app.yaml").seen());
}

#[test]
fn what_agents_used_comes_to_what_the_session_did() {
    for source in ["sample", "weather.session.json", "broken-line.jsonl"] {
        let stores = strata(&format!("stores {source} --json")).document();
        let agents = stores["agents"].as_array().unwrap();
        let sum =
            |field: &str| -> u64 { agents.iter().map(|agent| agent["bill"][field].as_u64().unwrap()).sum() };
        let ledger = strata(&format!("tokens {source} --json")).document();
        assert_eq!(sum("countedTokens"), ledger["total"].as_u64().unwrap(), "{source}");
        for field in ["calls", "promptTokens", "cachedTokens", "outputTokens"] {
            assert_eq!(sum(field), ledger["bill"][field].as_u64().unwrap(), "{source}: {field}");
        }
    }
}
