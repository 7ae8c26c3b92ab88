//! Every solver of this project under the suite.

use stiction_conformance::{CountingAllocator, Properties};
use stiction_constraints::{Budget, Declaration, Problem, Report, Solution, Solver};
use stiction_solver_canal::Canal;
use stiction_solver_cond::Cond;
use stiction_solver_pgs::Pgs;
use stiction_solver_subadmm::SubAdmm;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn canal(name: &str) {
    stiction_conformance::check(|| Canal::named(name).expect("a listed name"));
}

fn subadmm(name: &str) {
    stiction_conformance::check(|| SubAdmm::named(name).expect("a listed name"));
}

fn cond(name: &str) {
    stiction_conformance::check(|| Cond::named(name).expect("a listed name"));
}

fn first_order(name: &str) {
    stiction_conformance::check(|| Named(stiction_solver_first_order::named(name)));
}

fn newton(name: &str) {
    stiction_conformance::check(|| Named(stiction_solver_newton::named(name)));
}

/// A solver behind its trait.
struct Named(Option<Box<dyn Solver>>);

impl Named {
    fn solver(&self) -> &dyn Solver {
        self.0.as_deref().expect("a listed name")
    }
}

impl Solver for Named {
    fn name(&self) -> &'static str {
        self.solver().name()
    }

    fn declaration(&self) -> Declaration {
        self.solver().declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let solver = self.0.as_mut().expect("a listed name");
        solver.solve(problem, budget, solution)
    }
}

fn pgs(name: &str) {
    stiction_conformance::check(|| Pgs::named(name).expect("a listed name"));
}

#[test]
fn the_default_solver_conforms() {
    canal("canal");
}

#[test]
fn canal_as_printed_conforms() {
    canal("canal-paper");
}

#[test]
fn the_soft_convex_solver_conforms() {
    canal("convex");
}

#[test]
fn subadmm_conforms() {
    subadmm("subadmm");
}

#[test]
fn subadmm_as_printed_conforms() {
    subadmm("subadmm-paper");
}

#[test]
fn subadmm_with_a_penalty_for_each_subsystem_conforms() {
    subadmm("subadmm-per-subsystem");
}

#[test]
fn admm_without_splitting_conforms() {
    subadmm("admm-full");
}

#[test]
fn subadmm_without_bodies_conforms() {
    subadmm("subadmm-no-body");
}

#[test]
fn gauss_seidel_conforms() {
    pgs("pgs");
}

#[test]
fn gauss_seidel_on_the_convex_cone_conforms() {
    pgs("pgs-ccp");
}

#[test]
fn gauss_seidel_on_the_pyramid_conforms() {
    pgs("pgs-lcp");
}

#[test]
fn jacobi_conforms() {
    pgs("jacobi");
}

#[test]
fn bisection_conforms() {
    pgs("raisim");
}

#[test]
fn diagonalization_conforms() {
    cond("cond");
}

#[test]
fn diagonalization_with_a_multiplier_conforms() {
    cond("cond-shifted");
}

#[test]
fn diagonalization_on_the_convex_cone_conforms() {
    cond("cond-proximal");
}

#[test]
fn diagonalization_without_acceleration_conforms() {
    cond("cond-plain");
}

#[test]
fn diagonalization_with_the_printed_acceleration_conforms() {
    cond("cond-paper");
}

#[test]
fn diagonalization_with_barzilai_borwein_steps_conforms() {
    cond("cond-bb");
}

#[test]
fn gauss_seidel_with_conjugate_gradients_conforms() {
    pgs("pgs-cg");
}

#[test]
fn subadmm_on_the_convex_cone_conforms() {
    subadmm("subadmm-proximal");
}

#[test]
fn accelerated_gradients_conform() {
    first_order("apgd");
}

#[test]
fn admm_as_in_osqp_conforms() {
    first_order("fadmm");
}

#[test]
fn contact_constraint_splitting_conforms() {
    first_order("ccs");
}

#[test]
fn newton_on_fischer_burmeister_conforms() {
    newton("newton-fb");
}

#[test]
fn newton_on_the_natural_map_conforms() {
    newton("newton-natural");
}

fn named(name: &str) {
    let solver = || {
        let admm = stiction_solver_admm::named(name);
        let lcp = admm.or_else(|| stiction_solver_lcp::named(name));
        Named(lcp.or_else(|| stiction_solver_interior::named(name)))
    };
    stiction_conformance::check(solver);
}

