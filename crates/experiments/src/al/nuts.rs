//! Free nuts on vertical bolts: what friction of their threads holds them.

use stiction_scenes::self_locking;

use crate::error::Result;
use crate::report::Table;
use crate::run::Run;
use crate::statement::{How, Statement};
use crate::timing::on_one_thread;

/// Metric sizes, mm, and how far the friction may be from the formula's.
const SIZES: [u32; 3] = [8, 20, 48];
const WITHIN: f64 = 0.05;

/// The friction below which nuts run down beside tan λ · cos α_n at the mean radius of contact.
pub(super) fn thresholds(run: &mut Run<'_>) -> Result<(Table, Statement)> {
    let sizes = if run.is_quick() { &SIZES[..1] } else { &SIZES };
    let mut table = Table::new(
        "Free nuts on vertical bolts: the friction below which they run down",
        [
            "size",
            "friction, bisected",
            "tan λ · cos α_n at the mean radius of contact",
            "mean radius of contact (mm)",
            "ratio",
        ],
    );
    let (mut ratios, mut worst) = (Vec::new(), 0.0_f64);
    for &size in sizes {
        run.tell(0.95, &format!("a free M{size} nut"))?;
        let found = on_one_thread(|| Ok(self_locking(size)?))?;
        let ratio = found.friction / found.expected;
        worst = worst.max((ratio - 1.0).abs());
        ratios.push(format!("M{size} {ratio:.3}"));
        table.rows.push(vec![
            format!("M{size}"),
            format!("{:.4}", found.friction),
            format!("{:.4}", found.expected),
            format!("{:.3}", 1e3 * found.radius),
            format!("{ratio:.3}"),
        ]);
    }
    let statement = Statement::judged(
        "a free nut locks itself above tan λ · cos α_n at its mean radius of contact and runs down below it, within 5 %",
        &How::new(
            "canal",
            "bisected friction over the formula's",
            "the scene's tolerance, 1e-7 m/s",
        ),
        ratios.join(", "),
        worst <= WITHIN,
    );
    Ok((table, statement))
}
