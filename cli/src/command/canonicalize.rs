//! `canonicalize`: the octets that a signature is made over, or how the forms differ.

use countersign::keys;
use countersign::{CanonicalPayload, Form, Shape, UntrustedCard, codes};
use serde::Serialize;

use crate::args::{CanonicalizeArgs, Format};
use crate::failure::{Failure, Stop};
use crate::input::Input;
use crate::outcome::Outcome;
use crate::output::Session;
use crate::render::{escape, hex};

#[derive(Serialize)]
struct ComparisonJson<'c> {
    schema: &'static str,
    card: &'c str,
    forms: Vec<FormJson>,
}

/// One form; without digest when the card has no octets under it.
#[derive(Serialize)]
struct FormJson {
    form: &'static str,
    sha256: Option<String>,
    octets: Option<usize>,
    /// The first form with the same octets, if that is another.
    same_as: Option<&'static str>,
    left_out: Vec<String>,
}

pub(crate) fn run(args: &CanonicalizeArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let input = Input::single(&args.card);
    let card = input.read_card(session)?;
    if args.compare {
        compare(&input, &card, session)?;
        return Ok(Outcome::Yes);
    }
    if args.form.is_none() && card.shape(None) == Shape::Foreign {
        let message = "the document is no AgentCard: it has neither `supportedInterfaces` nor `url`, `capabilities` \
                       and `skills`";
        let failure = Failure::coded(Outcome::No, codes::CARD_NOT_AN_AGENT_CARD, message);
        return Err(input
            .about(failure.with_help("name a form with `--form` to canonicalize it all the same"))
            .into());
    }
    let form = args.form.unwrap_or_else(|| card.default_form());
    let payload = CanonicalPayload::of(&card, form).map_err(|error| {
        input.about(Failure::coded(Outcome::No, codes::SIG_FORM_NOT_ACCEPTED, error.to_string()))
    })?;
    session.out.writer.write_all(payload.octets())?;
    Ok(Outcome::Yes)
}

fn compare(input: &Input, card: &UntrustedCard, session: &mut Session<'_>) -> Result<(), Stop> {
    let name = input.name();
    let forms = forms(card);
    match session.format {
        Format::Json => {
            session.json(&ComparisonJson { schema: "countersign.comparison/1", card: &name, forms })?;
        }
        Format::Short => {
            for form in forms {
                let digest = form.sha256.as_deref().unwrap_or("none");
                session.data(&format!("{}: {} {digest}", escape(&name), form.form))?;
            }
        }
        Format::Human => {
            let paint = session.out.paint;
            session.data(&paint.bold(&escape(&name)))?;
            for form in forms {
                session.data(&format!("  {:<14}  {}", form.form, form.summary()))?;
                for pointer in &form.left_out {
                    session.data(&format!("    leaves out {}", escape(pointer)))?;
                }
            }
        }
    }
    Ok(())
}

fn forms(card: &UntrustedCard) -> Vec<FormJson> {
    let payloads: Vec<_> =
        Form::ALL.into_iter().map(|form| (form, CanonicalPayload::of(card, form).ok())).collect();
    payloads
        .iter()
        .map(|(form, payload)| {
            let Some(payload) = payload else { return FormJson::none(*form) };
            let has_same = |(_, other): &&(Form, Option<CanonicalPayload>)| {
                other.as_ref().is_some_and(|other| other.octets() == payload.octets())
            };
            let first = payloads.iter().find(has_same).map(|(first, _)| *first);
            FormJson {
                form: form.name(),
                sha256: Some(hex(&keys::sha256(payload.octets()))),
                octets: Some(payload.octets().len()),
                same_as: first.filter(|first| first != form).map(Form::name),
                left_out: payload.left_out(card),
            }
        })
        .collect()
}

impl FormJson {
    fn none(form: Form) -> Self {
        Self { form: form.name(), sha256: None, octets: None, same_as: None, left_out: Vec::new() }
    }

    fn summary(&self) -> String {
        match (&self.sha256, self.octets, self.same_as) {
            (Some(_), _, Some(first)) => format!("same octets as {first}"),
            (Some(digest), Some(octets), None) => format!("sha256:{digest}, {octets} octets"),
            _ => "the card has no octets under this form".to_owned(),
        }
    }
}
