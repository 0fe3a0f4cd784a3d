#!/usr/bin/env python3
"""Builds the readers, lets them read the same N5 files in turn, and prints tables of ratios in Markdown.

    benches/peers/compare.py [--data FOLDER] [--edge N] [--rounds N] [--python PATH] [--only TEXT] [--debug]

Every round runs every reader on every dataset, each in a process of its own that keeps the best of a few reads; of
the rounds the best counts. One thread: pinned to one core, CPU time. Two threads: pinned to two cores, wall time.
tensorstore is read by scripts/bench_tensorstore.py, with the interpreter that --python names (one that
scripts/make_venv.sh made); without it the table does without.

The datasets take about 1 GB in --data (default: a folder that is deleted afterwards).
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

PEERS = Path(__file__).resolve().parent
ROOT = PEERS.parent.parent
OURS = "zarrs_interop"
# The region reader in each of its orders, and those of the others that read in the same.
REGIONS = {
    "RegionReader": "(C order)",
    "RegionReader, whole rows": "(C order)",
    "RegionReader (z, y, x)": "(Fortran order)",
    "RegionReader, whole rows (z, y, x)": "(Fortran order)",
}
FLOORS = ["files + decompression", "memcpy"]
REPEAT = 3


def build(package, debug):
    """Each package by itself: built together they would share features, and with them gzip backends."""
    profile = [] if debug else ["--release"]
    command = ["cargo", "build", "--quiet", *profile, "--manifest-path", PEERS / "Cargo.toml", "-p", package]
    subprocess.run(command, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", PEERS / "target"))
    return target / ("debug" if debug else "release")


def lines(command):
    """The JSON objects that a program prints, one a line. Panics of peers are reported by their own lines."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{result.stderr}")
    return [json.loads(line) for line in result.stdout.splitlines()]


def tensorstore_lines(python, core, dataset):
    command = [python, ROOT / "scripts/bench_tensorstore.py", "--repeat", str(REPEAT), "--core", str(core), dataset]
    return [
        {
            "reader": line["reader"],
            "dataset": line["dataset"],
            "threads": 1,
            "cpu_s": line["cpu_seconds"],
            "wall_s": line["wall_seconds"],
        }
        for line in lines(command)
    ]


def measure(programs, datasets, rounds, threads, python):
    """{dataset name: {reader: best seconds, or an error}}, readers in the order of `programs`."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    if len(cores) < threads:
        print(f"\n(no table for {threads} threads: this process may use {len(cores)} core only)")
        return {}
    pinned = ["taskset", "-c", ",".join(map(str, cores))]
    clock = "cpu_s" if threads == 1 else "wall_s"
    best = {dataset.name: {} for dataset in datasets}
    for number in range(rounds):
        for dataset in datasets:
            for program in programs:
                arguments = ["--repeat", str(REPEAT), "--threads", str(threads), dataset]
                note(best, lines([*pinned, program, *arguments]), clock)
            if python and threads == 1:
                note(best, tensorstore_lines(python, cores[0], dataset), clock)
        print(f"round {number + 1} of {rounds}, {threads} thread(s)", file=sys.stderr)
    return best


def note(best, results, clock):
    for line in results:
        cell = best[Path(line["dataset"]).name]
        reader = line["reader"]
        if "error" in line:
            cell[reader] = line["error"]
        elif not isinstance(cell.get(reader), str):
            cell[reader] = min(cell.get(reader, float("inf")), line[clock])


def print_table(title, best, sizes, ours=OURS, wanted=lambda reader: reader not in REGIONS):
    """`wanted`: which of the other readers have a column."""
    if not best:
        return
    readers = list(dict.fromkeys(reader for cell in best.values() for reader in cell))
    others = [reader for reader in readers if reader != ours and wanted(reader)]
    print(f"\n{title}\n")
    header = [f"{ours}, MB/s", *(f"ours : {reader}" for reader in others)]
    print("| dataset | " + " | ".join(header) + " |")
    print("|---|" + "--:|" * len(header))
    notes = {}
    for name, cell in best.items():
        own = cell[ours]
        row = [name.removesuffix(".n5").replace("_", " ")]
        row.append(own if isinstance(own, str) else f"{sizes[name] / own / 1e6:.0f}")
        for reader in others:
            row.append(ratio(cell.get(reader), own, notes))
        print("| " + " | ".join(row) + " |")
    for error, number in notes.items():
        print(f"\n[{number}] {error}")


def print_region_tables(title, best, sizes):
    """Each order of the region reader against those that read in the same, the plain call and the floors."""
    for ours, order in REGIONS.items():
        same = lambda reader: reader.endswith(order) or reader in [OURS, *FLOORS]
        print_table(f"{ours}, {title}", best, sizes, ours, same)


def ratio(theirs, ours, notes):
    """Over 1: ours is faster. An error becomes a numbered note."""
    if isinstance(theirs, str):
        return f"[{notes.setdefault(theirs, len(notes) + 1)}]"
    if theirs is None or isinstance(ours, str):
        return ""
    return f"{theirs / ours:.2f}"


def print_sizes(ours, datasets, folder):
    """What we write at gzip level 6 against zlib's level 6, the first block of each dataset."""
    print("\nSize of one block written at gzip level 6\n")
    print("| dataset | elements, bytes | ours | zlib 6 | ours / zlib |")
    print("|---|--:|--:|--:|--:|")
    for dataset in datasets:
        if "gzip_truncated" not in dataset.name:
            continue
        subprocess.run([ours, "--write", folder, dataset], check=True, stdout=subprocess.DEVNULL)
        block = (folder / dataset.name / "0/0/0").read_bytes()
        payload = block[4 + 4 * int.from_bytes(block[2:4], "big") :]
        elements = gzip.decompress(payload)
        # Both with the 18 bytes of gzip's header and trailer.
        theirs = len(zlib.compress(elements, 6)) - 6 + 18
        name = dataset.name.removesuffix(".n5").replace("_", " ")
        print(f"| {name} | {len(elements)} | {len(payload)} | {theirs} | {len(payload) / theirs:.3f} |")


