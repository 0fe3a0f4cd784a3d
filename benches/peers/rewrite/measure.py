#!/usr/bin/env python3
"""Measures n5_to_zarr against what no rewrite can do without, and prints tables in Markdown.

    benches/peers/rewrite/measure.py PROGRAM FLOORS FOLDER [--rounds N] [--only NAME ...]

PROGRAM is n5_to_zarr and FLOORS is peer_rewrite, both built with --release. FOLDER/raw, 1024^3 uint8 in gzip blocks of 128^3,
is made by `peer_rewrite generate FOLDER`. Every way is run in turn in each of N rounds (default 2); of processor time, wall
time and peak memory the smallest counts. Shards are 256^3 of chunks of 64^3, zstd 3. The output goes to FOLDER/out and is
deleted; the files that are read are in the page cache after the floors.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

SHAPES = ["--chunk", "64,64,64", "--shard", "256,256,256", "--zstd", "3"]

# name: (processes at the same time, their arguments, cores)
WAYS = {
    "zyx, 1 thread": ([["--threads", "1"]], 1),
    "stored, 1 thread": ([["--threads", "1", "--order", "stored"]], 1),
    "zyx, 2 threads": ([["--threads", "2"]], 2),
    "zyx, 4 parts, 2 at a time": ([["--threads", "1", "--part", f"{part}/4"] for part in range(4)], 2),
}


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("floors", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=list(WAYS))
    arguments = parser.parse_args()
    ways = {name: way for name, way in WAYS.items() if name in (arguments.only or WAYS)}
    floor, best = {}, {}
    out = arguments.folder / "out"
    for _ in range(arguments.rounds):
        line = json.loads(subprocess.run([arguments.floors, "floors", arguments.folder], check=True, capture_output=True).stdout)
        floor = {name: min(value, floor.get(name, value)) for name, value in line.items()}
        for name, (processes, cores) in ways.items():
            shutil.rmtree(out, ignore_errors=True)
            source = [str(arguments.program), str(arguments.folder), str(out), "--dataset", "raw", *SHAPES]
            commands = [["taskset", "-c", ",".join(map(str, range(cores))), *source, *more] for more in processes]
            found = run(commands, 1 if len(processes) == 1 else cores)
            best[name] = tuple(map(min, found, best.get(name, found)))
            print(f"{name}: {found[0]:.2f} s of CPU, {found[1]:.2f} s, {found[2] / 2**20:.0f} MiB", file=sys.stderr, flush=True)
    shutil.rmtree(out, ignore_errors=True)
    print("\n| floor | CPU, s |\n|---|--:|")
    for name, what in [("inflate", "read and inflate all blocks"), ("compress_zyx", "compress all chunks, z y x"),
                       ("compress_stored", "compress all chunks, as stored")]:
        print(f"| {what} | {floor[name]:.2f} |")
    print("\n| way | CPU, s | of the floors | wall, s | peak memory of a process, MiB |\n|---|--:|--:|--:|--:|")
    for name, (cpu, wall, memory) in best.items():
        floors = floor["inflate"] + floor["compress_stored" if name.startswith("stored") else "compress_zyx"]
        print(f"| {name} | {cpu:.2f} | {cpu / floors:.2f} | {wall:.2f} | {memory / 2**20:.0f} |")


if __name__ == "__main__":
    main()
