//! The protected header: read from a signature, and written for a new one.

use super::HeaderError;
use crate::json::{Document, Kind, Limits, Value};
use crate::{Algorithm, Finding, Level, base64url, codes, jcs};

/// What a protected header says, as far as anything here acts on it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProtectedHeader {
    /// `alg` as written: it may name no algorithm that is known here.
    pub alg: String,
    /// `kid`, never empty. It narrows which keys are tried, nothing more.
    pub kid: String,
    /// `typ` as written.
    pub typ: Option<String>,
    /// `jku` as written. Nothing here fetches it.
    pub jku: Option<String>,
    /// `iat`: seconds since 1970-01-01T00:00:00Z, rounded down.
    pub iat: Option<i64>,
    /// `exp`: seconds since 1970-01-01T00:00:00Z, rounded down.
    pub exp: Option<i64>,
    /// The parameters that supply a key, in this order: `jwk`, `x5c`, `x5u`. Nothing here uses them.
    pub supplied_keys: Vec<&'static str>,
    /// `sig.typ-missing`, `sig.typ-unusual`, `sig.jku-null`.
    pub findings: Vec<Finding>,
}

/// Parameters that decide what is verified and with which key.
const ONLY_PROTECTED: [&str; 9] = ["alg", "kid", "crit", "b64", "jku", "jwk", "x5u", "x5c", "exp"];

/// Parameters of RFC 7515 §4.1 with which a signature brings its own key.
const SUPPLY_KEYS: [&str; 3] = ["jwk", "x5c", "x5u"];

/// Most characters of a parameter's name that an error keeps.
const MAX_SHOWN: usize = 64;

impl ProtectedHeader {
    /// Reads the `protected` text of a signature, and checks the unprotected header beside it.
    ///
    /// Parameters of RFC 7515 that supply keys (`jwk`, `x5c`, `x5u`) are ignored. Does not check that `alg` is known
    /// or that the signature is not expired.
    ///
    /// # Errors
    ///
    /// [`HeaderError`], see its variants.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign_keys::jws::ProtectedHeader;
    ///
    /// let header = ProtectedHeader::read("eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIiwidHlwIjoiSk9TRSJ9", None)?;
    /// assert_eq!((header.alg.as_str(), header.kid.as_str()), ("ES256", "k1"));
    /// # Ok::<(), countersign_keys::jws::HeaderError>(())
    /// ```
    pub fn read(protected: &str, unprotected: Option<Value<'_>>) -> Result<Self, HeaderError> {
        let octets = base64url::decode(protected).map_err(HeaderError::Encoding)?;
        let document = Document::read(octets, &Limits::default()).map_err(HeaderError::Json)?;
        if document.has_bom() {
            return Err(HeaderError::ByteOrderMark);
        }
        let header = document.root();
        if header.kind() != Kind::Object {
            return Err(HeaderError::NotAnObject { found: header.kind().name() });
        }
        let alg = text(header, "alg")?.ok_or(HeaderError::MissingAlgorithm)?;
        let kid = match header.member("kid") {
            Some(kid) if kid.as_text() == Some("") => None,
            _ => text(header, "kid")?,
        };
        check_unprotected(header, unprotected, kid)?;
        let kid = kid.ok_or(HeaderError::MissingKid)?;
        if let Some(parameter) = ["crit", "b64"].into_iter().find(|name| header.member(name).is_some()) {
            return Err(HeaderError::Critical { parameter });
        }
        let mut findings = Vec::new();
        let jku_is_null = header.member("jku").is_some_and(Value::is_null);
        if jku_is_null {
            findings.push(Finding::new(
                codes::SIG_JKU_NULL,
                Level::Info,
                "`jku` is null, which counts as absent",
            ));
        }
        let typ = text(header, "typ")?;
        findings.extend(remark_on_typ(typ));
        Ok(Self {
            alg: alg.to_owned(),
            kid: kid.to_owned(),
            typ: typ.map(ToOwned::to_owned),
            jku: if jku_is_null { None } else { text(header, "jku")?.map(ToOwned::to_owned) },
            iat: seconds(header, "iat")?,
            exp: seconds(header, "exp")?,
            supplied_keys: SUPPLY_KEYS.into_iter().filter(|name| header.member(name).is_some()).collect(),
            findings,
        })
    }

