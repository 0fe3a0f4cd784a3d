#!/usr/bin/env python3
"""Writes tests/data/zarr_n5: copies of Java cases with the zarr.json that zarr-n5's tool n5tozarr puts beside N5.

    python tests/data/generate_zarr_n5.py   (with scripts/requirements-zarr3.txt)

Nodes without attributes.json get no zarr.json: n5tozarr can infer such groups, but on a file system it then takes
attributes.json itself for a group and stops with an error (zarr-n5 0.3.0), hence its option -I, which also ends the
walk at such a group. Datasets below one are therefore named to it.
"""

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
from n5_cases import load, save  # noqa: E402

# What n5tozarr supports: raw, gzip, zstd and blosc, and attributes.json of N5 2.x and later.
CASES = [
    "comp_blosc_lz4_shuffle",
    "comp_gzip_default",
    "comp_zstd_default",
    "dim4_gzip",
    "dtype_float64_raw",
    "edge_padded",
    "groups",
    "root_dataset",
    "sparse",
]


def main():
    target = HERE / "zarr_n5"
    shutil.rmtree(target, ignore_errors=True)
    tool = Path(sys.executable).with_name("n5tozarr")
    for case in CASES:
        shutil.copytree(HERE / "java" / case, target / case)
        subprocess.run([tool, "-I", target / case], check=True)
    subprocess.run([tool, "-I", target / "groups", "a/b/c/ds1"], check=True)

    entries = [entry for entry in load(HERE / "java") if entry["case"] in CASES]
    for entry in entries:
        if not (target / entry["case"] / entry["dataset"] / "zarr.json").is_file():
            sys.exit(f"n5tozarr made no zarr.json for {entry['case']}/{entry['dataset']}")
    save(target, entries)


if __name__ == "__main__":
    main()
