//! What can be chosen, and the named choices.

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

/// How the linear system (35) of a kinematic tree is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TreeMethod {
    /// Composite-rigid-body assembly of (41) and branch-sparse factorisation.
    #[default]
    Factorization,
    /// The articulated-body recursion of [AL, Remark 1], O(bodies) an iteration.
    ArticulatedBody,
}

/// The penalty β that a solve starts with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StartPenalty {
    /// For every term `scale` times the effective mass 1/mean diag(J A⁻¹ Jᵀ) that it sees in its
    /// own subsystem, divided by `max(1, rows / degrees of freedom of the subsystem)^crowding`.
    ///
    /// With `crowding` 1 the eigenvalues of A_j⁻¹ Σ Jᵀ β J are 1 on average where there are more
    /// rows than degrees of freedom: the balance that pseudodensities aim at.
    EffectiveMass {
        /// Factor on the effective mass.
        scale: f64,
        /// 0: every term as if it were alone. 1: the mass is shared out over the rows.
        crowding: f64,
    },
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
    },
}

/// All choices of [`SubAdmm`](crate::SubAdmm). The default is the solver named `subadmm`.
#[derive(Debug, Clone, PartialEq)]
pub struct SubAdmmSettings {
    /// How constraints see the system.
    pub splitting: Splitting,
    /// A problem of free bodies with at most this many degrees of freedom in all is one subsystem:
    /// its matrix is small enough, and impulses need not travel one body an iteration. Only under
    /// [`Splitting::Body`]; 0 never groups.
    pub group_up_to: usize,
    /// β at the start of such a problem when it has contacts only;
    /// [`start_penalty`](Self::start_penalty) is then tried second.
    pub grouped_penalty: Option<StartPenalty>,
    /// How the linear system of a tree is solved.
    pub tree_method: TreeMethod,
    /// β at the start.
    pub start_penalty: StartPenalty,
    /// Another start of β, tried when the tolerance is not reached after [`trial`](Self::trial)
    /// iterations; the faster of the two goes on. `None` stays with the first.
    pub fallback_penalty: Option<StartPenalty>,
    /// Iterations after which the other start of β is tried.
    pub trial: usize,
    /// How β changes.
    pub adaptation: Adaptation,
    /// Over-relaxation of J v̂ towards the new value, in (0, 2); 1 is the plain method.
    pub relaxation: f64,
    /// Number of earlier iterates that Anderson acceleration combines; 0 switches it off.
    pub anderson_memory: usize,
    /// Iterations before acceleration sets in where β starts from
    /// [`grouped_penalty`](Self::grouped_penalty) and rows are many times the degrees of freedom: a
    /// rough answer is found sooner without it.
    pub lead_in: usize,
    /// Over-relaxation in these iterations, in (0, 2).
    pub lead_in_relaxation: f64,
    /// Whether soft constraints inside one subsystem become part of A and b.
    pub fold_soft: bool,
    /// Iterations when the budget leaves it to the solver.
    pub max_iterations: usize,
    /// Number of Jacobian terms from which a solve uses threads. Results do not depend on it.
    pub parallel_from_terms: usize,
}

impl Default for SubAdmmSettings {
    fn default() -> Self {
        Self {
            splitting: Splitting::Body,
            group_up_to: 48,
            grouped_penalty: Some(StartPenalty::TraceRatio { scale: 3.0 }),
            tree_method: TreeMethod::Factorization,
            start_penalty: StartPenalty::EffectiveMass {
                scale: 1.0,
                crowding: 1.0,
            },
            fallback_penalty: Some(StartPenalty::PseudoDensity),
            trial: 120,
            adaptation: Adaptation::Balanced {
                ratio: 5.0,
                first: 5,
                growth: 1.6,
            },
            relaxation: 1.4,
            anderson_memory: 5,
            lead_in: 120,
            lead_in_relaxation: 1.7,
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
            grouped_penalty: None,
            start_penalty: StartPenalty::PseudoDensity,
            fallback_penalty: None,
            adaptation: Adaptation::Printed {
                ratio: 10.0,
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
            grouped_penalty: None,
            start_penalty: StartPenalty::PerSubsystem,
            fallback_penalty: None,
            adaptation: Adaptation::Never,
            relaxation: 1.0,
            anderson_memory: 0,
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
}