    /// The algorithm that `alg` names, if it is known.
    #[must_use]
    pub fn algorithm(&self) -> Option<Algorithm> {
        Algorithm::from_name(&self.alg)
    }
}

/// A non-empty string parameter.
fn text<'h>(header: Value<'h>, parameter: &'static str) -> Result<Option<&'h str>, HeaderError> {
    let Some(value) = header.member(parameter) else { return Ok(None) };
    match value.as_text() {
        Some("") => Err(HeaderError::WrongType { parameter, found: "empty", expected: "a string" }),
        Some(text) => Ok(Some(text)),
        None => Err(HeaderError::WrongType { parameter, found: value.kind().name(), expected: "a string" }),
    }
}

/// A NumericDate (RFC 7519 §2), rounded down.
fn seconds(header: Value<'_>, parameter: &'static str) -> Result<Option<i64>, HeaderError> {
    let Some(value) = header.member(parameter) else { return Ok(None) };
    let whole = value.as_f64().map(|seconds| format!("{:.0}", seconds.floor()));
    match whole.and_then(|digits| digits.parse().ok()) {
        Some(seconds) => Ok(Some(seconds)),
        None => Err(HeaderError::WrongType {
            parameter,
            found: value.kind().name(),
            expected: "a number of seconds since 1970 within 64 bits",
        }),
    }
}

fn check_unprotected(
    header: Value<'_>,
    unprotected: Option<Value<'_>>,
    kid: Option<&str>,
) -> Result<(), HeaderError> {
    for (parameter, _) in unprotected.into_iter().flat_map(Value::members) {
        if header.member(parameter).is_some() {
            let parameter = parameter.chars().take(MAX_SHOWN).collect();
            return Err(HeaderError::NotDisjoint { parameter });
        }
        if ONLY_PROTECTED.contains(&parameter) {
            // The most frequent of these mistakes has a code of its own.
            return Err(if parameter == "kid" && kid.is_none() {
                HeaderError::MissingKid
            } else {
                HeaderError::MustBeProtected { parameter: parameter.to_owned() }
            });
        }
    }
    Ok(())
}

/// A2A §8.4.2 wants `JOSE`; RFC 7515 §4.1.9 keeps `JOSE+JSON` for this serialization. Media types fold case.
fn remark_on_typ(typ: Option<&str>) -> Option<Finding> {
    let Some(typ) = typ else {
        let message = "the protected header has no `typ`, A2A 8.4.2 wants `JOSE`";
        return Some(Finding::new(codes::SIG_TYP_MISSING, Level::Warning, message));
    };
    let short = typ
        .get(..12)
        .filter(|prefix| prefix.eq_ignore_ascii_case("application/"))
        .map_or(typ, |_| typ.get(12..).unwrap_or_default());
    let usual = ["JOSE", "JOSE+JSON"].iter().any(|usual| usual.eq_ignore_ascii_case(short));
    (!usual).then(|| {
        let shown: String = typ.chars().take(MAX_SHOWN).collect();
        let message = format!("`typ` is `{shown}`, A2A 8.4.2 wants `JOSE`");
        Finding::new(codes::SIG_TYP_UNUSUAL, Level::Warning, message)
    })
}

