//! Writing over a file that others may write to while the signer runs.

use std::cell::RefCell;
use std::path::Path;

use countersign::keys::SignError;
use countersign::{
    Algorithm, Endorsement, NewEndorsement, SignCardError, SignTerms, Signer, TrustedKeys, UntrustedCard,
    VerifyingKey,
};

use crate::endorsement;
use crate::failure::Failure;
use crate::lock::FolderLock;
use crate::output::{self, Replaced};

/// How often the file may change between reading and writing; with the lock only programs that do not take it do that.
const ATTEMPTS: usize = 8;

/// Adds a signature to the endorsement at `path`, or makes one. What others added meanwhile is kept, and the signer is
/// asked once.
///
/// Where folders cannot be locked, a change between the last look at the file and its renaming is not noticed.
pub(super) fn endorse(
    card: &UntrustedCard,
    path: &Path,
    (signer, terms): (&dyn Signer, &SignTerms),
    others: &TrustedKeys,
    refused: impl Fn(SignCardError) -> Failure,
) -> Result<NewEndorsement, Failure> {
    let signer = AskedOnce { signer, made: RefCell::default() };
    let mut lock = None;
    for _ in 0..ATTEMPTS {
        let existing = endorsement::existing(path)?;
        let endorsed = card.endorse(&signer, terms, existing.as_ref(), others).map_err(&refused)?;
        if lock.is_none() {
            lock = Some(FolderLock::around(path)?);
        }
        let read = existing.as_ref().map(Endorsement::octets);
        if output::replace_unchanged(path, read, &endorsed.octets)? == Replaced::Done {
            return Ok(endorsed);
        }
    }
    Err(changed(path))
}

/// Writes the signed card over the card that was read, if it still is that card.
pub(super) fn in_place(card: &UntrustedCard, path: &Path, signed: &[u8]) -> Result<(), Failure> {
    let _lock = FolderLock::around(path)?;
    match output::replace_unchanged(path, Some(card.octets()), signed)? {
        Replaced::Done => Ok(()),
        Replaced::Changed => Err(changed(path)),
    }
}

fn changed(path: &Path) -> Failure {
    let message = format!("`{}` was changed while it was being signed; nothing was written", path.display());
    Failure::environment(message).with_help("run the command again")
}

/// A signer that signs the same octets once and then answers the same.
struct AskedOnce<'s> {
    signer: &'s dyn Signer,
    made: RefCell<Vec<(Vec<u8>, Vec<u8>)>>,
}

impl Signer for AskedOnce<'_> {
    fn algorithm(&self) -> Algorithm {
        self.signer.algorithm()
    }

    fn kid(&self) -> Option<&str> {
        self.signer.kid()
    }

    fn verifying_key(&self) -> &VerifyingKey {
        self.signer.verifying_key()
    }

    fn sign(&self, signing_input: &[u8]) -> Result<Vec<u8>, SignError> {
        let mut made = self.made.borrow_mut();
        if let Some((_, signature)) = made.iter().find(|(input, _)| input == signing_input) {
            return Ok(signature.clone());
        }
        let signature = self.signer.sign(signing_input)?;
        made.push((signing_input.to_vec(), signature.clone()));
        Ok(signature)
    }
}
