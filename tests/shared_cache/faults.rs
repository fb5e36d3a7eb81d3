//! Engines that are none, and errors that need no engine.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

use countersign::cache::shared::{EngineFault, MissReason, SharedError, SharedKey, SharedStore, SharedTerms};
use countersign::codes;

use crate::fixture::{at, request, store_at};

type Test = (&'static str, fn());

pub(crate) const TESTS: &[Test] = &[
    ("an engine that never answers costs one time-out", silent),
    ("an engine that answers something else is a miss", babbling),
    ("an engine that nobody runs is a miss and then left alone", absent),
    ("an address that is none is refused and not shown", addresses),
    ("a key that is too short is refused", short_keys),
    ("neither key nor password is shown", secrets),
    ("every error has a code with a page", codes_of_errors),
];

fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = format!("redis://{}", listener.local_addr().unwrap());
    (listener, address)
}

fn quick() -> SharedTerms {
    let mut terms = SharedTerms::default();
    terms.timeout = Duration::from_millis(100);
    terms
}

fn silent() {
    // Connections are accepted by the system; nobody reads them.
    let (_listener, address) = listener();
    let store = store_at(&address, &quick());
    let began = Instant::now();
    assert_eq!(store.load(&request(), at(0)).unwrap_err().reason(), MissReason::Unreachable);
    let took = began.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
    let error = store.revoke(at(0)).unwrap_err();
    assert!(error.to_string().ends_with("did not answer in time"), "{error}");
}

fn babbling() {
    for answer in [
        "HTTP/1.1 200 OK\r\n\r\n",
        "$-2\r\n",
        "-ERR no\r\n-ERR no\r\n-ERR no\r\n-ERR no\r\n",
        "*2\r\n",
        ":1\r\n:1\r\n:1\r\n:1\r\n",
    ] {
        let (listener, address) = listener();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
            let mut request = [0; 1024];
            while let Ok(1..) = stream.read(&mut request) {
                if stream.write_all(answer.as_bytes()).is_err() {
                    break;
                }
            }
        });
        let store = store_at(&address, &quick());
        let reason = store.load(&request(), at(0)).unwrap_err().reason();
        assert!(
            matches!(reason, MissReason::Unreachable | MissReason::Damaged),
            "{answer:?}: {}",
            reason.name()
        );
        drop(store);
        server.join().unwrap();
    }
}

fn absent() {
    let (listener, address) = listener();
    drop(listener);
    let store = store_at(&address, &quick());
    let load = |seconds| store.load(&request(), at(seconds)).unwrap_err().reason();
    for _ in 0..3 {
        assert_eq!(load(0), MissReason::Unreachable);
    }
    assert_eq!(load(4), MissReason::LeftAlone);
    assert_eq!(load(5), MissReason::Unreachable);
    assert_eq!(load(6), MissReason::LeftAlone);
    // A revocation is tried all the same.
    let error = store.revoke(at(6)).unwrap_err();
    assert!(matches!(error, SharedError::Unreachable { fault: EngineFault::Refused, .. }), "{error}");
}

fn addresses() {
    for address in [
        "",
        "localhost",
        "127.0.0.1:6379",
        "http://user:hunter2@localhost/",
        "rediss://user:hunter2@localhost/",
    ] {
        let key = SharedKey::new(vec![7; 32]).unwrap();
        let error = SharedStore::new(address, key, &quick()).unwrap_err();
        assert_eq!(error, SharedError::Address, "{address}");
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
}

fn short_keys() {
    let error = SharedKey::new(vec![7; 31]).unwrap_err();
    assert_eq!(error, SharedError::KeyTooShort { octets: 31, least: 32 });
    assert!(SharedKey::new(vec![7; 64]).is_ok());
}

fn secrets() {
    let key = SharedKey::new(b"correct horse battery staple 1234".to_vec()).unwrap();
    assert_eq!(format!("{key:?}"), "SharedKey(…)");
    let store = SharedStore::new("redis://user:hunter2@127.0.0.1:1/0", key, &quick()).unwrap();
    let error = store.revoke(at(0)).unwrap_err();
    for text in [format!("{store:?}"), format!("{error:?}"), error.to_string()] {
        assert!(text.contains("127.0.0.1:1"), "{text}");
        assert!(!text.contains("hunter2") && !text.contains("horse") && !text.contains("user"), "{text}");
    }
}

fn codes_of_errors() {
    for code in SharedError::CODES {
        assert_eq!(codes::find(code.name()), Some(code));
    }
}
