//! How fast the real window is, on long sessions: from an act to the frame that shows it, beside frames in which nothing
//! happens, in the same run. `cargo xtask bench window` runs it and prints its table; it takes minutes, and says nothing on
//! a busy machine, so that `cargo xtask test window` passes it over.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use strata_testkit::large;

use crate::display::Display;
use crate::driver::Driver;
use crate::memory;
use crate::page::{AT_REST, Page, SIZE};

/// Sizes of the sessions, in events.
const SIZES: [usize; 2] = [10_000, 100_000];
/// A window that never comes to rest is not waited for any longer. At 100,000 events a debug build takes minutes.
const REST_LIMIT: Duration = Duration::from_mins(15);

/// A figure of the table.
struct Figure {
    name: &'static str,
    /// Sorted.
    ms: Vec<f64>,
    limit: &'static str,
}

impl Figure {
    fn quantile(&self, share: f64) -> f64 {
        let last = self.ms.len().saturating_sub(1);
        self.ms.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
    }
}

#[tokio::test]
async fn the_window_on_long_sessions() -> Result<()> {
    // See the journey.
    let _ = rustls::crypto::ring::default_provider().install_default();
    for n_events in SIZES {
        let home = tempfile::tempdir()?;
        let file = written(home.path(), n_events)?;
        let display = Display::start(SIZE)?;
        let driver = Driver::start(&display, home.path())?;
        let start = Instant::now();
        let page = driver.open(&crate::app()?, &[file]).await?;
        let mut figures = Vec::new();
        let outcome = measure(&mut figures, &page, driver.id(), start).await;
        print_table(n_events, &figures);
        outcome?;
        page.picture(&format!("window-bench-{n_events}")).await?;
        page.close().await?;
    }
    Ok(())
}

/// A session as google-adk writes it.
fn written(folder: &Path, n_events: usize) -> Result<PathBuf> {
    let file = folder.join(format!("large-{n_events}.json"));
    std::fs::write(&file, large::written(n_events)).context("write the session")?;
    Ok(file)
}

/// What was measured until one failed is in `figures`.
async fn measure(figures: &mut Vec<Figure>, page: &Page, driver: u32, start: Instant) -> Result<()> {
    page.resize(SIZE).await?;
    page.wait_for("document.querySelector('section[aria-label=Events] [role=option]') !== null", REST_LIMIT)
        .await?;
    figures.push(one("first rows on the screen", start.elapsed().as_secs_f64() * 1e3, ""));
    figures.push(figure(page, "idle frame, while calls compile", "idle", 120, "").await?);
    figures.push(figure(page, "jump in the list, while calls compile", "jump", 12, "p95 ≤ 150 ms").await?);
    page.wait_for(AT_REST, REST_LIMIT).await?;
    figures.push(one("all calls compiled and shown", start.elapsed().as_secs_f64() * 1e3, ""));
    figures.push(figure(page, "idle frame", "idle", 240, "the yardstick").await?);
    figures.push(figure(page, "frame while the list scrolls", "scroll", 240, "p95 ≤ idle + 4 ms").await?);
    figures.push(figure(page, "own work in such a frame", "scrollWork", 120, "p95 ≤ 4 ms").await?);
    figures.push(figure(page, "jump in the list", "jump", 30, "p95 ≤ 150 ms").await?);
    figures.push(figure(page, "click on an event → inspector", "click", 30, "p95 ≤ 60 ms").await?);
    page.show_pipeline().await?;
    let edits = "document.querySelector('section[aria-label=Processors] [role=option] .switch') !== null";
    page.wait_for(edits, REST_LIMIT).await?;
    // The first edit makes the experiment.
    figures.push(figure(page, "first edit → shown", "edit", 1, "").await?);
    figures.push(figure(page, "edit → shown", "edit", 20, "p95 ≤ idle + 100 ms at 10,000").await?);
    let memory = memory::of_descendants(driver)?;
    figures.push(one("memory of all processes, MB", memory as f64 / 1e6, "≤ 500"));
    Ok(())
}

fn one(name: &'static str, number: f64, limit: &'static str) -> Figure {
    Figure { name, ms: vec![number], limit }
}

async fn figure(
    page: &Page,
    name: &'static str,
    measurement: &str,
    rounds: u32,
    limit: &'static str,
) -> Result<Figure> {
    let arguments = vec![json!(measurement), json!({ "rounds": rounds })];
    let found = page.measure(arguments).await.with_context(|| format!("measure: {name}"))?;
    ensure!(found["error"].is_null(), "{name}: {}", found["error"]);
    let times = found["times"].as_array().context("a measurement is a list")?;
    let mut ms: Vec<f64> = times.iter().filter_map(Value::as_f64).collect();
    ms.sort_by(f64::total_cmp);
    Ok(Figure { name, ms, limit })
}

#[expect(clippy::print_stdout, reason = "a benchmark says what it measured")]
fn print_table(n_events: usize, figures: &[Figure]) {
    println!("\n{n_events} events{:>47} {:>9} {:>9}   to hold", "median", "p95", "most");
    for figure in figures {
        let Figure { name, limit, .. } = figure;
        let [median, p95, most] = [0.5, 0.95, 1.0].map(|share| figure.quantile(share));
        println!("{name:48} {median:>9.1} {p95:>9.1} {most:>9.1}   {limit}");
    }
}
