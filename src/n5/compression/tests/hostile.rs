//! Payloads that are damaged, cut, or claim too much.

use proptest::prelude::*;

use super::super::*;
use super::fixtures::{self, Fixture, compress, compressor, decompress, decompress_into, hex};

const TWO_GIB: usize = 1 << 31;

/// The data as it was, or an error; other data of the right size only where no checksum could tell.
fn is_sound(fixture: &Fixture, result: Result<Vec<u8>, PayloadError>, what: &str) {
    if let Ok(decoded) = result {
        let what = format!("{}: {what}", fixture.compression);
        assert_eq!(decoded.len(), fixture.decoded.len(), "{what}");
        if fixture.checked {
            assert_eq!(decoded, fixture.decoded, "{what}");
        }
    }
}

/// Every compression but raw.
fn compressed() -> Vec<Compression> {
    let is_compressed = |compression: &_| *compression != Compression::Raw;
    super::all().into_iter().filter(is_compressed).collect()
}

#[test]
fn every_prefix_is_an_error() {
    for fixture in fixtures::all() {
        let codec = fixture.compressor();
        // The empty frame at the end of an LZ4Block stream may be absent.
        let complete = match fixture.compression {
            Compression::Lz4(_) => fixture.payload.len() - 21,
            _ => fixture.payload.len(),
        };
        for end in 0..fixture.payload.len() {
            let result = decompress(&*codec, &fixture.payload[..end], fixture.decoded.len());
            let whole = end == complete;
            assert_eq!(
                result.is_ok(),
                whole,
                "{}: {end} bytes",
                fixture.compression
            );
        }
    }
}

#[test]
fn every_damaged_byte_is_survived_and_noticed_where_there_is_a_checksum() {
    for fixture in fixtures::all() {
        let codec = fixture.compressor();
        let changes: &[u8] = match fixture.decoded.len() {
            0..=1000 => &[0x01, 0x80, 0xff],
            _ => &[0xff],
        };
        for at in 0..fixture.payload.len() {
            for change in changes {
                let mut payload = fixture.payload.clone();
                payload[at] ^= change;
                let result = decompress(&*codec, &payload, fixture.decoded.len());
                is_sound(&fixture, result, &format!("byte {at} ^ {change:#x}"));
            }
        }
    }
}

#[test]
fn another_size_than_promised_is_an_error_that_names_it() {
    for fixture in fixtures::all() {
        let codec = fixture.compressor();
        let size = fixture.decoded.len();
        for promised in [1, size - 1, size + 1, size * 2] {
            let error = decompress(&*codec, &fixture.payload, promised).unwrap_err();
            let text = error.to_string();
            assert!(text.contains(&promised.to_string()), "{text}");
        }
    }
}

#[test]
fn surplus_bytes_are_an_error_except_behind_blosc() {
    for fixture in fixtures::all() {
        // Not a multiple of four, in which case .xz counts zeros as padding.
        for surplus in [&[0][..], &[0; 15], b"garbage", &fixture.payload] {
            let payload = [&fixture.payload[..], surplus].concat();
            let result = decompress(&*fixture.compressor(), &payload, fixture.decoded.len());
            let ignored = matches!(fixture.compression, Compression::Blosc(_));
            assert_eq!(
                result.is_ok(),
                ignored,
                "{}: {surplus:?}",
                fixture.compression
            );
        }
    }
}

#[test]
fn a_claim_of_two_gib_takes_no_memory() {
    for fixture in fixtures::all() {
        let mut out = Vec::new();
        let codec = fixture.compressor();
        let error = decompress_into(&*codec, &fixture.payload, TWO_GIB, &mut out).unwrap_err();
        assert!(error.to_string().contains("2147483648"), "{error}");
        assert!(out.capacity() <= 1 << 20, "{}", fixture.compression);
    }
}

#[test]
fn a_bomb_is_stopped_at_the_promised_size() {
    let zeros = vec![0; 4 << 20];
    for compression in compressed() {
        let codec = compressor(&compression);
        let bomb = compress(&*codec, &zeros);
        let mut out = Vec::new();
        let error = decompress_into(&*codec, &bomb, 1000, &mut out).unwrap_err();
        assert!(error.to_string().contains("1000"), "{compression}: {error}");
        assert!(out.capacity() <= 4096, "{compression}: {}", out.capacity());
    }
}

#[test]
fn zstd_that_does_not_state_its_size_is_stopped_at_the_promised_one() {
    let codec = compressor(&Compression::zstd());
    let payload = hex("28b52ffd0000610000000100020003000400050006");
    assert_eq!(
        decompress(&*codec, &payload, 11),
        Err(PayloadError::TooLong {
            compression: "zstd",
            expected: 11
        })
    );
    assert_eq!(
        decompress(&*codec, &payload, 13),
        Err(PayloadError::Length {
            compression: "zstd",
            expected: 13,
            found: 12
        })
    );
}

#[test]
fn an_empty_payload_is_an_error() {
    for compression in compressed() {
        let codec = compressor(&compression);
        assert!(decompress(&*codec, &[], 12).is_err(), "{compression}");
    }
}

