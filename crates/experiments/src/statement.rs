//! A statement of a paper beside what was measured, and what came of it.

/// What came of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// What was measured agrees.
    Met,
    /// It does not: the only verdict that sets the exit code.
    NotMet,
    /// The paper kept an input to itself, so that the two figures are of different things.
    NotComparable {
        /// What was not published.
        missing: String,
    },
}

impl Verdict {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::NotMet => "not met",
            Verdict::NotComparable { .. } => "not comparable",
        }
    }
}

/// How a figure was obtained: no figure of a solver means anything without it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct How {
    /// The solvers, by the names of `stiction solvers`.
    pub solver: String,
    /// The residual, or what else was measured, with its unit.
    pub residual: String,
    /// The test that ended the solves.
    pub stop: String,
}

impl How {
    /// By these solvers, in this residual, ended by this test.
    pub fn new(
        solver: impl Into<String>,
        residual: impl Into<String>,
        stop: impl Into<String>,
    ) -> Self {
        Self {
            solver: solver.into(),
            residual: residual.into(),
            stop: stop.into(),
        }
    }
}

/// A statement of a paper, or an aim of ours, beside what was measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What is stated, and where.
    pub claim: String,
    /// How it was measured here.
    pub how: How,
    /// What was measured here.
    pub measured: String,
    /// What came of it.
    pub verdict: Verdict,
}

impl Statement {
    /// A statement that is met if `holds`.
    pub fn judged(
        claim: impl Into<String>,
        how: &How,
        measured: impl Into<String>,
        holds: bool,
    ) -> Self {
        Self {
            claim: claim.into(),
            how: how.clone(),
            measured: measured.into(),
            verdict: if holds { Verdict::Met } else { Verdict::NotMet },
        }
    }

    /// A statement that cannot be judged because `missing` was not published.
    pub fn not_comparable(
        claim: impl Into<String>,
        how: &How,
        measured: impl Into<String>,
        missing: impl Into<String>,
    ) -> Self {
        Self {
            claim: claim.into(),
            how: how.clone(),
            measured: measured.into(),
            verdict: Verdict::NotComparable {
                missing: missing.into(),
            },
        }
    }

    /// The statement on one line that begins with its verdict.
    pub fn line(&self) -> String {
        let How {
            solver,
            residual,
            stop,
        } = &self.how;
        let mut out = format!(
            "{}: {}; measured: {} [{solver}; {residual}; {stop}]",
            self.verdict.word(),
            self.claim,
            self.measured
        );
        if let Verdict::NotComparable { missing } = &self.verdict {
            out += &format!(" (not published: {missing})");
        }
        out.replace('\n', " ")
    }
}
