//! Generated cards: complete, and full of what the canonical forms disagree about.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::Union;
use serde_json::{Map, Value, json};

/// A complete card of A2A 1.0, of 0.3, a hybrid of both, or one with the names of the proto file.
pub(crate) fn any_card() -> impl Strategy<Value = Value> {
    prop_oneof![3 => card_1_0(), 1 => card_0_3(), 1 => hybrid(), 1 => card_1_0().prop_map(|card| snake_case(&card))]
}

/// The card after one value somewhere in it was replaced or deleted, or a member or an element was added.
pub(crate) fn altered(card: Value) -> impl Strategy<Value = Value> {
    let place = any::<proptest::sample::Index>();
    (place, 0..4_u8, name(), prop_oneof![json(), requirements(), scheme()]).prop_map(
        move |(place, how, name, value)| {
            let mut altered = card.clone();
            let mut pointers = Vec::new();
            collect_pointers(&altered, String::new(), &mut pointers);
            let pointer = pointers.get(place.index(pointers.len())).cloned().unwrap_or_default();
            let (parent, last) = pointer.rsplit_once('/').unwrap_or_default();
            match (how, altered.pointer_mut(if how == 0 { &pointer } else { parent })) {
                (0, Some(old)) => *old = value,
                (1, Some(Value::Object(members))) => drop(members.remove(last)),
                (_, Some(Value::Object(members))) => drop(members.insert(name, value)),
                (1, Some(Value::Array(elements))) => drop(elements.pop()),
                (_, Some(Value::Array(elements))) => elements.insert(place.index(elements.len() + 1), value),
                _ => {}
            }
            altered
        },
    )
}

fn collect_pointers(value: &Value, pointer: String, pointers: &mut Vec<String>) {
    for (name, member) in value.as_object().into_iter().flatten().filter(|(name, _)| *name != "signatures") {
        collect_pointers(member, format!("{pointer}/{name}"), pointers);
    }
    for (index, element) in value.as_array().into_iter().flatten().enumerate() {
        collect_pointers(element, format!("{pointer}/{index}"), pointers);
    }
    if !pointer.is_empty() {
        pointers.push(pointer);
    }
}

/// The card with every member name as in the proto file, apart from those in `params` and in unknown members.
fn snake_case(value: &Value) -> Value {
    let spelled = |name: &str| -> String {
        let letters = name.chars();
        letters
            .flat_map(|letter| {
                letter.is_ascii_uppercase().then_some('_').into_iter().chain(letter.to_lowercase())
            })
            .collect()
    };
    match value {
        Value::Array(elements) => Value::Array(elements.iter().map(snake_case).collect()),
        Value::Object(members) => {
            let rename = |(name, member): (&String, &Value)| {
                let is_free = name == "params" || name.starts_with("x-");
                (spelled(name), if is_free { member.clone() } else { snake_case(member) })
            };
            Value::Object(members.iter().map(rename).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// How a card is laid out as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    OneLine,
    Indented,
}

impl Layout {
    pub(crate) const ALL: [Self; 2] = [Self::OneLine, Self::Indented];

    pub(crate) fn of(self, card: &Value) -> String {
        match self {
            Self::OneLine => card.to_string(),
            Self::Indented => format!("{card:#}\n"),
        }
    }
}

/// Empty text, plain text, and text that needs care: escapes, other scripts, names that sort differently in UTF-16.
fn text() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(String::new()),
        3 => "[a-z]{1,6}",
        1 => "[ -~\u{0}-\u{1f}äß€\u{fffd}\u{ff01}😀\u{2028}]{1,6}",
    ]
    .prop_map(Value::String)
}

fn texts() -> impl Strategy<Value = Value> {
    vec(text(), 0..3).prop_map(Value::Array)
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z]{1,5}", 1 => "[a-z€😀\u{ff01}]{1,3}", 1 => Just("__proto__".to_owned())]
}

/// Any JSON, as it may stand in `params`. Numbers are doubles: others are refused on reading.
fn json() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i32>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has no such number", |number| number.is_finite())
            .prop_map(Value::from),
        Just(json!(-0.0)),
        Just(json!(1e21)),
    ];
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::Bool), number, text()];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![vec(inner.clone(), 0..3).prop_map(Value::Array), object_of(inner)]
    })
}

fn object_of(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    btree_map(name(), values, 0..3).prop_map(|members| Value::Object(Map::from_iter(members)))
}

