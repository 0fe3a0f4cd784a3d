//! URLs, which the programs take with the feature `object_store`.

#![allow(dead_code, reason = "every example uses a part of it")]

/// Requests to a server at the same time.
#[cfg(feature = "object_store")]
pub(crate) const REQUESTS: usize = 32;

pub(crate) fn is_url(path: &str) -> bool {
    path.contains("://")
}

/// The error for a URL where there is no way to open it.
#[cfg(not(feature = "object_store"))]
pub(crate) fn without_feature(url: &str) -> String {
    format!(
        "{url} is a URL, and this program was built without them: build it with the feature \
         object_store, as in\n  cargo run --release --features object_store --example {} -- {url}",
        env!("CARGO_CRATE_NAME")
    )
}

/// The URL of the root of a hierarchy, and the path of the node from there on, if a folder on the
/// way is named as the root of one.
#[cfg(feature = "object_store")]
pub(crate) fn root_of(url: &str) -> (&str, Option<String>) {
    let whole = (url, None);
    let Some(end) = url.rfind(".n5/").map(|at| at + ".n5".len()) else {
        return whole;
    };
    let (root, inside) = url.split_at(end);
    let inside = inside.trim_matches('/');
    // A host is no folder, and what is written in the way of URLs cannot be told here.
    let has_path = root
        .split_once("://")
        .is_some_and(|(_, rest)| rest.contains('/'));
    if inside.is_empty() || inside.contains(['%', '?', '#']) || !has_path {
        return whole;
    }
    (root, Some(format!("/{inside}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(feature = "object_store"))]
    #[test]
    fn without_the_feature_a_url_names_it() {
        let error = without_feature("s3://bucket/x.n5");
        assert!(error.contains("--features object_store"), "{error}");
    }

    #[cfg(feature = "object_store")]
    #[test]
    fn the_root_in_a_url_is_where_the_name_says_so() {
        let inside = |path: &str| Some(path.to_owned());
        for (url, expected) in [
            ("s3://b/a/x.n5", ("s3://b/a/x.n5", None)),
            ("s3://b/a/x.n5/", ("s3://b/a/x.n5/", None)),
            ("s3://b/x.n5/em/s0/", ("s3://b/x.n5", inside("/em/s0"))),
            (
                "https://h/x.n5/y.n5/s0",
                ("https://h/x.n5/y.n5", inside("/s0")),
            ),
            ("https://h.n5/a/s0", ("https://h.n5/a/s0", None)),
            ("https://h/x.n5/a%20b", ("https://h/x.n5/a%20b", None)),
            ("https://h/x.n5/a?b", ("https://h/x.n5/a?b", None)),
        ] {
            assert_eq!(root_of(url), expected);
        }
    }
}
