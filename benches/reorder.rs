//! How fast N5 payloads are turned round, beside `memcpy` and plain nested loops.
//!
//! ```text
//! cd benches
//! taskset -c 0 cargo bench --bench reorder                   # under two minutes
//! taskset -c 0 cargo bench --bench reorder -- 'u32 [128'     # cases whose name contains this
//! ```
//!
//! All use the same source and destination again and again: what fits the cache is there. Of
//! encoding only whole blocks are shown, as blocks are always written whole.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use zarrs_interop::n5::benchable_apis::{decode_region, encode_block};

use zarrs_interop_benches::contest::{self, Clock, Contest, Mode, Show};
use zarrs_interop_benches::memcpy::memcpy;

const BUDGET: Duration = Duration::from_millis(400);
/// Bytes of an element.
const SIZES: [usize; 4] = [1, 2, 4, 8];

/// Block shape, start and shape of the region, dimension 0 first.
type Case<'a> = (&'a [usize], &'a [usize], &'a [usize]);

/// Blocks that are read whole; the shapes of the promise first.
const WHOLE: &[&[usize]] = &[
    &[64, 64, 64],
    &[128, 128, 64],
    &[512, 512],
    &[128, 128, 128],
    &[250, 250, 250],
    &[65, 65, 65],
    &[257, 256],
    &[60, 100, 50],
    &[65, 100, 64],
    &[32, 32, 32],
    &[8, 8, 8],
    &[7, 5, 3],
    &[3, 5, 7, 11],
    &[1, 1, 262_144],
    &[262_144, 1, 1],
    &[4, 65_536],
    &[65_536, 4],
    &[10, 20_000],
    &[20_000, 10],
    &[3, 10_000, 5],
    &[2; 16],
];

/// Pads, truncations and regions.
const PARTS: &[Case<'static>] = &[
    (&[58, 64, 64], &[0, 0, 0], &[64, 64, 64]),
    (&[64, 64, 58], &[0, 0, 0], &[64, 64, 64]),
    (&[58, 58, 58], &[0, 0, 0], &[64, 64, 64]),
    (&[64, 64, 64], &[0, 0, 0], &[58, 58, 58]),
    (&[64, 64, 64], &[3, 3, 3], &[58, 58, 58]),
    (&[64, 64, 64], &[0, 0, 9], &[64, 64, 1]),
    (&[64, 64, 64], &[9, 0, 0], &[1, 64, 64]),
    (&[64, 64, 1], &[0, 0, 0], &[64, 64, 64]),
    (&[1, 64, 64], &[0, 0, 0], &[64, 64, 64]),
    (&[3, 4096, 3], &[0, 0, 0], &[4, 4096, 4]),
    (&[500, 500], &[0, 0], &[512, 512]),
];

/// What one would write first: a loop per dimension, the innermost along the rows of the output.
fn nested_loops<const Z: usize>(
    payload: &[u8],
    (block, start, shape): Case<'_>,
    fill_value: &[u8],
    out: &mut [u8],
) {
    fn walk<const Z: usize>(
        source: &[[u8; Z]],
        from: usize,
        stride: usize,
        (block, start, shape): Case<'_>,
        fill_value: [u8; Z],
        out: &mut [[u8; Z]],
    ) {
        let within = block[0].saturating_sub(start[0]).min(shape[0]);
        let (inside, outside) = out.split_at_mut(out.len() / shape[0] * within);
        outside.fill(fill_value);
        if within == 0 {
            return;
        }
        let from = from + start[0] * stride;
        if shape.len() == 1 {
            for (i, element) in inside.iter_mut().enumerate() {
                *element = source[from + i * stride];
                element.reverse();
            }
        } else {
            let rest = (&block[1..], &start[1..], &shape[1..]);
            for (i, out) in inside.chunks_exact_mut(inside.len() / within).enumerate() {
                walk(
                    source,
                    from + i * stride,
                    stride * block[0],
                    rest,
                    fill_value,
                    out,
                );
            }
        }
    }
    let (source, out) = (payload.as_chunks::<Z>().0, out.as_chunks_mut::<Z>().0);
    let fill_value = *fill_value
        .first_chunk::<Z>()
        .expect("a fill value of one element");
    walk(source, 0, 1, (block, start, shape), fill_value, out);
}

/// The bytes read and written, the same for all that are compared, so that what fits the cache is
/// there for each.
struct Buffers {
    payload: Vec<u8>,
    elements: Vec<u8>,
}

impl Buffers {
    fn new<const Z: usize>((block, _, shape): Case<'_>) -> Self {
        let bytes = |shape: &[usize]| shape.iter().product::<usize>() * Z;
        let payload = (0..bytes(block))
            .map(|i| i.wrapping_mul(0x9e37_79b9).to_le_bytes()[2])
            .collect();
        Self {
            payload,
            elements: vec![7; bytes(shape)],
        }
    }

