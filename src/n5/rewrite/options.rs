//! What a caller asks for.

use super::error::RewriteError;
use crate::n5::multiscale::MultiscaleOptions;

/// The order of the dimensions of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutputOrder {
    /// As OME-Zarr asks for it, by the names of the axes: time, channel, then z, y, x. Where the
    /// names do not tell, N5's order backwards, which is (z, y, x) for N5's (x, y, z).
    #[default]
    Ome,
    /// N5's own order, dimension 0 first.
    Stored,
}

/// How the elements of a coarser level are made of those of the finer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Downsample {
    /// The mean, for images. Of integers it is the nearest one, and the even one of two equally
    /// near, so that levels do not grow brighter; it is exact for all integers. Of floating point
    /// numbers the sum is made with 64 bits, in C order of the window; where it is beyond these, of
    /// the elements divided by their number, so that the mean of finite elements is finite. The
    /// mean with a NaN is NaN.
    Mean,
    /// The most frequent element, for labels; of several the smallest. Floating point numbers are
    /// counted by their bits: 0.0 and -0.0 are two elements, and so are NaNs with other bits.
    Mode,
}

impl Downsample {
    /// The name, as in the option of the example: `mean` or `mode`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Mode => "mode",
        }
    }
}

/// Which levels the output has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Levels {
    /// Those of the source.
    #[default]
    All,
    /// The finest of the source only.
    Finest,
    /// The finest of the source, and coarser ones made anew of it until the image fits one chunk.
    /// The coarser levels of the source are not read.
    Made(Downsample),
}

/// How chunks are compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputCompression {
    /// Not at all.
    None,
    /// zstd with this level, from -131072 to 22.
    Zstd {
        /// The level.
        level: i32,
    },
    /// Blosc, which needs the feature `blosc`.
    Blosc {
        /// The compressor: `blosclz`, `lz4`, `lz4hc`, `zlib` or `zstd`.
        compressor: String,
        /// The level, from 0 to 9.
        level: u8,
        /// `noshuffle`, `shuffle` or `bitshuffle`.
        shuffle: String,
    },
}

impl Default for OutputCompression {
    fn default() -> Self {
        Self::Zstd { level: 3 }
    }
}

/// One of several processes that share the work: number `index` of `count`, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    index: u64,
    count: u64,
}

impl Part {
    /// The only part.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Part number `index` of `count`, counted from 0.
    ///
    /// # Errors
    /// [`RewriteError::Part`] unless `index` is below `count`.
    pub const fn new(index: u64, count: u64) -> Result<Self, RewriteError> {
        if index < count {
            Ok(Self { index, count })
        } else {
            Err(RewriteError::Part { index, count })
        }
    }

    /// The number of this part, counted from 0.
    #[must_use]
    pub const fn index(self) -> u64 {
        self.index
    }

    /// The number of parts.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.count
    }
}

/// What is to be rewritten, and how.
///
/// Shapes are in elements, in the order of the output. They have a length for each dimension, or
/// for each dimension of space, or a single one for all dimensions of space; it is 1 along the
/// others. Where no dimension is known to be of space, all count as such.
#[derive(Clone, Debug, PartialEq)]
pub struct RewriteOptions {
    pub(super) multiscale: MultiscaleOptions,
    pub(super) order: OutputOrder,
    pub(super) levels: Levels,
    pub(super) chunk: Option<Vec<u64>>,
    pub(super) shard: Option<Vec<u64>>,
    pub(super) compression: OutputCompression,
    pub(super) part: Part,
    pub(super) phase: Option<usize>,
    pub(super) threads: Option<usize>,
    pub(super) requests: usize,
    pub(super) fill_corrupt: bool,
    pub(super) source: Option<String>,
    pub(super) source_moved: bool,
}

impl Default for RewriteOptions {
    fn default() -> Self {
        Self {
            multiscale: MultiscaleOptions::new(),
            order: OutputOrder::default(),
            levels: Levels::default(),
            chunk: None,
            shard: None,
            compression: OutputCompression::default(),
            part: Part::WHOLE,
            phase: None,
            threads: None,
            requests: 1,
            fill_corrupt: false,
            source: None,
            source_moved: false,
        }
    }
}

