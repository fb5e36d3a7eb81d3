//! `policy schema`: the JSON Schema of policies.

use countersign::policy::policy_schema;

use crate::failure::Stop;
use crate::outcome::Outcome;
use crate::output::Session;

pub(crate) fn run(session: &mut Session<'_>) -> Result<Outcome, Stop> {
    session.data(&policy_schema())?;
    Ok(Outcome::Yes)
}
