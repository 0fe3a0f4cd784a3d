//! A program that names the crate in one line only finds every extension in the registries of
//! zarrs.
//!
//! This is a program of its own, and `.ci/run` runs it in debug and in release: without the line
//! below the linker drops the registration. Nothing else in this file may name the crate.

use zarrs_interop as _;

#[cfg(feature = "n5")]
mod n5 {
    use zarrs::array::codec::api::Codec;
    use zarrs::metadata::v3::MetadataV3;

    fn create(json: &str) -> Codec {
        let metadata: MetadataV3 = serde_json::from_str(json).unwrap();
        Codec::from_metadata(&metadata).unwrap()
    }

    #[test]
    fn n5_default_is_registered() {
        for name in ["n5_default", "zarrs.n5_default"] {
            let codec = create(&format!(
                r#"{{"name":"{name}","configuration":{{"codecs":[
                    {{"name":"transpose","configuration":{{"order":[1,0]}}}},
                    {{"name":"bytes","configuration":{{"endian":"big"}}}}
                ]}}}}"#
            ));
            assert!(matches!(codec, Codec::ArrayToBytes(_)), "{name}");
        }
    }

    #[cfg(feature = "lz4")]
    #[test]
    fn lz4_java_is_registered() {
        let codec =
            create(r#"{"name":"zarrs_interop.lz4_java","configuration":{"block_size":65536}}"#);
        assert!(matches!(codec, Codec::BytesToBytes(_)));
    }

    #[cfg(feature = "xz")]
    #[test]
    fn xz_is_registered() {
        let codec = create(
            r#"{"name":"numcodecs.lzma","configuration":{"format":1,"check":-1,"preset":6,"filters":null}}"#,
        );
        assert!(matches!(codec, Codec::BytesToBytes(_)));
    }
}

#[cfg(feature = "template")]
#[test]
fn template_is_registered() {
    use zarrs_chunk_key_encoding::ChunkKeyEncoding;

    let metadata = serde_json::from_str(
        r#"{"name":"template","configuration":{"format":"{0}/{1}_{2}_0.jpg"}}"#,
    )
    .unwrap();
    let encoding = ChunkKeyEncoding::from_metadata(&metadata).unwrap();
    assert_eq!(encoding.encode(&[5, 6, 7]).as_str(), "5/6_7_0.jpg");
}