    /// The floor: as many bytes copied. It has a source of its own if the payload is shorter.
    fn memcpy(buffers: &Rc<RefCell<Self>>) -> impl FnMut() + use<> {
        let buffers = Rc::clone(buffers);
        let bytes = buffers.borrow().elements.len();
        let is_shorter = buffers.borrow().payload.len() < bytes;
        let source = is_shorter.then(|| vec![7; bytes]);
        move || {
            let Buffers { payload, elements } = &mut *buffers.borrow_mut();
            memcpy(source.as_ref().unwrap_or(payload), elements);
        }
    }
}

fn name<const Z: usize>((block, start, shape): Case<'_>) -> String {
    let kind = format!("u{}", 8 * Z);
    if block == shape {
        format!("{kind} {block:?}")
    } else {
        format!("{kind} {block:?} from {start:?}, {shape:?}")
    }
}

fn decode<const Z: usize>(case: Case<'_>) -> Contest<'_> {
    let fill_value = [9; Z];
    let mut buffers = Buffers::new::<Z>(case);
    let decode = move |buffers: &mut Buffers| {
        let (block, start, shape) = case;
        let (payload, elements) = (
            black_box(&buffers.payload),
            black_box(&mut buffers.elements),
        );
        decode_region(payload, block, start, shape, &fill_value, elements)
            .expect("payload and elements are as long as their shapes say");
    };
    let nested = move |buffers: &mut Buffers| {
        let (payload, elements) = (
            black_box(&buffers.payload),
            black_box(&mut buffers.elements),
        );
        nested_loops::<Z>(payload, case, &fill_value, elements);
    };
    decode(&mut buffers);
    let decoded = buffers.elements.clone();
    nested(&mut buffers);
    assert!(
        decoded == buffers.elements,
        "{case:?}: not what nested loops make of it"
    );

    let buffers = Rc::new(RefCell::new(buffers));
    let (ours, theirs) = (Rc::clone(&buffers), Rc::clone(&buffers));
    Contest::new(name::<Z>(case), decoded.len(), Clock::Cpu)
        .with("ours", move || decode(&mut ours.borrow_mut()))
        .with("nested loops", move || nested(&mut theirs.borrow_mut()))
        .with("memcpy", Buffers::memcpy(&buffers))
}

fn encode<const Z: usize>(case: Case<'_>) -> Contest<'_> {
    let (block, start, shape) = case;
    let mut buffers = Buffers::new::<Z>(case);
    let encode = move |buffers: &mut Buffers| {
        let (payload, elements) = (
            black_box(&mut buffers.payload),
            black_box(&buffers.elements),
        );
        encode_block(elements, shape, Z, payload).expect("both are as long as the shape says");
    };
    let Buffers { payload, elements } = &mut buffers;
    decode_region(payload, block, start, shape, &[9; Z], elements).expect("decodes");
    let expected = payload.clone();
    payload.fill(0);
    encode(&mut buffers);
    assert!(
        buffers.payload == expected,
        "{case:?}: encoding does not undo decoding"
    );

    let buffers = Rc::new(RefCell::new(buffers));
    let ours = Rc::clone(&buffers);
    Contest::new(name::<Z>(case), expected.len(), Clock::Cpu)
        .with("ours", move || encode(&mut ours.borrow_mut()))
        .with("memcpy", Buffers::memcpy(&buffers))
}

/// A contest for elements of `size` bytes.
fn sized(case: Case<'_>, size: usize, encodes: bool) -> Contest<'_> {
    match (size, encodes) {
        (1, false) => decode::<1>(case),
        (2, false) => decode::<2>(case),
        (4, false) => decode::<4>(case),
        (8, false) => decode::<8>(case),
        (1, true) => encode::<1>(case),
        (2, true) => encode::<2>(case),
        (4, true) => encode::<4>(case),
        (8, true) => encode::<8>(case),
        _ => unreachable!("SIZES has no other"),
    }
}

fn main() {
    let mode = Mode::from_arguments();
    let starts: Vec<Vec<usize>> = WHOLE.iter().map(|shape| vec![0; shape.len()]).collect();
    let whole =
        std::iter::zip(WHOLE, &starts).map(|(&shape, start)| (shape, start.as_slice(), shape));
    let whole: Vec<Case<'_>> = whole
        .filter(|case| mode.measures || case.0.len() == 2)
        .collect();
    let of_sizes = |case, encodes| SIZES.map(|size| move || sized(case, size, encodes));
    let decoded = whole
        .iter()
        .chain(PARTS)
        .flat_map(|&case| of_sizes(case, false));
    let encoded = whole.iter().flat_map(|&case| of_sizes(case, true));
    report(&mode, "reorder/decode", decoded);
    report(&mode, "reorder/encode", encoded);
}

/// The table of all contests that are wanted.
fn report<'a>(
    mode: &Mode,
    title: &str,
    contests: impl Iterator<Item = impl FnOnce() -> Contest<'a>>,
) {
    // One at a time, as each has buffers of its own.
    let rows: Vec<_> = contests
        .filter_map(|contest| mode.run(title, contest(), BUDGET))
        .collect();
    contest::print(title, &rows, Show::Speed);
}
