//! A bucket of moto's server for S3.

use std::path::Path;
use std::process::Command;

use futures::executor::block_on;
use tempfile::TempDir;
use zarrs_interop::n5::{
    self, CheckOptions, InPlaceOptions, OpenError, RegionReader, SetDocuments, UrlOptions,
    UrlStore, WalkOptions,
};
use zarrs_object_store::AsyncObjectStore;
use zarrs_object_store::object_store::aws::{AmazonS3, AmazonS3Builder};
use zarrs_object_store::object_store::prefix::PrefixStore;
use zarrs_object_store::object_store::{ObjectStoreExt, path::Path as ObjectPath};

use crate::container::{BLOCKS, GRID, PLANE_BLOCKS, all, local, make, plane};
use crate::http::Request;
use crate::proxy::{Fault, Proxy};
use crate::python::PythonServer;

const PREFIX: &str = "some/x y.n5";

/// The container in a bucket, behind a proxy.
struct Bucket {
    folder: TempDir,
    proxy: Proxy,
    _server: PythonServer,
}

impl Bucket {
    fn new() -> Self {
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

    fn options(&self) -> UrlOptions {
        UrlOptions::new()
            .with_endpoint(self.proxy.url())
            .with_allow_http(true)
    }

    fn store(&self) -> UrlStore {
        n5::open_url(&format!("s3://bucket/{PREFIX}"), &self.options()).unwrap()
    }
}

fn block_in_tokio<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(work)
}

fn client(url: &str) -> AmazonS3 {
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

#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn what_is_no_dataset_is_named() {
    let bucket = Bucket::new();
    let open = |path| n5::open_array(bucket.store(), path).unwrap_err();
    let error = open("em/gzp");
    assert!(matches!(error, OpenError::NothingThere { .. }), "{error}");
    assert!(
        error
            .to_string()
            .ends_with("/em is there, and in it are gzip, raw"),
        "{error}"
    );

    let error = open("em");
    assert!(matches!(error, OpenError::Group { .. }), "{error}");
    assert!(
        error
            .to_string()
            .ends_with("datasets below it are /em/gzip, /em/raw"),
        "{error}"
    );

    let error = open("zarr");
    assert!(matches!(error, OpenError::Zarr { .. }), "{error}");

    let error = open("em/raw/0/0");
    assert!(matches!(error, OpenError::InDataset { .. }), "{error}");

    let store = n5::open_url("s3://bucket/other.n5", &bucket.options()).unwrap();
    let error = n5::open_array(store, "em/raw").unwrap_err();
    assert!(matches!(error, OpenError::EmptyStore { .. }), "{error}");

    let store = n5::open_url("s3://nobucket/x.n5", &bucket.options()).unwrap();
    let error = n5::open_array(store, "em/raw").unwrap_err();
    assert!(matches!(error, OpenError::Read { .. }), "{error}");
    assert!(error.to_string().contains("s3://nobucket/x.n5"), "{error}");
    assert!(
        error.to_string().contains("the bucket does not exist"),
        "{error}"
    );
}

