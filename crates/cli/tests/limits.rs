//! The table of limits in the guide says what the code says.

use stiction_io::{LIMITS, Limit};
use stiction_problem_files::LARGEST_FILE;
use stiction_recording::LARGEST_RECORDING;

/// The table as it must stand in `docs/limits.md`.
fn table() -> String {
    let recording = Limit {
        what: "a recording that is exported or shown, unpacked",
        most: LARGEST_RECORDING,
        unit: "bytes",
    };
    let problem = Limit {
        what: "a problem file",
        most: LARGEST_FILE,
        unit: "bytes",
    };
    let mut text = "| what | most |\n|---|---|\n".to_owned();
    for limit in LIMITS.iter().chain([&recording, &problem]) {
        let most = grouped(limit.most);
        let most = format!("{most} {}", limit.unit);
        text += &format!("| {} | {} |\n", limit.what, most.trim_end());
    }
    text
}

/// A number with spaces between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[test]
fn the_guide_has_the_limits_of_the_code() {
    let guide = include_str!("../../../docs/limits.md");
    let table = table();
    assert!(
        guide.contains(&table),
        "docs/limits.md must have this table:\n{table}"
    );
}
