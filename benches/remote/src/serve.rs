//! The server: the static one of the tests, with latency, that counts.

use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::Result;
use crate::http::{Answer, Request, Server, Service, Then};
use crate::static_server::StaticFiles;

struct Counting {
    files: StaticFiles,
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl Service for Counting {
    fn serve(&self, request: &Request, out: &mut TcpStream) -> io::Result<Then> {
        if request.target == "/-" {
            let requests = self.requests.swap(0, Ordering::SeqCst);
            let bytes = self.bytes.swap(0, Ordering::SeqCst);
            let text = format!("{{\"requests\":{requests},\"bytes\":{bytes}}}");
            Answer::new(200, text).write(out, "GET")?;
            return Ok(Then::Next);
        }
        std::thread::sleep(self.files.latency);
        let answer = self.files.answer(request)?;
        self.requests.fetch_add(1, Ordering::SeqCst);
        if request.method == "GET" {
            self.bytes
                .fetch_add(answer.body.len() as u64, Ordering::SeqCst);
        }
        answer.write(out, &request.method)?;
        Ok(Then::Next)
    }
}

/// Serves until the standard input ends.
pub(crate) fn serve(folder: &str, milliseconds: u64) -> Result<()> {
    let mut files = StaticFiles::new(folder);
    files.latency = Duration::from_millis(milliseconds);
    let server = Server::start(Counting {
        files,
        requests: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
    });
    println!("{}", server.url());
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}