/// The protected header of a new signature.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the parameters of A2A 8.4.2; leaving one out must be a decision"
)]
pub struct NewHeader<'a> {
    /// `alg`.
    pub algorithm: Algorithm,
    /// `kid`, not empty.
    pub kid: &'a str,
    /// `jku`: where the publisher keeps its JWK set.
    pub jku: Option<&'a str>,
    /// `iat`: seconds since 1970-01-01T00:00:00Z.
    pub iat: Option<i64>,
    /// `exp`: seconds since 1970-01-01T00:00:00Z.
    pub exp: Option<i64>,
}

impl NewHeader<'_> {
    /// The base64url text of `{"alg","typ":"JOSE","kid"}`, then `jku`, `iat`, `exp` where given, in this order.
    #[must_use]
    pub fn to_protected(&self) -> String {
        let mut json = Vec::new();
        json.extend_from_slice(b"{\"alg\":");
        jcs::write_text(self.algorithm.name(), &mut json);
        json.extend_from_slice(b",\"typ\":\"JOSE\",\"kid\":");
        jcs::write_text(self.kid, &mut json);
        if let Some(jku) = self.jku {
            json.extend_from_slice(b",\"jku\":");
            jcs::write_text(jku, &mut json);
        }
        for (name, time) in [("iat", self.iat), ("exp", self.exp)] {
            if let Some(time) = time {
                json.extend_from_slice(format!(",\"{name}\":{time}").as_bytes());
            }
        }
        json.push(b'}');
        base64url::encode(&json)
    }
}

#[cfg(test)]
mod tests {
    use super::{NewHeader, ProtectedHeader};
    use crate::json::{Document, Limits};
    use crate::{Algorithm, base64url};

