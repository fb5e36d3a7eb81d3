//! The answer of a run, as the exit code tells it.

/// What a command found, from best to worst. Several inputs give the worst of their answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Yes, or nothing at the fail level.
    Yes,
    /// No.
    No,
    /// The question could not be answered: usage, a policy, a key file, an input that is not there.
    CouldNotTell,
    /// The environment failed: disk, a command that cannot run.
    Environment,
}

impl Outcome {
    /// 0, 1, 2 or 3.
    pub(crate) const fn exit_code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::CouldNotTell => 2,
            Self::Environment => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome;

    #[test]
    fn the_worst_answer_is_the_highest_exit_code() {
        let all = [Outcome::No, Outcome::Environment, Outcome::Yes, Outcome::CouldNotTell];
        assert_eq!(all.into_iter().max().map(Outcome::exit_code), Some(3));
        assert!(Outcome::No < Outcome::CouldNotTell && Outcome::Yes < Outcome::No);
    }
}
