//! What holds with every engine.

use countersign::cache::ReceivedCard;
use countersign::cache::shared::{MissReason, SharedError, SharedKey, SharedStore};
use countersign::{Endorsement, Limits};

use crate::engine::{Engine, Kind};
use crate::fixture::{EPOCH, Instance, at, card, for_tenant, policy, request, store_at, terms};

type Test = (&'static str, fn(Kind));

pub(crate) const TESTS: &[Test] = &[
    ("a card that one instance fetched is not fetched by another", one_fetch),
    ("what is loaded is admitted anew under the policy of the instance", admitted_anew),
    ("a card is loaded with its endorsements, octet for octet", endorsements),
    ("an entry ends when the card is not fresh any more", freshness),
    ("an entry for another tenant, use, source or client is not loaded", other_questions),
    ("an entry that was moved to another tenant is not used", swapped_tenant),
    ("an entry that was forged or changed is not used", forged),
    ("an entry that is no string, or too large, is not used", odd_values),
    ("a revocation reaches every instance", revocation),
    ("an old entry that was put back is not used after a revocation", replayed_entry),
    ("an old epoch that was put back is not used by who saw a later one", rolled_back),
    ("a card that was fetched before a revocation is not shared after it", late_store),
    ("a store without epoch loads nothing and begins anew", lost_epoch),
    ("two revocations at the same time are two", concurrent_revocations),
    ("an engine that is killed is a miss and comes back", killed_engine),
    (
        "a revocation that could not be written holds here at once and reaches the others later",
        late_revocation,
    ),
    ("only an admission of the same card for the same request is shared", only_admissions),
    ("a card that is too large is not shared", too_large),
    ("names tell neither tenant nor source", names),
    ("namespaces share neither cards nor revocations", namespaces),
    ("eight threads load and store through one instance", threads),
];

fn one_fetch(kind: Kind) {
    let engine = Engine::start(kind);
    let (first, second) = (Instance::at(&engine.address()), Instance::at(&engine.address()));
    assert_eq!(first.misses(&request(), 0), Some(MissReason::NoEpoch));
    assert_eq!(first.misses(&request(), 0), Some(MissReason::Absent));
    let (answer, fetches) = first.admit(&request(), &card(), 0);
    assert!(answer.admitted().is_some());
    assert_eq!(fetches, 1);
    let (answer, fetches) = second.admit(&request(), b"never fetched", 1);
    assert_eq!(answer.admitted().unwrap().interfaces().next().unwrap().url(), "https://agent.example/a2a");
    assert_eq!(fetches, 0);
}

fn admitted_anew(kind: Kind) {
    let engine = Engine::start(kind);
    Instance::at(&engine.address()).admit(&request(), &card(), 0);
    let strict = Instance::under(&engine.address(), policy("interfaces.hosts = [\"other.example\"]"));
    let (answer, fetches) = strict.admit(&request(), &card(), 0);
    assert_eq!((answer.admitted().is_none(), fetches), (true, 0));
}

fn endorsements(kind: Kind) {
    let engine = Engine::start(kind);
    let instance = Instance::at(&engine.address());
    let text = format!(
        r#"{{"schema": "countersign.endorsement/1", "payload_sha256": "{}", "signatures": [{{"protected": "e30", "signature": "AA"}}]}}"#,
        "0".repeat(64)
    );
    let read = || Endorsement::read(text.clone(), &Limits::default()).unwrap();
    let both = [read(), read()];
    let vacancy = instance.store.load(&request(), at(0)).unwrap_err();
    let card = card();
    let received = ReceivedCard::new(&card).with_endorsements(&both).fresh_until(at(60));
    let answer = instance.cache.admit(&request(), &received, at(0)).unwrap();
    instance.store.store(vacancy, &answer, &request(), &received, at(0)).unwrap();
    let shared = instance.store.load(&request(), at(0)).unwrap();
    assert_eq!(shared.octets(), card);
    let octets: Vec<_> = shared.endorsements().iter().map(Endorsement::octets).collect();
    assert_eq!(octets, [text.as_bytes(), text.as_bytes()]);
    assert_eq!(shared.until(), at(60));
}

fn freshness(kind: Kind) {
    let engine = Engine::start(kind);
    let instance = Instance::at(&engine.address());
    instance.admit(&request(), &card(), 0);
    assert_eq!(instance.misses(&request(), 599), None);
    assert_eq!(instance.misses(&request(), 600), Some(MissReason::Ended));
    // An instance whose clock is behind does not take it for longer.
    assert_eq!(instance.misses(&request(), -1), Some(MissReason::Ended));
    // The engine drops it as well.
    let left: i64 =
        redis::cmd("TTL").arg(engine.names().first().unwrap()).query(&mut engine.connection()).unwrap();
    assert!((1..=600).contains(&left), "{left} s");
    // What ends at once is not shared.
    let vacancy = instance.store.load(&for_tenant("t1"), at(0)).unwrap_err();
    let card = card();
    let received = ReceivedCard::new(&card).fresh_until(at(0));
    let answer = instance.cache.admit(&for_tenant("t1"), &received, at(0)).unwrap();
    instance.store.store(vacancy, &answer, &for_tenant("t1"), &received, at(0)).unwrap();
    assert_eq!(engine.names().len(), 1);
}

fn other_questions(kind: Kind) {
    let engine = Engine::start(kind);
    let instance = Instance::at(&engine.address());
    instance.admit(&request(), &card(), 0);
    let mut others = vec![for_tenant("t1"), request(), request(), request()];
    others[1].purpose = Some("u1".to_owned());
    others[2].source = countersign::Source::at("https://agent.example/other.json").unwrap();
    others[3].extensions = Some(Vec::new());
    for other in others {
        assert_eq!(instance.misses(&other, 0), Some(MissReason::Absent));
    }
    assert_eq!(instance.misses(&request(), 0), None);
}

fn swapped_tenant(kind: Kind) {
    let engine = Engine::start(kind);
    let instance = Instance::at(&engine.address());
    instance.admit(&for_tenant("t1"), &card(), 0);
    let first = engine.names();
    instance.admit(&for_tenant("t2"), &card(), 0);
    let both = engine.names();
    let second = both.iter().find(|name| !first.contains(name)).unwrap();
    let value = engine.get(first.first().unwrap());
    engine.set(second, &value);
    assert_eq!(instance.misses(&for_tenant("t2"), 0), Some(MissReason::Damaged));
    assert_eq!(instance.misses(&for_tenant("t1"), 0), None);
    // Fetched again, it is right again.
    assert_eq!(instance.admit(&for_tenant("t2"), &card(), 0).1, 1);
    assert_eq!(instance.misses(&for_tenant("t2"), 0), None);
}

fn forged(kind: Kind) {
    let engine = Engine::start(kind);
    let instance = Instance::at(&engine.address());
    instance.admit(&request(), &card(), 0);
    let name = engine.names().remove(0);
    let value = engine.get(&name);
    for place in 0..value.len() {
        let mut changed = value.clone();
        changed[place] ^= 0x20;
        engine.set(&name, &changed);
        assert_eq!(instance.misses(&request(), 0), Some(MissReason::Damaged), "octet {place}");
    }
    for cut in [1, 31, 32, 33, value.len() - 1] {
        engine.set(&name, &value[..cut]);
        assert_eq!(instance.misses(&request(), 0), Some(MissReason::Damaged), "{cut} octets");
    }
    // An entry by somebody with another key.
    let key = SharedKey::new(vec![8; 32]).unwrap();
    let other = SharedStore::new(&engine.address(), key, &terms()).unwrap();
    assert_eq!(other.load(&request(), at(0)).unwrap_err().reason(), MissReason::RolledBack);
    engine.set(&name, &value);
}

fn odd_values(kind: Kind) {
    let engine = Engine::start(kind);
    let instance = Instance::at(&engine.address());
    instance.admit(&request(), &card(), 0);
    let name = engine.names().remove(0);
    engine.set(&name, &vec![b'x'; terms().max_value_octets + 1]);
    assert_eq!(instance.misses(&request(), 0), Some(MissReason::TooLarge));
    engine.set(&name, b"");
    assert_eq!(instance.misses(&request(), 0), Some(MissReason::Absent));
    let mut connection = engine.connection();
    redis::cmd("DEL").arg(&name).exec(&mut connection).unwrap();
    redis::cmd("LPUSH").arg(&name).arg("x").exec(&mut connection).unwrap();
    // More often than failures are tolerated: an odd value is no reason to leave the engine alone.
    for _ in 0..5 {
        assert_eq!(instance.misses(&request(), 0), Some(MissReason::Damaged));
    }
    redis::cmd("DEL").arg(EPOCH).exec(&mut connection).unwrap();
    redis::cmd("LPUSH").arg(EPOCH).arg("x").exec(&mut connection).unwrap();
    assert_eq!(instance.misses(&for_tenant("t1"), 0), Some(MissReason::Damaged));
    instance.store.revoke(at(0)).unwrap();
    assert_eq!(instance.misses(&for_tenant("t1"), 0), Some(MissReason::Absent));
}

fn revocation(kind: Kind) {
    let engine = Engine::start(kind);
    let (first, second) = (Instance::at(&engine.address()), Instance::at(&engine.address()));
    first.admit(&request(), &card(), 0);
    assert_eq!(second.misses(&request(), 0), None);
    second.store.revoke(at(0)).unwrap();
    for instance in [&first, &second, &Instance::at(&engine.address())] {
        assert_eq!(instance.misses(&request(), 0), Some(MissReason::Revoked));
    }
    assert_eq!(first.admit(&request(), &card(), 0).1, 1);
    assert_eq!(second.misses(&request(), 0), None);
}

fn replayed_entry(kind: Kind) {
    let engine = Engine::start(kind);
    let instance = Instance::at(&engine.address());
    instance.admit(&request(), &card(), 0);
    let name = engine.names().remove(0);
    let old = engine.get(&name);
    instance.store.revoke(at(0)).unwrap();
    instance.admit(&request(), &card(), 0);
    assert_eq!(instance.misses(&request(), 0), None);
    engine.set(&name, &old);
    assert_eq!(instance.misses(&request(), 0), Some(MissReason::Revoked));
    // After its end as well, with no revocation.
    instance.admit(&request(), &card(), 0);
    let old = engine.get(&name);
    instance.admit(&request(), &card(), 700);
    engine.set(&name, &old);
    assert_eq!(instance.misses(&request(), 700), Some(MissReason::Ended));
}

fn rolled_back(kind: Kind) {
    let engine = Engine::start(kind);
    let (first, second) = (Instance::at(&engine.address()), Instance::at(&engine.address()));
    first.admit(&request(), &card(), 0);
    let name = engine.names().remove(0);
    let (epoch, entry) = (engine.get(EPOCH), engine.get(&name));
    first.store.revoke(at(0)).unwrap();
    second.misses(&request(), 0);
    engine.set(EPOCH, &epoch);
    engine.set(&name, &entry);
    for instance in [&first, &second] {
        engine.set(EPOCH, &epoch);
        assert_eq!(instance.misses(&request(), 0), Some(MissReason::RolledBack));
        // Whoever sees it begins a later one, so that the old entry is worthless for everybody.
        assert_eq!(Instance::at(&engine.address()).misses(&request(), 0), Some(MissReason::Revoked));
    }
    // An epoch that is not authentic, or that of another name.
    engine.set(EPOCH, &entry);
    assert_eq!(first.misses(&request(), 0), Some(MissReason::RolledBack));
    assert_eq!(first.misses(&request(), 0), Some(MissReason::Revoked));
}

fn late_store(kind: Kind) {
    let engine = Engine::start(kind);
    let (first, second) = (Instance::at(&engine.address()), Instance::at(&engine.address()));
    for _ in 0..2 {
        let vacancy = first.store.load(&request(), at(0)).unwrap_err();
        // While the first fetches the card.
        second.store.revoke(at(0)).unwrap();
        first.misses(&for_tenant("t1"), 0);
        first.share(vacancy, &request(), &card(), 0);
        assert_eq!(first.misses(&request(), 0), Some(MissReason::Revoked));
    }
    let vacancy = first.store.load(&request(), at(0)).unwrap_err();
    first.share(vacancy, &request(), &card(), 0);
    assert_eq!(second.misses(&request(), 0), None);
}

fn lost_epoch(kind: Kind) {
    let engine = Engine::start(kind);
    let instance = Instance::at(&engine.address());
    instance.admit(&request(), &card(), 0);
    redis::cmd("DEL").arg(EPOCH).exec(&mut engine.connection()).unwrap();
    // Neither who knows the old epoch nor who is new takes what was stored under it.
    let new = Instance::at(&engine.address());
    assert_eq!(new.misses(&request(), 0), Some(MissReason::NoEpoch));
    assert_eq!(new.misses(&request(), 0), Some(MissReason::Revoked));
    assert_eq!(instance.misses(&request(), 0), Some(MissReason::Revoked));
}

fn concurrent_revocations(kind: Kind) {
    let engine = Engine::start(kind);
    let stores: Vec<_> = (0..4).map(|_| store_at(&engine.address(), &terms())).collect();
    std::thread::scope(|threads| {
        for store in &stores {
            threads.spawn(|| {
                for _ in 0..5 {
                    // Under contention it may give up, and says so.
                    while store.revoke(at(0)).is_err() {}
                }
            });
        }
    });
    let epoch = engine.get(EPOCH);
    let counter = u64::from_be_bytes(*epoch.first_chunk().unwrap());
    assert!(counter >= 20, "{counter}");
}

fn killed_engine(kind: Kind) {
    let mut engine = Engine::start(kind);
    let instance = Instance::at(&engine.address());
    instance.admit(&request(), &card(), 0);
    assert_eq!(instance.misses(&request(), 0), None);
    engine.kill();
    let (answer, fetches) = {
        let vacancy = instance.store.load(&request(), at(0)).unwrap_err();
        assert_eq!(vacancy.reason(), MissReason::Unreachable);
        let card = card();
        let received = ReceivedCard::new(&card);
        let answer = instance.cache.admit(&request(), &received, at(0)).unwrap();
        let error = instance.store.store(vacancy, &answer, &request(), &received, at(0)).unwrap_err();
        assert_eq!(error.code().name(), "cache.unreachable");
        (answer, 1)
    };
    assert_eq!((answer.admitted().is_some(), fetches), (true, 1));
    assert_eq!(instance.misses(&request(), 0), Some(MissReason::Unreachable));
    assert_eq!(instance.misses(&request(), 0), Some(MissReason::Unreachable));
    assert_eq!(instance.misses(&request(), 0), Some(MissReason::LeftAlone));
    engine.start_again();
    assert_eq!(instance.misses(&request(), 4), Some(MissReason::LeftAlone));
    assert_eq!(instance.misses(&request(), 5), Some(MissReason::NoEpoch));
    assert_eq!(instance.admit(&request(), &card(), 5).1, 1);
    assert_eq!(instance.admit(&request(), &card(), 5).1, 0);
}

fn late_revocation(kind: Kind) {
    let mut engine = Engine::start(kind);
    let (first, second) = (Instance::at(&engine.address()), Instance::at(&engine.address()));
    first.admit(&request(), &card(), 0);
    let name = engine.names().remove(0);
    let (epoch, entry) = (engine.get(EPOCH), engine.get(&name));
    engine.kill();
    let error = first.store.revoke(at(0)).unwrap_err();
    assert_eq!(error.code().name(), "cache.unreachable");
    // It comes back with what it had before.
    engine.start_again();
    engine.set(EPOCH, &epoch);
    engine.set(&name, &entry);
    assert_eq!(second.misses(&request(), 0), None);
    assert_eq!(first.misses(&request(), 0), Some(MissReason::RolledBack));
    assert_eq!(second.misses(&request(), 0), Some(MissReason::Revoked));
}

fn only_admissions(kind: Kind) {
    let engine = Engine::start(kind);
    let instance = Instance::at(&engine.address());
    let vacancy = || instance.store.load(&request(), at(0)).unwrap_err();
    let (good, other) = (card(), b"{\"name\": \"Nobody\"}".to_vec());
    let (received, denied) = (ReceivedCard::new(&good), ReceivedCard::new(&other));
    let admission = instance.cache.admit(&request(), &received, at(0)).unwrap();
    let denial = instance.cache.admit(&request(), &denied, at(0)).unwrap();
    assert!(admission.admitted().is_some() && denial.admitted().is_none());
    let store =
        |answer, request: &_, received: &_| instance.store.store(vacancy(), answer, request, received, at(0));
    assert_eq!(store(&denial, &request(), &denied), Err(SharedError::NotAdmitted));
    assert_eq!(store(&admission, &request(), &denied), Err(SharedError::NotAdmitted));
    assert_eq!(store(&admission, &for_tenant("t1"), &received), Err(SharedError::NotAdmitted));
    let for_other = instance.cache.admit(&for_tenant("t1"), &received, at(0)).unwrap();
    assert_eq!(store(&for_other, &request(), &received), Err(SharedError::NotAdmitted));
    assert!(engine.names().is_empty());
    assert_eq!(store(&admission, &request(), &received), Ok(()));
    assert_eq!(engine.names().len(), 1);
}

fn too_large(kind: Kind) {
    let engine = Engine::start(kind);
    let card = card();
    let received = ReceivedCard::new(&card);
    let put = |max_value_octets| {
        let mut terms = terms();
        terms.max_value_octets = max_value_octets;
        let instance =
            Instance { store: store_at(&engine.address(), &terms), ..Instance::at(&engine.address()) };
        let vacancy = instance.store.load(&request(), at(0)).unwrap_err();
        let answer = instance.cache.admit(&request(), &received, at(0)).unwrap();
        let stored = instance.store.store(vacancy, &answer, &request(), &received, at(0));
        (stored, instance.misses(&request(), 0))
    };
    let octets = card.len() + 80;
    let error = SharedError::TooLarge { octets, limit: octets - 1 };
    assert_eq!(put(octets - 1), (Err(error), Some(MissReason::Absent)));
    assert_eq!(put(octets), (Ok(()), None));
    assert_eq!(engine.get(engine.names().first().unwrap()).len(), octets);
}

fn names(kind: Kind) {
    let engine = Engine::start(kind);
    Instance::at(&engine.address()).admit(&for_tenant("secret-tenant"), &card(), 0);
    let all: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut engine.connection()).unwrap();
    assert_eq!(all.len(), 2);
    for name in all {
        assert!(name.starts_with("countersign:1:default:"), "{name}");
        assert!(!name.contains("secret") && !name.contains("agent.example"), "{name}");
    }
}

fn namespaces(kind: Kind) {
    let engine = Engine::start(kind);
    let mut other = terms();
    other.namespace = "other".to_owned();
    let first = Instance::at(&engine.address());
    let second = Instance { store: store_at(&engine.address(), &other), ..Instance::at(&engine.address()) };
    first.admit(&request(), &card(), 0);
    assert_eq!(second.admit(&request(), &card(), 0).1, 1);
    first.store.revoke(at(0)).unwrap();
    assert_eq!(first.misses(&request(), 0), Some(MissReason::Revoked));
    assert_eq!(second.misses(&request(), 0), None);
}

fn threads(kind: Kind) {
    let engine = Engine::start(kind);
    let instance = Instance::at(&engine.address());
    std::thread::scope(|threads| {
        for thread in 0..8 {
            let instance = &instance;
            threads.spawn(move || {
                for round in 0..50 {
                    let request = for_tenant(&format!("t{}", (thread + round) % 10));
                    assert!(instance.admit(&request, &card(), 0).0.admitted().is_some());
                }
            });
        }
    });
    assert_eq!(engine.names().len(), 10);
}
