//! Every solver of this project under the suite.

use stiction_conformance::CountingAllocator;
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
fn diagonalization_with_barzilai_borwein_steps_conforms() {
    cond("cond-bb");
}

#[test]
fn every_listed_solver_has_a_test_here() {
    let count = stiction_solver_canal::SOLVERS.len()
        + stiction_solver_subadmm::SOLVERS.len()
        + stiction_solver_cond::SOLVERS.len()
        + stiction_solver_pgs::SOLVERS.len();
    assert_eq!(count, 18);
}
