//! The client for HTTP: that of `object_store`, with each request counted and its status noted.

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use futures::future::ready;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};

use super::body::{Unread, collect};
use super::causes::says_no_such_bucket;
use super::status;
use super::traffic::Counters;

/// Asked for the next page, and again: it would never end.
const SAME_PAGE: &str = "the server does not know the next page of its own listing: it names the \
                         same one again";

/// As much of the page that comes with an error is looked at: what says which it is, is at its
/// beginning.
const MOST_IN_ERROR: u64 = 64 << 10;
/// The most that a server may say of what is in a folder: over 100,000 names by `WebDAV`. S3 gives
/// 1000 names an answer.
const MOST_IN_LISTING: u64 = 256 << 20;
const LARGE_LISTING: &str = "the answer to a listing has more than 256 MiB, or there is no memory \
                             for it";

/// Makes clients that count.
#[derive(Debug)]
pub(super) struct Connector(pub(super) Arc<Counters>);

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(Client {
            client: ReqwestConnector::default().connect(options)?,
            counters: Arc::clone(&self.0),
        }))
    }
}

#[derive(Debug)]
struct Client {
    client: HttpClient,
    counters: Arc<Counters>,
}

#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        self.counters.add_request();
        let is_propfind = request.method().as_str() == "PROPFIND";
        let is_listing = is_propfind || has_parameter(&request, "list-type=");
        status::note_request();
        let page = page_of(&request);
        if page.as_deref().is_some_and(status::has_page) {
            let error = io::Error::other(SAME_PAGE);
            return Err(HttpError::new(HttpErrorKind::Decode, error));
        }
        let response = self.client.execute(request).await?;
        status::note(Some(response.status().as_u16()));
        let mut response = if !response.status().is_success() {
            with_body(response, MOST_IN_ERROR).await?
        } else if is_listing {
            let response = with_body(response, MOST_IN_LISTING).await?;
            status::note_whole();
            response
        } else {
            without_weak_tag(response)
        };
        if let Some(page) = page
            && response.status().is_success()
        {
            status::note_page(page);
        }
        // "Not implemented" is no failure that passes, as the other statuses from 500 on are, and
        // is not to be tried again.
        if response.status().as_u16() == 501
            && let Ok(not_allowed) = 405.try_into()
        {
            *response.status_mut() = not_allowed;
        }
        if is_propfind && response.status().as_u16() == 404 {
            response = with_bucket_gone(response).await?;
        }
        Ok(response)
    }
}

/// The URL of a later page of a listing of S3; `None` if `request` asks for something else.
fn page_of(request: &HttpRequest) -> Option<String> {
    has_parameter(request, "continuation-token=").then(|| request.uri().to_string())
}

fn has_parameter(request: &HttpRequest, name: &str) -> bool {
    let query = request.uri().query();
    query.is_some_and(|query| query.contains(name))
}

/// An answer whose body is here. The library takes those of listings and of errors itself, but
/// makes room for as much as the server says before. An answer that is no success is cut where it
/// has too much, as only its beginning is looked at; a listing would have no end then.
async fn with_body(response: HttpResponse, most: u64) -> Result<HttpResponse, HttpError> {
    let (parts, body) = response.into_parts();
    let is_listing = parts.status.is_success();
    let mut taken = 0_u64;
    let stream = body.bytes_stream().take_while(move |part| {
        // The part that crosses the limit belongs to the listing, which is refused by it.
        let is_taken = is_listing || taken < most;
        taken = taken.saturating_add(part.as_ref().map_or(0, |part| part.len() as u64));
        ready(is_taken)
    });
    let limit = if is_listing { most } else { u64::MAX };
    let bytes = collect(stream, 0, limit)
        .await
        .map_err(|unread| match unread {
            Unread::Cut(error) => error,
            Unread::TooLarge(_) | Unread::NoMemory(_) => {
                // It would be no other if it were asked for again.
                status::note(None);
                HttpError::new(HttpErrorKind::Decode, io::Error::other(LARGE_LISTING))
            }
        })?;
    Ok(HttpResponse::from_parts(parts, bytes.into()))
}

/// An answer without an `ETag` that promises the same meaning only, and not the same bytes: the
/// library would put what came of one body and the rest of another together.
fn without_weak_tag(mut response: HttpResponse) -> HttpResponse {
    let tag = response.headers().get("etag");
    if tag.is_some_and(|tag| tag.as_bytes().starts_with(b"W/")) {
        response.headers_mut().remove("etag");
    }
    response
}

/// The answer to a listing of a web server, which the library takes for an empty one by its status,
/// 404. That of S3 for a bucket that does not exist is to be the error that it is.
async fn with_bucket_gone(response: HttpResponse) -> Result<HttpResponse, HttpError> {
    let (mut parts, body) = response.into_parts();
    let body = body.bytes().await?;
    if says_no_such_bucket(&String::from_utf8_lossy(&body))
        && let Ok(gone) = 410.try_into()
    {
        parts.status = gone;
    }
    Ok(HttpResponse::from_parts(parts, body.into()))
}
