//! Reads by a program of its own, for what is only told by variables of the environment.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use zarrs_interop::n5::{self, RegionReader, UrlOptions};

use crate::container::all;

/// The URL of the hierarchy.
pub(crate) const URL: &str = "ZARRS_INTEROP_REMOTE_CHILD_URL";
/// The endpoint of the bucket, if it is in one.
pub(crate) const ENDPOINT: &str = "ZARRS_INTEROP_REMOTE_CHILD_ENDPOINT";
/// The folder for the file `read`, or `error`.
const TO: &str = "ZARRS_INTEROP_REMOTE_CHILD_TO";

/// What a program of its own with these variables reads of the dataset `raw`, or its error.
pub(crate) fn read(variables: &[(&str, String)]) -> Result<Vec<u8>, String> {
    let to = TempDir::new().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture"])
        .arg("child::reads_what_it_is_told")
        .env_remove("SSL_CERT_FILE")
        .env_remove("SSL_CERT_DIR")
        .env_remove("HTTP_PROXY")
        .env_remove("http_proxy")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .env_remove("AWS_ACCESS_KEY_ID")
        .env_remove("AWS_ALLOW_HTTP")
        .env(TO, to.path())
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    fs::read(to.path().join("read"))
        .map_err(|_| fs::read_to_string(to.path().join("error")).unwrap())
}

fn with_causes(error: &dyn Error) -> String {
    let cause = error.source().map(with_causes).unwrap_or_default();
    format!("{error}: {cause}")
}

#[test]
#[ignore = "other tests start it"]
fn reads_what_it_is_told() {
    let Ok(to) = std::env::var(TO) else {
        return;
    };
    let mut options = UrlOptions::new().with_retries(0);
    if let Ok(endpoint) = std::env::var(ENDPOINT) {
        options = options.with_endpoint(endpoint);
    }
    let store = n5::open_url(&std::env::var(URL).unwrap(), &options);
    let store = store.map_err(|error| with_causes(&error));
    let array = store.and_then(|store| {
        let array = n5::open_array(store, "raw");
        array.map_err(|error| error.to_string())
    });
    let read = array.and_then(|array| {
        let reader = RegionReader::new(&array).unwrap();
        let read = reader.read::<u8>(&all());
        read.map_err(|error| error.to_string())
    });
    let to = Path::new(&to);
    match read {
        Ok(read) => fs::write(to.join("read"), read).unwrap(),
        Err(error) => fs::write(to.join("error"), error).unwrap(),
    }
}
