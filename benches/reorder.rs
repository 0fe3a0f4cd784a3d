//! How fast N5 payloads are turned round, beside `memcpy` and plain nested loops, all in one run.
//!
//! `cargo bench --bench reorder` prints a table of GB/s of output (best of several) with the ratios to both, and then
//! criterion's figures for the first shapes. Pin it to one core (`taskset -c 1`), and run it while the machine does
//! nothing else: a busy neighbour takes cache and memory bandwidth from the larger shapes.

use criterion::{Criterion, Throughput};
use std::hint::black_box;
use std::time::{Duration, Instant};
use zarrs_interop::n5::__bench::{decode_region, encode_block};

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

/// The shortest time of one call, in seconds.
fn best(mut call: impl FnMut()) -> f64 {
    let started = Instant::now();
    call();
    // Clocks are too coarse for one call on a tiny block.
    let calls = u32::try_from(20_000 / started.elapsed().as_nanos().max(20))
        .unwrap_or(1)
        .max(1);
    let mut best = f64::INFINITY;
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(80) {
        let started = Instant::now();
        for _ in 0..calls {
            call();
        }
        best = best.min((started.elapsed() / calls).as_secs_f64());
    }
    best
}

/// A payload for the case, an output for it, and a fill value.
fn buffers<const Z: usize>((block, _, shape): Case<'_>) -> (Vec<u8>, Vec<u8>, [u8; Z]) {
    let bytes = |shape: &[usize]| shape.iter().product::<usize>() * Z;
    let payload = (0..bytes(block))
        .map(|i| i.wrapping_mul(0x9e37_79b9).to_le_bytes()[2])
        .collect();
    (payload, vec![7; bytes(shape)], [9; Z])
}

/// Prints one line of the table.
fn row<const Z: usize>(case: Case<'_>) {
    let (block, start, shape) = case;
    let (payload, mut out, fill_value) = buffers::<Z>(case);
    let (mut expected, copied) = (out.clone(), out.clone());
    let gigabytes = f64::from(u32::try_from(out.len()).expect("less than 4 GiB")) / 1e9;

    let memcpy = gigabytes / best(|| black_box(&mut expected).copy_from_slice(black_box(&copied)));
    let nested = best(|| {
        nested_loops::<Z>(
            black_box(&payload),
            case,
            &fill_value,
            black_box(&mut expected),
        );
    });
    let nested = gigabytes / nested;
    let decode = best(|| {
        decode_region(
            black_box(&payload),
            block,
            start,
            shape,
            &fill_value,
            black_box(&mut out),
        )
        .expect("decodes");
    });
    let decode = gigabytes / decode;
    assert!(
        out == expected,
        "{case:?}: not what nested loops make of it"
    );

    let whole = block == shape;
    let name = if whole {
        format!("{block:?}")
    } else {
        format!("{block:?}{start:?}{shape:?}")
    };
    let (of_memcpy, of_nested) = (decode / memcpy, decode / nested);
    print!(
        "{name:>34} u{:<2} {memcpy:7.1} {nested:8.2} {decode:8.2} {of_memcpy:8.3} {of_nested:8.1}",
        Z * 8
    );
    if whole {
        let encode = best(|| {
            encode_block(black_box(&out), shape, Z, black_box(&mut expected)).expect("encodes");
        });
        let encode = gigabytes / encode;
        assert!(
            expected == payload,
            "{case:?}: encoding does not undo decoding"
        );
        print!(" {encode:8.2} {:8.3}", encode / memcpy);
    }
    println!();
}

fn table() {
    println!(
        "{:>34} {:3} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "block, start, shape",
        "",
        "memcpy",
        "nested",
        "decode",
        "/memcpy",
        "/nested",
        "encode",
        "/memcpy"
    );
    let whole = WHOLE
        .iter()
        .map(|&shape| (shape, vec![0; shape.len()], shape));
    let parts = PARTS
        .iter()
        .map(|&(block, start, shape)| (block, start.to_vec(), shape));
    for (block, start, shape) in whole.chain(parts) {
        let case = (block, start.as_slice(), shape);
        row::<1>(case);
        row::<2>(case);
        row::<4>(case);
        row::<8>(case);
    }
}

fn shape<const Z: usize>(criterion: &mut Criterion, shape: &[usize]) {
    let start = vec![0; shape.len()];
    let (payload, mut out, fill_value) = buffers::<Z>((shape, &start, shape));
    let mut group = criterion.benchmark_group(format!("reorder {shape:?} u{}", Z * 8));
    group.throughput(Throughput::Bytes(out.len() as u64));
    group
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(30);
    group.bench_function("decode", |bencher| {
        bencher.iter(|| {
            decode_region(
                black_box(&payload),
                shape,
                &start,
                shape,
                &fill_value,
                black_box(&mut out),
            )
        });
    });
    group.bench_function("encode", |bencher| {
        bencher.iter(|| encode_block(black_box(&payload), shape, Z, black_box(&mut out)));
    });
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    table();
    for block in &WHOLE[..3] {
        shape::<1>(&mut criterion, block);
        shape::<2>(&mut criterion, block);
        shape::<4>(&mut criterion, block);
        shape::<8>(&mut criterion, block);
    }
    criterion.final_summary();
}
