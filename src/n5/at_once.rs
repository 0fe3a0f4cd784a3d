//! Several nodes are looked at and written at the same time. Both are mostly waiting: for a disk to
//! confirm, or for a server to answer.

/// How many nodes are worked on at the same time: enough that the waiting of slow disks and servers
/// overlaps, and few enough for the limits on open files and requests. Measured by no benchmark.
pub(crate) const AT_ONCE: usize = if cfg!(target_arch = "wasm32") { 1 } else { 16 };

/// The most threads that a read or a check starts, whatever concurrency it is told: thousands spend
/// more time on being started than they save.
pub(crate) const MOST_THREADS: usize = 512;

/// What `work` makes of each of `items`, at most [`AT_ONCE`] of them, each in a thread of its own.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn map_at_once<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if let [item] = items {
        return vec![work(item)];
    }
    std::thread::scope(|scope| {
        let work = &work;
        let threads = items.iter().map(|item| scope.spawn(move || work(item)));
        let threads: Vec<_> = threads.collect();
        let results = threads.into_iter().map(|thread| {
            let result = thread.join();
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        results.collect()
    })
}

/// What `work` makes of each of `items`, one after the other: there are no threads here.
#[cfg(target_arch = "wasm32")]
pub(crate) fn map_at_once<T, R>(items: &[T], work: impl Fn(&T) -> R) -> Vec<R> {
    items.iter().map(work).collect()
}

/// The asynchronous twin of [`map_at_once`], with futures for threads.
#[cfg(feature = "async")]
pub(crate) async fn async_map_at_once<'a, T, F: Future>(
    items: &'a [T],
    work: impl Fn(&'a T) -> F,
) -> Vec<F::Output> {
    futures::future::join_all(items.iter().map(work)).await
}
