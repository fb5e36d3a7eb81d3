//! The octets of an entry: epoch, times, card, endorsements. Read only after their tag was found right.

use countersign_keys::json::Limits;
use countersign_policy::UnixTime;

use super::epoch::Epoch;
use super::key::TAG_OCTETS;
use crate::cache::ReceivedCard;
use crate::endorsement::Endorsement;

/// What is shared of a card.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) epoch: Epoch,
    pub(super) from: UnixTime,
    pub(super) until: UnixTime,
    pub(super) card: Vec<u8>,
    pub(super) endorsements: Vec<Vec<u8>>,
}

/// Octets of a length.
const LENGTH_OCTETS: usize = 8;

/// Octets of the value that holds a card with its endorsements, tag included.
pub(super) fn size_of(received: &ReceivedCard<'_>) -> usize {
    let endorsements = received.endorsements().iter();
    let parts = endorsements.map(|endorsement| endorsement.octets().len()).chain([received.octets().len()]);
    let framed = parts.map(|octets| octets.saturating_add(LENGTH_OCTETS));
    let fixed = Epoch::OCTETS + 2 * LENGTH_OCTETS + TAG_OCTETS;
    framed.fold(fixed, usize::saturating_add)
}

impl Entry {
    pub(super) fn of(epoch: Epoch, received: &ReceivedCard<'_>, from: UnixTime, until: UnixTime) -> Self {
        let endorsements = received.endorsements().iter().map(|endorsement| endorsement.octets().to_vec());
        Self { epoch, from, until, card: received.octets().to_vec(), endorsements: endorsements.collect() }
    }

    pub(super) fn to_octets(&self) -> Vec<u8> {
        let mut octets = self.epoch.to_octets();
        for time in [self.from, self.until] {
            octets.extend_from_slice(&time.seconds().to_be_bytes());
        }
        for part in [&self.card].into_iter().chain(&self.endorsements) {
            // No value has 2^64 octets.
            let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
            octets.extend_from_slice(&length.to_be_bytes());
            octets.extend_from_slice(part);
        }
        octets
    }

    /// [`None`] for anything but what [`to_octets`](Self::to_octets) writes.
    pub(super) fn read(octets: &[u8]) -> Option<Self> {
        let (epoch, rest) = octets.split_at_checked(Epoch::OCTETS)?;
        let (from, rest) = rest.split_first_chunk()?;
        let (until, mut rest) = rest.split_first_chunk()?;
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let (length, after) = rest.split_first_chunk()?;
            let (part, after) = after.split_at_checked(usize::try_from(u64::from_be_bytes(*length)).ok()?)?;
            parts.push(part.to_vec());
            rest = after;
        }
        let mut parts = parts.into_iter();
        Some(Self {
            epoch: Epoch::read(epoch)?,
            from: UnixTime::from_seconds(i64::from_be_bytes(*from)),
            until: UnixTime::from_seconds(i64::from_be_bytes(*until)),
            card: parts.next()?,
            endorsements: parts.collect(),
        })
    }

    pub(super) fn read_endorsements(&self) -> Option<Vec<Endorsement>> {
        let read = |octets: &Vec<u8>| {
            let limits = Limits::default().with_max_octets(octets.len());
            Endorsement::read(octets.clone(), &limits).ok()
        };
        self.endorsements.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests;
