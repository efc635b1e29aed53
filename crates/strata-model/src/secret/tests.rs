//! Every kind of secret, with texts that hold one and texts that look like it.

use regex::bytes::Regex;

use super::table::KINDS;
use super::{Named, find, holds_credential, is_in_request, mask, mask_in_place, named};
use crate::json;

/// A text, and what of it is a secret of which kind. Keys are put together here, so that no scanner of repositories
/// takes them for real ones.
fn secrets() -> Vec<(String, &'static str, String)> {
    let letters = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    let hex = "0123456789abcdef".repeat(4);
    let upper = "ABCDEFGHIJKLMNOP";
    let with =
        |before: &str, secret: String, after: &str, kind| (format!("{before}{secret}{after}"), kind, secret);
    vec![
        with("key ", format!("sk-ant-api03-{letters}"), " here", "Anthropic key"),
        with("", format!("sk-or-v1-{hex}"), "", "OpenRouter key"),
        with("secretKey=", format!("sk-lf-{}", &hex[..24]), "", "Langfuse key"),
        with("OPENAI_API_KEY=", format!("sk-proj-{letters}"), "\n", "API key"),
        with("?key=", format!("AIza{}", &letters[..35]), "&x=1", "Google API key"),
        with("\"", format!("ya29.{letters}"), "\"", "Google access token"),
        with("AccountName=a;AccountKey=", format!("{letters}=="), ";End", "Azure storage key"),
        with("token ", format!("ghp_{}", &letters[..36]), ".", "GitHub token"),
        with("", format!("github_pat_{letters}"), "", "GitHub token"),
        with("(", format!("glpat-{}", &letters[..20]), ")", "GitLab token"),
        with("", format!("xoxb-{letters}"), "", "Slack token"),
        with("https://hooks.slack.com/services/", format!("T{letters}"), "", "Slack webhook"),
        with("id: ", format!("AKIA{upper}"), ", ", "AWS access key"),
        with("aws_secret_access_key = ", letters.to_owned(), "\n", "AWS secret key"),
        with("", format!("sk_live_{letters}"), "", "Stripe key"),
        with("_authToken=", format!("npm_{}", &letters[..36]), "", "npm token"),
        with("", format!("pypi-{letters}{letters}"), "", "PyPI token"),
        with("'", format!("hf_{letters}"), "'", "Hugging Face token"),
        with("", format!("gsk_{letters}{letters}"), "", "Groq key"),
        with("", format!("xai-{letters}{letters}"), "", "xAI key"),
        with("", format!("lsv2_pt_{}_{}", &hex[..32], &hex[..10]), "", "LangSmith key"),
        with("", format!("SG.{}.{letters}", &letters[..22]), "", "SendGrid key"),
        with("", format!("dop_v1_{hex}"), "", "DigitalOcean token"),
        with("id=", format!("eyJ{letters}.eyJ{letters}.{letters}"), ";", "JSON web token"),
        with(
            "-----BEGIN RSA PRIVATE KEY-----\n",
            format!("{letters}\n{letters}"),
            "\n-----END RSA PRIVATE KEY-----",
            "private key",
        ),
        with(
            "-----BEGIN PRIVATE KEY-----\\n",
            format!("{letters}\\n{letters}"),
            "\\n-----END PRIVATE KEY-----\\n",
            "private key",
        ),
        with("Authorization: Bearer ", letters.to_owned(), "", "bearer token"),
        with("Authorization: Basic ", format!("{letters}=="), "", "basic authorization"),
        with(r#"{"name":"x-api-key","value":""#, hex.clone(), r#""}"#, "API key"),
        with("- name: API_KEY\n  value: ", letters.to_owned(), "\n", "API key"),
        with(r#"headers.set("x-api-key", ""#, letters.to_owned(), r#"")"#, "API key"),
        with(r#"os.environ["API_KEY"] = ""#, letters.to_owned(), r#"""#, "API key"),
        with("The api_key for tests is ", letters.to_owned(), ", and", "API key"),
        with("Your API_KEY:\n\n", letters.to_owned(), "\n", "API key"),
        with("postgres://admin:", "s3cret".to_owned(), "@db.local:5432/x", "password in an address"),
        with("redis://:", "hunter2".to_owned(), "@cache", "password in an address"),
        with("password = \"", "correct-h0rse".to_owned(), "\"", "password"),
        with(r#"{"client_secret":""#, "Zq8~abcdef.ghi".to_owned(), r#""}"#, "password"),
        with(r#"{\"password\": \""#, "tr0ub4dor".to_owned(), r#"\"}"#, "password"),
        with("DB_PASSWORD=", "p4ssw0rd!".to_owned(), "\n", "password"),
        with(r#"{"type":"mcp","authorization":""#, letters.to_owned(), r#"","server_label":"x"}"#, "token"),
        with(r#"{"authorization_token": ""#, letters.to_owned(), r#""}"#, "token"),
        with("Authorization: Token ", letters.to_owned(), "\r\n", "token"),
        with("X-Access-Token: ", letters.to_owned(), "\r\n", "token"),
        with("Ocp-Apim-Subscription-Key: ", letters.to_owned(), "\r\n", "API key"),
        with("https://h.example/p?a=1&id_token=", letters.to_owned(), "&b=2", "token"),
        with("https://h.example/p?sig=", format!("{letters}%2B%3D"), "&b=2", "signature"),
        with("https://h.example/p?a=1&amp;key=", letters.to_owned(), " ", "API key"),
        // What JSON and JSON in JSON escape.
        with(r"x\u0026", format!("sk-proj-{letters}"), r"\u0026", "API key"),
        with(r"password\u003d", "tr0ub4dor".to_owned(), r"\u0026", "password"),
        with(r"https:\/\/bob:", "s3cretPassw0rd99".to_owned(), r"@h.example\/x", "password in an address"),
        with(r#""{\\\"client_secret\\\":\\\""#, "Zq8~abcdef.ghi".to_owned(), r#"\\\"}""#, "password"),
        with("", format!(r"\u0073k-proj-{letters}"), "", "API key"),
    ]
}

#[test]
fn secrets_are_found_with_their_kind_and_nothing_around_them() {
    for (text, kind, secret) in secrets() {
        let found: Vec<(&str, &str)> =
            find(&text).into_iter().map(|found| (found.kind, &text[found.range])).collect();
        assert_eq!(found, [(kind, &*secret)], "{text}");
    }
}

#[test]
fn every_kind_has_an_example_and_one_group() {
    for kind in KINDS {
        assert!(secrets().iter().any(|(_, name, _)| *name == kind.name), "{} has no example", kind.name);
        let regex = Regex::new(kind.pattern).expect("a pattern of the table");
        assert_eq!(regex.captures_len(), 2, "{}", kind.name);
    }
}

#[test]
fn what_only_looks_random_is_no_secret() {
    let picture = format!(
        "data:image/png;base64,{}AKIAABCDEFGHIJKLMNOP{}",
        "iVBORw0KGgo".repeat(40),
        "xyz0".repeat(50)
    );
    for text in [
        "550e8400-e29b-41d4-a716-446655440000",
        "session_id: 7c9e6679-7425-40de-944b-e07fc1f90ae7, token_id: 12345",
        "commit d26a7492f0b1c2d3e4f5061728394a5b6c7d8e9f",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        &picture,
        "a risk-averse, task-oriented desk-bound approach to disk-2024-01-02-something-long",
        "password: string; passwd: Option<String>, client_secret: &str",
        "password = os.environ['DB_PASSWORD']",
        "const password = getPassword(config2)",
        "export PASSWORD=$DB_PASSWORD1",
        "password: <your-password-1>",
        "password=********",
        "Send the key in the Authorization header, as in `Bearer <token>`.",
        "postgres://user:${DB_PASSWORD}@host/db and https://user:password@example.org",
        "see https://example.org:8080/path@2x.png and mailto:someone@example.org",
        "toolu_01A09q90qw90lq917835lq9, call_abc123DEF456ghi789JKL012, chatcmpl-AbC123dEf456",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
        "max_tokens: 4096000000, input_tokens=123456789",
        "gAAAAABm_encrypted_reasoning_1234567890",
        r#"{"token":" Hello","logprob":-0.1},{"token":"2024","bytes":[50]}"#,
        r#"{"next_page_token":"CAEQAA12ab34cd56ef78gh90ij","prompt_cache_key":"session-01-of-2026-11-28-ab12cd"}"#,
        r#"{"signature":"EqQBCkYIARgCKkDJ0a1b2c3d4e5f6g7h8i9j0k","thoughtSignature":"Ab1Cd2Ef3Gh4Ij5Kl6Mn7"}"#,
        r#"{"key":"PROJ-1234-5678-abcd-ef01","primary_key":"user_2024_11_ab12"}"#,
        "auth: OAuth2PasswordBearer, token = getTokenFromRequest2(x), token: Base64UrlEncodedToken",
        r#"{"authorization":"oauth2_client_credentials","token":"2026-11-28T10:20:30.000Z"}"#,
        r#"{"auth":"https://auth2.example.com/v1/x1","token":"/home/user1/project2/a3"}"#,
        "sorted(rows, key=lambda2rows3of4things5) and monkey=1a2b3c4d5e6f7g8h9i0j",
        r#"{"parts":[{"text":"Is -----BEGIN RSA PRIVATE KEY----- the right first line of a key file?"}],"role":"user"}"#,
        "Never repeat a text that begins with -----BEGIN PRIVATE KEY-----. Say so kindly and go on.",
        r#"{"nodeInfo":{"path":"api_key_helper@1"},"id":"550e8400-e29b-41d4-a716-446655440000"}"#,
        r#"{"author": "api_key_helper", "id": "550e8400-e29b-41d4-a716-446655440000"}"#,
        r#"{"text":"Show me the api_key","value":"550e8400-e29b-41d4-a716-446655440000"}"#,
        r#"{"name":"api_key","args":{"id":"550e8400-e29b-41d4-a716-446655440000"}}"#,
        r#"{"path":"seq@1/api_key_helper@550e8400-e29b-41d4-a716-446655440000"}"#,
        "agent: api_key_helper\nid: 550e8400-e29b-41d4-a716-446655440000",
        r#"["get_api_key","find_the_orders_of_2_days"]"#,
    ] {
        assert_eq!(find(text), [], "{text}");
        assert!(!holds_credential(text.as_bytes()), "{text}");
    }
}

#[test]
fn a_mask_says_what_it_hides() {
    let text = format!("use ghp_{} or not", "a1B2".repeat(9));
    let masked = mask(&text).expect("a secret");
    assert_eq!(masked.text, "use ‹redacted: GitHub token› or not");
    assert_eq!(masked.kinds, ["GitHub token"]);
    assert_eq!(mask("nothing to see"), None);
}

#[test]
fn a_private_key_is_masked_as_far_as_it_goes() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj/AgEAAoIBAQC7+VJTUt9Us8cKj";
    for (text, masked) in [
        (
            format!("BEGIN\n{line}\n{line}\nab==\n-----END PRIVATE KEY-----"),
            "BEGIN\nMASK\n-----END PRIVATE KEY-----",
        ),
        // Cut off.
        (
            format!(r#"{{"a":"BEGIN\n{line}\n{}","b":"c d"}}"#, &line[..30]),
            r#"{"a":"BEGIN\nMASK","b":"c d"}"#,
        ),
        (format!(r#"{{"a":"BEGIN\n{line}\n"}},{{"b":"c"}}"#), r#"{"a":"BEGIN\nMASK\n"},{"b":"c"}"#),
        // JSON in JSON, with slashes escaped.
        (
            format!(r#"{{"a":"{{\"b\":\"BEGIN\\n{}\\n\"}}"}}"#, line.replace('/', r"\\/")),
            r#"{"a":"{\"b\":\"BEGIN\\nMASK\\n\"}"}"#,
        ),
        // With headers, on one line, in a listing, in a quotation, and in code.
        (
            format!("BEGIN\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{line}\n"),
            "BEGIN\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\nMASK\n",
        ),
        (format!("BEGIN {line} {line} -----END"), "BEGIN MASK -----END"),
        (format!(" 1\tBEGIN\n 2\t{line}\n 3\t{line}\n"), " 1\tBEGIN\n 2\tMASK\n"),
        (format!("> BEGIN\r\n> {line}\r\n> {line}"), "> BEGIN\r\n> MASK"),
        (
            format!("(\n    \"BEGIN\\n\"\n    \"{line}\\n\"\n    \"{line}\\n\"\n)"),
            "(\n    \"BEGIN\\n\"\n    \"MASK\\n\"\n)",
        ),
        (format!("'BEGIN\\n' +\n'{line}'"), "'BEGIN\\n' +\n'MASK'"),
    ] {
        let whole = |text: &str| {
            text.replace("BEGIN", "-----BEGIN PRIVATE KEY-----").replace("MASK", "‹redacted: private key›")
        };
        assert_eq!(mask(&whole(&text)).expect("a secret").text, whole(masked), "{text}");
    }
}

#[test]
fn a_mask_in_place_moves_nothing() {
    for (text, ..) in secrets() {
        let text = format!("é😀 {text} 😀");
        let masked = mask_in_place(&text).expect("a secret").text;
        assert_eq!(masked.encode_utf16().count(), text.encode_utf16().count(), "{text}");
        assert_eq!(mask_in_place(&masked), None, "{masked}");
    }
}

#[test]
fn a_name_says_whether_it_is_one_of_a_credential() {
    for (name, says) in [
        ("authorization", Some(Named::Credential)),
        ("http.request.header.x-api-key", Some(Named::Credential)),
        ("session.token", Some(Named::Credential)),
        ("auth.token", Some(Named::Password)),
        ("db.password", Some(Named::Password)),
        ("openAIApiKey", Some(Named::Credential)),
        ("clientSecret", Some(Named::Password)),
        ("accesstoken", Some(Named::Password)),
        ("X-Key", Some(Named::Perhaps)),
        ("token", Some(Named::Perhaps)),
        ("key", None),
        ("max_tokens", None),
        ("gen_ai.usage.input_tokens", None),
        ("gen_ai.token.type", None),
        ("nextPageToken", None),
        ("prompt_cache_key", None),
        ("signature", None),
        ("monkey", None),
        ("", None),
    ] {
        assert_eq!(named(name), says, "{name}");
    }
    for (name, is) in [
        ("X-Portkey-Api-Key", true),
        ("Ocp-Apim-Subscription-Key", true),
        ("X-LiteLLM-Key", true),
        ("Helicone-Auth", true),
        ("Set-Cookie", true),
        ("ChatGPT-Account-Id", true),
        ("X-Amz-Signature", true),
        ("key", true),
        ("Idempotency-Key", false),
        ("Sec-WebSocket-Key", false),
        ("anthropic-ratelimit-tokens-remaining", false),
        ("session-id", false),
        ("pageToken", false),
        ("alt", false),
    ] {
        assert_eq!(is_in_request(name), is, "{name}");
    }
}

#[test]
fn json_without_its_secrets_is_json() {
    let key = "Ab3dEf6hIj".repeat(4);
    for text in [
        format!(r#"{{"a":"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ","b":"sk-proj-{key}"}}"#),
        format!(r#"{{"arguments":"{{\"password\":\"hunter2!!x\",\"url\":\"https:\/\/a:{key}@h\"}}"}}"#),
        format!(r#"{{"authorization":"{key}\u003d\u003d"}}"#),
    ] {
        let masked = mask(&text).expect("a secret").text;
        assert!(json::parse(masked.as_bytes()).is_ok(), "{masked}");
        assert!(
            !masked.contains(&key) && !masked.contains("MIIE") && !masked.contains("hunter2"),
            "{masked}"
        );
    }
}
