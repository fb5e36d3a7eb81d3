//! `-D`, `-W` and `-A`: what `lint` makes of single codes, in the order in which it is typed.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use countersign::{Level, LintSetting};

const OPTIONS: [(&str, char, LintSetting, &str); 3] = [
    (
        "deny",
        'D',
        LintSetting::At(Level::Error),
        "Make findings of this code errors; `*` is every code that is not named. The last for a code counts; \
         repeatable",
    ),
    ("warn", 'W', LintSetting::At(Level::Warning), "Make findings of this code warnings"),
    (
        "allow",
        'A',
        LintSetting::Off,
        "Leave findings of this code out; what cannot be read is always an error",
    ),
];

/// The settings, in the order in which they are typed: the later one counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct LevelArgs(pub(crate) Vec<(String, LintSetting)>);

impl FromArgMatches for LevelArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut settings = Vec::new();
        for (name, _, setting, _) in OPTIONS {
            let places = matches.indices_of(name).into_iter().flatten();
            let codes = matches.get_many::<String>(name).into_iter().flatten();
            settings.extend(places.zip(codes).map(|(place, code)| (place, code.clone(), setting)));
        }
        settings.sort_by_key(|(place, ..)| *place);
        Ok(Self(settings.into_iter().map(|(_, code, setting)| (code, setting)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for LevelArgs {
    fn augment_args(command: Command) -> Command {
        command.args(OPTIONS.map(|(name, short, _, help)| {
            Arg::new(name).long(name).short(short).action(ArgAction::Append).value_name("CODE").help(help)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

#[cfg(test)]
mod tests {
    use super::LevelArgs;
    use clap::{Args as _, Command, FromArgMatches as _};
    use countersign::{Level, LintSetting};

    #[test]
    fn settings_keep_the_order_in_which_they_are_typed() {
        let command = LevelArgs::augment_args(Command::new("lint"));
        let typed = ["lint", "-A", "*", "-D", "b", "--warn", "c", "--allow=b", "-Dd"];
        let LevelArgs(settings) = LevelArgs::from_arg_matches(&command.get_matches_from(typed)).unwrap();
        let (off, error, warning) =
            (LintSetting::Off, LintSetting::At(Level::Error), LintSetting::At(Level::Warning));
        let expected = [("*", off), ("b", error), ("c", warning), ("b", off), ("d", error)];
        assert_eq!(settings, expected.map(|(code, setting)| (code.to_owned(), setting)));
    }
}
