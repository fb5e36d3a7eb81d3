//! Servers that send too much, too little, or too slowly.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use countersign::fetch::{Fetch, FetchError, FetchRequest, SizeLimit};

use crate::server::{Authority, BODY, CARD, Connection, HOST, Server, Validity};

/// What a server is asked with, and its answer.
fn ask(
    change: impl FnOnce(&mut FetchRequest),
    handler: impl Fn(&str, &mut Connection) + Send + Sync + 'static,
) -> Result<Vec<u8>, FetchError> {
    let authority = Authority::new("one");
    let server = Server::new(&authority.server(&[HOST], Validity::Now), handler);
    let mut request = server.request();
    change(&mut request);
    authority.fetch(&["127.0.0.1"]).fetch(&request).map(|response| response.octets)
}

fn answer(octets: &[u8]) -> Result<Vec<u8>, FetchError> {
    let octets = octets.to_vec();
    ask(
        |_| (),
        move |_, connection| {
            let _ = connection.write_all(&octets);
        },
    )
}

fn size(result: Result<Vec<u8>, FetchError>) -> Option<(usize, SizeLimit)> {
    let error = result.unwrap_err();
    let FetchError::Size { most, what, .. } = error else { return None };
    assert_eq!(error.code().name(), "fetch.size");
    Some((most, what))
}

/// Whether it ended with the time limit, and not much later.
fn is_timeout(handler: impl Fn(&str, &mut Connection) + Send + Sync + 'static) -> bool {
    let begun = Instant::now();
    let answer = ask(|request| request.timeout = Duration::from_millis(400), handler);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    matches!(answer, Err(FetchError::Timeout { limit, .. }) if limit == Duration::from_millis(400))
}

