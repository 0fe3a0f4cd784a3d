//! Encoding the key of a chunk by a template: ours, `template_cke` 0.1.0, and zarrs's own encoding
//! `v2`.
//!
//! Both crates register an encoding called `template`. That they meet here does no harm: the
//! encodings are made directly, and none is looked up by its name.

use std::hint::black_box;

use cpu_time::ProcessTime;
use serde_json::json;
use template_cke::zarrs::TemplateChunkKeyEncoding as Theirs;
use zarrs::array::ChunkKeyEncodingTraits;
use zarrs::array::chunk_key_encoding::V2ChunkKeyEncoding;
use zarrs_interop::template::TemplateChunkKeyEncoding as Ours;

const REPEATS: u32 = 20_000;
const ROUNDS: usize = 200;

/// A template, its separator, and the indices of a chunk.
const CASES: [(&str, Option<&str>, &[u64]); 4] = [
    ("{*}", Some("/"), &[11, 22, 33]),
    ("c/{*}", Some("/"), &[0, 1, 2, 3, 4]),
    ("images/{-1}/{*:04}.jpeg", Some("_"), &[11, 22, 33]),
    ("{2}/{0}_{1}", None, &[111, 2, 3333]),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (template, separator, indices) in CASES {
        let ours = Ours::new(template, separator)?;
        let theirs = Theirs::try_new(template, separator)?;
        let zarrs = V2ChunkKeyEncoding::new_slash();
        if ours.encode(indices) != theirs.encode(indices) {
            return Err(format!("{template}: different keys").into());
        }
        let encodings: [(&str, &dyn ChunkKeyEncodingTraits); 3] = [
            ("zarrs_interop", &ours),
            ("template_cke 0.1.0", &theirs),
            ("zarrs v2", &zarrs),
        ];
        let best = best(encodings.map(|(_, encoding)| encoding), indices);
        for ((name, _), nanoseconds) in std::iter::zip(encodings, best) {
            let line = json!({"encoder": name, "template": template, "indices": indices, "ns": nanoseconds});
            println!("{line}");
        }
    }
    Ok(())
}

/// Nanoseconds of processor time for one key by each of the encodings, which take turns.
fn best<const N: usize>(encodings: [&dyn ChunkKeyEncodingTraits; N], indices: &[u64]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for _ in 0..ROUNDS {
        for (encoding, best) in std::iter::zip(encodings, &mut best) {
            let begin = ProcessTime::now();
            for _ in 0..REPEATS {
                black_box(encoding.encode(black_box(indices)));
            }
            let seconds = begin.elapsed().as_secs_f64();
            *best = best.min(seconds / f64::from(REPEATS) * 1e9);
        }
    }
    best
}
