//! Project Wycheproof through [`VerifyingKey::verify`]: every file for an algorithm that is supported, every case.
//!
//! An answer that differs from Wycheproof's must be listed with its reason; a listed one that no longer differs fails.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use countersign_keys::{Algorithm, VerifiedSignature, VerifyError, VerifyingKey};
use wycheproof::TestResult;
use wycheproof::{ecdsa, eddsa, rsa_pkcs1_verify, rsa_pss_verify};

/// Cases of one file that ran, by the answer Wycheproof wants.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    valid: usize,
    invalid: usize,
    acceptable: usize,
}

struct Run {
    counts: Counts,
    /// The number of cases that the head of the file declares.
    declared: usize,
    divergences: BTreeSet<usize>,
}

impl Run {
    fn new(declared: usize) -> Self {
        Self { declared, counts: Counts::default(), divergences: BTreeSet::new() }
    }

    fn case(&mut self, id: usize, wanted: TestResult, answer: Result<VerifiedSignature, VerifyError>) {
        let verified = answer.is_ok();
        let (count, differs) = match wanted {
            TestResult::Valid => (&mut self.counts.valid, !verified),
            TestResult::Invalid => (&mut self.counts.invalid, verified),
            TestResult::Acceptable => (&mut self.counts.acceptable, verified),
        };
        *count += 1;
        if differs {
            self.divergences.insert(id);
        }
    }

    /// `divergences` are the cases answered otherwise, each with its reason beside it; there are none now. A case that
    /// Wycheproof calls acceptable must be refused: all of them lack the NULL of RFC 8017 9.2 note 1.
    fn finish(self, file: &str, counts: (usize, usize, usize), divergences: &[usize]) {
        let (valid, invalid, acceptable) = counts;
        assert_eq!(self.counts, Counts { valid, invalid, acceptable }, "{file}");
        assert_eq!(valid + invalid + acceptable, self.declared, "{file}");
        assert_eq!(self.divergences, divergences.iter().copied().collect(), "{file}");
    }
}

fn spki(der: &[u8]) -> VerifyingKey {
    VerifyingKey::from_spki_der(der).unwrap()
}

fn ecdsa_file(name: ecdsa::TestName, algorithm: Algorithm) -> Run {
    let file = ecdsa::TestSet::load(name).unwrap();
    let mut run = Run::new(file.number_of_tests);
    for group in file.test_groups {
        let key = spki(&group.der);
        for test in group.tests {
            run.case(test.tc_id, test.result, key.verify(algorithm, &test.msg, &test.sig));
        }
    }
    run
}

#[test]
fn ecdsa_p256_sha256() {
    ecdsa_file(ecdsa::TestName::EcdsaSecp256r1Sha256P1363, Algorithm::Es256).finish(
        "p256",
        (173, 89, 0),
        &[],
    );
}

#[test]
fn ecdsa_p384_sha384() {
    ecdsa_file(ecdsa::TestName::EcdsaSecp384r1Sha384P1363, Algorithm::Es384).finish(
        "p384",
        (193, 87, 0),
        &[],
    );
}

#[test]
fn ecdsa_p521_sha512() {
    ecdsa_file(ecdsa::TestName::EcdsaSecp521r1Sha512P1363, Algorithm::Es512).finish(
        "p521",
        (231, 87, 0),
        &[],
    );
}

#[test]
fn ed25519() {
    for algorithm in [Algorithm::EdDsa, Algorithm::Ed25519] {
        let file = eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap();
        let mut run = Run::new(file.number_of_tests);
        for group in file.test_groups {
            let key = spki(&group.der);
            for test in group.tests {
                run.case(test.tc_id, test.result, key.verify(algorithm, &test.msg, &test.sig));
            }
        }
        run.finish("ed25519", (88, 63, 0), &[]);
    }
}

fn pkcs1_file(name: rsa_pkcs1_verify::TestName, algorithm: Algorithm) -> Run {
    let file = rsa_pkcs1_verify::TestSet::load(name).unwrap();
    let mut run = Run::new(file.number_of_tests);
    for group in file.test_groups {
        let key = spki(&group.der);
        for test in group.tests {
            run.case(test.tc_id, test.result, key.verify(algorithm, &test.msg, &test.sig));
        }
    }
    run
}