#[test]
fn admm_on_the_convex_cone_conforms() {
    named("ccp-admm");
}

#[test]
fn the_regularised_convex_cone_conforms() {
    named("ccp-regularised");
}

#[test]
fn staggered_projections_conform() {
    named("staggered");
}

#[test]
fn staggered_projections_on_the_pyramid_conform() {
    named("lcp-staggered");
}

#[test]
fn pivoting_on_the_pyramid_conforms() {
    named("lcp-direct");
}

#[test]
fn interior_points_of_the_convex_cone_conform() {
    named("ccp-interior");
}

fn boxed<S: Solver + 'static>(solver: Option<S>) -> Option<Box<dyn Solver>> {
    solver.map(|solver| Box::new(solver) as Box<dyn Solver>)
}

/// Every solver by its name, whichever crate it is from.
fn any(name: &str) -> Option<Box<dyn Solver>> {
    boxed(Canal::named(name))
        .or_else(|| boxed(SubAdmm::named(name)))
        .or_else(|| boxed(Cond::named(name)))
        .or_else(|| boxed(Pgs::named(name)))
        .or_else(|| stiction_solver_first_order::named(name))
        .or_else(|| stiction_solver_newton::named(name))
        .or_else(|| stiction_solver_admm::named(name))
        .or_else(|| stiction_solver_lcp::named(name))
        .or_else(|| stiction_solver_interior::named(name))
        .or_else(|| stiction_solver_convex::named(name))
}

/// What the table of the comparison paper says of internal forces and of heavy on light is measured: solvers
/// declare no more, and those that it compares no less.
#[test]
fn declared_properties_are_measured() {
    const COMPARED: [&str; 15] = [
        "canal",
        "subadmm",
        "pgs",
        "pgs-ccp",
        "pgs-lcp",
        "raisim",
        "jacobi",
        "ccp-admm",
        "ccp-regularised",
        "staggered",
        "lcp-staggered",
        "lcp-direct",
        "ccp-interior",
        "mujoco-like",
        "fadmm",
    ];
    let listed = [
        stiction_solver_canal::SOLVERS,
        &stiction_solver_subadmm::SOLVERS,
        stiction_solver_cond::SOLVERS,
        stiction_solver_pgs::SOLVERS,
        stiction_solver_first_order::SOLVERS,
        stiction_solver_newton::SOLVERS,
        stiction_solver_admm::SOLVERS,
        stiction_solver_lcp::SOLVERS,
        stiction_solver_interior::SOLVERS,
        stiction_solver_convex::SOLVERS,
    ];
    let mut wrong = Vec::new();
    for (name, _) in listed.into_iter().flatten() {
        let declaration = any(name).expect("a listed name").declaration();
        let measured = Properties::of(|| any(name).expect("a listed name"));
        let declared = (declaration.avoids_internal_forces, declaration.is_robust);
        let found = (measured.avoids_internal_forces(), measured.is_robust());
        let is_too_modest = COMPARED.contains(name) && declared != found;
        if declared.0 && !found.0 || declared.1 && !found.1 || is_too_modest {
            wrong.push(format!("{name}: {measured:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn trust_region_newton_conforms() {
    newton("newton-dogleg");
}

#[test]
fn damped_newton_conforms() {
    newton("newton-damped");
}

#[test]
fn augmented_lagrangian_with_a_trust_region_conforms() {
    newton("al-dogleg");
}

#[test]
fn augmented_lagrangian_with_damped_newton_conforms() {
    newton("al-damped");
}

#[test]
fn augmented_lagrangian_with_edges_conforms() {
    newton("al-edge-aware");
}

#[test]
fn soft_convex_contacts_conform() {
    stiction_conformance::check(|| Named(stiction_solver_convex::named("mujoco-like")));
}

#[test]
fn every_listed_solver_has_a_test_here() {
    let count = stiction_solver_canal::SOLVERS.len()
        + stiction_solver_subadmm::SOLVERS.len()
        + stiction_solver_cond::SOLVERS.len()
        + stiction_solver_pgs::SOLVERS.len()
        + stiction_solver_first_order::SOLVERS.len()
        + stiction_solver_newton::SOLVERS.len()
        + stiction_solver_convex::SOLVERS.len()
        + stiction_solver_admm::SOLVERS.len()
        + stiction_solver_lcp::SOLVERS.len()
        + stiction_solver_interior::SOLVERS.len();
    assert_eq!(count, 38);
}