def print_templates(program):
    print("\nThe key of a chunk by a template (ns, CPU time)\n")
    rows = {}
    for line in lines(["taskset", "-c", str(min(os.sched_getaffinity(0))), program]):
        key = f"`{line['template']}` of {line['indices']}"
        rows.setdefault(key, {})[line["encoder"]] = line["ns"]
    others = [encoder for encoder in next(iter(rows.values())) if encoder != OURS]
    print(f"| template | {OURS} | " + " | ".join(f"{other} | {other} : ours" for other in others) + " |")
    print("|---|--:|" + "--:|--:|" * len(others))
    for key, row in rows.items():
        cells = [f"{row[OURS]:.0f}"]
        for other in others:
            cells += [f"{row[other]:.0f}", f"{row[other] / row[OURS]:.2f}"]
        print(f"| {key} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder for the datasets, kept (default: a temporary one)")
    parser.add_argument("--edge", type=int, default=250, help="elements along each axis (default 250)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each reader (default 5)")
    parser.add_argument("--python", type=Path, help="interpreter that has tensorstore")
    parser.add_argument("--only", default="", help="only datasets whose name contains this, e.g. uint16_gzip")
    parser.add_argument("--regions", action="store_true", help="only what the region reader is compared with")
    parser.add_argument("--debug", action="store_true", help="unoptimised, to see that all is in working order")
    arguments = parser.parse_args()

    names = ["peer_data", "peer_ours", "peer_floors", "peer_rust_n5"]
    if not arguments.regions:
        names += ["peer_zarrs_n5", "peer_template"]
    folders = {name: build(name, arguments.debug) for name in names}
    program = {name: folder / name for name, folder in folders.items()}
    with tempfile.TemporaryDirectory() as temporary:
        data = arguments.data or Path(temporary, "data")
        generate = [folders["peer_data"] / "generate", data, str(arguments.edge)]
        listed = subprocess.run(generate, check=True, stdout=subprocess.PIPE, text=True).stdout
        datasets = [Path(line) for line in listed.splitlines() if arguments.only in Path(line).name]
        sizes = {dataset.name: byte_size(dataset) for dataset in datasets}

        order = ("peer_ours", "peer_zarrs_n5", "peer_rust_n5", "peer_floors")
        readers = [program[name] for name in order if name in program]
        best = measure(readers, datasets, arguments.rounds, 1, arguments.python)
        print_region_tables("one thread (CPU time)", best, sizes)
        if arguments.regions:
            return
        print_table("Whole arrays, one thread (CPU time; over 1 ours is faster)", best, sizes)
        best = measure(readers[:2], datasets, arguments.rounds, 2, None)
        print_table("Whole arrays, two threads (wall time; over 1 ours is faster)", best, sizes)
        print_sizes(program["peer_ours"], datasets, Path(temporary, "written"))
    print_templates(program["peer_template"])


def byte_size(dataset):
    """Of the elements."""
    attributes = json.loads((dataset / "attributes.json").read_text())
    size = {"uint8": 1, "uint16": 2, "float32": 4, "uint64": 8}[attributes["dataType"]]
    for dimension in attributes["dimensions"]:
        size *= dimension
    return size


if __name__ == "__main__":
    main()