#[test]
fn rsa_pkcs1() {
    use rsa_pkcs1_verify::TestName;
    for (name, algorithm, counts, divergences) in [
        (TestName::Rsa2048Sha256, Algorithm::Rs256, (9, 249, 1), &[][..]),
        (TestName::Rsa2048Sha384, Algorithm::Rs384, (7, 250, 1), &[]),
        (TestName::Rsa2048Sha512, Algorithm::Rs512, (8, 250, 1), &[]),
        (TestName::Rsa3072Sha256, Algorithm::Rs256, (8, 250, 1), &[]),
        (TestName::Rsa3072Sha384, Algorithm::Rs384, (7, 251, 1), &[]),
        (TestName::Rsa3072Sha512, Algorithm::Rs512, (8, 251, 1), &[]),
        (TestName::Rsa4096Sha256, Algorithm::Rs256, (7, 250, 1), &[]),
        (TestName::Rsa4096Sha384, Algorithm::Rs384, (7, 251, 1), &[]),
        (TestName::Rsa4096Sha512, Algorithm::Rs512, (7, 251, 1), &[]),
        (TestName::Rsa8192Sha256, Algorithm::Rs256, (7, 250, 1), &[]),
        (TestName::Rsa8192Sha384, Algorithm::Rs384, (7, 251, 1), &[]),
        (TestName::Rsa8192Sha512, Algorithm::Rs512, (7, 251, 1), &[]),
    ] {
        pkcs1_file(name, algorithm).finish(&format!("{name:?}"), counts, divergences);
    }
}

fn pss_file(name: rsa_pss_verify::TestName, algorithm: Algorithm) -> Run {
    let file = rsa_pss_verify::TestSet::load(name).unwrap();
    let mut run = Run::new(file.number_of_tests);
    for group in file.test_groups {
        let key = spki(&group.der);
        for test in group.tests {
            run.case(test.tc_id, test.result, key.verify(algorithm, &test.msg, &test.sig));
        }
    }
    run
}

#[test]
fn rsa_pss_with_a_salt_as_long_as_the_hash() {
    use rsa_pss_verify::TestName;
    for (name, algorithm, counts, divergences) in [
        (TestName::RsaPss2048Sha256Mgf1SaltLen32, Algorithm::Ps256, (63, 45, 0), &[][..]),
        (TestName::RsaPss2048Sha384Mgf1SaltLen48, Algorithm::Ps384, (95, 46, 0), &[]),
        (TestName::RsaPss3072Sha256Mgf1SaltLen32, Algorithm::Ps256, (63, 45, 0), &[]),
        (TestName::RsaPss4096Sha256Mgf1SaltLen32, Algorithm::Ps256, (63, 45, 0), &[]),
        (TestName::RsaPss4096Sha384Mgf1SaltLen48, Algorithm::Ps384, (95, 46, 0), &[]),
        (TestName::RsaPss4096Sha512Mgf1SaltLen64, Algorithm::Ps512, (132, 47, 0), &[]),
    ] {
        pss_file(name, algorithm).finish(&format!("{name:?}"), counts, divergences);
    }
}

/// These files use salts that are not as long as the hash. Whatever they call valid must be refused, and the one case
/// they call invalid because its salt is as long as the hash must be accepted.
#[test]
fn rsa_pss_with_a_salt_of_another_length_is_refused() {
    use rsa_pss_verify::TestName;
    for (name, algorithm, cases, accepted) in [
        (TestName::RsaPss2048Sha256Mgf1SaltLen0, Algorithm::Ps256, 103, &[69][..]),
        (TestName::RsaPss4096Sha512Mgf1SaltLen32, Algorithm::Ps512, 177, &[]),
    ] {
        let (mut ran, mut verified) = (0, Vec::new());
        for group in rsa_pss_verify::TestSet::load(name).unwrap().test_groups {
            let key = spki(&group.der);
            for test in group.tests {
                ran += 1;
                if key.verify(algorithm, &test.msg, &test.sig).is_ok() {
                    verified.push(test.tc_id);
                }
            }
        }
        assert_eq!((ran, verified.as_slice()), (cases, accepted), "{name:?}");
    }
}
