//! Responses in a folder: several processes, processes that are killed, files that are damaged.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use countersign::UnixTime;
use countersign::fetch::{AskTerms, DiskStore, FetchedHow, Fetcher, ResponseStore};
use countersign::fetch::{StoreAction, StoreKey, StoreLimits, StoredResponse};
use tempfile::TempDir;

use crate::server::{Authority, CARD, HOST, Server, Validity, loopback, url};

/// The folder that a child writes to.
const FOLDER: &str = "COUNTERSIGN_TEST_FOLDER";

/// Addresses that children write.
const KEYS: u8 = 8;

fn open(folder: &Path) -> DiskStore {
    DiskStore::open(folder, StoreLimits::default()).unwrap()
}

fn key(number: u8) -> StoreKey {
    StoreKey::of(&url(&format!("https://agents.example/{number}/card.json")), &AskTerms::default())
}

/// A response of 64 KiB in which every octet is `content`.
fn response(number: u8, content: u8) -> StoredResponse {
    let octets: Arc<[u8]> = vec![content; 64 * 1024].into();
    let headers = vec![("etag".to_owned(), format!("\"{content}\""))];
    StoredResponse::new(key(number), UnixTime::from_seconds(7), Vec::new(), headers, octets)
}

/// Whether it is one of the responses that somebody saved, from the first octet to the last.
fn is_whole(number: u8, stored: &StoredResponse) -> bool {
    stored.octets.first().is_some_and(|content| *stored == response(number, *content))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn fixture() -> (TempDir, PathBuf) {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("a/responses");
    (scratch, folder)
}

#[test]
fn another_process_finds_what_was_remembered() {
    let (_scratch, folder) = fixture();
    open(&folder).save(&response(1, b'x')).unwrap();
    let store = open(&folder);
    assert_eq!(store.load(&key(1)).unwrap(), Some(response(1, b'x')));
    assert_eq!(store.load(&key(2)).unwrap(), None);
    store.save(&response(1, b'y')).unwrap();
    assert_eq!(store.load(&key(1)).unwrap(), Some(response(1, b'y')));
    store.remove(&key(1)).unwrap();
    store.remove(&key(1)).unwrap();
    assert_eq!(store.load(&key(1)).unwrap(), None);
    assert!(files(&folder).is_empty());
}

#[test]
fn a_fetcher_goes_on_where_the_last_program_ended() {
    let (_scratch, folder) = fixture();
    let authority = Authority::new("one");
    let octets = [&b"HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n"[..], &CARD[17..]].concat();
    let server = Server::answering(&authority.server(&[HOST], Validity::Now), &octets);
    let get = |seconds: i64| {
        let fetcher = Fetcher::new(authority.fetch(&["127.0.0.1"]), open(&folder));
        let now = UnixTime::from_seconds(1_800_000_000 + seconds);
        fetcher.get(&server.url("/card.json"), &AskTerms::default(), &loopback(), now).unwrap().how
    };
    assert_eq!((get(0), get(59), get(60)), (FetchedHow::Network, FetchedHow::Fresh, FetchedHow::Network));
    assert_eq!(server.connections(), 2);
}

#[test]
fn a_damaged_file_is_a_response_that_was_never_remembered() {
    let (_scratch, folder) = fixture();
    let store = open(&folder);
    let damage: [fn(&mut Vec<u8>); 5] = [
        |octets| octets.truncate(octets.len() - 1),
        |octets| octets.truncate(40),
        Vec::clear,
        |octets| octets.push(b' '),
        |octets| {
            let middle = octets.len() / 2;
            octets[middle] ^= 1;
        },
    ];
    for change in damage {
        store.save(&response(1, b'x')).unwrap();
        let path = files(&folder).remove(0);
        let mut octets = fs::read(&path).unwrap();
        change(&mut octets);
        fs::write(&path, octets).unwrap();
        assert_eq!(store.load(&key(1)).unwrap(), None);
        assert!(files(&folder).is_empty(), "it is removed");
    }
}

#[test]
fn a_file_under_the_name_of_another_is_not_believed() {
    let (_scratch, folder) = fixture();
    let store = open(&folder);
    store.save(&response(1, b'x')).unwrap();
    fs::rename(folder.join(key(1).digest()), folder.join(key(2).digest())).unwrap();
    assert_eq!(store.load(&key(2)).unwrap(), None);
    assert!(files(&folder).is_empty());
}

#[cfg(unix)]
#[test]
fn other_users_have_no_rights() {
    use std::os::unix::fs::PermissionsExt;

    let (scratch, folder) = fixture();
    let store = open(&folder);
    store.save(&response(1, b'x')).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&files(&folder)[0])), (0o700, 0o600));
    for bits in [0o750, 0o701, 0o777] {
        let open_folder = scratch.path().join(format!("{bits:o}"));
        fs::create_dir(&open_folder).unwrap();
        fs::set_permissions(&open_folder, fs::Permissions::from_mode(bits)).unwrap();
        let error = DiskStore::open(&open_folder, StoreLimits::default()).unwrap_err();
        assert_eq!((error.action, error.kind), (StoreAction::Open, std::io::ErrorKind::PermissionDenied));
    }
    let file = scratch.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(DiskStore::open(&file, StoreLimits::default()).is_err());
}

