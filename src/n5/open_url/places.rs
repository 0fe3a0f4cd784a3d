//! The object store for an address.

use std::path::PathBuf;
use std::sync::Arc;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientConfigKey, ClientOptions, HeaderMap, HeaderValue, ObjectStore, RetryConfig,
};
use url::Url;

use super::address::Address;
use super::client::Connector;
use super::error::OpenUrlError;
use super::options::{Access, UrlOptions};
use super::settings;
use super::traffic::Counters;

/// An object store, and where in it the hierarchy is.
pub(super) struct Place {
    pub(super) objects: Arc<dyn ObjectStore>,
    pub(super) prefix: Path,
    /// The same in what is listed: web servers give paths from their own root on.
    pub(super) listed_prefix: Path,
    /// The URL of the hierarchy, for errors.
    pub(super) url: String,
    pub(super) kind: Kind,
    /// The folder of a hierarchy by `file://`.
    pub(super) folder: Option<PathBuf>,
    /// The variable of the environment that names a proxy for such requests.
    pub(super) proxy: Option<&'static str>,
    pub(super) counters: Arc<Counters>,
}

/// What is to be known of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    S3,
    /// Most of these cannot list, and answer a listing in many ways.
    Http,
    /// Here requests are not counted by the client.
    File,
}

impl Place {
    pub(super) fn new(address: Address, options: &UrlOptions) -> Result<Self, OpenUrlError> {
        let counters = Arc::new(Counters::default());
        let connector = Connector(Arc::clone(&counters));
        let mut listed_prefix = None;
        let mut of_files = None;
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let mut proxy = None;
        let (objects, prefix, url, kind): (Arc<dyn ObjectStore>, _, _, _) = match address {
            Address::S3 { bucket, prefix } => {
                let url = format!("s3://{bucket}/{prefix}");
                if options.authorization.is_some() {
                    return Err(not_for(
                        url,
                        "with_authorization",
                        "https:// and http:// URLs",
                    ));
                }
                let builder = bucket_of(&bucket, options)?.with_http_connector(connector);
                let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
                proxy = if is_set("AWS_PROXY_URL") {
                    Some("AWS_PROXY_URL")
                } else {
                    settings::proxy_variable(&endpoint.unwrap_or_default(), is_set)
                };
                let store = builder
                    .build()
                    .map_err(|source| client_error(&url, source))?;
                (Arc::new(store), prefix, url, Kind::S3)
            }
            Address::Http { url } => {
                if options.endpoint.is_some() {
                    return Err(not_for(url, "with_endpoint", "s3:// URLs"));
                }
                // Of `https://` redirections do not lead to `http://`, which anyone can read.
                let is_http = url.starts_with("http://");
                let builder = HttpBuilder::new()
                    .with_url(url.as_str())
                    .with_client_options(client(options)?.with_allow_http(is_http))
                    .with_retry(retry(options))
                    .with_http_connector(connector);
                let store = builder
                    .build()
                    .map_err(|source| client_error(&url, source))?;
                listed_prefix = path_of(&url);
                proxy = settings::proxy_variable(&url, is_set);
                (Arc::new(store), Path::default(), url, Kind::Http)
            }
            Address::File { folder } => {
                let url = format!("file://{}", folder.display());
                if !folder.is_dir() {
                    return Err(OpenUrlError::NoSuchFolder { folder });
                }
                let store = LocalFileSystem::new_with_prefix(&folder);
                let store = store.map_err(|source| client_error(&url, source))?;
                of_files = Some(folder);
                (Arc::new(store), Path::default(), url, Kind::File)
            }
        };
        Ok(Self {
            objects,
            listed_prefix: listed_prefix.unwrap_or_else(|| prefix.clone()),
            prefix,
            url: url.trim_end_matches('/').to_owned(),
            kind,
            folder: of_files,
            proxy,
            counters,
        })
    }
}

/// The path in a URL; `None` if it is none that could be listed.
fn path_of(url: &str) -> Option<Path> {
    Path::from_url_path(Url::parse(url).ok()?.path()).ok()
}

fn client_error(url: &str, source: object_store::Error) -> OpenUrlError {
    OpenUrlError::Client {
        url: url.to_owned(),
        source,
    }
}

