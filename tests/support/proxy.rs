//! A proxy before a server: it counts requests, holds them up, and does to answers what networks
//! and servers do.

use std::io::{self, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::http::{Answer, Request, Server, Service, Then};

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is this status instead, with a page for people.
    Status(u16),
    /// It is that of S3 for what would be in a bucket that does not exist.
    NoSuchBucket,
    /// The connection ends without an answer.
    None,
    /// The connection ends in the middle of the body.
    Cut,
    /// The body is half of what it was, and says so.
    Truncated,
    /// The body comes byte by byte, with this between them.
    SlowByte(Duration),
    /// It comes after this.
    Late(Duration),
}

/// Decides about the fault of a request; by its number among the requests, from 0 on.
type Faults = dyn Fn(usize, &Request) -> Option<Fault> + Send + Sync;

/// A proxy, until it is dropped.
pub(crate) struct Proxy {
    server: Server,
    shared: Arc<Shared>,
}

struct Shared {
    to: SocketAddr,
    faults: Mutex<Arc<Faults>>,
    latency: Mutex<Duration>,
    log: Mutex<Vec<Request>>,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
}

impl Proxy {
    /// Starts a proxy before the server at `to`.
    pub(crate) fn start(to: SocketAddr) -> Self {
        let shared = Arc::new(Shared {
            to,
            faults: Mutex::new(Arc::new(|_, _| None)),
            latency: Mutex::default(),
            log: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            most_in_flight: AtomicUsize::new(0),
        });
        Self {
            server: Server::start(Arc::clone(&shared)),
            shared,
        }
    }

    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Sets what becomes of the answers from now on.
    pub(crate) fn set_faults(
        &self,
        faults: impl Fn(usize, &Request) -> Option<Fault> + Send + Sync + 'static,
    ) {
        *self.shared.faults.lock().unwrap() = Arc::new(faults);
    }

    /// Sets how long every request is held up.
    pub(crate) fn set_latency(&self, latency: Duration) {
        *self.shared.latency.lock().unwrap() = latency;
    }

    /// The requests since the last call, and the most of them that were there at the same time.
    pub(crate) fn take(&self) -> (Vec<Request>, usize) {
        let log = std::mem::take(&mut *self.shared.log.lock().unwrap());
        (log, self.shared.most_in_flight.swap(0, Ordering::SeqCst))
    }

    /// As [`take`](Self::take), each request as a text such as `GET /a/0/0 bytes=0-15`.
    pub(crate) fn take_texts(&self) -> Vec<String> {
        let (log, _) = self.take();
        let text = |request: &Request| {
            let range = request.header("range").unwrap_or_default();
            format!("{} {} {range}", request.method, request.target)
                .trim_end()
                .to_owned()
        };
        log.iter().map(text).collect()
    }
}

impl Service for Arc<Shared> {
    fn serve(&self, request: &Request, out: &mut TcpStream) -> io::Result<Then> {
        let now = self.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_in_flight.fetch_max(now, Ordering::SeqCst);
        let result = self.relay(request, out);
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
        result
    }
}

impl Shared {
    fn relay(&self, request: &Request, out: &mut TcpStream) -> io::Result<Then> {
        let number = {
            let mut log = self.log.lock().unwrap();
            log.push(request.clone());
            log.len() - 1
        };
        let faults = Arc::clone(&self.faults.lock().unwrap());
        let fault = faults(number, request);
        let latency = *self.latency.lock().unwrap();
        thread::sleep(latency);
        if fault == Some(Fault::None) {
            return Ok(Then::Close);
        }
        let mut answer = match fault {
            Some(Fault::Status(status)) => Answer::new(status, "<html>a page for people</html>"),
            Some(Fault::NoSuchBucket) => Answer::new(
                404,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchBucket</Code>\
                 <Message>The specified bucket does not exist</Message></Error>",
            ),
            _ => self.ask(request)?,
        };
        match fault {
            Some(Fault::Cut) => {
                answer.body.truncate(answer.body.len() / 2);
                answer.write(out, &request.method)?;
                return Ok(Then::Close);
            }
            Some(Fault::Truncated) => {
                answer.body.truncate(answer.body.len() / 2);
                answer
                    .headers
                    .retain(|(name, _)| !name.eq_ignore_ascii_case("content-length"));
                let size = answer.body.len();
                answer = answer.with_header("Content-Length", &size);
            }
            Some(Fault::SlowByte(pause)) => {
                answer.write_head(out)?;
                for byte in &answer.body {
                    thread::sleep(pause);
                    out.write_all(&[*byte])?;
                }
                return Ok(Then::Next);
            }
            Some(Fault::Late(pause)) => thread::sleep(pause),
            Some(Fault::Status(_) | Fault::NoSuchBucket | Fault::None) | None => (),
        }
        answer.write(out, &request.method)?;
        Ok(Then::Next)
    }

    /// The answer of the server behind.
    fn ask(&self, request: &Request) -> io::Result<Answer> {
        let mut request = request.clone();
        request
            .headers
            .retain(|(name, _)| !name.eq_ignore_ascii_case("connection"));
        request
            .headers
            .push(("Connection".to_owned(), "close".to_owned()));
        let mut server = TcpStream::connect(self.to)?;
        request.write(&mut server)?;
        let mut answer = Answer::read(&mut BufReader::new(server), &request.method)?;
        answer
            .headers
            .retain(|(name, _)| !name.eq_ignore_ascii_case("connection"));
        Ok(answer)
    }
}