#[test]
fn a_folder_is_bounded_and_what_was_written_first_goes_first() {
    let (_scratch, folder) = fixture();
    let store = DiskStore::open(&folder, StoreLimits::default().with_max_entries(3)).unwrap();
    for number in 1..=4 {
        store.save(&response(number, b'x')).unwrap();
        // The time of a file may be no finer than this.
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(files(&folder).len(), 3);
    assert!(store.load(&key(1)).unwrap().is_none() && store.load(&key(4)).unwrap().is_some());

    let store = DiskStore::open(&folder, StoreLimits::default().with_max_octets(140 * 1024)).unwrap();
    store.save(&response(5, b'x')).unwrap();
    assert_eq!(files(&folder).len(), 2);
    let small = DiskStore::open(&folder, StoreLimits::default().with_max_octets(1000)).unwrap();
    small.save(&response(5, b'y')).unwrap();
    assert!(store.load(&key(5)).unwrap().is_none(), "the older one is not what the server says");
}

#[test]
fn several_threads_may_write_at_once() {
    let (_scratch, folder) = fixture();
    let store = Arc::new(DiskStore::open(&folder, StoreLimits::default().with_max_entries(6)).unwrap());
    let writers: Vec<_> = (0..4_u8)
        .map(|writer| {
            let store = store.clone();
            thread::spawn(move || {
                for round in 0..50_u8 {
                    let number = round % KEYS;
                    store.save(&response(number, b'a' + writer)).unwrap();
                    if let Some(stored) = store.load(&key(number)).unwrap() {
                        assert!(is_whole(number, &stored));
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    assert!((1..=6).contains(&files(&folder).len()));
}

/// This program again, as a process that writes until it is killed or has written enough.
fn child(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "disk::a_child_writes"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Does nothing on its own: the tests below start it in processes of their own.
#[test]
fn a_child_writes() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let store = open(Path::new(&folder));
    for round in 0..1500_u32 {
        let number = u8::try_from(round % u32::from(KEYS)).unwrap();
        let content = b'a' + u8::try_from((std::process::id() + round) % 26).unwrap();
        store.save(&response(number, content)).unwrap();
    }
}

/// How many responses there are; all are whole.
fn count_whole(folder: &Path) -> usize {
    let store = open(folder);
    let stored: Vec<_> =
        (0..KEYS).filter_map(|number| Some((number, store.load(&key(number)).unwrap()?))).collect();
    assert!(stored.iter().all(|(number, response)| is_whole(*number, response)));
    stored.len()
}

#[test]
fn a_process_that_is_killed_leaves_whole_responses_only() {
    let (_scratch, folder) = fixture();
    open(&folder);
    for round in 0..12_u64 {
        let mut child = child(&folder);
        // An unfinished file has a dot in front.
        while !files(&folder).iter().any(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.'))
        {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(3 + 7 * round));
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(count_whole(&folder) > 0);
        fs::remove_dir_all(&folder).unwrap();
        open(&folder);
    }
}

#[test]
fn several_processes_may_write_at_once() {
    let (_scratch, folder) = fixture();
    open(&folder);
    let mut children = [child(&folder), child(&folder), child(&folder)];
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        count_whole(&folder);
        thread::sleep(Duration::from_millis(5));
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(count_whole(&folder), usize::from(KEYS));
    assert_eq!(files(&folder).len(), usize::from(KEYS), "nothing unfinished is left");
}
