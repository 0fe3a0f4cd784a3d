//! A bucket of moto's server for S3, and what is read from it.

use std::path::Path;
use std::process::Command;

use futures::executor::block_on;
use tempfile::TempDir;
use zarrs_interop::n5::{self, RegionReader, UrlOptions, UrlStore};
use zarrs_object_store::object_store::aws::{AmazonS3, AmazonS3Builder};
use zarrs_object_store::object_store::{ObjectStoreExt, path::Path as ObjectPath};

use crate::container::{BLOCKS, PLANE_BLOCKS, all, local, make, plane};
use crate::http::Request;
use crate::proxy::Proxy;
use crate::python::PythonServer;

pub(crate) const PREFIX: &str = "some/x y.n5";

/// The container in a bucket, behind a proxy.
pub(crate) struct Bucket {
    folder: TempDir,
    pub(crate) proxy: Proxy,
    _server: PythonServer,
}

impl Bucket {
    pub(crate) fn new() -> Self {
        let server = PythonServer::start(
            &["-m", "moto.server", "-H", "127.0.0.1", "-p", "0"],
            "Running on http://127.0.0.1:",
        );
        let folder = make();
        let url = format!("http://{}", server.address);
        block_in_tokio(async {
            put_bucket(&url);
            let bucket = client(&url);
            put_folder(&bucket, folder.path(), folder.path()).await;
        });
        Self {
            proxy: Proxy::start(server.address),
            folder,
            _server: server,
        }
    }

    pub(crate) fn options(&self) -> UrlOptions {
        UrlOptions::new()
            .with_endpoint(self.proxy.url())
            .with_allow_http(true)
    }

    pub(crate) fn store(&self) -> UrlStore {
        n5::open_url(&format!("s3://bucket/{PREFIX}"), &self.options()).unwrap()
    }
}

pub(crate) fn block_in_tokio<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(work)
}

pub(crate) fn client(url: &str) -> AmazonS3 {
    AmazonS3Builder::new()
        .with_bucket_name("bucket")
        .with_endpoint(url)
        .with_allow_http(true)
        .with_access_key_id("key")
        .with_secret_access_key("secret")
        .build()
        .unwrap()
}

/// Makes the bucket, which the client cannot. Everybody may read it.
fn put_bucket(url: &str) {
    use std::io::BufReader;
    let server = url.trim_start_matches("http://").to_owned();
    let request = Request {
        method: "PUT".to_owned(),
        target: "/bucket".to_owned(),
        headers: [
            ("Host", server.as_str()),
            ("Content-Length", "0"),
            ("Connection", "close"),
            ("x-amz-acl", "public-read"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        body: Vec::new(),
    };
    let mut connection = std::net::TcpStream::connect(&server).unwrap();
    request.write(&mut connection).unwrap();
    let answer = crate::http::Answer::read(&mut BufReader::new(connection), "PUT").unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
}

async fn put_folder(bucket: &AmazonS3, root: &Path, folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            Box::pin(put_folder(bucket, root, &path)).await;
        } else {
            let key = format!("{PREFIX}/{}", path.strip_prefix(root).unwrap().display());
            let value = std::fs::read(&path).unwrap();
            bucket
                .put(&ObjectPath::parse(key).unwrap(), value.into())
                .await
                .unwrap();
        }
    }
}

#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn the_elements_are_those_of_the_folder() {
    let bucket = Bucket::new();
    for path in ["em/gzip", "em/raw"] {
        let array = n5::open_array(bucket.store(), path).unwrap();
        let reader = RegionReader::new(&array).unwrap();
        for subset in [plane(40), all()] {
            let expected = local(bucket.folder.path(), path, &subset);
            assert_eq!(reader.read::<u8>(&subset).unwrap(), expected, "{path}");
            assert_eq!(
                block_on(reader.async_read::<u8>(&subset)).unwrap(),
                expected,
                "{path}"
            );
            let read: Vec<u8> = array.retrieve_array_subset(&subset).unwrap();
            assert_eq!(read, expected, "{path}");
        }
    }
}

#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn requests_are_as_few_as_on_web_servers() {
    let bucket = Bucket::new();
    for (path, subset, expected) in [
        ("em/gzip", plane(40), PLANE_BLOCKS + 1),
        ("em/gzip", all(), BLOCKS + 1),
        ("em/raw", plane(64), PLANE_BLOCKS + 1),
        ("em/raw", plane(40), 2 * PLANE_BLOCKS + 1),
        ("em/raw", all(), BLOCKS + 1),
    ] {
        let store = bucket.store();
        let array = n5::open_array(store.clone(), path).unwrap();
        RegionReader::new(&array)
            .unwrap()
            .read::<u8>(&subset)
            .unwrap();
        let requests = bucket.proxy.take_texts();
        assert_eq!(requests.len(), expected, "{requests:#?}");
        assert!(
            requests.iter().all(|request| request.starts_with("GET")),
            "{requests:#?}"
        );
        assert_eq!(store.traffic().requests, expected as u64);
    }
}

#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn requests_are_anonymous_without_credentials_and_signed_with_them() {
    let bucket = Bucket::new();
    let read = |variables: &[(&str, &str)]| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args([
                "--ignored",
                "--exact",
                "--nocapture",
                "bucket::reads_what_the_environment_says",
            ])
            .env(CHILD, bucket.proxy.url())
            .env_remove("AWS_ACCESS_KEY_ID")
            .env_remove("AWS_SECRET_ACCESS_KEY")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
        let (requests, _) = bucket.proxy.take();
        assert!(!requests.is_empty());
        requests
    };
    for request in read(&[]) {
        assert_eq!(request.header("authorization"), None);
    }
    for request in read(&[
        ("AWS_ACCESS_KEY_ID", "AKIA"),
        ("AWS_SECRET_ACCESS_KEY", "hidden"),
    ]) {
        let signed = request.header("authorization").unwrap();
        assert!(
            signed.starts_with("AWS4-HMAC-SHA256 Credential=AKIA/"),
            "{signed}"
        );
        assert!(signed.contains("/eu-west-3/s3/"), "{signed}");
    }
}

/// The URL of the server, for the program that this test is started in once more.
const CHILD: &str = "ZARRS_INTEROP_REMOTE_CHILD";

#[test]
#[ignore = "the test above starts it"]
fn reads_what_the_environment_says() {
    let Ok(url) = std::env::var(CHILD) else {
        return;
    };
    let options = UrlOptions::new()
        .with_endpoint(url)
        .with_allow_http(true)
        .with_region("eu-west-3");
    let store = n5::open_url(&format!("s3://bucket/{PREFIX}"), &options).unwrap();
    n5::open_array(store, "em/raw").unwrap();
}
