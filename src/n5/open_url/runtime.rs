//! The threads that send the requests of all URL stores of a program.

use std::io;
use std::pin::Pin;
use std::sync::OnceLock;
use std::sync::mpsc::sync_channel;
use std::task::{Context, Poll};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// How many threads there are: they only move bytes, which one does at some GB/s; two, so that a
/// large body does not hold up the answers that others wait for. Measured by `benches/remote`.
const THREADS: usize = 2;

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The threads, started by the first call.
pub(super) fn handle() -> io::Result<Handle> {
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime.handle().clone());
    }
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(THREADS).enable_all();
    let runtime = builder.thread_name("n5 requests").build()?;
    // Another thread may have been faster: then those just started end.
    if let Err(runtime) = RUNTIME.set(runtime) {
        runtime.shutdown_background();
    }
    let runtime = RUNTIME.get().ok_or(io::ErrorKind::Other)?;
    Ok(runtime.handle().clone())
}

/// What `work` gives, waited for by this thread; `None` if it panicked.
///
/// This thread may be one of another runtime, so that it waits without any.
pub(super) fn wait<T: Send + 'static>(
    threads: &Handle,
    work: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = sync_channel(1);
    threads.spawn(async move {
        // Whoever waits is there until the answer has come.
        let _ = sender.send(work.await);
    });
    receiver.recv().ok()
}

/// What `work` gives, awaited; `None` if it panicked. It ends when nobody awaits it any more.
pub(super) async fn async_wait<T: Send + 'static>(
    threads: &Handle,
    work: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    Task(threads.spawn(work)).await
}

/// A task that ends with the one who awaits it.
struct Task<T>(JoinHandle<T>);

impl<T> Future for Task<T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(Result::ok)
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
