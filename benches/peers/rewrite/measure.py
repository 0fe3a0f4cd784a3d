#!/usr/bin/env python3
"""Measures n5_to_zarr against what no rewrite can do without, and prints tables in Markdown.

    benches/peers/rewrite/measure.py PROGRAM FLOORS FOLDER [--rounds N] [--only NAME ...] [--python PYTHON]

PROGRAM is n5_to_zarr and FLOORS is peer_rewrite, both built with --release. FOLDER/raw, 1024^3 uint8 in gzip blocks of 128^3,
is made by `peer_rewrite generate FOLDER`. Every way is run in turn in each of N rounds (default 3), and so are the floors. What
is printed of each is the median and the range; ratios are of the figures of one round. Shards are 256^3 of chunks of 64^3, zstd
3. The output goes to FOLDER_out and is deleted; the files that are read are in the page cache after the floors. With PYTHON,
which has tensorstore, tensorstore_rewrite.py takes turns too.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

SHAPES = ["--chunk", "64,64,64", "--shard", "256,256,256", "--zstd", "3"]

# name: (processes at the same time, their arguments, cores)
WAYS = {
    "(z, y, x), 1 thread": ([["--threads", "1"]], 1),
    "as stored, 1 thread": ([["--threads", "1", "--order", "stored"]], 1),
    "(z, y, x), 2 threads": ([["--threads", "2"]], 2),
    "(z, y, x), 4 parts, 2 processes": ([["--threads", "1", "--part", f"{part}/4"] for part in range(4)], 2),
}
# The same by tensorstore.
PEERS = {
    "tensorstore, (z, y, x), 1 thread": (["--threads", "1", "--order", "zyx"], 1),
    "tensorstore, as stored, 1 thread": (["--threads", "1", "--order", "stored"], 1),
    "tensorstore, (z, y, x), 2 threads": (["--threads", "2", "--order", "zyx"], 2),
}
# (name, of this, to that, which of CPU, wall)
GOALS = [
    ("CPU, (z, y, x) : as stored", "(z, y, x), 1 thread", "as stored, 1 thread", "cpu"),
    ("wall, 1 thread : 2 threads", "(z, y, x), 1 thread", "(z, y, x), 2 threads", "wall"),
    ("CPU, 4 parts : 2 threads", "(z, y, x), 4 parts, 2 processes", "(z, y, x), 2 threads", "cpu"),
    ("CPU, tensorstore : this, (z, y, x), 1 thread", "tensorstore, (z, y, x), 1 thread", "(z, y, x), 1 thread", "cpu"),
    ("CPU, tensorstore : this, as stored, 1 thread", "tensorstore, as stored, 1 thread", "as stored, 1 thread", "cpu"),
    ("wall, tensorstore : this, (z, y, x), 2 threads", "tensorstore, (z, y, x), 2 threads", "(z, y, x), 2 threads", "wall"),
]


def run(commands, at_a_time):
    """Processor seconds of all, wall seconds, and the most memory of one in bytes."""
    begun, cpu, memory = time.monotonic(), 0.0, 0
    waiting, running = list(commands), set()
    while waiting or running:
        while waiting and len(running) < at_a_time:
            running.add(subprocess.Popen(waiting.pop(0), stdout=subprocess.DEVNULL).pid)
        pid, status, usage = os.wait4(-1, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"a process failed: {commands}")
        running.discard(pid)
        cpu += usage.ru_utime + usage.ru_stime
        memory = max(memory, usage.ru_maxrss * 1024)
    return cpu, time.monotonic() - begun, memory


def spread(values, digits=2):
    """The median, and the range where there is one."""
    median = f"{statistics.median(values):.{digits}f}"
    return median if len(values) == 1 else f"{median} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("floors", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=[*WAYS, *PEERS])
    parser.add_argument("--python", type=Path)
    arguments = parser.parse_args()
    raw, out = arguments.folder / "raw", arguments.folder.with_name(f"{arguments.folder.name}_out")
    ways = {}
    for name, (processes, cores) in WAYS.items():
        program = [str(arguments.program), str(arguments.folder), str(out), "--dataset", "raw", *SHAPES]
        ways[name] = ([[*program, *more] for more in processes], cores)
    for name, (more, cores) in PEERS.items() if arguments.python else ():
        peer = Path(__file__).with_name("tensorstore_rewrite.py")
        ways[name] = ([[str(arguments.python), str(peer), str(raw), str(out), *more]], cores)
    ways = {name: way for name, way in ways.items() if name in (arguments.only or ways)}
    rounds = []
    for _ in range(arguments.rounds):
        line = subprocess.run([arguments.floors, "floors", arguments.folder], check=True, capture_output=True).stdout
        rounds.append({"floors": json.loads(line)})
        for name, (processes, cores) in ways.items():
            shutil.rmtree(out, ignore_errors=True)
            commands = [["taskset", "-c", ",".join(map(str, range(cores))), *command] for command in processes]
            cpu, wall, memory = run(commands, 1 if len(processes) == 1 else cores)
            rounds[-1][name] = {"cpu": cpu, "wall": wall, "memory": memory / 2**20}
            print(f"{name}: {cpu:.2f} s of CPU, {wall:.2f} s, {memory / 2**20:.0f} MiB", file=sys.stderr, flush=True)
    shutil.rmtree(out, ignore_errors=True)
    print("\n| floor | CPU, s |\n|---|--:|")
    for name, what in [("inflate", "read and inflate all blocks"), ("compress_zyx", "compress all chunks, (z, y, x)"),
                       ("compress_stored", "compress all chunks, as stored")]:
        print(f"| {what} | {spread([one['floors'][name] for one in rounds])} |")
    print("\n| way | CPU, s | of the floors | wall, s | peak memory of a process, MiB |\n|---|--:|--:|--:|--:|")
    for name in ways:
        compress = "compress_stored" if "as stored" in name else "compress_zyx"
        floors = [one[name]["cpu"] / (one["floors"]["inflate"] + one["floors"][compress]) for one in rounds]
        figures = {which: [one[name][which] for one in rounds] for which in ("cpu", "wall", "memory")}
        print(f"| {name} | {spread(figures['cpu'])} | {spread(floors)} | {spread(figures['wall'])} | "
              f"{spread(figures['memory'], 0)} |")
    print("\n| ratio | of each round |\n|---|--:|")
    for goal, this, that, which in GOALS:
        if this in ways and that in ways:
            print(f"| {goal} | {spread([one[this][which] / one[that][which] for one in rounds])} |")


if __name__ == "__main__":
    main()
