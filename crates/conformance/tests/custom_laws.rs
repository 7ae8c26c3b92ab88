//! Laws that come along, written once more as custom laws: every solver solves the problem with these,
//! and the answer is one to the problem with the originals.

use stiction_conformance::Judge;
use stiction_constraints::nalgebra::DMatrix;
use stiction_constraints::{Budget, CustomLaw, Law, Problem, RowBlock, Solution, Solver};
use stiction_generators::{Breadth, LawKind, RandomWideParams, random_wide};
use stiction_solver_canal::Canal;
use stiction_solver_pgs::Pgs;
use stiction_solver_subadmm::SubAdmm;

static UNILATERAL: CustomLaw = CustomLaw {
    kind: "own unilateral",
    response: |_, x_bar, e, beta| match x_bar + e < 0.0 {
        true => (-beta * (x_bar + e), beta),
        false => (0.0, 0.0),
    },
    check: |_| Ok(()),
};

static EQUALITY: CustomLaw = CustomLaw {
    kind: "own equality",
    response: |_, x_bar, e, beta| (-beta * (x_bar + e), beta),
    check: |_| Ok(()),
};

static SOFT: CustomLaw = CustomLaw {
    kind: "own spring",
    response: |&[stiffness, damping], x_bar, e, beta| {
        let weight = beta / (damping + beta);
        (
            -(damping * x_bar + stiffness * e) * weight,
            damping * weight,
        )
    },
    check: |&[_, damping]| match damping > 0.0 {
        true => Ok(()),
        false => Err("damping must be positive"),
    },
};

static DRY: CustomLaw = CustomLaw {
    kind: "own dry friction",
    response: |&[bound, _], x_bar, e, beta| {
        let stop = -beta * (x_bar + e);
        match stop.abs() < bound {
            true => (stop, beta),
            false => (bound.copysign(stop), 0.0),
        }
    },
    check: |_| Ok(()),
};

/// The same problem with custom laws in place of those that they copy.
fn with_custom_laws(problem: &Problem) -> Problem {
    let mut out = Problem::new();
    for (index, subsystem) in problem.subsystems().iter().enumerate() {
        let dofs = problem.dof_starts()[index]..problem.dof_starts()[index + 1];
        out.push_subsystem(subsystem.clone(), &problem.b()[dofs])
            .unwrap();
    }
    for (index, constraint) in problem.constraints().iter().enumerate() {
        let custom = |law, parameters| Law::Custom { law, parameters };
        let law = match constraint.law {
            Law::Unilateral => custom(&UNILATERAL, [0.0; 2]),
            Law::Equality => custom(&EQUALITY, [0.0; 2]),
            Law::Soft { stiffness, damping } => custom(&SOFT, [stiffness, damping]),
            Law::JointFriction { bound } => custom(&DRY, [bound, 0.0]),
            other => other,
        };
        let terms: Vec<_> = problem.terms(index).collect();
        out.push_constraint(law, problem.error(index), &terms)
            .unwrap();
    }
    out
}

#[test]
fn copies_have_no_flaw() {
    for law in [&UNILATERAL, &EQUALITY, &SOFT, &DRY] {
        assert_eq!(law.find_flaw(&[0.7, 0.4]), None, "{law:?}");
    }
}

#[test]
fn every_solver_takes_custom_laws_as_it_takes_their_originals() {
    let mut solvers: [Box<dyn Solver>; 3] = [
        Box::<Canal>::default(),
        Box::<SubAdmm>::default(),
        Box::<Pgs>::default(),
    ];
    let budget = Budget::with_tolerance(1e-7);
    // How many are solved with the originals, and with the copies.
    let (mut before, mut solved) = ([0_usize; 3], [0_usize; 3]);
    let count = 60;
    for seed in 0..count as u64 {
        let params = RandomWideParams {
            breadth: Breadth::Plain,
            laws: vec![
                LawKind::Unilateral,
                LawKind::Equality,
                LawKind::Soft,
                LawKind::Contact,
                LawKind::JointFriction,
            ],
            seed,
            ..RandomWideParams::default()
        };
        let original = random_wide(&params).unwrap().problem;
        let custom = with_custom_laws(&original);
        let judge = Judge::new(&original).unwrap();
        for (index, solver) in solvers.iter_mut().enumerate() {
            let report = solver.solve(&original, &budget, &mut Solution::cold());
            before[index] += usize::from(report.outcome.is_converged());
            let mut solution = Solution::cold();
            let report = solver.solve(&custom, &budget, &mut solution);
            if report.outcome.is_converged() {
                solved[index] += 1;
                let verdict = judge.judge(&solution);
                let name = solver.name();
                assert!(
                    verdict.is_within(budget.tolerance),
                    "{name}, seed {seed}: {verdict:?}"
                );
            }
        }
    }
    for (before, solved) in before.into_iter().zip(solved) {
        assert!(
            solved + 2 >= before && solved > 2 * count / 3,
            "{solved}, and {before} before"
        );
    }
}

#[test]
fn what_a_custom_law_cannot_have_is_refused_by_name() {
    let mut problem = Problem::new();
    let mass = problem.push_dense(DMatrix::identity(1, 1), &[0.0]);
    let row = RowBlock::Dofs {
        dofs: &[0],
        values: &[1.0],
    };
    let mut refusal = |parameters| {
        let law = Law::Custom {
            law: &SOFT,
            parameters,
        };
        let blocks = [(*mass.as_ref().unwrap(), row)];
        problem
            .push_constraint(law, &[0.0], &blocks)
            .unwrap_err()
            .to_string()
    };
    assert!(refusal([1.0, 0.0]).contains("damping must be positive"));
    assert!(refusal([f64::NAN, 1.0]).contains("must be finite"));
}
