//! HTTP as far as the servers of the tests and of `benches/remote` need it: requests read, answers
//! written, one thread per connection, on a port of this machine. Nothing here is fit for a
//! network.
#![allow(
    dead_code,
    reason = "shared by several programs, and none needs all of it"
)]

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// A request without its body: none that comes here has one.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path and the query, as they came.
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// An answer whose head is written as it is here. A body may be announced as longer than it is.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// What a server does with a connection after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Next,
    Close,
}

/// What answers the requests of a server. It writes the answer itself, so that it can do so badly.
pub(crate) trait Service: Send + Sync + 'static {
    fn serve(&self, request: &Request, out: &mut TcpStream) -> io::Result<Then>;
}

impl<F: Fn(&Request) -> Answer + Send + Sync + 'static> Service for F {
    fn serve(&self, request: &Request, out: &mut TcpStream) -> io::Result<Then> {
        self(request).write(out, &request.method)?;
        Ok(Then::Next)
    }
}

/// A server, until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    listener: Option<JoinHandle<()>>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// Reads the next request of a connection; `None` at its end.
    pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let Some((first, headers)) = read_head(from)? else {
            return Ok(None);
        };
        let mut words = first.split(' ').map(str::to_owned);
        let mut word = || words.next().ok_or(io::ErrorKind::InvalidData);
        let (method, target) = (word()?, word()?);
        let mut body = vec![0; content_length(&headers)?.unwrap_or(0)];
        from.read_exact(&mut body)?;
        Ok(Some(Self {
            method,
            target,
            headers,
            body,
        }))
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let first = format!("{} {} HTTP/1.1", self.method, self.target);
        write_head(out, &first, &self.headers)?;
        out.write_all(&self.body)
    }
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self {
            status,
            headers: vec![("Content-Length".to_owned(), body.len().to_string())],
            body,
        }
    }

    pub(crate) fn with_header(mut self, name: &str, value: &(impl ToString + ?Sized)) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    /// Reads an answer to `method`.
    pub(crate) fn read(from: &mut impl BufRead, method: &str) -> io::Result<Self> {
        let (first, mut headers) = read_head(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let status = first
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let status = status.ok_or(io::ErrorKind::InvalidData)?;
        let mut body = Vec::new();
        if method != "HEAD" && status != 204 && status != 304 {
            match content_length(&headers)? {
                Some(len) => {
                    body = vec![0; len];
                    from.read_exact(&mut body)?;
                }
                None if header(&headers, "transfer-encoding") == Some("chunked") => {
                    body = read_chunks(from)?;
                    headers.retain(|(name, _)| !name.eq_ignore_ascii_case("transfer-encoding"));
                    headers.push(("Content-Length".to_owned(), body.len().to_string()));
                }
                None => {
                    from.read_to_end(&mut body)?;
                    headers.push(("Content-Length".to_owned(), body.len().to_string()));
                }
            }
        }
        Ok(Self {
            status,
            headers,
            body,
        })
    }

    pub(crate) fn write_head(&self, out: &mut impl Write) -> io::Result<()> {
        write_head(out, &format!("HTTP/1.1 {} -", self.status), &self.headers)
    }

    /// Writes the answer to `method`.
    pub(crate) fn write(&self, out: &mut impl Write, method: &str) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(self.body.len() + 512);
        self.write_head(&mut bytes)?;
        if method != "HEAD" {
            bytes.extend_from_slice(&self.body);
        }
        out.write_all(&bytes)
    }
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    let mut found = headers
        .iter()
        .filter(|(other, _)| other.eq_ignore_ascii_case(name));
    found.next().map(|(_, value)| value.as_str())
}

fn content_length(headers: &[(String, String)]) -> io::Result<Option<usize>> {
    let len = header(headers, "content-length").map(str::parse);
    len.transpose()
        .map_err(|_| io::ErrorKind::InvalidData.into())
}

/// The first line and the headers.
type Head = (String, Vec<(String, String)>);

/// Reads a head; `None` at the end of a connection.
fn read_head(from: &mut impl BufRead) -> io::Result<Option<Head>> {
    let mut first = String::new();
    if from.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        from.read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(Some((first.trim_end().to_owned(), headers)));
        }
        let (name, value) = line.split_once(':').ok_or(io::ErrorKind::InvalidData)?;
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
}

fn write_head(out: &mut impl Write, first: &str, headers: &[(String, String)]) -> io::Result<()> {
    let mut head = format!("{first}\r\n");
    for (name, value) in headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head += "\r\n";
    out.write_all(head.as_bytes())
}

fn read_chunks(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        from.read_line(&mut line)?;
        let len = usize::from_str_radix(line.trim(), 16).map_err(|_| io::ErrorKind::InvalidData)?;
        let mut chunk = vec![0; len + 2]; // with the end of the line
        from.read_exact(&mut chunk)?;
        chunk.truncate(len);
        if chunk.is_empty() {
            return Ok(body);
        }
        body.append(&mut chunk);
    }
}

impl Server {
    /// Starts a server on a port that is free.
    pub(crate) fn start(service: impl Service) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let service = Arc::new(service);
        let ends = Arc::clone(&is_over);
        let listener = thread::spawn(move || {
            for connection in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let (service, ends) = (Arc::clone(&service), Arc::clone(&ends));
                // A client that goes away in the middle is none of a server's business.
                thread::spawn(move || connection.and_then(|it| answer_all(&it, &*service, &ends)));
            }
        });
        Self {
            address,
            is_over,
            listener: Some(listener),
        }
    }

    /// The URL of the server, without a `/` at its end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the listener; the threads of connections end with their clients.
        let _ = TcpStream::connect(self.address);
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

fn answer_all(
    connection: &TcpStream,
    service: &dyn Service,
    is_over: &AtomicBool,
) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut requests = BufReader::new(connection.try_clone()?);
    let mut out = connection.try_clone()?;
    while let Some(request) = Request::read(&mut requests)? {
        if is_over.load(Ordering::SeqCst) || service.serve(&request, &mut out)? == Then::Close {
            break;
        }
    }
    connection.shutdown(std::net::Shutdown::Both)
}
