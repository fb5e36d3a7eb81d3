//! A server that no longer speaks the version of its card: only its own VersionNotSupportedError leads to an older interface,
//! and only where the client allows it. No other failure does.
//!
//! `cargo run -p countersign-examples --bin fallback`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use countersign::client::{AdmissionClient, Agent};
use countersign::fetch::{AddressGuard, HttpsFetch, Roots, TlsTerms};
use countersign::{Fallback, SelectTerms, TOOL, TrustPolicy, VersionNotSupported};
use countersign_examples::checked::{Caller, tls};
use countersign_examples::server::{AgentServer, Names, Reply};
use countersign_examples::{Failure, now};
use serde_json::json;
use tokio::task::spawn_blocking;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let not_supported = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32009, "message": "speak 0.3"}});
    let not_found =
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no such method"}});
    let reason = |reason: &str| {
        let info = json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org",
        });
        json!({"error": {"code": 400, "status": "FAILED_PRECONDITION", "message": "speak 0.3", "details": [info]}})
    };
    for (what, binding, refusal) in [
        ("JSON-RPC error -32009", "JSONRPC", (200, not_supported)),
        ("JSON-RPC error -32601", "JSONRPC", (200, not_found)),
        ("status 400, VERSION_NOT_SUPPORTED", "HTTP+JSON", (400, reason("VERSION_NOT_SUPPORTED"))),
        ("status 400, TASK_NOT_FOUND", "HTTP+JSON", (400, reason("TASK_NOT_FOUND"))),
        ("status 401", "HTTP+JSON", (401, json!({"error": {"code": 401}}))),
        ("status 404", "HTTP+JSON", (404, json!({"error": {"code": 404}}))),
    ] {
        let (version, status) = call_refused(binding, refusal).await?;
        println!("{what}: ended at {version} with status {status}");
    }
    Ok(())
}

/// Calls an agent that answers calls of 1.0 with `refusal`: with which version the calls ended, and the last status.
async fn call_refused(binding: &str, refusal: Reply) -> Result<(String, u16), Failure> {
    let interfaces = json!([
        {"url": "/v1", "protocolBinding": binding, "protocolVersion": "1.0"},
        {"url": "/v0.3", "protocolBinding": binding, "protocolVersion": "0.3"},
    ]);
    let server = AgentServer::start(interfaces, move |call| match call.header("a2a-version") {
        Some(_) => refusal.clone(),
        None => (200, json!({"jsonrpc": "2.0", "id": 1, "result": {"kind": "message"}})),
    })?;
    let names = Names::default();
    let roots = Roots::Only(server.authority().into());
    let fetch = HttpsFetch::with_tls(TlsTerms::default().with_roots(roots))?.with_resolver(names.clone());
    let policy = TrustPolicy::read(&server.policy(), "trust-policy.toml", &TOOL)?;
    let guard = AddressGuard::of(policy.fetch());
    let caller = Caller::new(tls(server.authority())?, Arc::new(names), guard)?;
    let admission = Arc::new(AdmissionClient::new(policy, fetch));

    let accept = [format!("1.0/{binding}").parse()?, format!("0.3/{binding}").parse()?];
    let mut terms = SelectTerms::accepting(accept);
    terms.fallback = Fallback::Allow;
    let agent = Agent::at(server.origin(), terms)?;

    let (asked, of) = (Arc::clone(&admission), agent.clone());
    let interface = spawn_blocking(move || asked.interface(&of, now()?).map_err(Failure::from)).await??;
    let (status, body) = caller.call(&interface, "a route").await?;
    let refusal = match interface.binding() {
        "JSONRPC" => VersionNotSupported::from_json_rpc(body),
        _ => VersionNotSupported::from_http(status, body),
    };
    let Ok(refusal) = refusal else {
        // An answer, or a failure that says nothing about the version.
        return Ok((interface.version().to_string(), status));
    };
    // What comes next was admitted with the same card, and is the selected interface from now on.
    let older = spawn_blocking(move || admission.fall_back(&agent, refusal, now()?).map_err(Failure::from));
    let older = older.await??;
    let (status, _) = caller.call(&older, "a route").await?;
    Ok((older.version().to_string(), status))
}
