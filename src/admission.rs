//! Admission: a card, where it came from and a trust policy give interfaces that may be called, or every reason why not.

mod admitted;
mod facts;
mod parts;
mod selection;
mod signatures;

use countersign_keys::json::Ancestry;
use countersign_policy::{AdmissionRequest, Decision, Explanation, PinMemory, TrustPolicy, UnixTime};

use crate::card::UntrustedCard;
use crate::endorsement::Endorsement;
use crate::signature::Covered;
pub use admitted::{AdmittedCard, AdmittedInterface};
pub use selection::AdmittedSelection;

/// A card that the policy denies: the decision, and the card itself, as untrusted as before.
#[derive(Debug, thiserror::Error)]
#[error("the card is denied: {}", sentences(decision))]
pub struct Denied {
    decision: Decision,
    card: UntrustedCard,
}

impl UntrustedCard {
    /// Holds the card against a policy, for one request, as of `now`.
    ///
    /// Signatures are verified with every key of the policy, under the forms and for the coverage that the rule for the
    /// source of the card demands; the policy says which of them count. What they cover is what the policy judges and what
    /// is handed on, see [`VerifiedCard`](crate::VerifiedCard). Where none counts, the card as received is judged: it is
    /// handed on only if the policy admits unsigned cards, or does not enforce its denial. A card whose rule says
    /// `level = "off"` has no signature looked at. `endorsements` are those of
    /// [`verify_with_endorsements`](Self::verify_with_endorsements).
    ///
    /// Does not check that the card came from where the request says, what host names resolve to, or who answers there.
    /// JSON Pointers of reasons lead into the card that is judged: a member that is not handed on moves later
    /// elements of its list.
    ///
    /// # Errors
    ///
    /// [`Denied`] with every reason, and the card, when the policy denies and enforces it.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{AdmissionRequest, Limits, SelectTerms, Source, TOOL, TrustPolicy, UnixTime, UntrustedCard};
    ///
    /// let policy = r#"
    ///     schema = 1
    ///     [[key]]
    ///     id = "review"
    ///     jwk = { kty = "OKP", crv = "Ed25519", x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
    ///     origins = ["https://agents.example"]
    ///     [[allow]]
    ///     id = "pilot"
    ///     from = ["https://agents.example"]
    ///     signatures = { level = "if-present", reason = "pilot", until = 2026-12-31 }
    /// "#;
    /// let policy = TrustPolicy::read(policy, "trust-policy.toml", &TOOL)?;
    /// let card = r#"{"name": "Echo", "supportedInterfaces": [
    ///   {"url": "https://evil.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
    ///   {"url": "https://agents.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}"#;
    /// let read = || UntrustedCard::read(card, &Limits::default());
    /// let now = UnixTime::from_seconds(1_790_856_000);
    ///
    /// let request = AdmissionRequest::new(Source::at("https://agents.example/.well-known/agent-card.json")?);
    /// let admitted = read()?.admit(&policy, &request, &[], now)?;
    /// let selection = admitted.select(&SelectTerms::accepting(["1.0/JSONRPC".parse()?]));
    /// let interface = selection.interface().ok_or("an interface")?;
    /// assert_eq!(interface.url(), "https://agents.example/a2a");
    ///
    /// let request = AdmissionRequest::new(Source::at("https://elsewhere.example/card.json")?);
    /// let denied = read()?.admit(&policy, &request, &[], now).unwrap_err();
    /// assert_eq!(denied.decision().codes()[0].name(), "origin.no-rule");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn admit(
        self,
        policy: &TrustPolicy,
        request: &AdmissionRequest,
        endorsements: &[Endorsement],
        now: UnixTime,
    ) -> Result<AdmittedCard, Box<Denied>> {
        let (decision, covered) = self.weigh(policy, request, endorsements, PinMemory::NotKept, now);
        self.conclude(decision, covered, request)
    }

    /// What follows from a decision about the card.
    pub(crate) fn conclude(
        self,
        decision: Decision,
        covered: Option<Covered>,
        request: &AdmissionRequest,
    ) -> Result<AdmittedCard, Box<Denied>> {
        if !decision.lets_pass() {
            return Err(Box::new(Denied { decision, card: self }));
        }
        let document = covered.and_then(|covered| covered.document);
        let document = document.unwrap_or_else(|| self.into_document());
        Ok(AdmittedCard::new(document, decision, request.assumed))
    }

    /// The decision of [`admit`](Self::admit) alone: the card stays as it is, and nothing is handed on.
    #[must_use]
    pub fn decide(
        &self,
        policy: &TrustPolicy,
        request: &AdmissionRequest,
        endorsements: &[Endorsement],
        now: UnixTime,
    ) -> Decision {
        self.decide_remembered(policy, request, endorsements, PinMemory::NotKept, now)
    }

    /// The same, beside what is remembered of the agent, see
    /// [`RuleChoice::evaluate`](countersign_policy::RuleChoice::evaluate). Nothing is remembered of the card.
    #[must_use]
    pub fn decide_remembered(
        &self,
        policy: &TrustPolicy,
        request: &AdmissionRequest,
        endorsements: &[Endorsement],
        memory: PinMemory<'_>,
        now: UnixTime,
    ) -> Decision {
        self.weigh(policy, request, endorsements, memory, now).0
    }

    /// What would turn a denial of [`decide`](Self::decide) into an admission: changes of the policy, held against the card
    /// anew, or what no change of the policy can answer. Costs up to as many decisions as there are reasons and four more.
    ///
    /// What it proposes is not advice: a denial may be right.
    #[must_use]
    pub fn explain(
        &self,
        policy: &TrustPolicy,
        request: &AdmissionRequest,
        endorsements: &[Endorsement],
        now: UnixTime,
    ) -> Explanation {
        self.explain_remembered(policy, request, endorsements, PinMemory::NotKept, now)
    }

    /// The same, beside what is remembered of the agent.
    #[must_use]
    pub fn explain_remembered(
        &self,
        policy: &TrustPolicy,
        request: &AdmissionRequest,
        endorsements: &[Endorsement],
        memory: PinMemory<'_>,
        now: UnixTime,
    ) -> Explanation {
        let decide =
            |policy: &TrustPolicy| self.decide_remembered(policy, request, endorsements, memory, now);
        Explanation::of(policy, request, &decide(policy), decide)
    }

    /// The decision, and what the signatures that count cover, if any does.
    pub(crate) fn weigh(
        &self,
        policy: &TrustPolicy,
        request: &AdmissionRequest,
        endorsements: &[Endorsement],
        memory: PinMemory<'_>,
        now: UnixTime,
    ) -> (Decision, Option<Covered>) {
        let choice = policy.choose(request);
        let mut evidence = signatures::evidence(self, (policy, &choice), endorsements, (memory, now));
        let covered = evidence.covered.take();
        let mut findings = std::mem::take(&mut evidence.findings);
        let document =
            covered.as_ref().and_then(|covered| covered.document.as_ref()).unwrap_or(self.document());
        let ancestry = Ancestry::of(document, usize::MAX);
        let facts = facts::of(self, evidence, &ancestry, (policy, memory), request);
        let mut decision = choice.evaluate(facts, memory, now);
        decision.findings.extend(self.findings().iter().cloned());
        decision.findings.append(&mut findings);
        (decision, covered)
    }
}

impl Denied {
    /// Why, and how the answer came about.
    #[must_use]
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// What was denied.
    #[must_use]
    pub fn card(&self) -> &UntrustedCard {
        &self.card
    }

    /// The card, as untrusted as before.
    #[must_use]
    pub fn into_card(self) -> UntrustedCard {
        self.card
    }
}

fn sentences(decision: &Decision) -> String {
    let sentence = |reason: &countersign_policy::Reason| format!("{}: {}", reason.code, reason.message);
    decision.reasons.iter().map(sentence).collect::<Vec<_>>().join("; ")
}
