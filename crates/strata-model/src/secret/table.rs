//! What secrets look like.

/// A kind of secret.
pub(super) struct Kind {
    pub name: &'static str,
    /// With one group: the secret.
    pub pattern: &'static str,
    /// It begins where a word does: inside of other letters it is something else.
    pub stands_alone: bool,
    /// Whether what the pattern found is one.
    pub is_one: fn(&[u8]) -> bool,
    /// An API key or a header with one, which is not written to disk beside the words of a session.
    pub is_credential: bool,
}

/// Keys are random, so a run without a digit is a name.
fn has_digit(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_digit)
}

fn any(_: &[u8]) -> bool {
    true
}

/// No variable, placeholder or type: passwords that people set have letters and something else.
fn is_password(bytes: &[u8]) -> bool {
    let has_letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let has_other = bytes.iter().any(|byte| byte.is_ascii_digit() || b"!#%^&*?~@".contains(byte));
    let text = bytes.to_ascii_lowercase();
    let is_placeholder =
        [b"redacted".as_slice(), b"example", b"placeholder", b"your", b"xxxx", b"****", b"env."]
            .iter()
            .any(|word| text.windows(word.len()).any(|window| window == *word));
    has_letter && has_other && !is_placeholder
}

const fn key(name: &'static str, pattern: &'static str) -> Kind {
    Kind { name, pattern, stands_alone: true, is_one: has_digit, is_credential: false }
}

const fn credential(name: &'static str, pattern: &'static str) -> Kind {
    Kind { name, pattern, stands_alone: true, is_one: has_digit, is_credential: true }
}

/// Where several fit, the first one does.
pub(super) const KINDS: &[Kind] = &[
    credential("Anthropic key", r"(sk-ant-[A-Za-z0-9_-]{20,})"),
    credential("OpenRouter key", r"(sk-or-[A-Za-z0-9_-]{20,})"),
    credential("Langfuse key", r"(sk-lf-[A-Za-z0-9-]{20,})"),
    credential("API key", r"(sk-[A-Za-z0-9_./+-]{20,})"),
    credential("Google API key", r"(AIza[A-Za-z0-9_-]{35,})"),
    credential("Google access token", r"(ya29\.[A-Za-z0-9_./+-]{20,})"),
    Kind { stands_alone: false, ..credential("Azure storage key", r"AccountKey=([A-Za-z0-9+/=_.-]{20,})") },
    key("GitHub token", r"(gh[pousr]_[A-Za-z0-9]{36,})"),
    key("GitHub token", r"(github_pat_[A-Za-z0-9_]{22,})"),
    key("GitLab token", r"(glpat-[A-Za-z0-9_-]{20,})"),
    key("Slack token", r"(xox[abeoprs]-[A-Za-z0-9-]{10,})"),
    Kind { stands_alone: false, ..key("Slack webhook", r"hooks\.slack\.com/services/(T[A-Za-z0-9/]{20,})") },
    Kind { is_one: any, ..key("AWS access key", r"((?:AKIA|ASIA)[A-Z2-7]{16})(?:[^A-Za-z0-9_/+=-]|$)") },
    Kind {
        stands_alone: false,
        ..key(
            "AWS secret key",
            r"(?:aws_secret_access_key|AWS_SECRET_ACCESS_KEY|SecretAccessKey)[^A-Za-z0-9]{1,8}([A-Za-z0-9/+=]{40})",
        )
    },
    key("Stripe key", r"((?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,})"),
    key("npm token", r"(npm_[A-Za-z0-9]{36,})"),
    key("PyPI token", r"(pypi-[A-Za-z0-9_-]{50,})"),
    key("Hugging Face token", r"(hf_[A-Za-z0-9]{30,})"),
    key("Groq key", r"(gsk_[A-Za-z0-9]{40,})"),
    key("xAI key", r"(xai-[A-Za-z0-9]{40,})"),
    key("LangSmith key", r"(lsv2_(?:pt|sk)_[A-Za-z0-9_]{32,})"),
    key("SendGrid key", r"(SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{30,})"),
    key("DigitalOcean token", r"(do[opr]_v1_[a-f0-9]{64})"),
    key("JSON web token", r"(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})"),
    Kind {
        stands_alone: false,
        is_one: any,
        ..key("private key", r"-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----([^-]{20,})")
    },
    Kind { stands_alone: false, ..credential("bearer token", r"[Bb]earer ([A-Za-z0-9_./+~-]{20,}=*)") },
    Kind { stands_alone: false, ..credential("basic authorization", r"Basic ([A-Za-z0-9_./+-]{20,}=*)") },
    Kind {
        stands_alone: false,
        ..credential(
            "API key",
            r"(?:api-key|Api-Key|api_key|apiKey|API_KEY)(?s-u:.{0,23}?)[^A-Za-z0-9_./+-]([A-Za-z0-9_./+-]{20,})",
        )
    },
    Kind {
        stands_alone: false,
        is_one: is_url_password,
        ..key("password in an address", r#"://[^\s:/?#@"'<>\\]{0,200}:([^\s@/"'<>\\]{3,200})@"#)
    },
    Kind {
        stands_alone: false,
        is_one: is_password,
        ..key(
            "password",
            r#"(?:[Pp]assword|PASSWORD|[Pp]asswd|PASSWD|passphrase|client_secret|clientSecret|CLIENT_SECRET|secret_key|SECRET_KEY|secretKey|access_token|accessToken|ACCESS_TOKEN|auth_token|authToken|AUTH_TOKEN|refresh_token|refreshToken)\\?["']?\s{0,3}[=:]\s{0,3}\\?["']?([^\s"',;(){}\[\]<>$\\&|`]{8,200})"#,
        )
    },
];

fn is_url_password(bytes: &[u8]) -> bool {
    let is_variable = bytes.iter().any(|byte| b"${}[]*".contains(byte));
    let is_word = bytes.eq_ignore_ascii_case(b"password") || bytes.eq_ignore_ascii_case(b"pass");
    !is_variable && !is_word
}