    fn code(json: &str) -> &'static str {
        match ProtectedHeader::read(&base64url::encode(json.as_bytes()), None) {
            Ok(_) => "ok",
            Err(error) => error.code().name(),
        }
    }

    #[test]
    fn every_parameter_is_checked() {
        for (json, expected) in [
            (r#"{"alg":"ES256","kid":"k"}"#, "ok"),
            (r#"{"alg":"none","kid":"k"}"#, "ok"),
            (r#" { "alg" : "ES256" , "kid" : "k" } "#, "ok"),
            (r#"{"alg":"ES256","kid":"k","jku":null}"#, "ok"),
            (r#"{"alg":"ES256","kid":"k","exp":1.5}"#, "ok"),
            (r#"{"kid":"k"}"#, "sig.malformed-header"),
            (r#"{"alg":["ES256"],"kid":"k"}"#, "sig.malformed-header"),
            (r#"{"alg":"","kid":"k"}"#, "sig.malformed-header"),
            (r#"{"alg":"ES256","kid":5}"#, "sig.malformed-header"),
            (r#"{"alg":"ES256","kid":"k","typ":7}"#, "sig.malformed-header"),
            (r#"{"alg":"ES256","kid":"k","typ":null}"#, "sig.malformed-header"),
            (r#"{"alg":"ES256","kid":"k","jku":1}"#, "sig.malformed-header"),
            (r#"{"alg":"ES256","kid":"k","exp":"tomorrow"}"#, "sig.malformed-header"),
            (r#"{"alg":"ES256","kid":"k","exp":1e300}"#, "sig.malformed-header"),
            (r#"{"alg":"ES256","kid":"k","\u006bid":"l"}"#, "sig.malformed-header"),
            (r#"["alg"]"#, "sig.malformed-header"),
            ("\u{feff}{\"alg\":\"ES256\",\"kid\":\"k\"}", "sig.malformed-header"),
            ("not json", "sig.malformed-header"),
            (r#"{"alg":"ES256"}"#, "sig.missing-kid"),
            (r#"{"alg":"ES256","kid":""}"#, "sig.missing-kid"),
            (r#"{"alg":"ES256","kid":"k","crit":[]}"#, "sig.critical-header"),
            (r#"{"alg":"ES256","kid":"k","crit":"exp"}"#, "sig.critical-header"),
            (r#"{"alg":"ES256","kid":"k","b64":true}"#, "sig.critical-header"),
        ] {
            assert_eq!(code(json), expected, "{json}");
        }
        let text = base64url::encode(br#"{"alg":"ES256","kid":"kk"}"#);
        assert!(ProtectedHeader::read(&text, None).is_ok());
        for bad in [format!("{text}="), format!("{text}\n"), format!(" {text}"), String::new()] {
            assert_eq!(ProtectedHeader::read(&bad, None).unwrap_err().code().name(), "sig.malformed-header");
        }
    }

    #[test]
    fn the_unprotected_header_decides_nothing() {
        for (protected, unprotected, expected) in [
            (r#"{"alg":"ES256","kid":"k"}"#, r#"{"note":"x"}"#, "ok"),
            (r#"{"alg":"ES256","kid":"k"}"#, "{}", "ok"),
            (r#"{"alg":"ES256","kid":"k"}"#, r#"{"kid":"k"}"#, "sig.malformed-header"),
            (r#"{"alg":"ES256","kid":"k"}"#, r#"{"alg":"ES256"}"#, "sig.malformed-header"),
            (r#"{"alg":"ES256","kid":"k"}"#, r#"{"crit":["x"]}"#, "sig.malformed-header"),
            (r#"{"alg":"ES256","kid":"k"}"#, r#"{"jku":"https://evil.example"}"#, "sig.malformed-header"),
            (r#"{"alg":"ES256"}"#, r#"{"kid":"k"}"#, "sig.missing-kid"),
        ] {
            let document = Document::read(unprotected, &Limits::default()).unwrap();
            let read = ProtectedHeader::read(&base64url::encode(protected.as_bytes()), Some(document.root()));
            let found = read.map_or_else(|error| error.code().name(), |_| "ok");
            assert_eq!(found, expected, "{protected} {unprotected}");
        }
    }

    #[test]
    fn a_header_that_brings_its_key_says_so() {
        let supplied = |json: &str| {
            ProtectedHeader::read(&base64url::encode(json.as_bytes()), None).unwrap().supplied_keys
        };
        assert!(supplied(r#"{"alg":"ES256","kid":"k","jku":"https://a.example","x5t":"YQ"}"#).is_empty());
        let brought = supplied(r#"{"x5u":"https://a.example","alg":"ES256","kid":"k","jwk":{}}"#);
        assert_eq!(brought, ["jwk", "x5u"]);
    }

    #[test]
    fn an_unusual_typ_is_remarked_on() {
        for (typ, remark) in [
            (r#","typ":"JOSE""#, None),
            (r#","typ":"jose+json""#, None),
            (r#","typ":"Application/JOSE""#, None),
            (r#","typ":"JWT""#, Some("sig.typ-unusual")),
            ("", Some("sig.typ-missing")),
        ] {
            let json = format!(r#"{{"alg":"ES256","kid":"k"{typ}}}"#);
            let header = ProtectedHeader::read(&base64url::encode(json.as_bytes()), None).unwrap();
            assert_eq!(header.findings.first().map(|finding| finding.code.name()), remark, "{typ}");
        }
    }

    #[test]
    fn a_new_header_is_written_in_a_fixed_order_and_read_back() {
        let new = NewHeader {
            algorithm: Algorithm::Es256,
            kid: "k\"1",
            jku: Some("https://a.example/jwks"),
            iat: Some(1),
            exp: Some(-2),
        };
        let protected = new.to_protected();
        let json = String::from_utf8(base64url::decode(&protected).unwrap()).unwrap();
        assert_eq!(
            json,
            r#"{"alg":"ES256","typ":"JOSE","kid":"k\"1","jku":"https://a.example/jwks","iat":1,"exp":-2}"#
        );
        let read = ProtectedHeader::read(&protected, None).unwrap();
        assert_eq!((read.kid.as_str(), read.iat, read.exp), ("k\"1", Some(1), Some(-2)));
        assert!(read.findings.is_empty());
    }
}
