//! How many links make a subsystem: [SUB, §III-A] assembles several, since that "can give better performance".

use super::scenario::{SUBADMM, accuracy, options, samples, solve_time};
use crate::Run;
use crate::error::Result;
use crate::report::{Section, Table};
use crate::statement::{How, Statement};
use crate::timing::{on_one_thread, smallest_in_turns};

const LINKS: usize = 640;
const ITERATIONS: usize = 60;
/// Links of a subsystem; a piece has one more, which it shares with the next.
const SIZES: [usize; 4] = [1, 2, 4, 8];

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let steps = run.or_quick(100, 4);
    let count = run.or_quick(5, 1);
    let (mut means, mut problems) = (Vec::new(), Vec::new());
    for (index, size) in SIZES.into_iter().enumerate() {
        let share = 0.9 * index as f64 / SIZES.len() as f64;
        run.tell(share, &format!("{size} links to a subsystem"))?;
        let mut scene = stiction_scenes::cable_vehicles(&options(), LINKS, size + 1)?;
        means.push(accuracy(run, &mut scene, SUBADMM, ITERATIONS, steps)?.mean);
        let mut scene = stiction_scenes::cable_vehicles(&options(), LINKS, size + 1)?;
        problems.push(samples(run, &mut scene, (0, steps, count))?);
    }
    run.tell(0.9, "times")?;
    let times = on_one_thread(|| {
        let mut solver = SUBADMM.make()?;
        let mut sums = vec![0.0; SIZES.len()];
        for step in 0..count {
            let smallest = smallest_in_turns(SIZES.len(), |size| {
                let sampled = problems[size].get(step).map_or(&[][..], Vec::as_slice);
                Ok(solve_time(solver.as_mut(), ITERATIONS, sampled))
            })?;
            for (sum, time) in sums.iter_mut().zip(smallest) {
                *sum += time / count as f64;
            }
        }
        Ok(sums)
    })?;
    let mut table = Table::new("", ["links of a subsystem", "subsystems", "AA", "AT (ms)"]);
    for ((size, mean), time) in SIZES.into_iter().zip(&means).zip(&times) {
        table.rows.push(vec![
            size.to_string(),
            (LINKS.div_ceil(size) + 2).to_string(),
            format!("{mean:.3}"),
            format!("{:.3}", 1e3 * time),
        ]);
    }
    let how = How::new(
        "subadmm-per-subsystem",
        "AA as in Table I; processor time of the thread, smallest of five interleaved solves",
        format!("{ITERATIONS} iterations"),
    );
    Ok(Section {
        heading: "Links of a subsystem".to_owned(),
        text: format!(
            "The cable of `cable-vehicles`, {LINKS} links, cut into pieces of one, two, four (as in the paper) and eight links: \
             {steps} steps with {ITERATIONS} iterations."
        ),
        statements: vec![Statement::judged(
            "section III-A: several links in a subsystem perform better than one",
            &how,
            format!(
                "four: AA {:.2} in {:.2} ms; one: AA {:.2} in {:.2} ms",
                means[2],
                1e3 * times[2],
                means[0],
                1e3 * times[0]
            ),
            means[2] > means[0] && times[2] < times[0],
        )],
        tables: vec![table],
        ..Section::default()
    })
}
