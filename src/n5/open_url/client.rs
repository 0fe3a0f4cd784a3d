//! The client for HTTP: that of `object_store`, with each request counted and its status noted.

use std::sync::Arc;

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};

use super::status;
use super::traffic::Counters;

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
        status::note(None);
        let mut response = self.client.execute(request).await?;
        status::note(Some(response.status().as_u16()));
        // "Not implemented" is no failure that passes, as the other statuses from 500 on are, and
        // is not to be tried again.
        if response.status().as_u16() == 501
            && let Ok(not_allowed) = 405.try_into()
        {
            *response.status_mut() = not_allowed;
        }
        Ok(response)
    }
}
