//! What a URL says. Pure: nothing is opened here.

use std::path::PathBuf;

use object_store::path::Path;
use url::{Host, Url};

use super::error::OpenUrlError;

/// Where a hierarchy is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// In a bucket.
    S3 { bucket: String, prefix: Path },
    /// In a folder of a web server, whose URL ends without a `/`.
    Http { url: String },
    /// In a folder of the file system.
    File { folder: PathBuf },
}

const PATH: &str = "it is a path and no URL: for a folder take zarrs's `FilesystemStore`, or write \
                    file:// and its whole path";
const NO_SCHEME: &str = "there is no `://` in it: write https:// or http:// before a host, s3:// before \
                         a bucket; for a folder take zarrs's `FilesystemStore`, or write file:// and its \
                         whole path";

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, OpenUrlError> {
        let invalid = |reason: String| OpenUrlError::Invalid {
            url: without_secrets(text),
            reason,
        };
        let parsed = Url::parse(text);
        let is_known = |url: &Url| matches!(url.scheme(), "s3" | "s3a" | "http" | "https" | "file");
        if !text.contains("://") && !parsed.as_ref().is_ok_and(is_known) {
            let is_path = text.starts_with(['/', '.', '~', '\\']);
            return Err(invalid(if is_path { PATH } else { NO_SCHEME }.to_owned()));
        }
        let url = parsed.map_err(|error| invalid(error.to_string()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(OpenUrlError::Credentials {
                url: without_secrets(text),
            });
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(OpenUrlError::Query {
                url: without_secrets(text),
            });
        }
        let host = || url.host_str().filter(|host| !host.is_empty());
        match url.scheme() {
            "s3" | "s3a" => {
                let bucket = host().ok_or_else(|| invalid("it names no bucket".to_owned()))?;
                check_name("the bucket", bucket).map_err(invalid)?;
                let prefix = Path::from_url_path(url.path());
                Ok(Self::S3 {
                    bucket: bucket.to_owned(),
                    prefix: prefix.map_err(|error| invalid(error.to_string()))?,
                })
            }
            "http" | "https" => {
                check_host(&url).map_err(invalid)?;
                Ok(Self::Http {
                    url: url.as_str().trim_end_matches('/').to_owned(),
                })
            }
            "file" => {
                let folder = url.to_file_path();
                Ok(Self::File {
                    folder: folder.map_err(|()| {
                        invalid("it is no path of this system, as file:///data/x.n5".to_owned())
                    })?,
                })
            }
            scheme => Err(OpenUrlError::Scheme {
                url: without_secrets(text),
                scheme: scheme.to_owned(),
            }),
        }
    }
}

/// An error if the host of `url` cannot be in a request, though it can be in a URL.
pub(super) fn check_host(url: &Url) -> Result<(), String> {
    match url.host() {
        Some(Host::Domain(host)) => check_name("the host", host),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => Ok(()),
        None => Err("it names no host".to_owned()),
    }
}

fn check_name(what: &str, name: &str) -> Result<(), String> {
    let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.bytes().all(is_in_name) {
        return Ok(());
    }
    Err(format!(
        "{what} has characters other than ASCII letters, digits, `-`, `_` and `.`"
    ))
}

/// The text of a URL without what may be a secret in it: what is before an `@` in its authority,
/// and what follows a `?` or `#`.
pub(super) fn without_secrets(text: &str) -> String {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let (shown, cut) = text.split_at(end);
    let mut shown = shown.to_owned();
    // Not only before the first `/`: a password may have one, which makes a URL that is none.
    if let Some(at) = shown.rfind('@') {
        let start = shown.find("://").map_or(0, |at| at + 3);
        if start <= at {
            shown.replace_range(start..at, "…");
        }
    }
    if !cut.is_empty() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> Address {
        Address::parse(url).unwrap()
    }

    #[test]
    fn buckets_have_a_name_and_a_prefix() {
        let s3 = |prefix: &str| Address::S3 {
            bucket: "My_bucket".to_owned(),
            prefix: Path::parse(prefix).unwrap(),
        };
        assert_eq!(parse("s3://My_bucket/a/x.n5"), s3("a/x.n5"));
        assert_eq!(parse("s3a://My_bucket/a/x.n5/"), s3("a/x.n5"));
        assert_eq!(parse("s3://My_bucket"), s3(""));
        assert_eq!(parse("s3://My_bucket/"), s3(""));
        assert_eq!(parse("s3://My_bucket/a b/x%23.n5"), s3("a b/x#.n5"));
    }

    #[test]
    fn web_servers_have_a_url_without_a_slash_at_its_end() {
        let http = |url: &str| Address::Http {
            url: url.to_owned(),
        };
        assert_eq!(parse("https://h/a/x.n5/"), http("https://h/a/x.n5"));
        assert_eq!(parse("http://h:80/x y"), http("http://h/x%20y"));
        assert_eq!(parse("http://127.0.0.1:9"), http("http://127.0.0.1:9"));
    }

    #[cfg(unix)]
    #[test]
    fn folders_have_a_path() {
        let folder = PathBuf::from("/data/x y.n5");
        assert_eq!(parse("file:///data/x%20y.n5"), Address::File { folder });
        let error = Address::parse("file://host/data").unwrap_err();
        assert!(matches!(error, OpenUrlError::Invalid { .. }), "{error}");
    }

    #[test]
    fn other_urls_are_refused_by_name() {
        let error = Address::parse("gs://bucket/x.n5").unwrap_err();
        assert!(matches!(error, OpenUrlError::Scheme { .. }), "{error}");
        for text in [
            "/data/x.n5",
            "",
            "s3:///x.n5",
            "http://",
            "http://a\"b/",
            "s3://bü/x",
        ] {
            let error = Address::parse(text).unwrap_err();
            assert!(
                matches!(error, OpenUrlError::Invalid { .. }),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn paths_and_hosts_are_told_what_to_write_before_them() {
        for text in ["/tmp/x.n5", "./x.n5", "../x.n5", "~/x.n5"] {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(error.contains("is a path and no URL"), "{error}");
            assert!(error.contains("FilesystemStore"), "{error}");
        }
        for text in ["localhost:8766/x", "host.org/x.n5", "x.n5", "C:\\x.n5", ""] {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(
                error.contains("write https:// or http:// before"),
                "{error}"
            );
        }
        let error = Address::parse("user:hidden@host/x")
            .unwrap_err()
            .to_string();
        assert!(!error.contains("hidden"), "{error}");
    }

    #[test]
    fn credentials_in_a_url_are_refused_and_never_shown() {
        for text in [
            "https://user:hidden@host/x.n5",
            "s3://AKIA:hidden@bucket/x.n5",
            "s3://AKIA:hid/hidden@bucket/x.n5",
            "https://user:hidden@ho st/x.n5",
            "https://host/x.n5?X-Amz-Signature=hidden",
            "https://host/x.n5#hidden",
            "ftp://user:hidden@host/x",
        ] {
            let error = Address::parse(text).unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("hidden"), "{text}: {shown}");
        }
    }
}
