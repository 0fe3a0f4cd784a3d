//! [`open_url`]: N5 where it is, in a bucket, on a web server or in a folder.

mod address;
mod again;
mod asynchronous;
mod body;
mod causes;
mod client;
mod error;
mod listing;
mod not_a_file;
mod objects;
mod options;
mod places;
mod ranges;
mod request;
mod runtime;
mod settings;
mod status;
mod store;
mod sync;
mod traffic;

pub use error::{OpenUrlError, UrlError};
pub use options::{Access, UrlOptions};
pub use store::UrlStore;
pub use traffic::UrlTraffic;

/// Opens the N5 hierarchy at `url`, for reading, by programs with and without `async`.
///
/// | URL | what it is |
/// |---|---|
/// | `s3://bucket/prefix/x.n5` | a bucket of S3, or of a server that speaks its language: [`UrlOptions::with_endpoint`] |
/// | `https://host/path/x.n5`, `http://…` | a folder of a web server |
/// | `file:///path/x.n5` | a folder |
///
/// The URL is that of the root of the hierarchy; the path of a dataset in it is given to
/// [`open_array`](super::open_array). What has a meaning of its own in URLs is written as there: a
/// `#` in a name is `%23`. Nothing is requested before something is read.
///
/// ```no_run
/// use zarrs::array::ArraySubset;
/// use zarrs_interop::n5::{self, RegionReader, UrlOptions};
///
/// let url = "s3://janelia-cosem-datasets/jrc_hela-2/jrc_hela-2.n5";
/// let store = n5::open_url(url, &UrlOptions::new())?;
/// let array = n5::open_array(store.clone(), "em/fibsem-uint16/s4")?;
/// let subset = ArraySubset::new_with_ranges(&[0..256, 0..256, 100..101]);
/// let plane: Vec<u16> = RegionReader::new(&array)?.with_concurrency(32).read(&subset)?;
/// println!("{} elements; {}", plane.len(), store.traffic());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The store has the synchronous and the asynchronous traits of zarrs, so that all of this crate
/// and of zarrs works with it. It has threads of its own for the requests, whatever the program
/// runs on: a synchronous call waits for them, from any thread; an asynchronous one needs no tokio.
///
/// # Many requests at a time
/// are what makes remote reads fast: of 64 blocks with 30 ms a request, all in all 0.09 s with 32
/// in flight, and 0.5 s with 4.
///
/// | read | requests in flight |
/// |---|---|
/// | [`RegionReader::async_read`](super::RegionReader::async_read) | 32, or [`with_concurrency`](super::RegionReader::with_concurrency) |
/// | [`RegionReader::read`](super::RegionReader::read) | as many as cores, or `with_concurrency` |
/// | `Array::async_retrieve_array_subset` | as many as cores, at least 4; or what `CodecOptions` say |
/// | `Array::retrieve_array_subset` | the same, but never more than the threads of rayon, as many as cores |
///
/// Of plain zarrs calls the asynchronous ones are to be told, one of them or all of a program:
///
/// ```no_run
/// use zarrs::array::CodecOptions;
///
/// // array.async_retrieve_array_subset_opt(&subset, &options).await
/// let options = CodecOptions::default().with_concurrent_target(32);
/// // All that follows, and the threads that decompress as well:
/// zarrs::config::global_config_mut().set_codec_concurrent_target(32);
/// ```
///
/// Seconds for 512^3 uint8 in blocks of 64^3, 30 ms a request, two cores:
///
/// | read | as it is | with 32 | `RegionReader::async_read` |
/// |---|---|---|---|
/// | gzip, a plane | 0.53 | 0.10 | 0.09 |
/// | raw, a plane | 0.50 | 0.09 | 0.09 |
/// | gzip, all | 4.41 | 1.20 | 0.54 |
/// | raw, all | 4.34 | 0.95 | 0.55 |
///
/// # Requests
/// A block that is needed whole, as every compressed one, is one `GET`. A part of a raw block is
/// one `GET` of a range, or two where the header of the block is far: more than 4 kB, and a tenth
/// of the rest, away. So at most 4 kB a block, or a tenth, is moved for nothing. There is no
/// `HEAD`. Web servers without ranges are found out by the first one that is asked for: from then
/// on blocks are read whole. Opening a dataset is one `GET`, of its `attributes.json`.
///
/// zarrs's own adapters (`zarrs_object_store`, `zarrs_http`) send a `HEAD` before each range, and
/// one range for all that lies within 1 MiB; a whole block is one `GET` there too, since
/// [`N5DefaultStore`](super::N5DefaultStore) asks for it as such.
///
/// Listings are what S3 has, and on web servers `PROPFIND` of `WebDAV`. Most of those cannot list:
/// then [`walk`](super::walk()) and errors say so, and datasets are opened by their path.
///
/// # Limits
/// A server may say of a value that it has any size. So memory is taken for what has come, and
/// what is too large is an error before it is read: a block (or any other value) of more than
/// 2 GiB + 64 MiB, since N5 holds 2 GiB of elements in a block, to which a header and compression
/// add less than that; and a document such as `attributes.json` of more than 64 MiB, which would
/// take some GB as JSON. The largest that are known have some MB. A range that is asked for
/// has the same limits. An answer to a listing has 256 MiB at most.
///
/// # Errors
/// [`OpenUrlError`] if the URL is none of the above, holds credentials, a `?` or a `#`, or the
/// options do not fit it. What a server answers is an error of the calls that ask it: a
/// [`UrlError`], with the URL and the status, within a
/// [`StorageError`](zarrs_storage::StorageError).
pub fn open_url(url: &str, options: &UrlOptions) -> Result<UrlStore, OpenUrlError> {
    let address = address::Address::parse(url)?;
    let place = places::Place::new(address, options)?;
    Ok(UrlStore::new(place, options, runtime::handle()?))
}
