//! An admission client in an asynchronous program: many tasks share it, and only a task that finds nothing remembered waits,
//! in a thread that may.
//!
//! `cargo run -p countersign-examples --bin tokio_client`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use countersign::client::{AdmissionClient, Agent};
use countersign::fetch::{AddressGuard, HttpsFetch, Roots, TlsTerms};
use countersign::{AdmittedInterface, SelectTerms, TOOL, TrustPolicy};
use countersign_examples::checked::{Caller, tls};
use countersign_examples::server::{AgentServer, Call, Names, Reply};
use countersign_examples::{Failure, now};
use serde_json::{Value, json};
use tokio::task::{JoinSet, spawn_blocking};

const CALLS: usize = 8;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let server = AgentServer::start(
        json!([{"url": "/a2a/v1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "maps"}]),
        answer,
    )?;
    let names = Names::default();

    // Once in a program. Outside of an example: `HttpsFetch::new()?`, and the policy from its file by `load_policy`.
    let roots = Roots::Only(server.authority().into());
    let fetch = HttpsFetch::with_tls(TlsTerms::default().with_roots(roots))?.with_resolver(names.clone());
    let policy = TrustPolicy::read(&server.policy(), "trust-policy.toml", &TOOL)?;
    let guard = AddressGuard::of(policy.fetch());
    let admission = Arc::new(AdmissionClient::new(policy, fetch));
    let caller = Caller::new(tls(server.authority())?, Arc::new(names), guard)?;

    let terms = SelectTerms::accepting(["1.0/JSONRPC".parse()?]);
    let agent = Arc::new(Agent::at(server.origin(), terms)?);
    let mut calls = JoinSet::new();
    for number in 1..=CALLS {
        let (admission, agent, caller) = (Arc::clone(&admission), Arc::clone(&agent), caller.clone());
        calls.spawn(async move {
            let interface = interface(&admission, &agent).await?;
            caller.call(&interface, &format!("route {number}")).await
        });
    }
    let answers: Vec<(u16, Vec<u8>)> = calls.join_all().await.into_iter().collect::<Result<_, Failure>>()?;
    let (status, body) = answers.first().ok_or("no answer")?;
    let body: Value = serde_json::from_slice(body)?;
    println!("{} answers, the card was fetched {} time(s)", answers.len(), server.cards_fetched());
    println!("status {status}: {}", body.pointer("/result/message/parts/0/text").ok_or("no text")?);

    let interface = admission.cache().selected(agent.scope(), now()?).ok_or("nothing is remembered")?;
    println!("remembered: {} {} at {}", interface.binding(), interface.version(), interface.url());
    Ok(())
}

/// The interface to call now. A remembered one is had in place, in under a microsecond; else connections are made.
async fn interface(
    admission: &Arc<AdmissionClient>,
    agent: &Arc<Agent>,
) -> Result<Arc<AdmittedInterface>, Failure> {
    let now = now()?;
    if let Some(interface) = admission.cache().selected(agent.scope(), now) {
        return Ok(interface);
    }
    let (admission, agent) = (Arc::clone(admission), Arc::clone(agent));
    Ok(spawn_blocking(move || admission.interface(&agent, now)).await??)
}

/// What the agent answers: what it was asked, and with which header, media type and tenant.
fn answer(call: &Call) -> Reply {
    let of = |pointer| call.body.pointer(pointer).and_then(Value::as_str).unwrap_or("none");
    let header = |name| call.header(name).unwrap_or("none");
    let text = format!(
        "{} for tenant {}, A2A-Version {}, {}",
        of("/method"),
        of("/params/tenant"),
        header("a2a-version"),
        header("content-type")
    );
    let message = json!({"messageId": "2", "role": "ROLE_AGENT", "parts": [{"text": text}]});
    (200, json!({"jsonrpc": "2.0", "id": 1, "result": {"message": message}}))
}
