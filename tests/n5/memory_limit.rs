//! A block or a chunk that promises more than there is memory for is an error, not the end of the
//! process.

use std::process::Command;

use zarrs::array::CodecOptions;

use crate::broken_blocks::header;
use crate::oracle::{COMPRESSORS, codec, fill_value, non_zero, zarr_data_type};
use zarrs_interop::n5::N5DataType;

/// 2 GiB, the most that N5 allows.
const HUGE: [u64; 3] = [1 << 15, 1 << 15, 2];

const IN_CHILD: &str = "ZARRS_INTEROP_TEST_MEMORY_LIMIT";

fn decode(compressor: &str, block: &[u8], chunk_shape: &[u64]) -> String {
    let data_type = N5DataType::UInt8;
    codec(3, compressor)
        .decode(
            block.into(),
            &non_zero(chunk_shape),
            &zarr_data_type(data_type),
            &fill_value(data_type),
            &CodecOptions::default(),
        )
        .map(|_| ())
        .unwrap_err()
        .to_string()
}

#[test]
fn without_memory_a_false_promise_is_an_error() {
    if std::env::var_os(IN_CHILD).is_some() {
        return in_child();
    }
    let test = "memory_limit::without_memory_a_false_promise_is_an_error";
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 2000000 && exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--test-threads=1"])
        .env(IN_CHILD, "1")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{}\n{printed}\n{errors}",
        output.status
    );
    assert!(printed.contains("1 passed"), "{printed}");
}

fn in_child() {
    // One true element in a chunk that is too large.
    let small = [header(&[1, 1, 1]), vec![1]].concat();
    let error = decode("", &small, &HUGE);
    assert!(error.contains("no memory"), "{error}");
    // A payload that is long enough for the promise, of nothing that could be decompressed.
    for compressor in COMPRESSORS {
        let block = [header(&HUGE), vec![0x5a; 3 << 20]].concat();
        decode(compressor, &block, &[4, 4, 4]);
    }
    // One that begins well.
    #[cfg(feature = "gzip")]
    {
        let mut block = header(&HUGE);
        let mut encoder = flate2::write::GzEncoder::new(&mut block, flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, &vec![0; 3 << 20]).unwrap();
        encoder.finish().unwrap();
        block.resize(3 << 20, 0);
        let error = decode(crate::oracle::compressor("gzip"), &block, &[4, 4, 4]);
        assert!(error.contains("memory"), "{error}");
    }
}
