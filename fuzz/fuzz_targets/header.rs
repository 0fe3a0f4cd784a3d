//! A block header that is read is written back byte for byte.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zarrs_interop::n5::{BlockHeader, BlockMode};

fuzz_target!(|block: &[u8]| {
    let Ok((header, payload)) = BlockHeader::parse(block) else {
        return;
    };
    let mut written = header.to_bytes();
    assert_eq!(written.len(), header.size());
    written.extend_from_slice(payload);
    assert_eq!(written, block);

    for element_size in [1, 2, 4, 8] {
        let size = header.payload_size(element_size);
        let expected = header
            .shape()
            .iter()
            .try_fold(element_size as u128, |size, &n| size.checked_mul(n.into()))
            .filter(|size| *size <= 1 << 31);
        assert_eq!(size.ok().map(|size| size as u128), expected);
    }
    if header.mode() == BlockMode::Default {
        let shape: Vec<u64> = header.shape().iter().map(|&n| n.into()).collect();
        assert_eq!(BlockHeader::new(&shape), Ok(header));
    }
});
