//! Several settings with several models, run from the command line.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use strata_testkit::model_server::{ModelServer, Play, chat_stream};

use crate::strata::{Computer, Run};

fn asking(computer: &Computer, server: &ModelServer, more: &str) -> Command {
    let mut command: Command = computer.command(&format!(
        "batch sample --config interval=6,overlap=1 --config interval=8,overlap=0 --model live/scripted-1 --model \
         live/scripted-2 --db {} {more}",
        computer.path("lab.db").display()
    ));
    command.env("STRATA_LIVE_BASE_URL", format!("{}/v1", server.url()));
    command.env("STRATA_LIVE_MODEL", "scripted-1").env_remove("DBUS_SESSION_BUS_ADDRESS");
    command
}

fn live(computer: &Computer, server: &ModelServer, more: &str) -> Run {
    Run::from(asking(computer, server, more).output().unwrap())
}

fn says(n: usize) -> Play {
    Play::Stream { body: chat_stream(&format!("Summary {n}."), 900, 30), piece: 13 }
}

#[cfg(unix)]
#[test]
fn a_batch_that_ctrl_c_stopped_goes_on_when_it_is_given_again() {
    let computer = Computer::new();
    let mut script: Vec<Play> = (0..3).map(says).collect();
    script.push(Play::Silence);
    script.extend((3..20).map(says));
    let server = ModelServer::start(script, None);
    let plan = live(&computer, &server, "--dry-run --json").json();
    assert_eq!(plan["cells"].as_array().unwrap().len(), 4);
    let refused = live(&computer, &server, "--budget 0.50");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("has no price"), "{}", refused.stderr);
    assert_eq!(server.received().len(), 0);

    let run = asking(&computer, &server, "").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while server.received().len() < 4 {
        assert!(start.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let stopped = Run::from(run.wait_with_output().unwrap());
    assert_eq!(stopped.code, 130, "{}", stopped.stderr);
    assert!(stopped.stderr.contains("Give the same command again to go on"), "{}", stopped.stderr);

    let done = live(&computer, &server, "--json").document();
    assert_eq!(done["version"], 1);
    assert!(done["cells"].as_array().unwrap().iter().all(|cell| cell["state"] == "done"), "{done}");
    let n_whole = server.received().len() - 1;
    assert_eq!(done["spentTokens"], 930.0 * n_whole as f64, "what was told to its end, each once");
    let kept = live(&computer, &server, "");
    assert_eq!((kept.code, server.received().len()), (0, n_whole + 1), "{}", kept.stderr);
    assert_eq!(kept.stdout.matches("kept from 20").count(), 4, "{}", kept.stdout);
    assert_eq!(server.problems(), [""; 0]);
}
