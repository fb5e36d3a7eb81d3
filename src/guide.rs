//! One short guide for each of the people who come here, and one to the trust policy. Every command in them is run by a test.

#[doc = include_str!("guide/release_engineer.md")]
///
/// ## GitHub Actions
///
/// `CARD_KEY` is a secret of the repository with the private key as JWK or PEM.
///
/// ```yaml
#[doc = include_str!("../examples/ci/github.yml")]
/// ```
///
/// ## GitLab CI
///
/// `CARD_KEY` is a masked, protected variable of the project with the private key as JWK or PEM.
///
/// ```yaml
#[doc = include_str!("../examples/ci/gitlab.yml")]
/// ```
pub mod release_engineer {}

#[doc = include_str!("guide/client_developer.md")]
pub mod client_developer {}

#[doc = include_str!("guide/security_engineer.md")]
pub mod security_engineer {}

#[doc = include_str!("guide/operator.md")]
pub mod operator {}

#[doc = include_str!("guide/policy.md")]
pub mod policy {}
