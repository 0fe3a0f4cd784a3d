//! N5 behind URLs: what is asked of servers, what comes of their answers, and of those that never
//! come. The servers are real ones, on ports of this machine: a small one in tests/support, and
//! Python's and moto's, whose tests are ignored unless `.ci/remote` runs them.
#![cfg(all(feature = "object_store", feature = "gzip", feature = "filesystem"))]

#[path = "../support/http.rs"]
mod http;
#[path = "../support/proxy.rs"]
mod proxy;
#[path = "../support/static_server.rs"]
mod static_server;

mod bucket;
mod bucket_gone;
mod bucket_listed;
mod child;
mod container;
mod denied;
mod failures;
mod files;
mod in_flight;
mod listed;
mod listers;
mod listing;
mod names;
mod no_ranges;
mod odd_answers;
mod python;
mod reads;
mod replaced;
mod retries;
mod settings;
mod sizes;
mod tls;
