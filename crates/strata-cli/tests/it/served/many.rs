//! Many clients at once: a context holds its own conversation only, nobody else gets in, and what was answered is kept, also
//! where the server is killed.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::server::Server;

const PRINCIPALS: [&str; 2] = ["ana", "bob"];

/// Messages of each context.
const TURNS: usize = 3;

/// Clients, and contexts of each: few, but for who sets `STRATA_SERVED_CLIENTS` and `STRATA_SERVED_CONTEXTS`.
fn sizes() -> (usize, usize) {
    let size = |name: &str, usual| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    (size("STRATA_SERVED_CLIENTS", 6), size("STRATA_SERVED_CONTEXTS", 4))
}

/// A context, and what was answered in it.
#[derive(Clone, Default)]
struct Talk {
    id: String,
    answered: Vec<String>,
}

/// Turn by turn over all contexts of a client, until the server is gone. The model says back what it is told.
fn talk(server: &Server, client: usize, talks: &Mutex<Vec<Talk>>) {
    let (_, n_contexts) = sizes();
    let bearer = server.bearer(PRINCIPALS[client % 2]);
    for turn in 0..TURNS * n_contexts {
        let at = turn % n_contexts;
        let message = format!("client {client}, context {at}, turn {}", turn / n_contexts);
        let id = talks.lock().unwrap().get(at).map(|talk| talk.id.clone()).unwrap_or_default();
        let headers = [("Authorization", bearer.as_str()), ("X-Context-ID", id.as_str())];
        let Ok(got) = server.try_send("POST", "/run", &headers, &json!({ "message": message }).to_string())
        else {
            return;
        };
        assert_eq!(got.status, 200, "{got:?}");
        let answer = got.json();
        assert_eq!(answer["message"], message);
        let mut talks = talks.lock().unwrap();
        if id.is_empty() {
            let id = answer["context_id"].as_str().unwrap().to_owned();
            talks.push(Talk { id, answered: Vec::new() });
        }
        assert_eq!(answer["context_id"], talks[at].id);
        talks[at].answered.push(message);
    }
}

/// What all clients said and were answered, at once, while something else is done.
fn all_talk(server: &Server, meanwhile: impl FnOnce(&[Mutex<Vec<Talk>>])) -> Vec<Mutex<Vec<Talk>>> {
    let all: Vec<Mutex<Vec<Talk>>> = (0..sizes().0).map(|_| Mutex::default()).collect();
    thread::scope(|scope| {
        for (client, talks) in all.iter().enumerate() {
            scope.spawn(move || talk(server, client, talks));
        }
        meanwhile(&all);
    });
    all
}

/// The messages of each context as the store has them.
fn check(server: &Server, all: &[Mutex<Vec<Talk>>], is_said: impl Fn(&[String], &[String]) -> bool) {
    for talk in all.iter().flat_map(|talks| talks.lock().unwrap().clone()) {
        let shown = server.strata(&format!("contexts show {}", talk.id));
        let messages = shown["messages"].as_array().unwrap().iter();
        let said: Vec<String> =
            messages.map(|message| message["content"].as_str().unwrap().to_owned()).collect();
        // Each message, and the same as its answer.
        let told: Vec<String> =
            talk.answered.iter().flat_map(|answer| [answer.clone(), answer.clone()]).collect();
        assert!(is_said(&said, &told), "{}: {said:?} where {told:?} was answered", talk.id);
    }
}

#[test]
fn contexts_of_many_clients_stay_apart() {
    let (n_clients, n_contexts) = sizes();
    let server = Server::echo();
    let all = all_talk(&server, |_| {});
    check(&server, &all, |said, told| said == told && told.len() == 2 * TURNS);
    let list = server.strata("contexts list");
    assert_eq!(list["contexts"].as_array().unwrap().len(), n_clients * n_contexts);
    // To the other one it is as if there were none.
    for (client, talks) in all.iter().enumerate() {
        let id = talks.lock().unwrap()[0].id.clone();
        let bearer = server.bearer(PRINCIPALS[(client + 1) % 2]);
        let got = server
            .run(&[("Authorization", &bearer), ("X-Context-ID", &id)], &json!({"message": "Let me in"}));
        assert_eq!((got.status, &got.json()["error"]["code"]), (410, &json!("CONTEXT_EXPIRED")), "{got:?}");
    }
    check(&server, &all, |said, told| said == told);
}

#[test]
fn what_was_answered_is_kept_when_the_server_is_killed() {
    let (n_clients, _) = sizes();
    let server = Server::echo();
    let all = all_talk(&server, |all| {
        let n_answered = || all.iter().map(answers).sum::<usize>();
        // A client that fails says so in the end, and is not waited for.
        for _ in 0..12_000 {
            if n_answered() >= n_clients * 2 {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        server.kill();
    });
    // What nobody was told of any more may be there as well.
    check(&server, &all, |said, told| !told.is_empty() && said.starts_with(told));
}

fn answers(talks: &Mutex<Vec<Talk>>) -> usize {
    talks.lock().unwrap().iter().map(|talk| talk.answered.len()).sum()
}
