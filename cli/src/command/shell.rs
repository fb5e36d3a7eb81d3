//! `completions` and `man`: what a shell and a reader need, made from the arguments.

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use crate::args::{Cli, CompletionsArgs};
use crate::failure::Stop;
use crate::outcome::Outcome;
use crate::output::Session;

pub(crate) fn completions(args: &CompletionsArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "countersign", &mut script);
    session.out.writer.write_all(&script)?;
    Ok(Outcome::Yes)
}

/// One page: the whole, then a section for each command.
pub(crate) fn man(session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        section(subcommand, &format!("countersign {}", subcommand.get_name()), &mut page)?;
    }
    session.out.writer.write_all(&page)?;
    Ok(Outcome::Yes)
}

/// The section of one command, and of the commands below it.
fn section(command: &Command, name: &str, page: &mut Vec<u8>) -> Result<(), Stop> {
    let visible: Vec<_> =
        command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help").collect();
    if !visible.is_empty() {
        return visible
            .into_iter()
            .try_for_each(|inner| section(inner, &format!("{name} {}", inner.get_name()), page));
    }
    let man = Man::new(command.clone());
    let mut own = Vec::new();
    man.render_synopsis_section(&mut own)?;
    man.render_description_section(&mut own)?;
    man.render_options_section(&mut own)?;
    page.extend_from_slice(format!(".SH \"{}\"\n", name.to_uppercase()).as_bytes());
    let own = String::from_utf8_lossy(&own).replace("\n.SH ", "\n.SS ");
    page.extend_from_slice(
        own.strip_prefix(".SH ").map_or(own.clone(), |rest| format!(".SS {rest}")).as_bytes(),
    );
    Ok(())
}
