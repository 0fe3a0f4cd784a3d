//! `https://`: a server whose certificate is by an authority of the test, and who trusts that.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

use tempfile::TempDir;
use zarrs_interop::n5::{self, UrlOptions};

use crate::child::{ENDPOINT, URL, read};
use crate::container::{BLOCKS, Served, all, assert_is_on_page};
use crate::http::{Answer, Request, Server};
use crate::python::PythonServer;

/// TLS in front of a server of this machine.
struct Front {
    folder: TempDir,
    server: PythonServer,
}

impl Front {
    fn new(to: SocketAddr) -> Self {
        let folder = TempDir::new().unwrap();
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/tls_front.py");
        let (program, port) = (program.display().to_string(), to.port().to_string());
        let put = folder.path().display().to_string();
        let server = PythonServer::start(&[&program, &port, &put], "port ");
        Self { folder, server }
    }

    fn url(&self) -> String {
        format!("https://{}", self.server.address)
    }

    /// The variable by which a program trusts the authority.
    fn trusted(&self) -> (&str, String) {
        let authority = self.folder.path().join("ca.pem");
        ("SSL_CERT_FILE", authority.display().to_string())
    }
}

#[test]
#[ignore = "needs Python: .ci/remote runs it"]
fn the_elements_are_those_of_the_folder() {
    let served = Served::new();
    let front = Front::new(served.proxy.address());
    let url = (URL, format!("{}/em", front.url()));
    let expected = served.local("em/raw", &all());
    assert_eq!(read(&[url, front.trusted()]).unwrap(), expected);
    assert_eq!(served.proxy.take_texts().len(), BLOCKS + 1);
}

/// The folder `em` as a bucket.
#[test]
#[ignore = "needs Python: .ci/remote runs it"]
fn the_elements_of_a_bucket_are_those_of_the_folder() {
    let served = Served::new();
    let front = Front::new(served.proxy.address());
    let bucket = [
        (URL, "s3://em".to_owned()),
        (ENDPOINT, front.url()),
        front.trusted(),
    ];
    let expected = served.local("em/raw", &all());
    assert_eq!(read(&bucket).unwrap(), expected);
    let [url, endpoint, _] = bucket;
    let error = read(&[url, endpoint]).unwrap_err();
    assert_is_on_page(&error, "invalid peer certificate");
}

#[test]
#[ignore = "needs Python: .ci/remote runs it"]
fn a_certificate_that_is_not_trusted_is_an_error_and_nothing_is_requested() {
    let served = Served::new();
    let front = Front::new(served.proxy.address());
    // By nobody, and by another authority.
    let other = Front::new(served.proxy.address());
    for trusted in [None, Some(other.trusted())] {
        let mut variables = vec![(URL, front.url())];
        variables.extend(trusted);
        let error = read(&variables).unwrap_err();
        assert_is_on_page(&error, "invalid peer certificate");
        assert!(error.contains(&front.url()), "{error}");
    }
    // And for another name than its own.
    let named = front.url().replace("127.0.0.1", "localhost");
    let error = read(&[(URL, named), front.trusted()]).unwrap_err();
    assert_is_on_page(&error, "invalid peer certificate");
    assert_eq!(served.proxy.take_texts(), [""; 0]);
}

/// As in small images of systems, and then for `http://` as well.
#[cfg(target_os = "linux")]
#[test]
fn a_system_that_trusts_nobody_is_an_error_that_the_page_names() {
    let nobody = ("SSL_CERT_FILE", "/nobody/is/trusted".to_owned());
    for url in ["http://127.0.0.1:9", "https://127.0.0.1:9"] {
        let error = read(&[(URL, url.to_owned()), nobody.clone()]).unwrap_err();
        assert_is_on_page(&error, "No CA certificates were loaded");
    }
}

/// Most servers say in plain text that they understand nothing, and some say nothing.
#[test]
fn a_server_that_speaks_no_tls_is_an_error_that_the_page_names() {
    for (answer, expected) in [
        (
            "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
            "received corrupt message of type InvalidContentType",
        ),
        ("", "tls handshake eof"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            let _ = connection.read(&mut [0; 1 << 14]).unwrap();
            connection.write_all(answer.as_bytes()).unwrap();
        });
        let store = n5::open_url(&url, &UrlOptions::new().with_retries(0)).unwrap();
        let error = n5::open_array(store, "em/raw").unwrap_err().to_string();
        server.join().unwrap();
        assert_is_on_page(&error, expected);
    }
}

/// What was asked for with encryption is not asked for again without.
#[test]
#[ignore = "needs Python: .ci/remote runs it"]
fn a_redirection_from_https_to_http_is_not_followed() {
    let served = Served::new();
    let plain = served.proxy.url();
    let redirecting = Server::start(move |request: &Request| {
        let to = format!("{plain}{}", request.target);
        Answer::new(302, "").with_header("Location", &to)
    });
    let front = Front::new(redirecting.address());
    let url = (URL, format!("{}/em", front.url()));
    let error = read(&[url, front.trusted()]).unwrap_err();
    assert_is_on_page(&error, "URL scheme is not allowed");
    assert_eq!(served.proxy.take_texts(), [""; 0]);
}
