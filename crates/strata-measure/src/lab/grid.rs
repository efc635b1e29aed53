//! Many configurations in one text: `interval=1..20,overlap=0..9`, `threshold=20000|40000,retention=5..20/5`.

use strata_engine::turn::compaction::{CompactionConfig, ConfigSyntaxError};

/// Most configurations one grid may have.
pub const MAX_CONFIGS: usize = 10_000;

/// Reads a grid: values may be lists (`a|b`) and ranges (`from..to`, both included, with a step behind `/`). Grids
/// separated by `;` are put one after the other. Configurations are in the order in which they are written, the last
/// key changing fastest; those that are in it twice stay once.
pub fn parse_grid(text: &str) -> Result<Vec<CompactionConfig>, ConfigSyntaxError> {
    let mut configs: Vec<CompactionConfig> = Vec::new();
    for grid in text.split(';').map(str::trim).filter(|grid| !grid.is_empty()) {
        for spelled in combinations(grid)? {
            let config = CompactionConfig::parse(&spelled)?;
            if !configs.contains(&config) {
                configs.push(config);
            }
        }
    }
    if configs.is_empty() {
        CompactionConfig::parse(text)?;
    }
    Ok(configs)
}

fn combinations(grid: &str) -> Result<Vec<String>, ConfigSyntaxError> {
    let mut combinations = vec![String::new()];
    for pair in grid.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let spellings: Vec<String> = match pair.split_once('=') {
            Some((key, value)) => values(value)?.into_iter().map(|value| format!("{key}={value}")).collect(),
            None => vec![pair.to_owned()],
        };
        if combinations.len() * spellings.len() > MAX_CONFIGS {
            let message = format!(
                "{grid} holds more than {MAX_CONFIGS} configurations; take larger steps, as in 5..50/5"
            );
            return Err(ConfigSyntaxError::new(message));
        }
        combinations = combinations
            .iter()
            .flat_map(|before| {
                let separator = if before.is_empty() { "" } else { "," };
                spellings.iter().map(move |spelling| format!("{before}{separator}{spelling}"))
            })
            .collect();
    }
    Ok(combinations)
}

fn values(text: &str) -> Result<Vec<String>, ConfigSyntaxError> {
    let mut values = Vec::new();
    for item in text.split('|').map(str::trim) {
        match item.split_once("..") {
            Some((from, rest)) => values.extend(range(item, from, rest)?.iter().map(u32::to_string)),
            None => values.push(item.to_owned()),
        }
        if values.len() > MAX_CONFIGS {
            let message = format!("{text} holds more than {MAX_CONFIGS} values; take larger steps");
            return Err(ConfigSyntaxError::new(message));
        }
    }
    Ok(values)
}

fn range(item: &str, from: &str, rest: &str) -> Result<Vec<u32>, ConfigSyntaxError> {
    let (to, step) = rest.split_once('/').unwrap_or((rest, "1"));
    let read = |text: &str| text.trim().replace('_', "").parse::<u32>().ok();
    match (read(from), read(to), read(step)) {
        (Some(from), Some(to), Some(step)) if step > 0 && from <= to => {
            Ok((from..=to).step_by(step as usize).take(MAX_CONFIGS + 1).collect())
        }
        _ => Err(ConfigSyntaxError::new(format!(
            "{item} is no range: write 1..20, or 20000..80000/20000 with a step"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(grid: &str) -> Vec<String> {
        parse_grid(grid).unwrap().iter().map(CompactionConfig::to_string).collect()
    }

    #[test]
    fn the_last_key_changes_fastest() {
        assert_eq!(
            spelled("interval=1..3/2,overlap=0|1"),
            ["interval=1,overlap=0", "interval=1,overlap=1", "interval=3,overlap=0", "interval=3,overlap=1"]
        );
        assert_eq!(parse_grid("interval=1..20,overlap=0..9").unwrap().len(), 200);
    }

    #[test]
    fn grids_follow_each_other_without_repeats() {
        assert_eq!(
            spelled("off; threshold=20000|40000,retention=5; off"),
            ["off", "threshold=20000,retention=5", "threshold=40000,retention=5"]
        );
    }

    #[test]
    fn what_is_no_range_or_too_many_is_refused() {
        for (grid, because) in [
            ("interval=5..1,overlap=0", "no range"),
            ("interval=1..5/0,overlap=0", "no range"),
            ("interval=1..200,overlap=0..200", "more than 10000"),
            ("interval=1..4000000000,overlap=0", "more than 10000"),
            ("", "sets no trigger"),
        ] {
            let error = parse_grid(grid).unwrap_err().message;
            assert!(error.contains(because), "{grid}: {error}");
        }
    }
}
