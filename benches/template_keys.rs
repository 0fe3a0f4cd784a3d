//! What a chunk key costs, next to zarrs's own `v2` encoding in the same run, and what it costs to
//! read a template.
//!
//! `cargo bench --bench template_keys` ends with the ratio of the two, from interleaved rounds.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group};
use zarrs::array::chunk_key_encoding::V2ChunkKeyEncoding;
use zarrs::array::{ChunkKeyEncoding, ChunkKeyEncodingTraits};
use zarrs_interop::template::{Template, TemplateChunkKeyEncoding};

const CHUNK: [u64; 3] = [7, 123, 4567];

/// Through zarrs's trait object, as zarrs itself calls it.
fn template(format: &str, separator: Option<&str>) -> ChunkKeyEncoding {
    TemplateChunkKeyEncoding::new(format, separator)
        .expect("a good template")
        .into()
}

fn v2() -> ChunkKeyEncoding {
    V2ChunkKeyEncoding::new_dot().into()
}

fn keys(c: &mut Criterion) {
    let encodings = [
        ("{*} on 3 dimensions", template("{*}", Some("."))),
        ("{0}/{1}_{2}_0.jpg", template("{0}/{1}_{2}_0.jpg", None)),
        (
            "images/{-1}/{*:04}.jpeg",
            template("images/{-1}/{*:04}.jpeg", Some("_")),
        ),
        ("zarrs v2 on 3 dimensions", v2()),
    ];
    let mut group = c.benchmark_group("key");
    for (name, encoding) in &encodings {
        group.bench_function(*name, |b| b.iter(|| encoding.encode(black_box(&CHUNK))));
    }
    group.finish();
}

fn construction(c: &mut Criterion) {
    let mut group = c.benchmark_group("construction");
    for (format, separator) in [
        ("{*}", Some(".")),
        ("{0}/{1}_{2}_0.jpg", None),
        ("images/{-1}/{*:04}.jpeg", Some("_")),
    ] {
        group.bench_function(format, |b| {
            b.iter(|| Template::new(black_box(format), separator))
        });
    }
    group.finish();
}

/// The way back, from a key to the chunk.
fn decoding(c: &mut Criterion) {
    let template = Template::new("{0}/{1}_{2}_0.jpg", None).expect("a good template");
    c.bench_function("decode {0}/{1}_{2}_0.jpg", |b| {
        b.iter(|| template.decode(black_box("7/123_4567_0.jpg"), 3));
    });
}

fn time_keys(encoding: &ChunkKeyEncoding) -> Duration {
    const KEYS: u64 = 100_000;
    let start = Instant::now();
    for index in 0..KEYS {
        black_box(encoding.encode(black_box(&[7, 123, index])));
    }
    start.elapsed() / u32::try_from(KEYS).unwrap_or(u32::MAX)
}

/// The best of interleaved rounds of both, so that neither is measured in a quieter minute.
fn print_ratio() {
    let (ours, theirs) = (template("{*}", Some(".")), v2());
    let mut best = [Duration::MAX; 2];
    for _ in 0..30 {
        best[0] = best[0].min(time_keys(&ours));
        best[1] = best[1].min(time_keys(&theirs));
    }
    let [ours, theirs] = best;
    let percent = 100.0 * ours.as_secs_f64() / theirs.as_secs_f64();
    println!(
        "`{{*}}` on 3 dimensions: {ours:?} per key; zarrs v2: {theirs:?} per key; {percent:.0} %"
    );
}

criterion_group!(benches, keys, construction, decoding);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    print_ratio();
}
