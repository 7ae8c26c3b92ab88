//! The table of limits in the guide says what the code says.

use stiction_io::{LIMITS, Limit};
use stiction_problem_files::{LARGEST_FILE, fclib};
use stiction_recording::LARGEST_RECORDING;
use stiction_sim::MOST_COUPLINGS;
use stiction_sim::collision::MOST_PAIRS;
use stiction_sim::deformable::mesh::MOST_CELLS;

/// The table as it must stand in `docs/limits.md`.
fn table() -> String {
    let limit = |what, most, unit| Limit { what, most, unit };
    let others = [
        limit(
            "a recording that is exported or shown, unpacked",
            LARGEST_RECORDING,
            "bytes",
        ),
        limit("a problem file", LARGEST_FILE, "bytes"),
        limit(
            "numbers of one dataset of an HDF5 problem file",
            fclib::MOST_NUMBERS,
            "",
        ),
        limit(
            "contacts of an HDF5 problem file",
            fclib::MOST_CONTACTS as u64,
            "",
        ),
        limit("cells of a soft body", MOST_CELLS as u64, ""),
        limit(
            "numbers of the mass matrix of a robot",
            MOST_COUPLINGS as u64,
            "",
        ),
        limit(
            "pairs of shapes that may touch at a time",
            MOST_PAIRS as u64,
            "",
        ),
    ];
    let mut text = "| what | most |\n|---|---|\n".to_owned();
    for limit in LIMITS.iter().chain(&others) {
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
