//! LZ4Block streams: any bytes are read or refused, and what is written is read back.

#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use zarrs_codec::{BytesRepresentation, BytesToBytesCodecTraits, CodecOptions};
use zarrs_interop::n5::compression::Lz4BlockSize;
use zarrs_interop::n5::lz4_java::Lz4JavaCodec;

fuzz_target!(|input: &[u8]| {
    let Some((&[first, second], bytes)) = input.split_first_chunk() else {
        return;
    };
    let block_size = 64 + (i32::from(first) << (second % 18));
    let codec = Lz4JavaCodec::new(Lz4BlockSize::new(block_size).unwrap());
    let options = CodecOptions::default();

    let unbounded = BytesRepresentation::UnboundedSize;
    if let Ok(decoded) = codec.decode(Cow::Borrowed(bytes), &unbounded, &options) {
        let size = decoded.len() as u64;
        let bounded = BytesRepresentation::BoundedSize(size);
        let again = codec.decode(Cow::Borrowed(bytes), &bounded, &options);
        assert_eq!(again.unwrap(), decoded);
        if let Some(too_small) = size.checked_sub(1).map(BytesRepresentation::BoundedSize) {
            let refused = codec.decode(Cow::Borrowed(bytes), &too_small, &options);
            assert!(refused.is_err());
        }
    }

    let encoded = codec.encode(Cow::Borrowed(bytes), &options).unwrap();
    let expected = BytesRepresentation::FixedSize(bytes.len() as u64);
    let bound = codec.encoded_representation(&expected).size().unwrap();
    assert!(encoded.len() as u64 <= bound);
    let decoded = codec.decode(encoded, &expected, &options).unwrap();
    assert_eq!(*decoded, *bytes);
});
