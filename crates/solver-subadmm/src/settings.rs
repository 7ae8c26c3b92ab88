//! What can be chosen, and the named choices.

/// Degrees of freedom up to which a matrix is dense, inverted, and sums are kept for each: a product
/// with an inverse needs no divisions and no chain of dependent sums. A plausible size, not tuned.
pub(crate) const SMALL: usize = 48;

/// γ of (44), which the paper leaves open. With 5 instead of 10 `subadmm` takes a tenth more
/// iterations on random problems and on recorded steps.
const GAMMA: f64 = 10.0;

/// Iteration after which the proximal form keeps its β.
const LAST_CHANGE: usize = 10_000;

/// How constraints see the system: the subject of [AL, §VI-A] and of its two ablations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Splitting {
    /// Every Jacobian term has its own slack variable, also two terms on bodies of one tree (32):
    /// the matrix of a tree keeps the tree's sparsity.
    #[default]
    Body,
    /// The terms of a constraint on one subsystem are added up: a tree's matrix loses its sparsity
    /// and is assembled and factorised densely.
    Subsystem,
    /// One slack variable per constraint (29): one linear system over all subsystems.
    None,
}

/// How the coarser splittings, [`Splitting::Subsystem`] and [`Splitting::None`], keep their linear systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CoarseMatrix {
    /// What is zero in rows and in the matrix over all subsystems is left out, and the pattern of that matrix with the
    /// order of its elimination is remembered while it stays the same, also from solve to solve.
    #[default]
    Remembered,
    /// The same, the pattern analysed in every solve: contacts come and go.
    Analysed,
    /// Dense matrices, and dense rows over a whole subsystem: nothing is known of what is zero.
    Dense,
}

/// How the linear system (35) of a kinematic tree is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TreeMethod {
    /// Composite-rigid-body assembly of (41) and branch-sparse factorisation.
    #[default]
    Factorization,
    /// The same with body matrices of ten numbers, [AL, App. A], in trees where all rows on bodies are whole contacts.
    CompactFactorization,
    /// The articulated-body recursion of [AL, Remark 1], O(bodies) an iteration.
    ArticulatedBody,
}

/// The penalty β that a solve starts with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StartPenalty {
    /// For every term the effective mass 1/mean diag(J A⁻¹ Jᵀ) that it sees in its own subsystem,
    /// divided by `max(1, rows / degrees of freedom of the subsystem)`: the eigenvalues of
    /// A_j⁻¹ Σ Jᵀ β J are 1 on average then, the balance that pseudodensities aim at.
    EffectiveMass,
    /// One β for all: the geometric mean over bodies of mass by number of contacts, [AL, §VI-D].
    PseudoDensity,
    /// Tr(A_j) / Tr(J_jᵀJ_j) for each subsystem, [SubADMM-2023, (23)].
    PerSubsystem,
    /// One β for all: `scale` times Tr(A)/Tr(JᵀJ) over everything that rows act on.
    TraceRatio {
        /// Factor on the ratio of traces.
        scale: f64,
    },
    /// One β for all, in kg.
    Fixed(f64),
}

/// How β changes between iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Adaptation {
    /// β stays.
    Never,
    /// (44) as printed: β √(θp/θd) when one of the residuals (43) is more than `ratio` times the
    /// other, tested every `interval` iterations.
    Printed {
        /// γ of (44), above 1.
        ratio: f64,
        /// Iterations between tests, at least 1.
        interval: usize,
    },
    /// (44) with residuals relative to the size of what they are differences of, tested at
    /// iterations `first`, `first`·`growth`, … so that a solve pays for few factorisations.
    Balanced {
        /// Factor between the relative residuals that is tolerated, above 1.
        ratio: f64,
        /// Iteration of the first test, at least 1.
        first: usize,
        /// Factor between the iterations of the tests, above 1.
        growth: f64,
        /// Iteration after which β stays: what is proven of ADMM is proven of a β that changes finitely often.
        last: usize,
    },
}

