use countersign_policy::UnixTime;

use super::Breaker;

fn at(seconds: i64) -> UnixTime {
    UnixTime::from_seconds(seconds)
}

#[test]
fn an_engine_that_fails_is_left_alone_for_a_while_and_then_asked_once() {
    let mut breaker = Breaker { failures: 0, max_failures: 3, retry_seconds: 5, since: None };
    for _ in 0..2 {
        breaker.fail(at(0));
        assert!(breaker.admits(at(0)));
    }
    breaker.fail(at(0));
    assert!(!breaker.admits(at(0)) && !breaker.admits(at(4)));
    // One question finds out; the others wait for it.
    assert!(breaker.admits(at(5)));
    assert!(!breaker.admits(at(5)));
    breaker.fail(at(5));
    assert!(!breaker.admits(at(9)));
    assert!(breaker.admits(at(10)));
    breaker.succeed();
    assert!(breaker.admits(at(10)) && breaker.admits(at(10)));
    breaker.fail(at(10));
    assert!(breaker.admits(at(10)));
}

#[test]
fn a_clock_that_is_set_back_does_not_lengthen_it() {
    let mut breaker = Breaker { failures: 3, max_failures: 3, retry_seconds: 5, since: Some(at(1_000)) };
    assert!(!breaker.admits(at(1_001)));
    assert!(breaker.admits(at(10)));
    assert!(!breaker.admits(at(11)));
}
