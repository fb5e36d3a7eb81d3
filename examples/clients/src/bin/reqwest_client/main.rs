//! A program that has an HTTP client already, `reqwest`, and brings it: to fetch cards and key sets within the limits that
//! [`Fetch`] asks for, and to call what was admitted, at addresses that were judged.
//!
//! `cargo run -p countersign-examples --bin reqwest_client`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

mod web;

use countersign::client::{AdmissionClient, Agent};
use countersign::fetch::{AddressGuard, AddressRefused, Fetch, FetchRequest};
use countersign::policy::{StrictUrl, UrlUse};
use countersign::{SelectTerms, TOOL, TrustPolicy};
use countersign_examples::checked::tls;
use countersign_examples::message::Message;
use countersign_examples::server::{AgentServer, Names};
use countersign_examples::{Failure, cause, now};
use serde_json::json;
use web::Web;

fn main() -> Result<(), Failure> {
    let interfaces = json!([{"url": "/a2a/v1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]);
    let start = || {
        AgentServer::start(interfaces.clone(), |_| (200, json!({"jsonrpc": "2.0", "id": 1, "result": {}})))
    };
    let server = start()?;
    let names = Names::default();
    let web = Web::new(tls(server.authority())?, names.clone());
    let policy = TrustPolicy::read(&server.policy(), "trust-policy.toml", &TOOL)?;
    let guard = AddressGuard::of(policy.fetch());
    let admission = AdmissionClient::new(policy, web.clone());

    let agent = Agent::at(server.origin(), SelectTerms::accepting(["1.0/JSONRPC".parse()?]))?;
    let interface = admission.interface(&agent, now()?)?;
    let message = Message::new(&interface, "a route");
    println!("called {}: status {}", interface.url(), web.call(&guard, &message)?);

    // The admission still stands; its name has moved to where no client must go.
    names.move_to("169.254.169.254".parse()?);
    let interface = admission.interface(&agent, now()?)?;
    let refused = web.call(&guard, &Message::new(&interface, "a route")).err().ok_or("it was called")?;
    println!("not called: {}", cause::<AddressRefused>(&*refused).ok_or("another failure")?);

    // An address in place of a name, and a server with a certificate of its own.
    names.move_to("127.0.0.1".parse()?);
    let other = start()?;
    for url in ["https://10.0.0.1/card.json".to_owned(), format!("{}/card.json", other.origin())] {
        let url = StrictUrl::read(&url, UrlUse::InterfaceWithQuery)?;
        let fetched = web.fetch(&FetchRequest::new(url, admission.policy().fetch()));
        let refused = fetched.err().ok_or("it was fetched")?;
        println!("not fetched: [{}] {refused}", refused.code());
    }
    Ok(())
}
