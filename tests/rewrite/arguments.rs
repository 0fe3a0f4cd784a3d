//! The arguments of the example `n5_to_zarr`.

#[path = "../../examples/support/rewrite_arguments.rs"]
#[allow(dead_code, reason = "the example uses all of it")]
mod rewrite_arguments;

use std::path::Path;

use rewrite_arguments::check_apart;

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
