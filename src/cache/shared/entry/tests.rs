use super::{Entry, size_of};
use crate::cache::ReceivedCard;
use crate::cache::shared::SharedKey;
use crate::cache::shared::epoch::Epoch;
use countersign_policy::UnixTime;

fn entry() -> Entry {
    let (from, until) = (UnixTime::from_seconds(-5), UnixTime::from_seconds(1 << 40));
    let mut entry = Entry::of(Epoch::new(3).unwrap(), &ReceivedCard::new(b"{\"a\": 1}"), from, until);
    entry.endorsements = vec![b"first".to_vec(), Vec::new()];
    entry
}

#[test]
fn an_entry_reads_as_it_was_written_and_no_cut_of_it_reads_the_same() {
    let octets = entry().to_octets();
    assert_eq!(Entry::read(&octets).unwrap().to_octets(), octets);
    for end in 0..octets.len() {
        assert!(Entry::read(&octets[..end]).is_none_or(|read| read.to_octets() != octets));
    }
}

#[test]
fn the_size_is_that_of_the_sealed_value() {
    let key = SharedKey::new(vec![1; 32]).unwrap();
    let received = ReceivedCard::new(b"{\"a\": 1}");
    let plain =
        Entry::of(Epoch::new(3).unwrap(), &received, UnixTime::from_seconds(0), UnixTime::from_seconds(1));
    assert_eq!(key.seal(&[], plain.to_octets()).len(), size_of(&received));
}

#[test]
fn a_tag_holds_for_one_key_one_place_and_every_octet() {
    let (key, other) = (SharedKey::new(vec![1; 32]).unwrap(), SharedKey::new(vec![2; 32]).unwrap());
    let sealed = key.seal(&[b"card", b"a"], entry().to_octets());
    assert_eq!(key.open(&[b"card", b"a"], sealed.clone()).unwrap(), entry_octets(&sealed));
    assert!(key.open(&[b"card", b"b"], sealed.clone()).is_none());
    assert!(key.open(&[b"epoch", b"a"], sealed.clone()).is_none());
    assert!(key.open(&[b"carda", b""], sealed.clone()).is_none());
    assert!(other.open(&[b"card", b"a"], sealed.clone()).is_none());
    for place in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[place] ^= 1;
        assert!(key.open(&[b"card", b"a"], changed).is_none(), "octet {place}");
    }
    for end in 0..sealed.len() {
        assert!(key.open(&[b"card", b"a"], sealed[..end].to_vec()).is_none(), "{end} octets");
    }
}

fn entry_octets(sealed: &[u8]) -> &[u8] {
    &sealed[..sealed.len() - 32]
}

#[test]
fn a_key_of_less_than_32_octets_is_refused_and_none_is_shown() {
    assert!(SharedKey::new(vec![7; 31]).is_err());
    let key = SharedKey::new(vec![7; 32]).unwrap();
    assert_eq!(format!("{key:?}"), "SharedKey(…)");
}

#[test]
fn no_two_epochs_are_equal() {
    assert_ne!(Epoch::new(1), Epoch::new(1));
    let epoch = Epoch::new(9).unwrap();
    assert_eq!(Epoch::read(&epoch.to_octets()), Some(epoch));
    assert_eq!(Epoch::read(&epoch.to_octets()[1..]), None);
}
