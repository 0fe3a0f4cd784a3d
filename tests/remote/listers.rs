//! Servers that list folders: one as `WebDAV` says, one as S3 does.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::http::{Answer, Request};
use crate::static_server::StaticFiles;

/// The text that `%20` and the like stand for.
pub(crate) fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = |byte: u8| char::from(byte).to_digit(16).unwrap();
        if let (b'%', [high, low, after @ ..]) = (first, after) {
            bytes.push(u8::try_from(hex(*high) * 16 + hex(*low)).unwrap());
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").unwrap();
        }
    }
    encoded
}

/// The names of what is in a folder, with a `/` behind those of folders.
fn names(folder: &Path) -> Option<Vec<String>> {
    let entries = fs::read_dir(folder).ok()?.map(Result::unwrap);
    let name = |entry: fs::DirEntry| {
        let slash = if entry.path().is_dir() { "/" } else { "" };
        format!("{}{slash}", entry.file_name().to_str().unwrap())
    };
    let mut names: Vec<_> = entries.map(name).collect();
    names.sort();
    Some(names)
}

/// A web server that has `folder` at the path `base`, such as `/dav/x y.n5`, and lists it.
pub(crate) fn dav(folder: PathBuf, base: &'static str) -> impl Fn(&Request) -> Answer {
    let files = StaticFiles::new(&folder);
    move |request| {
        let target = decoded(&request.target);
        let Some(path) = target.strip_prefix(base) else {
            return Answer::new(404, "nothing is there");
        };
        if request.method != "PROPFIND" {
            let mut request = request.clone();
            path.clone_into(&mut request.target);
            return files.answer(&request).unwrap();
        }
        let path = path.trim_matches('/');
        let Some(names) = names(&folder.join(path)) else {
            return Answer::new(404, "there is no such folder");
        };
        let folder = [base.trim_end_matches('/'), path].join("/");
        let folder = format!("{}/", folder.trim_end_matches('/'));
        let mut list = String::new();
        for name in [String::new()].into_iter().chain(names) {
            let href = encoded(&format!("{folder}{name}"));
            let kind = if href.ends_with('/') {
                "<D:resourcetype><D:collection/></D:resourcetype>"
            } else {
                "<D:resourcetype/><D:getcontentlength>1</D:getcontentlength>"
            };
            write!(
                list,
                "<D:response><D:href>{href}</D:href><D:propstat><D:prop>{kind}\
                 <D:getlastmodified>Mon, 12 Jan 1998 09:25:56 GMT</D:getlastmodified></D:prop>\
                 <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
            )
            .unwrap();
        }
        let list = format!("<D:multistatus xmlns:D=\"DAV:\">{list}</D:multistatus>");
        Answer::new(207, list)
    }
}

/// A server for S3 with `folder` as its bucket `em`, that lists a few keys at a time, and has an
/// empty key for each folder, as the console of Amazon's makes them.
pub(crate) fn s3(folder: PathBuf) -> impl Fn(&Request) -> Answer {
    let files = StaticFiles::new(&folder);
    move |request| {
        let (path, query) = request.target.split_once('?').unwrap_or_default();
        if !query.contains("list-type=2") {
            let mut request = request.clone();
            let target = decoded(&request.target);
            target
                .strip_prefix("/em/")
                .unwrap_or("")
                .clone_into(&mut request.target);
            return files.answer(&request).unwrap();
        }
        assert_eq!(path, "/em");
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let value = pairs
                .find(|(other, _)| *other == name)
                .map(|(_, value)| value);
            value.map(decoded)
        };
        let prefix = value("prefix").unwrap_or_default();
        let from: usize = value("continuation-token").map_or(0, |from| from.parse().unwrap());
        let mut names = names(&folder.join(&prefix)).unwrap_or_default();
        if !prefix.is_empty() && !names.is_empty() {
            names.insert(0, String::new());
        }
        let mut list = String::new();
        let prefix = prefix.replace('&', "&amp;");
        for name in names.iter().skip(from).take(2) {
            let name = name.replace('&', "&amp;");
            if name.ends_with('/') {
                write!(
                    list,
                    "<CommonPrefixes><Prefix>{prefix}{name}</Prefix></CommonPrefixes>"
                )
            } else {
                write!(
                    list,
                    "<Contents><Key>{prefix}{name}</Key><Size>1</Size>\
                     <LastModified>2009-10-12T17:50:30.000Z</LastModified></Contents>"
                )
            }
            .unwrap();
        }
        if from + 2 < names.len() {
            write!(
                list,
                "<NextContinuationToken>{}</NextContinuationToken>",
                from + 2
            )
            .unwrap();
        }
        Answer::new(200, format!("<ListBucketResult>{list}</ListBucketResult>"))
    }
}
