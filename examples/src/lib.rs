//! Small programs that use stiction's crates, in `src/bin`; and the code of the book that is no program, which is
//! compiled here.

/// Pages of the book with code of their own.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../docs/tutorials/robot.md")]
    struct Robot;
}
