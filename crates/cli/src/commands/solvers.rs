//! `stiction solvers`: every solver with a line on what it is for, or with what it declares.

use std::io::Write;

use serde_json::{Value, json};
use stiction_constraints::{Criterion, Declaration, Law, Relaxation, Subsystem};

use crate::arguments::SolversArguments;
use crate::{Ending, solvers};

pub(crate) fn run(arguments: &SolversArguments) -> anyhow::Result<Ending> {
    let mut out = std::io::stdout().lock();
    if arguments.json {
        for (name, purpose) in solvers::all() {
            let declaration = solvers::make(name)?.declaration();
            writeln!(out, "{}", to_json(name, purpose, &declaration))?;
        }
    } else if arguments.table {
        print_table(&mut out)?;
    } else {
        let width = solvers::all().map(|(name, _)| name.len()).max();
        let width = width.unwrap_or(0);
        for (name, purpose) in solvers::all() {
            writeln!(out, "{name:width$}  {purpose}")?;
        }
    }
    Ok(Ending::Fine)
}

const HEADER: [&str; 14] = [
    "solver",
    "Signorini",
    "Coulomb",
    "max. dissipation",
    "no shift",
    "no internal forces",
    "robust",
    "guarantee",
    "laws",
    "subsystems",
    "stopping tests",
    "own test",
    "least violation",
    "proven",
];

fn print_table(out: &mut dyn Write) -> anyhow::Result<()> {
    let mut lines = vec![HEADER.map(str::to_owned)];
    for (name, _) in solvers::all() {
        lines.push(line(name, &solvers::make(name)?.declaration()));
    }
    let widths: [usize; HEADER.len()] = std::array::from_fn(|column| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.max().unwrap_or(0)
    });
    for line in &lines {
        let cells = line.iter().zip(widths);
        let padded: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        writeln!(out, "{}", padded.join("  ").trim_end())?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "Signorini, Coulomb, max. dissipation: the laws of contact that are kept; where one is not, `converged` is \
         about the relaxed model. no shift: no compliance is added. no internal forces: from no guess, where bodies \
         stick. robust: heavy on light up to 1 : 1e6. guarantee: proven to converge on its own model, see proven. \
         own test: the one of the paper that is followed to the letter, which `stiction solve` uses. \
         least violation: found where constraints contradict each other."
    )?;
    Ok(())
}

fn line(name: &str, declaration: &Declaration) -> [String; HEADER.len()] {
    let or_dash = |words: Vec<&str>| match words.is_empty() {
        true => "-".to_owned(),
        false => words.join(", "),
    };
    let tick = |is_so: bool| if is_so { "yes" } else { "-" }.to_owned();
    let keeps = |law: Relaxation| tick(!declaration.relaxes.contains(&law));
    [
        name.to_owned(),
        keeps(Relaxation::Signorini),
        keeps(Relaxation::Coulomb),
        keeps(Relaxation::MaximumDissipation),
        tick(!declaration.shifts),
        tick(declaration.avoids_internal_forces),
        tick(declaration.is_robust),
        tick(!declaration.guarantee.is_empty()),
        all_but(declaration.refused_laws, Law::KINDS.len()),
        all_but(declaration.refused_subsystems, Subsystem::KINDS.len()),
        or_dash(declaration.tests.iter().map(|test| test.word()).collect()),
        declaration.own_test.map_or("-", Criterion::word).to_owned(),
        tick(declaration.finds_least_violation),
        match declaration.guarantee {
            "" => "-",
            text => text,
        }
        .to_owned(),
    ]
}

fn words(relaxes: &[Relaxation]) -> Vec<&'static str> {
    relaxes.iter().map(|relaxation| relaxation.word()).collect()
}

/// Which of the kinds are supported, as briefly as it can be said.
fn all_but(refused: &[&str], kinds: usize) -> String {
    match refused {
        [] => format!("all {kinds}"),
        refused => format!("all but {}", refused.join(", ")),
    }
}

fn to_json(name: &str, purpose: &str, declaration: &Declaration) -> Value {
    let supported = |kinds: &[&'static str], refused: &[&str]| {
        let supported = kinds.iter().filter(|kind| !refused.contains(kind));
        supported.copied().collect::<Vec<_>>()
    };
    let tests = declaration.tests.iter().map(|test| test.word());
    json!({
        "name": name,
        "purpose": purpose,
        "laws": supported(&Law::KINDS, declaration.refused_laws),
        "refused_laws": declaration.refused_laws,
        "subsystems": supported(&Subsystem::KINDS, declaration.refused_subsystems),
        "refused_subsystems": declaration.refused_subsystems,
        "relaxes": words(declaration.relaxes),
        "guarantee": declaration.guarantee,
        "tests": tests.collect::<Vec<_>>(),
        "own_test": declaration.own_test.map(Criterion::word),
        "finds_least_violation": declaration.finds_least_violation,
        "shifts": declaration.shifts,
        "avoids_internal_forces": declaration.avoids_internal_forces,
        "is_robust": declaration.is_robust,
        "allocates": declaration.allocates,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_solver_is_in_the_table_and_refuses_only_what_exists() {
        let mut out = Vec::new();
        print_table(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for (name, _) in solvers::all() {
            let is_listed = |line: &str| line.split_whitespace().next() == Some(name);
            assert_eq!(
                text.lines().filter(|line| is_listed(line)).count(),
                1,
                "{name}"
            );
            let declaration = solvers::make(name).unwrap().declaration();
            let laws = declaration.refused_laws;
            assert!(laws.iter().all(|kind| Law::KINDS.contains(kind)), "{name}");
            let subsystems = declaration.refused_subsystems;
            assert!(
                subsystems
                    .iter()
                    .all(|kind| Subsystem::KINDS.contains(kind)),
                "{name}"
            );
            assert!(
                declaration.tests.iter().all(|test| test.is_test()),
                "{name}"
            );
            let has_own = declaration
                .own_test
                .is_none_or(|test| declaration.has(test));
            assert!(has_own, "{name}");
        }
    }
}
