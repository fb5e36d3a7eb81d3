//! The examples of RFC 7515 (A.2, A.3, A.4), RFC 7638 (3.1), RFC 8037 (A) and RFC 6979 (A.2.5 to A.2.7).
#![expect(clippy::unwrap_used, reason = "tests")]

use countersign_keys::{
    Algorithm, KeyKind, SigningKey, VerifyError, VerifyingKey, base64url, json, jwk, jws,
};

fn key(jwk_text: &str) -> VerifyingKey {
    let document = json::Document::read(jwk_text, &json::Limits::default()).unwrap();
    jwk::read_public(&document).unwrap().entries.remove(0).key.unwrap().key
}

fn private(jwk_text: &str) -> SigningKey {
    let mut jwks = jwk::read_private(jwk_text, &json::Limits::default()).unwrap();
    jwks.entries.remove(0).key.unwrap().key
}

/// Verifies a compact JWS, and its twins with one bit of payload or signature flipped.
fn check_compact(key: &VerifyingKey, algorithm: Algorithm, compact: &str) {
    let (input_text, signature) = compact.rsplit_once('.').unwrap();
    let (protected, payload) = input_text.split_once('.').unwrap();
    let payload = base64url::decode(payload).unwrap();
    let signature = base64url::decode(signature).unwrap();
    let input = jws::signing_input(protected, &payload);
    assert_eq!(input, input_text.as_bytes());
    let verified = key.verify(algorithm, &input, &signature).unwrap();
    assert_eq!(verified.thumbprint(), key.thumbprint());

    let mut flipped = input.clone();
    *flipped.last_mut().unwrap() ^= 1;
    assert_eq!(key.verify(algorithm, &flipped, &signature), Err(VerifyError::Invalid));
    let mut flipped = signature;
    *flipped.last_mut().unwrap() ^= 1;
    assert_eq!(key.verify(algorithm, &input, &flipped), Err(VerifyError::Invalid));
}

const JOE: &str =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";

#[test]
fn rfc_7515_a_2_rs256() {
    let key = key(concat!(
        r#"{"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS"#,
        r#"-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5Zw"#,
        r#"Kh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}"#
    ));
    let signature = concat!(
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnb",
        "yTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rq",
        "Vt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
    );
    check_compact(&key, Algorithm::Rs256, &format!("eyJhbGciOiJSUzI1NiJ9.{JOE}.{signature}"));
}

#[test]
fn rfc_7515_a_3_es256() {
    let text = r#"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}"#;
    let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    check_compact(&key(text), Algorithm::Es256, &format!("eyJhbGciOiJFUzI1NiJ9.{JOE}.{signature}"));
    assert_eq!(private(text).verifying_key(), &key(text));
}

#[test]
fn rfc_7515_a_4_es512() {
    let text = concat!(
        r#"{"kty":"EC","crv":"P-521","x":"AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk","#,
        r#""y":"ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2","#,
        r#""d":"AY5pb7A0UFiB3RELSD64fTLOSV_jazdF7fLYyuTw8lOfRhWg6Y6rUrPAxerEzgdRhajnu0ferB0d53vM9mE15j2C"}"#
    );
    let signature = concat!(
        "AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8Kp",
        "EHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn"
    );
    check_compact(&key(text), Algorithm::Es512, &format!("eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.{signature}"));
    assert_eq!(private(text).verifying_key(), &key(text));
}

#[test]
fn rfc_7638_3_1_thumbprint() {
    let key = key(concat!(
        r#"{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W"#,
        r#"-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6We"#,
        r#"Zu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#
    ));
    assert_eq!(key.thumbprint().to_string(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
}

#[test]
fn rfc_8037_a_ed25519() {
    let text = r#"{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    let key = private(text);
    let public = key.verifying_key();
    assert_eq!(public.thumbprint().to_string(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    let input = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
    check_compact(public, Algorithm::EdDsa, &format!("{input}.{signature}"));
    let made = key.sign(Algorithm::EdDsa, input.as_bytes()).unwrap();
    assert_eq!(base64url::encode(&made), signature);
}

#[test]
fn rfc_6979_ecdsa_is_deterministic() {
    let vectors = [
        (
            KeyKind::P256,
            "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721",
            "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
            "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8",
        ),
        (
            KeyKind::P384,
            "6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D896D5724E4C70A825F872C9EA60D2EDF5",
            "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C81A648152E44ACF96E36DD1E80FABE46",
            "99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8",
        ),
        (
            KeyKind::P521,
            "00FAD06DAA62BA3B25D2FB40133DA757205DE67F5BB0018FEE8C86E1B68C7E75CAA896EB32F1F47C70855836A6D16FCC1466F6D8FBEC67DB89EC0C08B0E996B83538",
            "00C328FAFCBD79DD77850370C46325D987CB525569FB63C5D3BC53950E6D4C5F174E25A1EE9017B5D450606ADD152B534931D7D4E8455CC91F9B15BF05EC36E377FA",
            "00617CCE7CF5064806C467F678D3B4080D6F1CC50AF26CA209417308281B68AF282623EAA63E5B5C0723D8B8C37FF0777B1A20F8CCB1DCCC43997F1EE0E44DA4A67A",
        ),
    ];
    for (kind, d, r, s) in vectors {
        let key = SigningKey::from_ec(kind, &hex(d)).unwrap();
        let expected = [hex(r), hex(s)].concat();
        assert_eq!(key.sign(kind.default_algorithm(), b"sample").unwrap(), expected, "{kind}");
        assert_ne!(key.sign(kind.default_algorithm(), b"samplf").unwrap(), expected, "{kind}");
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.bytes().map(|digit| u8::try_from(char::from(digit).to_digit(16).unwrap()).unwrap()).collect();
    digits.chunks(2).map(|pair| pair.iter().fold(0, |octet, digit| octet * 16 + digit)).collect()
}