fn not_for(url: String, option: &'static str, expected: &'static str) -> OpenUrlError {
    OpenUrlError::OptionNotForUrl {
        url,
        option,
        expected,
    }
}

fn bucket_of(bucket: &str, options: &UrlOptions) -> Result<AmazonS3Builder, OpenUrlError> {
    let is_overridden = |key| match key {
        AmazonS3ConfigKey::Region | AmazonS3ConfigKey::DefaultRegion => options.region.is_some(),
        AmazonS3ConfigKey::Endpoint | AmazonS3ConfigKey::S3Endpoint => options.endpoint.is_some(),
        AmazonS3ConfigKey::AccessKeyId
        | AmazonS3ConfigKey::SecretAccessKey
        | AmazonS3ConfigKey::Token => options.access == Access::Anonymous,
        // Of those for the client there are options, or nobody should be able to set them from
        // outside, such as that certificates are not checked.
        AmazonS3ConfigKey::Client(key) => !matches!(
            key,
            ClientConfigKey::AllowHttp
                | ClientConfigKey::ProxyUrl
                | ClientConfigKey::ProxyExcludes
                | ClientConfigKey::ProxyCaCertificate
        ),
        _ => false,
    };
    let builder = AmazonS3Builder::new().with_client_options(client(options)?);
    let builder = settings::from_environment(builder, std::env::vars_os(), is_overridden)?;
    let mut builder = builder.with_bucket_name(bucket);
    if let Some(region) = &options.region {
        builder = builder.with_region(settings::region("`UrlOptions::with_region`", region)?);
    } else if let Some(region) = builder.get_config_value(&AmazonS3ConfigKey::DefaultRegion)
        && builder
            .get_config_value(&AmazonS3ConfigKey::Region)
            .is_none()
    {
        builder = builder.with_region(region);
    }
    if let Some(endpoint) = &options.endpoint {
        let endpoint = settings::endpoint("`UrlOptions::with_endpoint`", endpoint)?;
        builder = builder.with_endpoint(endpoint);
    }
    let setting = |key| builder.get_config_value(&key);
    let is_true = |key| setting(key).is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let is_http_allowed =
        options.allow_http || is_true(AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp));
    let endpoint = setting(AmazonS3ConfigKey::S3Endpoint);
    let endpoint = endpoint.or_else(|| setting(AmazonS3ConfigKey::Endpoint));
    if let Some(endpoint) = endpoint.filter(|endpoint| endpoint.starts_with("http://"))
        && !is_http_allowed
    {
        return Err(OpenUrlError::HttpNotAllowed { endpoint });
    }
    let is_anonymous = match options.access {
        Access::Anonymous => true,
        Access::Environment => !has_credentials(setting),
        Access::Instance => false,
    };
    if is_anonymous {
        builder = builder.with_skip_signature(true);
    }
    Ok(builder
        .with_allow_http(is_http_allowed)
        .with_retry(retry(options)))
}

/// Whether credentials can be had from these settings.
fn has_credentials(setting: impl Fn(AmazonS3ConfigKey) -> Option<String>) -> bool {
    [
        AmazonS3ConfigKey::AccessKeyId,
        AmazonS3ConfigKey::SecretAccessKey,
        AmazonS3ConfigKey::WebIdentityTokenFile,
        AmazonS3ConfigKey::ContainerCredentialsRelativeUri,
        AmazonS3ConfigKey::ContainerCredentialsFullUri,
    ]
    .into_iter()
    .any(|key| setting(key).is_some())
}

fn client(options: &UrlOptions) -> Result<ClientOptions, OpenUrlError> {
    let mut client = ClientOptions::new()
        .with_timeout(settings::capped(options.timeout))
        .with_connect_timeout(settings::capped(options.connect_timeout))
        .with_read_timeout(settings::capped(options.idle_timeout));
    if let Some(authorization) = &options.authorization {
        let mut value = HeaderValue::from_str(authorization)
            // The error of the value says nothing more, and might show it.
            .map_err(|_| OpenUrlError::Authorization)?;
        value.set_sensitive(true);
        let mut headers = HeaderMap::new();
        headers.insert("authorization", value);
        client = client.with_default_headers(headers);
    }
    Ok(client)
}

fn retry(options: &UrlOptions) -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig::default(),
        max_retries: options.retries,
        ..RetryConfig::default()
    }
}
