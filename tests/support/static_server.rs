//! A web server for the files of a folder, with ranges. It lists nothing.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::net::TcpStream;
use std::ops::Range;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use super::http::{Answer, Request, Service, Then};

/// The files of a folder.
pub(crate) struct StaticFiles {
    pub(crate) folder: PathBuf,
    /// How long each answer is held back.
    pub(crate) latency: Duration,
    /// Whether a range is answered with it, and not with the whole file.
    pub(crate) has_ranges: bool,
    /// Whether answers have an `ETag`, without which a cut answer has no known rest.
    pub(crate) has_e_tag: bool,
}

impl StaticFiles {
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            latency: Duration::ZERO,
            has_ranges: true,
            has_e_tag: true,
        }
    }

    pub(crate) fn answer(&self, request: &Request) -> io::Result<Answer> {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Ok(Answer::new(405, "only GET and HEAD"));
        }
        let path = self.folder.join(request.target.trim_matches('/'));
        let Ok(mut file) = File::open(&path).filter_file() else {
            return Ok(Answer::new(404, "there is no such file"));
        };
        let size = file.metadata()?.len();
        let asked = request.header("range").filter(|_| self.has_ranges);
        let range = asked.map(|text| range(text, size));
        if range == Some(None) {
            let answer = Answer::new(416, "there are no such bytes");
            return Ok(answer.with_header("Content-Range", &format!("bytes */{size}")));
        }
        let range = range.flatten();
        let Range { start, end } = range.clone().unwrap_or(0..size);
        file.seek(SeekFrom::Start(start))?;
        let mut body = Vec::new();
        file.take(end - start).read_to_end(&mut body)?;
        let status = if range.is_some() { 206 } else { 200 };
        let mut answer = Answer::new(status, body).with_header("Accept-Ranges", "bytes");
        if self.has_e_tag {
            answer = answer.with_header("ETag", &format!("\"{size}\""));
        }
        Ok(match range {
            Some(Range { start, end }) => answer.with_header(
                "Content-Range",
                &format!("bytes {start}-{}/{size}", end - 1),
            ),
            None => answer,
        })
    }
}

impl Service for StaticFiles {
    fn serve(&self, request: &Request, out: &mut TcpStream) -> io::Result<Then> {
        thread::sleep(self.latency);
        self.answer(request)?.write(out, &request.method)?;
        Ok(Then::Next)
    }
}

trait FilterFile {
    fn filter_file(self) -> io::Result<File>;
}

impl FilterFile for io::Result<File> {
    /// Folders open like files.
    fn filter_file(self) -> io::Result<File> {
        let file = self?;
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(io::ErrorKind::IsADirectory.into())
        }
    }
}

/// The range of a header `Range` in `size` bytes, which is not empty; `None` if there is none.
fn range(text: &str, size: u64) -> Option<Range<u64>> {
    let (start, end) = text.strip_prefix("bytes=")?.split_once('-')?;
    let range = match (start, end) {
        ("", len) => size.saturating_sub(len.parse().ok()?)..size,
        (start, "") => start.parse().ok()?..size,
        (start, last) => start.parse().ok()?..last.parse::<u64>().ok()?.checked_add(1)?.min(size),
    };
    (range.start < range.end).then_some(range)
}
