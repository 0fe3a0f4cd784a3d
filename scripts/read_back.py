#!/usr/bin/env python3
"""Reads N5 containers with tensorstore, zarr-python 2 and z5py, and compares every element.

    python scripts/read_back.py FOLDER...       (with scripts/requirements-interop.txt)
    python scripts/read_back.py --self-test     (the same for the fixtures in tests/data)

FOLDER holds N5 containers, as the Rust tests write them, and a manifest.json in the format of tests/data (see
n5_cases.py). Prints a table of reader and compression; what a reader cannot read is listed with its reason in
n5_readers.py. Exits with 1 when anything is wrong.
"""

import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path

from n5_cases import compression_label, load
from n5_readers import READERS, check

PACKAGES = {"tensorstore": "tensorstore", "zarr-python 2": "zarr", "z5py": "z5py"}
FIXTURES = ["java", "tensorstore", "z5py", "zarr_python_2"]


def main(folders):
    table = Counter()
    failures = 0
    for folder in folders:
        for entry in load(folder):
            # Without a formula there is nothing to compare with: strings, objects and what N5 does not have.
            if entry["formula"] is None:
                continue
            for reader in READERS:
                outcome, why = check(reader, folder, entry)
                if outcome == "FAIL":
                    failures += 1
                    print(f"FAIL {reader}: {folder}/{entry['case']}/{entry['dataset']}: {why}", file=sys.stderr)
                    why = ""
                table[reader, compression_label(entry["compression"]), outcome, why] += 1

    for (reader, label, outcome, why), count in sorted(table.items()):
        named = f"{PACKAGES[reader]} {version(PACKAGES[reader])}"
        print(f"{named:18} | {label:13} | {count:4} {outcome}{': ' + why if why else ''}")
    if not table:
        sys.exit("no dataset was checked")
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        main([Path(__file__).parents[1] / "tests/data" / name for name in FIXTURES])
    elif len(sys.argv) > 1:
        main(sys.argv[1:])
    else:
        sys.exit(__doc__)
