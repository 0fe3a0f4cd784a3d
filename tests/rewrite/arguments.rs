//! The arguments of the example `n5_to_zarr`.

use std::path::{Path, PathBuf};

use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::RewriteOptions;

use crate::n5_to_zarr::bdv_xml;
use crate::n5_to_zarr::rewrite_arguments::{Arguments, check_apart, check_levels_apart};
use crate::support::{Folder, axes};

const CONTAINERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/containers");

#[test]
fn an_xml_that_does_not_say_the_size_of_a_voxel_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bdv.xml");
    let refused = |setup| {
        let error = bdv_xml::voxel_size(&file, setup).unwrap_err().to_string();
        assert!(
            error.contains("bdv.xml") && error.contains("--xml none"),
            "{error}"
        );
        error
    };
    assert!(refused(0).contains("cannot read"));
    let whole = std::fs::read_to_string(format!("{CONTAINERS}/bdv.xml")).unwrap();
    let first = whole.find("</voxelSize>").unwrap();
    for (what, broken) in [
        ("empty", ""),
        ("something else", "<html></html>"),
        ("cut off", &whole[..first]),
    ] {
        std::fs::write(&file, broken).unwrap();
        let error = refused(0);
        assert!(error.contains("of no setup"), "{what}: {error}");
    }
    std::fs::write(&file, b"\xff\xfe<\0").unwrap();
    assert!(refused(0).contains("cannot read"));
    std::fs::write(&file, &whole).unwrap();
    assert!(!bdv_xml::voxel_size(&file, 0).unwrap().size.is_empty());
    let error = refused(77);
    assert!(
        error.contains("of setup 77: it has that of setup 0"),
        "{error}"
    );
}

#[test]
fn the_xml_is_the_one_beside_unless_told_otherwise() {
    let beside = || Some(PathBuf::from("in.xml"));
    for (arguments, expected) in [
        (&[][..], beside()),
        (&["--xml", "other.xml"], Some("other.xml".into())),
        (&["--xml", "none"], None),
    ] {
        let arguments = ["in.n5", "out.zarr"].iter().chain(arguments);
        let arguments: Vec<_> = arguments.map(ToString::to_string).collect();
        let parsed = Arguments::parse(&arguments).unwrap().unwrap();
        assert_eq!(parsed.xml.file(beside()), expected, "{arguments:?}");
    }
}

#[test]
fn the_output_is_not_in_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("in.n5");
    std::fs::create_dir_all(source.join("raw/s0")).unwrap();
    for inside in ["", "out.zarr", "raw/s0/deep/out.zarr", "raw/../out.zarr"] {
        let error = check_apart(&source, &source.join(inside)).unwrap_err();
        assert!(error.to_string().contains("outside of it"), "{error}");
    }
    for outside in [
        "out.zarr",
        "in.n5.zarr",
        "in.n5/../out.zarr",
        "deep/out.zarr",
    ] {
        check_apart(&source, &folder.path().join(outside)).unwrap();
    }
    check_apart(&source, Path::new("out.zarr")).unwrap();
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(source.join("raw"), &link).unwrap();
        check_apart(&source, &link.join("out.zarr")).unwrap_err();
    }
}

#[cfg(unix)]
#[test]
fn the_levels_of_the_output_are_not_in_the_source_either() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    let shapes = (&[8; 3][..], &[8; 3][..]);
    folder.dataset("raw", shapes, N5DataType::UInt8, &names, |_| 1_u8);
    let (source, out) = (folder.source(), folder.out());
    let rewrite = folder.open("raw", &RewriteOptions::new()).unwrap();
    let check = || check_levels_apart(&source, &out, rewrite.plan());
    check().unwrap();
    std::fs::create_dir(&out).unwrap();
    check().unwrap();
    let level = out.join("s0");
    symlink(source.join("raw"), &level).unwrap();
    check_apart(&source, &out).unwrap();
    let error = check().unwrap_err().to_string();
    assert!(error.contains("outside of it"), "{error}");
    std::fs::remove_file(&level).unwrap();
    std::fs::create_dir(&level).unwrap();
    symlink(source.join("raw"), level.join("c")).unwrap();
    check().unwrap_err();
    std::fs::remove_file(level.join("c")).unwrap();
    // A link to elsewhere, such as a larger disk, is as good as any folder.
    symlink(source.parent().unwrap(), level.join("c")).unwrap();
    check().unwrap();
}