#[test]
fn blosc_headers_that_contradict_themselves_are_refused() {
    let codec = compressor(&Compression::blosc());
    let cases = [
        ("0201", "16 bytes at least"),
        ("030112020c0000000c0000001c000000", "version 3"),
        ("02011a020c0000000c0000001c000000", "unknown flags"),
        ("020112000c0000000c0000001c000000", "element size 0"),
        ("020112020c000000000000001c000000", "blocks of 0 bytes"),
        ("020112020c0000000d0000001c000000", "blocks of 13 bytes"),
        ("020112020c0000000c0000001d000000", "29 compressed bytes"),
        ("020112020c0000000c0000000f000000", "15 compressed bytes"),
        ("020112020d0000000c0000001c000000", "13 decompressed bytes"),
        ("020110020c000000010000001c000000", "12 decompressed bytes"),
    ];
    for (header, expected) in cases {
        let mut payload = hex(header);
        if payload.len() == 16 {
            payload.extend([0; 12]);
        }
        let error = decompress(&*codec, &payload, 12).unwrap_err().to_string();
        assert!(error.contains(expected), "{error:?} lacks {expected:?}");
    }
}

#[test]
fn lz4_frames_that_contradict_themselves_are_refused() {
    let codec = compressor(&Compression::lz4());
    let frame = |fields: &str| format!("4c5a34426c6f636b{fields}");
    let data = "000100020003000400050006";
    let cases = [
        (frame("16"), "9 bytes: expected a header of 21"),
        (frame("360c0000000c00000090258b06") + data, "method 0x30"),
        (
            frame("160d0000000d00000090258b06") + data,
            "12 bytes of data: expected 13",
        ),
        (
            frame("160c0000000b00000090258b06") + data,
            "12 bytes stand for 11",
        ),
        (frame("16000000000c00000090258b06"), "0 bytes stand for 12"),
        (
            frame("260c000000f50b000090258b06") + data,
            "3061 bytes: expected 3060 at most",
        ),
        (
            frame("200c0000000104000090258b06") + data,
            "1025 bytes: expected 1024 at most",
        ),
        (
            frame("160c0000000c00000091258b06") + data,
            "checksum 0x068b2590: expected 0x068b2591",
        ),
        (frame("16000000000000000001000000"), "checksum 0x00000000"),
        (
            frame("16000000000000000000000000") + "00",
            "1 byte follows the last frame",
        ),
        ("4c5a34426c6f636c".to_owned() + &"00".repeat(13), "LZ4Block"),
    ];
    for (payload, expected) in cases {
        let error = decompress(&*codec, &hex(&payload), 12)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error:?} lacks {expected:?}");
    }
}

#[test]
fn an_xz_dictionary_beyond_every_preset_is_refused() {
    // The fixture's block header with a dictionary of 4 GiB; its CRC32 is recomputed.
    let fixture = &fixtures::of("xz");
    let mut payload = fixture.payload.clone();
    payload[16] = 40;
    let crc = libdeflater::crc32(&payload[12..20]);
    payload[20..24].copy_from_slice(&crc.to_le_bytes());
    let error = decompress(&*fixture.compressor(), &payload, fixture.decoded.len()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("memory limit"), "{text}");
    assert!(text.contains("the 64 MiB of preset 9"), "{text}");
    assert!(!text.contains("corrupt"), "{text}");
}

/// Payloads long enough for a claim of 2 GB, which only decompression could prove wrong.
#[cfg(target_os = "linux")]
fn payloads_that_may_hold_two_gb() -> Vec<(Compression, Vec<u8>)> {
    use std::io::Write;

    let noise: Vec<u8> = (0..3_u64 << 20).map(fixtures::scrambled).collect();
    let gzip = compress(&*compressor(&Compression::gzip()), &noise);
    // A stream does not state its size.
    let mut zstd = ::zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    zstd.write_all(&noise).unwrap();
    let zstd = zstd.finish().unwrap();
    // Version, flags and element size; the three sizes; room for the table of blocks.
    let size = u32::try_from(TWO_GB).unwrap();
    let mut blosc = hex("02011102");
    for number in [size, 1 << 20, 16 + (3 << 20)] {
        blosc.extend(number.to_le_bytes());
    }
    blosc.extend(&noise);
    vec![
        (Compression::gzip(), gzip),
        (Compression::zstd(), zstd),
        (Compression::blosc(), blosc),
    ]
}

#[cfg(target_os = "linux")]
const TWO_GB: usize = 2_000_000_000;

/// Runs itself again, in a process that may have less than 2 GB.
#[cfg(target_os = "linux")]
#[test]
fn a_claim_beyond_the_memory_there_is_does_not_end_the_process() {
    const LIMITED: &str = "ZARRS_INTEROP_TEST_LIMITED_MEMORY";
    if std::env::var_os(LIMITED).is_none() {
        let this = "n5::compression::tests::hostile::a_claim_beyond_the_memory_there_is_does_not_end_the_process";
        let output = std::process::Command::new("sh")
            .args([
                "-c",
                "ulimit -v 2000000; exec \"$0\" --exact \"$1\" --test-threads=1",
            ])
            .arg(std::env::current_exe().unwrap())
            .arg(this)
            .env(LIMITED, "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{output:?}"
        );
        return;
    }
    for (compression, payload) in payloads_that_may_hold_two_gb() {
        let error = decompress(&*compressor(&compression), &payload, TWO_GB)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("there is no memory for the 2000000000 bytes"),
            "{error}"
        );
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(
        compression in proptest::sample::select(compressed()),
        start in 0_usize..30,
        noise in proptest::collection::vec(any::<u8>(), 0..100),
        size in prop_oneof![1_usize..1000, Just(TWO_GIB)],
    ) {
        let codec = compressor(&compression);
        // Noise from the first byte on, and noise behind a beginning that is right.
        let mut payload = compress(&*codec, &[7; 100]);
        payload.truncate(start);
        payload.extend(noise);
        if let Ok(decoded) = decompress(&*codec, &payload, size) {
            prop_assert_eq!(decoded.len(), size);
        }
    }
}