fn drip(connection: &mut Connection, octets: &[u8]) {
    for octet in octets {
        if connection.write_all(&[*octet]).is_err() || connection.flush().is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_header_that_drips_runs_into_the_time_limit() {
    assert!(is_timeout(|_, connection| drip(connection, CARD)));
}

#[test]
fn a_body_that_drips_runs_into_the_time_limit() {
    assert!(is_timeout(|_, connection| {
        let _ = connection
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n");
        drip(connection, &[b' '; 1000]);
    }));
    assert!(is_timeout(|_, connection| {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
        let _ = connection.write_all(head);
        drip(connection, &b"1\r\n \r\n".repeat(100));
    }));
}

#[test]
fn a_tls_record_that_drips_runs_into_the_time_limit() {
    // One record, of which an octet arrives every 20 ms: each arrival is progress for the socket, none is for the response.
    assert!(is_timeout(|_, connection| {
        connection.sock.pause = Some(Duration::from_millis(20));
        let _ = connection.write_all(CARD);
        let _ = connection.flush();
    }));
}

#[test]
fn a_handshake_that_drips_or_never_comes_runs_into_the_time_limit() {
    let authority = Authority::new("one");
    let silent = Server::raw("127.0.0.1", |stream| {
        thread::sleep(Duration::from_secs(10));
        drop(stream);
    });
    let dripping = Server::raw("127.0.0.1", |mut stream| {
        // The head of a handshake record that would be 16,384 octets long.
        for octet in [22_u8, 3, 3, 64, 0].into_iter().chain([2; 400]) {
            if stream.write_all(&[octet]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(30));
        }
    });
    for server in [silent, dripping] {
        let mut request = server.request();
        request.timeout = Duration::from_millis(300);
        let begun = Instant::now();
        let error = authority.fetch(&["127.0.0.1"]).fetch(&request).unwrap_err();
        assert_eq!(error.code().name(), "fetch.timeout", "{error}");
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn an_honest_server_may_take_its_time() {
    let answer = ask(
        |_| (),
        |_, connection| {
            for part in CARD.chunks(20) {
                let _ = connection.write_all(part);
                let _ = connection.flush();
                thread::sleep(Duration::from_millis(20));
            }
        },
    );
    assert_eq!(answer.unwrap(), BODY);
}

#[test]
fn the_body_may_be_as_long_as_the_limit_and_not_one_octet_longer() {
    let with = |length: usize, chunked: bool| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
        let body = vec![b' '; length];
        let mut octets = if chunked {
            format!("{head}Transfer-Encoding: chunked\r\n\r\n{length:x}\r\n").into_bytes()
        } else {
            format!("{head}Content-Length: {length}\r\n\r\n").into_bytes()
        };
        octets.extend_from_slice(&body);
        if chunked {
            octets.extend_from_slice(b"\r\n0\r\n\r\n");
        }
        octets
    };
    for chunked in [false, true] {
        let ask = |length| {
            let octets = with(length, chunked);
            ask(
                |request| request.max_octets = 1000,
                move |_, connection| {
                    let _ = connection.write_all(&octets);
                },
            )
        };
        assert_eq!(ask(1000).unwrap().len(), 1000);
        assert_eq!(size(ask(1001)), Some((1000, SizeLimit::BodyOctets)));
    }
    assert_eq!(size(answer(&with(256 * 1024 + 1, false))), Some((256 * 1024, SizeLimit::BodyOctets)));
}

#[test]
fn the_limit_counts_what_comes_out_of_the_compression() {
    let with = |body: &[u8]| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n";
        [format!("{head}Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
    };
    let (card, zeros) = (include_bytes!("data/card.json.gz"), include_bytes!("data/zeros.gz"));
    assert_eq!(answer(&with(card)).unwrap(), BODY);
    assert!(zeros.len() < 2_000);
    assert_eq!(size(answer(&with(zeros))), Some((256 * 1024, SizeLimit::BodyOctets)));
    let damaged = answer(&with(&[&card[..20], &[0; 20]].concat())).unwrap_err();
    assert_eq!(damaged.code().name(), "fetch.protocol", "{damaged}");
    let cut = answer(&with(&card[..card.len() - 4])).unwrap_err();
    assert!(matches!(cut.code().name(), "fetch.protocol" | "fetch.unreachable"), "{cut}");
}

#[test]
fn a_flood_of_header_is_cut_off() {
    let with = |lines: &str| {
        format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{lines}Content-Length: 2\r\n\r\n{{}}")
    };
    let lines = |count: usize| (0..count).map(|number| format!("X-{number}: 1\r\n")).collect::<String>();
    let long = |octets: usize| format!("X-Long: {}\r\n", "a".repeat(octets));
    assert_eq!(answer(with(&lines(62)).as_bytes()).unwrap(), b"{}");
    assert_eq!(size(answer(with(&lines(63)).as_bytes())), Some((64, SizeLimit::HeaderLines)));
    assert_eq!(size(answer(with(&lines(400)).as_bytes())), Some((128, SizeLimit::HeaderLines)));
    assert_eq!(answer(with(&long(15_000)).as_bytes()).unwrap(), b"{}");
    assert_eq!(size(answer(with(&long(17_000)).as_bytes())), Some((16 * 1024, SizeLimit::HeaderOctets)));
    // One that never ends.
    let endless = ask(
        |_| (),
        |_, connection| {
            let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nX-Long: ");
            while connection.write_all(&[b'a'; 4096]).is_ok() {}
        },
    );
    assert_eq!(size(endless), Some((16 * 1024, SizeLimit::HeaderOctets)));
}

#[test]
fn a_response_that_ends_too_early_is_none() {
    let with = |line: &str, body: &str| {
        format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{line}\r\n{body}").into_bytes()
    };
    for short in [
        with("Content-Length: 20\r\n", "{\"name\":\"Echo\"}"),
        with("Transfer-Encoding: chunked\r\n", "f\r\n{\"name\":\"Echo\"}\r\n"),
        with("Transfer-Encoding: chunked\r\n", "20\r\n{\"name\":\"Echo\"}"),
        b"HTTP/1.1 200 OK\r\nContent-".to_vec(),
        Vec::new(),
    ] {
        let error = answer(&short).unwrap_err();
        assert!(matches!(error, FetchError::Unreachable { connected: true, .. }), "{error}");
    }
}

#[test]
fn octets_beyond_the_stated_length_are_not_read() {
    let octets = [CARD, b"{\"more\":true}"].concat();
    assert_eq!(answer(&octets).unwrap(), BODY);
}

#[test]
fn without_a_length_the_end_must_be_announced() {
    let octets = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"name\":\"Echo\"}";
    assert_eq!(answer(octets).unwrap(), BODY);
    let cut = ask(
        |_| (),
        |_, connection| {
            let _ = connection.write_all(octets);
            let _ = connection.flush();
            // Whoever is on the way can end a connection, but not say goodbye as TLS does.
            connection.sock.cut();
        },
    );
    let error = cut.unwrap_err();
    assert!(matches!(error, FetchError::Unreachable { connected: true, .. }), "{error}");
}

#[test]
fn what_is_not_http_is_refused() {
    for octets in [
        &b"hello\r\n\r\n"[..],
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{\"a\":1}",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n{}",
    ] {
        let error = answer(octets).unwrap_err();
        assert_eq!(error.code().name(), "fetch.protocol", "{error}");
    }
}