fn refused(arguments: &[&str]) -> String {
    let arguments = ["in.n5", "out.zarr"].iter().chain(arguments);
    let arguments: Vec<_> = arguments.map(ToString::to_string).collect();
    let error = Arguments::parse(&arguments).err().unwrap();
    let text = error.to_string();
    text.split("\nusage").next().unwrap().to_owned()
}

#[test]
fn a_compressor_that_zarr_python_cannot_read_is_refused_with_those_that_it_can() {
    for name in ["snappy", "foo"] {
        let error = refused(&["--blosc", &format!("{name},5")]);
        assert!(
            error.contains("blosclz, lz4, lz4hc, zlib, zstd") && error.ends_with(name),
            "{error}"
        );
    }
    let error = refused(&["--blosc", "zstd,5,foo"]);
    assert!(error.contains("noshuffle, shuffle, bitshuffle"), "{error}");
    for good in [
        "blosclz,1",
        "lz4,0,noshuffle",
        "lz4hc,9",
        "zlib,3",
        "zstd,5,bitshuffle",
    ] {
        let arguments = ["in.n5", "out.zarr", "--blosc", good].map(str::to_owned);
        assert!(Arguments::parse(&arguments).is_ok(), "{good}");
    }
}

#[test]
fn an_option_is_no_value_of_another_one() {
    let error = refused(&["--dataset", "--verify"]);
    assert!(
        error.contains("--dataset needs a value, found the option --verify"),
        "{error}"
    );
    assert!(refused(&["--dataset"]).contains("--dataset needs a value"));
    for (name, expected) in [
        ("--threads", "--threads needs a number"),
        ("--requests", "--requests needs a number"),
        ("--zstd", "--zstd needs a number"),
        ("--part", "--part needs I/N"),
        ("--shard", "--shard needs lengths"),
        ("--order", "--order needs a value"),
    ] {
        for next in ["--json", "-h"] {
            let error = refused(&[name, next]);
            let found = format!(", found the option {next}");
            assert!(
                error.starts_with(expected) && error.ends_with(&found),
                "{error}"
            );
        }
        assert!(refused(&[name]).starts_with(expected));
    }
    // A number below 0 is none.
    let arguments = ["in.n5", "out.zarr", "--zstd", "-5"].map(str::to_owned);
    assert!(Arguments::parse(&arguments).is_ok());
}

#[test]
fn verify_goes_with_a_run_only() {
    for other in ["--dry-run", "--metadata-only"] {
        let error = refused(&["--verify", other]);
        assert!(
            error.contains("--verify") && error.contains(other),
            "{error}"
        );
    }
}

#[test]
fn the_output_is_no_url() {
    for (out, advice) in [
        ("s3://bucket/out.zarr", "s3 sync"),
        ("s3:/bucket/out.zarr", "s3 sync"),
        ("file:///data/out.zarr", "as in /data/out.zarr"),
        ("file:/data/out.zarr", "as in /data/out.zarr"),
        ("FILE:out.zarr", "as in out.zarr"),
    ] {
        let arguments = ["in.n5", out].map(str::to_owned);
        let error = Arguments::parse(&arguments).err().unwrap().to_string();
        assert!(error.starts_with(&format!("{out} is a URL")), "{error}");
        assert!(error.contains(advice), "{error}");
    }
    for out in ["./file:/out.zarr", "C:/out.zarr", "a:b.zarr", "day/10:30/x"] {
        let arguments = ["in.n5", out].map(str::to_owned);
        assert!(Arguments::parse(&arguments).is_ok(), "{out}");
    }
}
