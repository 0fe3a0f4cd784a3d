//! The client for HTTP: that of `object_store`, with each request counted and its status noted.

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};

use super::error::says_no_such_bucket;
use super::status;
use super::traffic::Counters;

/// Asked for the next page, and again: it would never end.
const SAME_PAGE: &str = "the server does not know the next page of its own listing: it names the \
                         same one again";

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
        let is_listing = request.method().as_str() == "PROPFIND";
        status::note(None);
        let page = page_of(&request);
        if page.as_deref().is_some_and(status::has_page) {
            let error = io::Error::other(SAME_PAGE);
            return Err(HttpError::new(HttpErrorKind::Decode, error));
        }
        let mut response = self.client.execute(request).await?;
        status::note(Some(response.status().as_u16()));
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
        if is_listing && response.status().as_u16() == 404 {
            response = with_bucket_gone(response).await?;
        }
        Ok(response)
    }
}

/// The URL of a later page of a listing of S3; `None` if `request` asks for something else.
fn page_of(request: &HttpRequest) -> Option<String> {
    let has_token = request.uri().query()?.contains("continuation-token=");
    has_token.then(|| request.uri().to_string())
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