/// What is done with many contacts on few bodies, from nothing: the plain method with one β for all.
///
/// Acceleration finds the few directions that are left where rows are few; where they are many times
/// the degrees of freedom plain iterations are sooner at a rough answer, and redundant rows that never
/// quite agree tell nothing of how to change β.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overconstrained {
    /// Rows for each degree of freedom from which on a problem is overconstrained. Towers of cubes have 2 and
    /// take 1.6 times the iterations without acceleration; 4 and 8 make no difference to what was
    /// measured.
    pub rows_per_dof: f64,
    /// β over Tr(A)/Tr(JᵀJ). To 1e-4, bolt–nut problems take 1.3 times the iterations with 2, dishes
    /// 1.15 times with 4.
    pub penalty_scale: f64,
    /// Over-relaxation, in (0, 2). The 1.4 of the accelerated method takes a tenth more iterations.
    pub relaxation: f64,
}

/// Another start of β, for when the first leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondPenalty {
    /// Where β starts then; under [`Overconstrained`] it is [`SubAdmmSettings::start_penalty`] instead.
    pub rule: StartPenalty,
    /// Iterations after which it is tried; the faster of the two goes on. With 60 instead of 120 six
    /// fewer of 30 bolt–nut problems get to 1e-4 m/s, 250 makes no difference.
    pub after: usize,
}

/// How contacts are projected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Contacts {
    /// By the strict operator: Signorini's and Coulomb's law.
    #[default]
    Strict,
    /// By the nearest point of the cone, the convex cone model [SUB, §III-D]: the iteration is ADMM on a convex
    /// problem then, and converges whatever β is.
    Proximal,
}

/// All choices of [`SubAdmm`](crate::SubAdmm). The default is the solver named `subadmm`.
#[derive(Debug, Clone, PartialEq)]
pub struct SubAdmmSettings {
    /// How constraints see the system.
    pub splitting: Splitting,
    /// How the coarser splittings keep their linear systems; [`Splitting::Body`] is the same with each.
    pub coarse_matrix: CoarseMatrix,
    /// How contacts are projected.
    pub contacts: Contacts,
    /// A problem of free bodies with at most this many degrees of freedom in all is one subsystem:
    /// its matrix is small enough, and impulses need not travel one body an iteration. Only under
    /// [`Splitting::Body`]; 0 never groups.
    pub group_up_to: usize,
    /// How the linear system of a tree is solved.
    pub tree_method: TreeMethod,
    /// β at the start.
    pub start_penalty: StartPenalty,
    /// Another start of β; `None` stays with the first.
    pub second_penalty: Option<SecondPenalty>,
    /// What is done where such a problem has contacts only, many of them; `None` makes no difference.
    pub overconstrained: Option<Overconstrained>,
    /// How β changes.
    pub adaptation: Adaptation,
    /// Over-relaxation of J v̂ towards the new value, in (0, 2); 1 is the plain method. Without it
    /// recorded steps take 1.3 to 1.4 times the iterations; 1.6 loses one soft problem in twenty.
    pub relaxation: f64,
    /// Number of earlier iterates that Anderson acceleration combines; 0 switches it off. With 5
    /// instead of 10 random problems take 1.2 to 1.4 times the iterations.
    pub anderson_memory: usize,
    /// Whether soft constraints inside one subsystem become part of A and b.
    pub fold_soft: bool,
    /// Iterations when the budget leaves it to the solver.
    pub max_iterations: usize,
    /// Number of Jacobian terms from which a solve uses threads. Results do not depend on it.
    pub parallel_from_terms: usize,
}

/// What may be left out, by [`SubAdmmSettings::without`].
pub const STAGES: &[&str] = &[
    "grouping",
    "overconstrained",
    "second penalty rule",
    "adaptation",
    "relaxation",
    "anderson",
    "soft folding",
];

