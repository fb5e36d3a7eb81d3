//! The one answer of a server that is a reason to speak an older protocol: VersionNotSupportedError.

use countersign_keys::json::{self, Document, Limits, Value};

/// The code of VersionNotSupportedError in JSON-RPC (A2A 1.0 section 5.4).
const JSON_RPC_CODE: f64 = -32009.0;

/// The HTTP status of VersionNotSupportedError.
const HTTP_STATUS: u16 = 400;

/// gRPC statuses of VersionNotSupportedError: UNIMPLEMENTED in A2A 1.0.0, FAILED_PRECONDITION from 1.0.1 on.
const GRPC_CODES: [i32; 2] = [12, 9];

const REASON: &str = "VERSION_NOT_SUPPORTED";
const DOMAIN: &str = "a2a-protocol.org";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";

/// Proof that a server answered VersionNotSupportedError. It can be had from the server's answer only, and each answer
/// leads on once.
#[derive(Debug)]
pub struct VersionNotSupported(());

/// An answer that is another failure, or none: no reason to choose another interface.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OtherFailure {
    /// The answer is not strict JSON.
    #[error(transparent)]
    Json(#[from] json::Error),
    /// It is JSON, or a status, of another kind.
    #[error("the answer is no VersionNotSupportedError")]
    Other,
}

impl VersionNotSupported {
    /// From the body of a JSON-RPC response: `error.code` is -32009, and there is no `result`. The HTTP status plays no
    /// part.
    ///
    /// # Errors
    ///
    /// [`OtherFailure`] for every other body.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::VersionNotSupported;
    ///
    /// let body = r#"{"jsonrpc": "2.0", "id": 1, "error": {"code": -32009, "message": "version 1.0 is not supported"}}"#;
    /// assert!(VersionNotSupported::from_json_rpc(body).is_ok());
    /// let body = r#"{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "method not found"}}"#;
    /// assert!(VersionNotSupported::from_json_rpc(body).is_err());
    /// ```
    pub fn from_json_rpc(body: impl Into<Vec<u8>>) -> Result<Self, OtherFailure> {
        let answer = Document::read(body, &Limits::default())?;
        let root = answer.root();
        let code = root.member("error").and_then(|error| error.member("code")).and_then(Value::as_f64);
        let is_refusal = code == Some(JSON_RPC_CODE) && root.member("result").is_none();
        is_refusal.then_some(Self(())).ok_or(OtherFailure::Other)
    }

    /// From an HTTP+JSON response: status 400, and among `error.details` an ErrorInfo with the reason
    /// `VERSION_NOT_SUPPORTED` of the domain `a2a-protocol.org` (A2A 1.0 section 11.6).
    ///
    /// # Errors
    ///
    /// [`OtherFailure`] for every other answer, a bare 400 included.
    pub fn from_http(status: u16, body: impl Into<Vec<u8>>) -> Result<Self, OtherFailure> {
        if status != HTTP_STATUS {
            return Err(OtherFailure::Other);
        }
        let answer = Document::read(body, &Limits::default())?;
        let details = answer.root().member("error").and_then(|error| error.member("details"));
        let mut details = details.into_iter().flat_map(Value::elements);
        let refuses = |detail: Value<'_>| {
            let is = |name, text| detail.member(name).and_then(Value::as_text) == Some(text);
            is("@type", ERROR_INFO) && is("reason", REASON) && is("domain", DOMAIN)
        };
        details.any(refuses).then_some(Self(())).ok_or(OtherFailure::Other)
    }

    /// From a gRPC status with the `reason` and `domain` of its ErrorInfo detail. The status alone does not tell: both
    /// UNIMPLEMENTED and FAILED_PRECONDITION have other meanings too.
    ///
    /// # Errors
    ///
    /// [`OtherFailure`] for every other status, reason or domain.
    pub fn from_grpc(code: i32, reason: &str, domain: &str) -> Result<Self, OtherFailure> {
        let is_refusal = GRPC_CODES.contains(&code) && reason == REASON && domain == DOMAIN;
        is_refusal.then_some(Self(())).ok_or(OtherFailure::Other)
    }
}
