//! The card by which an agent introduces itself.

use strata_model::{Json, Object};

/// What is told of an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentCard {
    pub name: String,
    pub description: String,
    /// Of whoever serves it.
    pub version: String,
    pub url: String,
    pub skills: Vec<Skill>,
}

/// An agent that can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    pub id: String,
    pub description: String,
}

impl AgentCard {
    /// One card for clients of both versions: what 1.0 and 0.3 ask for stands side by side, and each passes over the
    /// other's.
    pub fn to_json(&self) -> Json {
        let texts =
            |texts: &[&str]| Json::from(texts.iter().map(|text| Json::from(*text)).collect::<Vec<_>>());
        let skills = self.skills.iter().map(|skill| {
            Json::from(Object::from_iter([
                ("id", Json::from(&*skill.id)),
                ("name", skill.id.as_str().into()),
                ("description", skill.description.as_str().into()),
                ("tags", texts(&["agent"])),
            ]))
        });
        let interface = |version: &str| {
            Json::from(Object::from_iter([
                ("url", Json::from(&*self.url)),
                ("protocolBinding", "JSONRPC".into()),
                ("protocolVersion", version.into()),
                ("transport", "JSONRPC".into()),
            ]))
        };
        let capabilities = Object::from_iter([
            ("streaming", Json::from(true)),
            ("pushNotifications", false.into()),
            ("stateTransitionHistory", false.into()),
            ("extendedAgentCard", false.into()),
        ]);
        let bearer = Object::from_iter([
            ("type", Json::from("http")),
            ("scheme", "bearer".into()),
            ("httpAuthSecurityScheme", Object::from_iter([("scheme", "Bearer")]).into()),
        ]);
        let schemes = Object::from_iter([("bearer", bearer)]);
        let none = Json::from(Vec::new());
        Object::from_iter([
            ("protocolVersion", Json::from("0.3.0")),
            ("name", self.name.as_str().into()),
            ("description", self.description.as_str().into()),
            ("version", self.version.as_str().into()),
            ("url", self.url.as_str().into()),
            ("preferredTransport", "JSONRPC".into()),
            ("supportedInterfaces", vec![interface("1.0"), interface("0.3")].into()),
            ("capabilities", capabilities.into()),
            ("defaultInputModes", texts(&["text/plain", "application/json"])),
            ("defaultOutputModes", texts(&["text/plain"])),
            ("skills", skills.collect::<Vec<_>>().into()),
            ("securitySchemes", schemes.into()),
            ("security", vec![Object::from_iter([("bearer", none.clone())]).into()].into()),
            (
                "securityRequirements",
                vec![
                    Object::from_iter([(
                        "schemes",
                        Object::from_iter([("bearer", Object::from_iter([("list", none)]))]),
                    )])
                    .into(),
                ]
                .into(),
            ),
        ])
        .into()
    }
}
