//! What the environment and the options say of a bucket, checked before the library for requests
//! sees it, which panics at what cannot be in a request. Pure, but for the error texts: no value of
//! a secret is in them.

use std::ffi::OsString;
use std::time::Duration;

use object_store::ClientConfigKey as ClientKey;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey as Key};
use url::Url;

use super::address::{check_host, without_secrets};
use super::error::OpenUrlError;

/// The longest time that can be waited: far longer ones are beyond what clocks can count.
const MOST_TIME: Duration = Duration::from_hours(24 * 365);

/// A time-out as the library can count it.
pub(super) fn capped(time: Duration) -> Duration {
    time.min(MOST_TIME)
}

/// `builder` with the settings of `variables`, those beginning with `AWS_` that are not empty.
/// `is_overridden` says of which the value has no effect.
pub(super) fn from_environment(
    mut builder: AmazonS3Builder,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    is_overridden: impl Fn(Key) -> bool,
) -> Result<AmazonS3Builder, OpenUrlError> {
    for (name, value) in variables {
        let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
            continue;
        };
        if !name.starts_with("AWS_") || value.is_empty() {
            continue;
        }
        if let Ok(key) = name.to_ascii_lowercase().parse::<Key>()
            && !is_overridden(key)
        {
            builder = builder.with_config(key, setting(name, key, value)?);
        }
    }
    let keys = [Key::AccessKeyId, Key::SecretAccessKey];
    let [has_id, has_secret] = keys.map(|key| builder.get_config_value(&key).is_some());
    if has_id != has_secret {
        let (id, secret) = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY");
        let (set, missing) = if has_id { (id, secret) } else { (secret, id) };
        return Err(OpenUrlError::Setting {
            name: missing.to_owned(),
            reason: format!(
                "it is not set, and {set} is; expected both, or none for requests that are not signed"
            ),
        });
    }
    Ok(builder)
}

/// The variable that names a proxy for requests to `url`, if `is_set`.
pub(super) fn proxy_variable(url: &str, is_set: impl Fn(&str) -> bool) -> Option<&'static str> {
    let names = if url.starts_with("http://") {
        ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]
    } else {
        ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
    };
    names.into_iter().find(|name| is_set(name))
}

/// The value of the variable `name` as the library takes it.
fn setting(name: &str, key: Key, value: &str) -> Result<String, OpenUrlError> {
    match key {
        Key::Endpoint | Key::S3Endpoint | Key::StsEndpoint | Key::MetadataEndpoint => {
            endpoint(name, value)
        }
        Key::Region | Key::DefaultRegion => region(name, value),
        Key::SkipSignature | Key::Client(ClientKey::AllowHttp) => yes_or_no(name, value),
        Key::Client(ClientKey::ProxyUrl) => {
            // Others are refused by the library, in a text that shows them.
            let is_url = Url::parse(value).is_ok_and(|url| url.has_host());
            let reason = "it is no URL of a proxy; expected one such as http://127.0.0.1:3128";
            checked(name, value, is_url, reason)
        }
        Key::AccessKeyId
        | Key::SecretAccessKey
        | Key::Token
        | Key::ContainerCredentialsRelativeUri
        | Key::ContainerCredentialsFullUri => {
            let is_visible = value.bytes().all(|byte| byte.is_ascii_graphic());
            let reason = "it has a blank, a line break or another character that is not visible \
                          ASCII; expected one word, as it was given to you";
            checked(name, value, is_visible, reason)
        }
        _ => {
            let has_control = value.chars().any(char::is_control);
            let reason = "it has a line break or another control character; expected a value \
                          without";
            checked(name, value, !has_control, reason)
        }
    }
}

/// `true` or `false`, of the variable `name`.
fn yes_or_no(name: &str, value: &str) -> Result<String, OpenUrlError> {
    let is_true = match value.to_ascii_lowercase().as_str() {
        "1" | "true" | "on" | "yes" | "y" => Some(true),
        "0" | "false" | "off" | "no" | "n" => Some(false),
        _ => None,
    };
    let value = is_true.unwrap_or_default().to_string();
    let reason = "it is neither yes nor no; expected true or false";
    checked(name, &value, is_true.is_some(), reason)
}

