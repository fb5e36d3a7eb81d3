//! `select`: which interface a given client uses.

use countersign::{Limits, SelectTerms, UntrustedCard};
use libtest_mimic::Failed;

use crate::{Check, labels, refused, same};

/// `1.0 JSONRPC, 1.0 HTTP+JSON`
fn terms(client: &str) -> Result<SelectTerms, Failed> {
    let spoken = client.split(", ").map(|spoken| spoken.replacen(' ', "/", 1).parse());
    Ok(SelectTerms::accepting(spoken.collect::<Result<Vec<_>, _>>()?))
}

pub(crate) fn run(check: &Check) -> Result<(), Failed> {
    let card = match UntrustedCard::read(check.octets("card"), &Limits::default()) {
        Ok(card) => card,
        Err(error) => return refused(check, error.code()),
    };
    let selection = card.view().select(&terms(check.text("client"))?);
    let Some(interface) = selection.interface() else {
        let codes = selection.codes();
        let code = codes.last().ok_or("no interface and no reason")?;
        return refused(check, *code);
    };
    same(&interface.claim.claimed_url, &Some(check.text("expect")))?;
    let found: Vec<_> = selection.findings().iter().map(|finding| finding.code.name()).collect();
    for label in check.texts("warn") {
        if !found.iter().any(|code| labels::codes(label).contains(code)) {
            return Err(format!("no warning {label}, found {found:?}").into());
        }
    }
    same(&check.text("outcome"), &"select")
}
