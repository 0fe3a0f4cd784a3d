//! What a chunk key costs, next to zarrs's own `v2` encoding in the same run, and what it costs to
//! read a template and to find the chunk of a key.
//!
//! ```text
//! cd benches
//! taskset -c 0 cargo bench --bench template_keys
//! ```

use std::hint::black_box;
use std::time::Duration;

use zarrs::array::ChunkKeyEncoding;
use zarrs::array::chunk_key_encoding::V2ChunkKeyEncoding;
use zarrs_interop::template::{Template, TemplateChunkKeyEncoding};
use zarrs_interop_benches::contest::{self, Clock, Contest, Mode, Show};

const BUDGET: Duration = Duration::from_secs(2);
const CHUNK: [u64; 3] = [7, 123, 4567];
const TEMPLATES: [(&str, Option<&str>); 3] = [
    ("{*}", Some(".")),
    ("{0}/{1}_{2}_0.jpg", None),
    ("images/{-1}/{*:04}.jpeg", Some("_")),
];

fn main() {
    let mode = Mode::from_arguments();
    report(&mode, "keys of 3 dimensions", TEMPLATES.map(key));
    report(&mode, "construction", TEMPLATES.map(construction));
    report(&mode, "key to chunk", [decoding()]);
}

fn report<const N: usize>(mode: &Mode, title: &str, contests: [Contest<'_>; N]) {
    let rows: Vec<_> = contests
        .into_iter()
        .filter_map(|contest| mode.run(title, contest, BUDGET))
        .collect();
    contest::print(title, &rows, Show::Nanoseconds);
}

/// Both through zarrs's trait object, as zarrs itself calls it.
fn key((format, separator): (&'static str, Option<&str>)) -> Contest<'static> {
    let ours: ChunkKeyEncoding = TemplateChunkKeyEncoding::new(format, separator)
        .expect("a good template")
        .into();
    let theirs: ChunkKeyEncoding = V2ChunkKeyEncoding::new_dot().into();
    let bytes = ours.encode(&CHUNK).as_str().len();
    Contest::new(format!("`{format}`"), bytes, Clock::Cpu)
        .with("ours", move || ours.encode(black_box(&CHUNK)))
        .with("zarrs v2", move || theirs.encode(black_box(&CHUNK)))
}

fn construction((format, separator): (&'static str, Option<&'static str>)) -> Contest<'static> {
    Contest::new(format!("`{format}`"), format.len(), Clock::Cpu)
        .with("ours", move || Template::new(black_box(format), separator))
}

/// The way back, from a key to the chunk.
fn decoding() -> Contest<'static> {
    const KEY: &str = "7/123_4567_0.jpg";
    let format = "{0}/{1}_{2}_0.jpg";
    let template = Template::new(format, None).expect("a good template");
    assert_eq!(template.decode(KEY, 3).ok(), Some(CHUNK.to_vec()));
    Contest::new(format!("`{format}`"), KEY.len(), Clock::Cpu)
        .with("ours", move || template.decode(black_box(KEY), 3))
}
