//! Recognising API keys, so that none is written to the database by accident.

pub(crate) use strata_model::secret::holds_credential;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_recognised_where_clients_put_them() {
        for text in [
            r#"{"name": "Authorization", "value": "Bearer sk-proj-0123456789abcdefghij"}"#,
            r#"{"name":"x-api-key","value":"0123456789abcdef0123456789abcdef"}"#,
            "api-key: 0123456789abcdef0123456789abcdef",
            "Api-Key:\n    - 0123456789abcdef0123456789abcdef",
            r#"{"apiKey":"0123456789abcdef0123456789abcdef"}"#,
            "https://example.org/v1/models?key=AIza0123456789abcdefghijABCDEFGHIJ-_xyz",
            "OPENAI_API_KEY=sk-0123456789abcdefghij",
            "Authorization: Basic dXNlcjpwYXNzd29yZC1vZi1tYW55LWNoYXJz",
        ] {
            assert!(holds_credential(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn talk_about_keys_is_not_a_key() {
        for text in [
            "Send the key in the Authorization header, as in `Bearer <token>`.",
            "set api_key in the configuration file of your application before you start",
            r#"{"name":"x-api-key","value":"REDACTED"}"#,
            r#"{"x-api-key": "[redacted]", "user-agent": "client"}"#,
            "const apiKey = process.env.SOME_PROVIDER_API_KEY",
            "a risk-averse, task-oriented desk-bound approach",
            "Basic authentication is what AIza keys are not for",
        ] {
            assert!(!holds_credential(text.as_bytes()), "{text}");
        }
    }
}