impl RewriteOptions {
    /// All levels in OME-Zarr's order, zstd level 3, all cores; shapes as the blocks suggest.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what is known of axes and voxels and the attributes do not say.
    #[must_use]
    pub fn with_multiscale(mut self, options: MultiscaleOptions) -> Self {
        self.multiscale = options;
        self
    }

    /// Sets the order of the dimensions, [`OutputOrder::Ome`] by default.
    #[must_use]
    pub fn with_order(mut self, order: OutputOrder) -> Self {
        self.order = order;
        self
    }

    /// Sets which levels the output has, [`Levels::All`] by default.
    #[must_use]
    pub fn with_levels(mut self, levels: Levels) -> Self {
        self.levels = levels;
        self
    }

    /// Sets the shape of chunks, which are compressed and read one by one.
    ///
    /// By default that of the source's blocks, made larger or smaller along the dimensions of space
    /// until a chunk has from 256 KiB to 2 MiB.
    #[must_use]
    pub fn with_chunk(mut self, chunk: Vec<u64>) -> Self {
        self.chunk = Some(chunk);
        self
    }

    /// Sets the shape of shards, the files, of which each thread holds one in memory. It is a
    /// multiple of that of chunks.
    ///
    /// By default whole chunks along the dimensions of space, of at most 64 MiB.
    #[must_use]
    pub fn with_shard(mut self, shard: Vec<u64>) -> Self {
        self.shard = Some(shard);
        self
    }

    /// Sets how chunks are compressed, zstd with level 3 by default.
    #[must_use]
    pub fn with_compression(mut self, compression: OutputCompression) -> Self {
        self.compression = compression;
        self
    }

    /// Sets which part of the shards is written, [`Part::WHOLE`] by default.
    #[must_use]
    pub fn with_part(mut self, part: Part) -> Self {
        self.part = part;
        self
    }

    /// Sets the one phase that is run; by default all are, one after the other. What phases are is
    /// on the [front page](crate::n5::rewrite).
    #[must_use]
    pub fn with_phase(mut self, phase: usize) -> Self {
        self.phase = Some(phase);
        self
    }

    /// Sets the number of threads, each of which holds one shard; by default the number of cores.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// Sets how many blocks each thread reads at the same time, 1 by default. For a source behind a
    /// network 32 are a good choice.
    #[must_use]
    pub fn with_requests(mut self, requests: usize) -> Self {
        self.requests = requests.max(1);
        self
    }

    /// Sets whether blocks that cannot be read become the fill value and are listed in the report,
    /// instead of ending the run.
    #[must_use]
    pub fn with_fill_corrupt(mut self, fill_corrupt: bool) -> Self {
        self.fill_corrupt = fill_corrupt;
        self
    }

    /// Sets where the source is, an absolute path or a URL, for the record in the output's
    /// `zarr.json`: a later run with another one is refused. Credentials and the query of a URL are
    /// left out. Without it only the attributes of datasets tell one source from another.
    #[must_use]
    pub fn with_source(mut self, source: &str) -> Self {
        self.source = Some(without_secrets(source));
        self
    }

    /// Sets whether the source is taken for the one of an earlier run though it is at another place
    /// ([`RewriteError::OtherSource`]). The record names the new one then.
    #[must_use]
    pub fn with_source_moved(mut self, source_moved: bool) -> Self {
        self.source_moved = source_moved;
        self
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores)
    }
}

/// A path or URL without what is no part of the place: the record may be published.
fn without_secrets(source: &str) -> String {
    let source = match source.split_once("://") {
        Some((scheme, rest)) => {
            let rest = rest.split(['?', '#']).next().unwrap_or_default();
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = host.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{path}")
        }
        None => source.to_owned(),
    };
    match source.trim_end_matches('/') {
        // The root.
        "" => source,
        trimmed => trimmed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_of_a_source_has_no_credentials() {
        for (given, recorded) in [
            ("/data/a.n5/", "/data/a.n5"),
            ("/data/what?.n5", "/data/what?.n5"),
            ("/", "/"),
            ("s3://bucket/a@b.n5/", "s3://bucket/a@b.n5"),
            (
                "https://me:secret@host/a.n5?key=secret#x",
                "https://host/a.n5",
            ),
            ("https://host?key=a/b", "https://host"),
        ] {
            let options = RewriteOptions::new().with_source(given);
            assert_eq!(options.source.as_deref(), Some(recorded));
        }
    }
}
