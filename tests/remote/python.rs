//! Python's `http.server`, which knows neither ranges nor `PROPFIND`. Any Python 3 will do: the
//! one that runs moto does.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use zarrs_interop::n5::{self, LeftOutReason, OpenError, RegionReader, UrlOptions, WalkOptions};

use crate::container::{PLANE_BLOCKS, all, local, make, plane};
use crate::proxy::Proxy;

/// A program of Python that serves, until it is dropped.
pub(crate) struct PythonServer {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl PythonServer {
    /// Starts `python -u ARGUMENTS`, which says on which port it is in a line with `marker`.
    pub(crate) fn start(arguments: &[&str], marker: &str) -> Self {
        let python = std::env::var("ZARRS_INTEROP_REMOTE_PYTHON").expect(
            "ZARRS_INTEROP_REMOTE_PYTHON names the Python with moto: run this by .ci/remote",
        );
        let mut child = Command::new(&python)
            .arg("-u")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{python}: {error}"));
        // One says it on the one, one on the other; both are read on, so that neither fills up.
        let (sender, lines) = std::sync::mpsc::channel();
        let streams: [Box<dyn std::io::Read + Send>; 2] = [
            Box::new(child.stdout.take().unwrap()),
            Box::new(child.stderr.take().unwrap()),
        ];
        for stream in streams {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    let _ = sender.send(line);
                }
            });
        }
        let mut said = String::new();
        let wait = std::time::Duration::from_mins(1);
        let port = loop {
            let Ok(line) = lines.recv_timeout(wait) else {
                let _ = child.kill();
                panic!("{python} {arguments:?} did not start: {said}");
            };
            if let Some((_, rest)) = line.split_once(marker) {
                let digits = rest.find(|digit: char| !digit.is_ascii_digit());
                break rest[..digits.unwrap_or(rest.len())].parse::<u16>().unwrap();
            }
            said.extend([&line, "\n"]);
        };
        Self {
            child,
            address: SocketAddr::from(([127, 0, 0, 1], port)),
        }
    }
}

impl Drop for PythonServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn http_server(folder: &Path) -> PythonServer {
    let folder = folder.display().to_string();
    let arguments = [
        "-m",
        "http.server",
        "0",
        "--bind",
        "127.0.0.1",
        "--directory",
        &folder,
    ];
    PythonServer::start(&arguments, "port ")
}

#[tokio::test]
#[ignore = "needs Python: .ci/remote runs it"]
async fn the_elements_are_those_of_the_folder() {
    let folder = make();
    let server = http_server(folder.path());
    let proxy = Proxy::start(server.address);
    let store = n5::open_url(&proxy.url(), &UrlOptions::new()).unwrap();
    for path in ["em/gzip", "em/raw"] {
        let array = n5::open_array(store.clone(), path).unwrap();
        let reader = RegionReader::new(&array).unwrap();
        for subset in [plane(40), all()] {
            let expected = local(folder.path(), path, &subset);
            assert_eq!(reader.read::<u8>(&subset).unwrap(), expected, "{path}");
            assert_eq!(
                reader.async_read::<u8>(&subset).await.unwrap(),
                expected,
                "{path}"
            );
            let read: Vec<u8> = array.retrieve_array_subset(&subset).unwrap();
            assert_eq!(read, expected, "{path}");
        }
    }
}

#[test]
#[ignore = "needs Python: .ci/remote runs it"]
fn a_compressed_plane_is_one_get_a_block() {
    let folder = make();
    let server = http_server(folder.path());
    let proxy = Proxy::start(server.address);
    let store = n5::open_url(&proxy.url(), &UrlOptions::new()).unwrap();
    let array = n5::open_array(store, "em/gzip").unwrap();
    RegionReader::new(&array)
        .unwrap()
        .read::<u8>(&plane(40))
        .unwrap();
    assert_eq!(proxy.take_texts().len(), PLANE_BLOCKS + 1);
}

#[test]
#[ignore = "needs Python: .ci/remote runs it"]
fn it_is_not_empty_but_cannot_list() {
    let folder = make();
    let server = http_server(folder.path());
    let url = format!("http://{}", server.address);
    let store = n5::open_url(&url, &UrlOptions::new()).unwrap();
    let report = n5::walk(&store, &WalkOptions::new()).unwrap();
    let [left_out] = report.left_out() else {
        panic!("{report:?}");
    };
    assert!(
        matches!(left_out.reason, LeftOutReason::NotListed(_)),
        "{left_out}"
    );
    let error = n5::open_array(store, "em/gzp").unwrap_err();
    assert!(matches!(error, OpenError::ListingDenied { .. }), "{error}");
}