/// A region, of the variable or option `name`.
pub(super) fn region(name: &str, value: &str) -> Result<String, OpenUrlError> {
    let is_in_region = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_region = !value.is_empty() && value.bytes().all(is_in_region);
    let reason = "it is no name of a region; expected ASCII letters, digits and `-`, such as \
                  eu-west-1";
    checked(name, value, is_region, reason)
}

/// The URL of a server, of the variable or option `name`, without a `/` at its end.
pub(super) fn endpoint(name: &str, value: &str) -> Result<String, OpenUrlError> {
    let url = server(value).map_err(|reason| OpenUrlError::Setting {
        name: name.to_owned(),
        reason: format!(
            "{:?} is no URL of a server: {reason}; expected one such as https://s3.example.org or \
             http://127.0.0.1:9000",
            without_secrets(value)
        ),
    })?;
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

fn server(value: &str) -> Result<Url, String> {
    if value.is_empty() {
        return Err("it is empty".to_owned());
    }
    if !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("it has a blank or a character that is not visible ASCII".to_owned());
    }
    if !value.contains("://") {
        return Err("it does not begin with http:// or https://".to_owned());
    }
    let url = Url::parse(value).map_err(|error| error.to_string())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("it does not begin with http:// or https://".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("credentials do not belong in it".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("it has a `?` or a `#`".to_owned());
    }
    check_host(&url)?;
    Ok(url)
}

fn checked(
    name: &str,
    value: &str,
    is_right: bool,
    reason: &'static str,
) -> Result<String, OpenUrlError> {
    if is_right {
        return Ok(value.to_owned());
    }
    Err(OpenUrlError::Setting {
        name: name.to_owned(),
        reason: reason.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(variables: &[(&str, &str)]) -> Result<AmazonS3Builder, OpenUrlError> {
        let variables = variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        let builder = AmazonS3Builder::new();
        from_environment(builder, variables.collect::<Vec<_>>(), |_| false)
    }

    #[test]
    fn an_endpoint_that_is_no_url_of_a_server_is_refused_with_its_variable() {
        for (value, expected) in [
            ("127.0.0.1:5055", "does not begin with http://"),
            ("localhost:5055", "does not begin with http://"),
            ("ftp://host", "does not begin with http://"),
            ("http://127.0.0.1:99999", "invalid port number"),
            ("http://", "empty host"),
            (" http://127.0.0.1:5055", "a blank"),
            ("http://127.0.0.1:5055\n", "not visible ASCII"),
            ("http://exämple.org", "not visible ASCII"),
            ("http://host/?a=hidden", "a `?` or a `#`"),
            ("http://host/#hidden", "a `?` or a `#`"),
            ("http://user:hidden@host", "credentials"),
            ("http://a\"b", "the host"),
        ] {
            for name in ["AWS_ENDPOINT_URL", "AWS_ENDPOINT", "AWS_ENDPOINT_URL_S3"] {
                let error = from(&[(name, value)]).unwrap_err().to_string();
                assert!(error.starts_with(&format!("{name} ")), "{error}");
                assert!(error.contains(expected), "{value:?}: {error}");
                assert!(error.contains("https://s3.example.org"), "{error}");
                assert!(!error.contains("hidden"), "{error}");
            }
            let error = endpoint("`UrlOptions::with_endpoint`", value).unwrap_err();
            assert!(error.to_string().contains("with_endpoint"), "{error}");
        }
        assert!(endpoint("it", "").is_err());
    }

    #[test]
    fn endpoints_end_without_a_slash() {
        for (value, expected) in [
            ("http://127.0.0.1:5055/", "http://127.0.0.1:5055"),
            ("HTTPS://S3.example.org/a", "https://s3.example.org/a"),
            ("http://[::1]:9000", "http://[::1]:9000"),
            ("http://minio_1:9000", "http://minio_1:9000"),
        ] {
            let builder = from(&[("AWS_ENDPOINT_URL", value)]).unwrap();
            let found = builder.get_config_value(&Key::Endpoint);
            assert_eq!(found.as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_cannot_be_in_a_request_is_refused_and_not_shown() {
        for name in [
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "AWS_REGION",
            "AWS_DEFAULT_REGION",
        ] {
            for value in ["hidden\n", "hid\rden", "\u{1}hidden", " hidden", "hiddén"] {
                let error = from(&[(name, value)]).unwrap_err();
                let shown = format!("{error} {error:?}");
                assert!(error.to_string().starts_with(name), "{error}");
                assert!(error.to_string().contains("expected"), "{error}");
                assert!(!shown.contains("hid"), "{shown}");
            }
        }
        let error = from(&[("AWS_WEB_IDENTITY_TOKEN_FILE", "/a\nb")]).unwrap_err();
        assert!(error.to_string().contains("line break"), "{error}");
        assert!(region("it", "").is_err());
    }

    #[test]
    fn empty_variables_are_none() {
        let builder = from(&[
            ("AWS_ENDPOINT_URL", ""),
            ("AWS_ACCESS_KEY_ID", ""),
            ("AWS_REGION", "eu-west-3"),
        ])
        .unwrap();
        assert_eq!(builder.get_config_value(&Key::Endpoint), None);
        assert_eq!(builder.get_config_value(&Key::AccessKeyId), None);
        let region = builder.get_config_value(&Key::Region);
        assert_eq!(region.as_deref(), Some("eu-west-3"));
    }

    #[test]
    fn what_the_options_override_is_not_looked_at() {
        let variables = [("AWS_ENDPOINT_URL".into(), "no URL".into())];
        let builder = AmazonS3Builder::new();
        from_environment(builder, variables, |key| matches!(key, Key::Endpoint)).unwrap();
    }

    #[test]
    fn a_half_of_the_credentials_is_an_error_that_names_the_other() {
        let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
        for [set, missing] in [names, [names[1], names[0]]] {
            let error = from(&[(set, "hidden")]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{missing} cannot be used: it is not set")));
            assert!(error.contains(set) && !error.contains("hidden"), "{error}");
        }
        from(&[(names[0], "id"), (names[1], "secret")]).unwrap();
    }

    #[test]
    fn the_proxy_is_that_of_the_scheme() {
        let is_set = |name: &str| ["HTTP_PROXY", "all_proxy"].contains(&name);
        assert_eq!(proxy_variable("http://h", is_set), Some("HTTP_PROXY"));
        assert_eq!(proxy_variable("https://h", is_set), Some("all_proxy"));
        assert_eq!(proxy_variable("http://h", |_| false), None);
    }

    #[test]
    fn yes_and_no_have_their_usual_spellings() {
        let key = Key::Client(ClientKey::AllowHttp);
        for (value, expected) in [
            ("1", "true"),
            ("Yes", "true"),
            ("0", "false"),
            ("off", "false"),
        ] {
            let builder = from(&[("AWS_ALLOW_HTTP", value)]).unwrap();
            assert_eq!(builder.get_config_value(&key).as_deref(), Some(expected));
        }
        for name in ["AWS_ALLOW_HTTP", "AWS_SKIP_SIGNATURE"] {
            let error = from(&[(name, "perhaps")]).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("{name} cannot be used: it is neither")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_proxy_that_is_no_url_is_refused_and_not_shown() {
        for value in ["hidden", "http://", "//hidden"] {
            let error = from(&[("AWS_PROXY_URL", value)]).unwrap_err().to_string();
            assert!(error.starts_with("AWS_PROXY_URL cannot be used"), "{error}");
            assert!(!error.contains("hidden"), "{error}");
        }
    }
}