#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn what_may_not_be_listed_is_said_to_be_so() {
    let bucket = Bucket::new();
    bucket.proxy.set_faults(|_, request| {
        request
            .target
            .contains("list-type")
            .then_some(Fault::Status(403))
    });
    n5::open_array(bucket.store(), "em/raw").unwrap();
    let error = n5::open_array(bucket.store(), "em/gzp").unwrap_err();
    assert!(matches!(error, OpenError::ListingDenied { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("access denied (HTTP 403 Forbidden)"),
        "{error}"
    );

    bucket.proxy.set_faults(|_, _| Some(Fault::Status(403)));
    let error = n5::open_array(bucket.store(), "em/raw").unwrap_err();
    assert!(matches!(error, OpenError::AccessDenied { .. }), "{error}");
}

/// The folders that were listed, without the prefix of the container.
fn listed(requests: &[Request]) -> Vec<String> {
    let listings = requests
        .iter()
        .filter(|request| request.target.contains("list-type"));
    let prefix = |request: &Request| {
        let query = request.target.split('?').nth(1).unwrap_or_default();
        assert!(query.contains("delimiter=%2F"), "{query}");
        let prefix = query
            .split('&')
            .find_map(|part| part.strip_prefix("prefix="));
        let prefix = prefix
            .unwrap_or_default()
            .replace("%2F", "/")
            .replace("%20", " ");
        prefix
            .replace('+', " ")
            .trim_start_matches(PREFIX)
            .to_owned()
    };
    let mut listed: Vec<_> = listings.map(prefix).collect();
    listed.sort();
    listed
}

#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn a_walk_lists_no_folder_of_blocks() {
    let bucket = Bucket::new();
    bucket
        .proxy
        .set_latency(std::time::Duration::from_millis(20));
    for is_async in [false, true] {
        let store = bucket.store();
        let options = WalkOptions::new();
        let report = if is_async {
            block_on(n5::async_walk(&store, &options)).unwrap()
        } else {
            n5::walk(&store, &options).unwrap()
        };
        let datasets: Vec<_> = report.datasets().map(|(path, _)| path.to_owned()).collect();
        assert_eq!(datasets, ["/em/gzip", "/em/raw"]);
        let (requests, most) = bucket.proxy.take();
        assert_eq!(
            listed(&requests),
            ["/", "/em/", "/em/gzip/", "/em/raw/", "/zarr/"]
        );
        assert!(most <= 16, "{most}");
    }
}

#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn a_check_reads_each_block_once() {
    let bucket = Bucket::new();
    bucket
        .proxy
        .set_latency(std::time::Duration::from_millis(20));
    let store = bucket.store();
    let options = CheckOptions::new();
    let check = n5::async_check(&store, "/em/gzip", &options, |_| {});
    let report = block_on(check).unwrap();
    assert_eq!(
        (report.present, report.missing(), report.corrupt_count),
        (BLOCKS as u64 - 1, 1, 0)
    );
    let (requests, most) = bucket.proxy.take();
    let folders = 1 + GRID[0] + GRID[0] * GRID[1];
    let reads = requests.len() - listed(&requests).len();
    assert_eq!(reads, BLOCKS, "the document and all blocks but one");
    assert_eq!(
        listed(&requests).len(),
        folders,
        "each folder of blocks once"
    );
    assert!(most <= 32, "{most}");
}

/// Through zarrs's own adapter, as this crate's store does not write.
#[test]
#[ignore = "needs moto: .ci/remote runs it"]
fn a_conversion_lists_no_folder_of_blocks_and_has_few_requests_in_flight() {
    let bucket = Bucket::new();
    bucket
        .proxy
        .set_latency(std::time::Duration::from_millis(20));
    let client = client(&bucket.proxy.url());
    let store = AsyncObjectStore::new(PrefixStore::new(client, ObjectPath::parse(PREFIX).unwrap()));
    let documents = SetDocuments(store);
    let mut told = Vec::new();
    let report = block_in_tokio(n5::async_add_zarr_metadata(
        &documents,
        &InPlaceOptions::new(),
        |progress| told.push(format!("{progress:?}")),
    ))
    .unwrap();
    assert_eq!(report.converted(), 4, "{report:?}");
    assert!(told.len() >= 4, "{told:?}");
    let (requests, most) = bucket.proxy.take();
    assert!(most <= 16, "{most}");
    for folder in listed(&requests) {
        assert!(
            !folder.contains(|digit: char| digit.is_ascii_digit()),
            "{folder}"
        );
    }
    let blocks = requests
        .iter()
        .filter(|request| request.target.ends_with("/0"));
    assert_eq!(blocks.count(), 0);
    // And again: nothing is to be done.
    let report = block_in_tokio(n5::async_add_zarr_metadata(
        &documents,
        &InPlaceOptions::new(),
        |_| {},
    ))
    .unwrap();
    assert_eq!(report.converted(), 0, "{report:?}");
    let (requests, _) = bucket.proxy.take();
    assert!(
        !requests.iter().any(|request| request.method == "PUT"),
        "{requests:?}"
    );
}