impl Default for SubAdmmSettings {
    fn default() -> Self {
        Self {
            splitting: Splitting::Body,
            coarse_matrix: CoarseMatrix::Remembered,
            contacts: Contacts::Strict,
            group_up_to: SMALL,
            tree_method: TreeMethod::Factorization,
            start_penalty: StartPenalty::EffectiveMass,
            second_penalty: Some(SecondPenalty {
                rule: StartPenalty::PseudoDensity,
                after: 120,
            }),
            overconstrained: Some(Overconstrained {
                rows_per_dof: 4.0,
                penalty_scale: 3.0,
                relaxation: 1.7,
            }),
            adaptation: Adaptation::Balanced {
                ratio: GAMMA,
                first: 5,
                growth: 1.6,
                last: usize::MAX,
            },
            relaxation: 1.4,
            anderson_memory: 10,
            fold_soft: true,
            max_iterations: 1000,
            parallel_from_terms: 2000,
        }
    }
}

impl SubAdmmSettings {
    /// Algorithm 2 as printed: one β from pseudodensities, (44), nothing else.
    pub fn paper() -> Self {
        Self {
            group_up_to: 0,
            overconstrained: None,
            start_penalty: StartPenalty::PseudoDensity,
            second_penalty: None,
            adaptation: Adaptation::Printed {
                ratio: GAMMA,
                interval: 10,
            },
            relaxation: 1.0,
            anderson_memory: 0,
            ..Self::default()
        }
    }

    /// The earlier paper's choice: one fixed β for each subsystem, terms of a subsystem added up.
    pub fn per_subsystem() -> Self {
        Self {
            splitting: Splitting::Subsystem,
            group_up_to: 0,
            overconstrained: None,
            start_penalty: StartPenalty::PerSubsystem,
            second_penalty: None,
            adaptation: Adaptation::Never,
            relaxation: 1.0,
            anderson_memory: 0,
            ..Self::default()
        }
    }

    /// The convex cone model, by what converges for certain: a β that is fixed after some changes, and no acceleration.
    ///
    /// With a β that never changes what needs impulses of many effective masses, such as contacts that nearly jam, is not
    /// solved in a million iterations: impulses grow by β times the violation in each.
    pub fn proximal() -> Self {
        Self {
            contacts: Contacts::Proximal,
            overconstrained: None,
            second_penalty: None,
            adaptation: Adaptation::Balanced {
                ratio: GAMMA,
                first: 5,
                growth: 1.6,
                last: LAST_CHANGE,
            },
            anderson_memory: 0,
            max_iterations: 20_000,
            ..Self::default()
        }
    }

    /// Ablation: no splitting into subsystems, one linear system over all.
    pub fn no_subsystem_splitting() -> Self {
        Self {
            splitting: Splitting::None,
            ..Self::default()
        }
    }

    /// Ablation: no splitting into bodies, one dense matrix for each tree.
    pub fn no_body_splitting() -> Self {
        Self {
            splitting: Splitting::Subsystem,
            ..Self::default()
        }
    }

    /// These settings without one of the [stages](STAGES), for ablations; `None` for a name that is
    /// none.
    pub fn without(&self, stage: &str) -> Option<Self> {
        let mut out = self.clone();
        match stage {
            "grouping" => out.group_up_to = 0,
            "overconstrained" => out.overconstrained = None,
            "second penalty rule" => out.second_penalty = None,
            "adaptation" => out.adaptation = Adaptation::Never,
            "relaxation" => out.relaxation = 1.0,
            "anderson" => out.anderson_memory = 0,
            "soft folding" => out.fold_soft = false,
            _ => return None,
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_can_be_left_out_and_makes_a_difference() {
        let all = SubAdmmSettings::default();
        for stage in STAGES {
            let without = all.without(stage).expect("a listed stage");
            assert_ne!(without, all, "{stage}");
        }
        assert_eq!(all.without("nonsense"), None);
    }
}