/// An object that has each of these members or not.
fn some_of(
    members: Vec<(&'static str, proptest::strategy::BoxedStrategy<Value>)>,
) -> impl Strategy<Value = Value> {
    let members: Vec<_> = members
        .into_iter()
        .map(|(name, value)| {
            option::of(value).prop_map(move |value| value.map(|value| (name.to_owned(), value)))
        })
        .collect();
    members.prop_map(|members| Value::Object(members.into_iter().flatten().collect()))
}

fn merged(left: Value, right: Value) -> Value {
    let (Value::Object(mut left), Value::Object(right)) = (left, right) else { return Value::Null };
    left.extend(right);
    Value::Object(left)
}

fn card_1_0() -> impl Strategy<Value = Value> {
    let required = (
        text(),
        text(),
        text(),
        texts(),
        texts(),
        vec(interface(), 1..3),
        capabilities(),
        vec(skill(), 0..3),
    );
    let optional = some_of(vec![
        ("documentationUrl", text().boxed()),
        ("iconUrl", prop_oneof![text(), Just(Value::Null)].boxed()),
        ("provider", provider().boxed()),
        ("securitySchemes", object_of(scheme()).boxed()),
        ("securityRequirements", requirements().boxed()),
        ("x-note", json().boxed()),
    ]);
    (required, optional).prop_map(|((name, description, version, inputs, outputs, interfaces, can, skills), rest)| {
        let required = json!({
            "name": name, "description": description, "version": version, "defaultInputModes": inputs,
            "defaultOutputModes": outputs, "supportedInterfaces": interfaces, "capabilities": can, "skills": skills,
        });
        merged(required, rest)
    })
}

fn interface() -> impl Strategy<Value = Value> {
    some_of(vec![("tenant", text().boxed()), ("x-region", json().boxed())]).prop_map(|rest| {
        let required = json!({"url": "https://agent.example.com", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"});
        merged(required, rest)
    })
}

fn capabilities() -> impl Strategy<Value = Value> {
    some_of(vec![
        ("streaming", any::<bool>().prop_map(Value::Bool).boxed()),
        ("pushNotifications", any::<bool>().prop_map(Value::Bool).boxed()),
        ("extensions", vec(extension(), 0..3).prop_map(Value::Array).boxed()),
    ])
}

fn extension() -> impl Strategy<Value = Value> {
    some_of(vec![
        ("uri", text().boxed()),
        ("description", text().boxed()),
        ("required", any::<bool>().prop_map(Value::Bool).boxed()),
        ("params", object_of(json()).boxed()),
    ])
}

fn provider() -> impl Strategy<Value = Value> {
    (text(), text()).prop_map(|(organization, url)| json!({"organization": organization, "url": url}))
}

fn skill() -> impl Strategy<Value = Value> {
    let optional = some_of(vec![
        ("examples", texts().boxed()),
        ("inputModes", texts().boxed()),
        ("securityRequirements", requirements().boxed()),
        ("x-cost", json().boxed()),
    ]);
    (text(), text(), texts(), optional).prop_map(|(name, description, tags, rest)| {
        merged(json!({"id": "one", "name": name, "description": description, "tags": tags}), rest)
    })
}

fn scheme() -> impl Strategy<Value = Value> {
    Union::new([
        Just(json!({"mtlsSecurityScheme": {}})).boxed(),
        Just(json!({"httpAuthSecurityScheme": {"scheme": "Bearer", "bearerFormat": ""}})).boxed(),
        (text(), text())
            .prop_map(|(about, name)| json!({"apiKeySecurityScheme": {"description": about, "location": "header", "name": name}}))
            .boxed(),
        Just(json!({"httpAuthSecurityScheme": {"scheme": "Basic"}, "type": "http", "scheme": "Basic"})).boxed(),
    ])
}

fn requirements() -> impl Strategy<Value = Value> {
    let scopes = prop_oneof![Just(json!({})), texts().prop_map(|list| json!({"list": list}))];
    let requirement =
        prop_oneof![object_of(scopes).prop_map(|schemes| json!({"schemes": schemes})), Just(json!({}))];
    vec(requirement, 0..3).prop_map(Value::Array)
}

fn legacy() -> impl Strategy<Value = Value> {
    some_of(vec![
        ("preferredTransport", prop_oneof![Just(json!("JSONRPC")), Just(json!("GRPC"))].boxed()),
        (
            "additionalInterfaces",
            Just(json!([{"url": "https://agent.example.com", "transport": "JSONRPC"}])).boxed(),
        ),
        ("supportsAuthenticatedExtendedCard", any::<bool>().prop_map(Value::Bool).boxed()),
        ("security", vec(object_of(texts()), 0..3).prop_map(Value::Array).boxed()),
    ])
    .prop_map(|rest| merged(json!({"url": "https://agent.example.com", "protocolVersion": "0.3.0"}), rest))
}

fn card_0_3() -> impl Strategy<Value = Value> {
    let required = (text(), text(), text(), texts(), texts(), capabilities_0_3(), vec(skill_0_3(), 0..3));
    let optional = some_of(vec![("iconUrl", text().boxed()), ("x-note", json().boxed())]);
    (required, optional, legacy()).prop_map(
        |((name, description, version, inputs, outputs, can, skills), rest, legacy)| {
            let required = json!({
                "name": name, "description": description, "version": version, "defaultInputModes": inputs,
                "defaultOutputModes": outputs, "capabilities": can, "skills": skills,
            });
            merged(merged(required, legacy), rest)
        },
    )
}

fn capabilities_0_3() -> impl Strategy<Value = Value> {
    some_of(vec![
        ("streaming", any::<bool>().prop_map(Value::Bool).boxed()),
        ("stateTransitionHistory", any::<bool>().prop_map(Value::Bool).boxed()),
    ])
}

fn skill_0_3() -> impl Strategy<Value = Value> {
    (text(), text(), texts()).prop_map(|(name, description, tags)| {
        json!({"id": "one", "name": name, "description": description, "tags": tags})
    })
}

fn hybrid() -> impl Strategy<Value = Value> {
    (card_1_0(), legacy()).prop_map(|(card, legacy)| merged(card, legacy))
}
