#!/usr/bin/env python3
"""Opens converted N5 containers with zarr-python 3 and zarr-n5, and compares every element.

    python scripts/check_zarr3.py FOLDER...     (with scripts/requirements-zarr3.txt)
    python scripts/check_zarr3.py --self-test   (the same for what n5tozarr made, tests/data/zarr_n5)

FOLDER holds containers with a zarr.json beside every attributes.json, as `add_zarr_metadata` leaves them, and a
manifest.json in the format of tests/data (see n5_cases.py). Prints a table, and exits with 1 when anything is wrong.
"""

import json
import sys
import warnings
from collections import Counter
from pathlib import Path

import zarr
import zarr_n5  # noqa: F401  (registers the codec n5_default)

from n5_cases import compression_label, expected, load

# Inner codecs that zarr-python 3 with zarr-n5 does not have; `check` fails an entry that reads after all.
UNSUPPORTED_CODECS = {"zarrs_interop.lz4_java": "zarr-python 3 has no codec for lz4-java's stream"}


def unsupported(path):
    metadata = json.loads((path / "zarr.json").read_text())
    for codec in metadata["codecs"]:
        for inner in codec.get("configuration", {}).get("codecs", []):
            if inner["name"] in UNSUPPORTED_CODECS:
                return UNSUPPORTED_CODECS[inner["name"]]
    return None


def check(folder, entry):
    """("pass" | "unsupported" | "FAIL", why)."""
    path = Path(folder, entry["case"], entry["dataset"])
    try:
        reason = unsupported(path)
    except OSError as error:
        return "FAIL", str(error)
    try:
        found = zarr.open_array(path, mode="r", zarr_format=3)[...]
    except Exception as error:  # whatever it is, it is the answer
        return ("unsupported", reason) if reason else ("FAIL", f"{type(error).__name__}: {error}")

    right = expected(entry)
    if reason:
        return "FAIL", f"reads after all; strike from the list of what it cannot: {reason}"
    if found.dtype != right.dtype or found.shape != right.shape:
        return "FAIL", f"gives {found.dtype}{list(found.shape)}, expected {right.dtype}{list(right.shape)}"
    if (found != right).any():
        return "FAIL", f"{(found != right).sum()} wrong elements"
    return "pass", ""


def main(folders):
    warnings.simplefilter("ignore")  # zarr-python warns of every codec without a published specification
    table = Counter()
    failed = False
    for folder in folders:
        for entry in load(folder):
            if entry["formula"] is None or "refused" in entry:
                continue
            outcome, why = check(folder, entry)
            table[compression_label(entry["compression"]), outcome, "" if outcome == "FAIL" else why] += 1
            if outcome == "FAIL":
                failed = True
                print(f"FAIL {folder}/{entry['case']}/{entry['dataset']}: {why}", file=sys.stderr)

    for (label, outcome, why), count in sorted(table.items()):
        print(f"zarr-python {zarr.__version__} | {label:12} | {count:4} {outcome}{': ' + why if why else ''}")
    if not table:
        sys.exit("no dataset was checked")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        main([Path(__file__).parents[1] / "tests/data/zarr_n5"])
    elif len(sys.argv) > 1:
        main(sys.argv[1:])
    else:
        sys.exit(__doc__)
