#!/usr/bin/env python3
"""Reads N5 over a network with latency, with this crate and with tensorstore in turn, and prints tables in Markdown.

    benches/remote/run.py --program FILE --python FILE [--rounds N] [--latency MS] [--data FOLDER] [--edge N]

FILE of --program is what `cargo build --release` makes of this folder; it is not built here, so that nothing is compiled
while times are taken. --python is an interpreter with tensorstore (target/interop/venv of .ci/interop). The server is
the program too: one thread per connection, each answer held back for --latency milliseconds.

Each read is a process of its own, which opens the dataset, and then reads once to new memory; the time is that of the read,
requests and bytes are those that the server saw, the opening included. Of the rounds the medians are shown.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
BLOCK = 64


def reads(edge):
    """Name, dataset, start and shape. The plane is the middle one of a block, far from its header."""
    middle = edge // 2 + BLOCK // 2
    box = edge // 2
    return [
        ("gzip plane", "gzip", (0, 0, middle), (edge, edge, 1)),
        ("raw plane", "raw", (0, 0, middle), (edge, edge, 1)),
        ("raw plane, first of its blocks", "raw", (0, 0, edge // 2), (edge, edge, 1)),
        (f"gzip {box}^3", "gzip", (box // 2,) * 3, (box,) * 3),
        (f"gzip {edge}^3", "gzip", (0, 0, 0), (edge,) * 3),
        (f"raw {edge}^3", "raw", (0, 0, 0), (edge,) * 3),
    ]


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{result.stderr}")
    return json.loads(result.stdout)


def asked(url):
    with urllib.request.urlopen(f"{url}/-") as answer:
        return json.load(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--latency", type=int, default=30)
    parser.add_argument("--edge", type=int, default=512)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--ways", default="region,region_sync,zarrs_32,zarrs,adapter,tensorstore")
    parser.add_argument("--only", default="", help="reads whose name has this in it")
    arguments = parser.parse_args()
    ways = arguments.ways.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        data = arguments.data or Path(temporary)
        if not (data / "raw/attributes.json").exists():
            subprocess.run([arguments.program, "data", data, str(arguments.edge), str(BLOCK)], check=True)
        server = subprocess.Popen(
            [arguments.program, "serve", data, str(arguments.latency)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            url = server.stdout.readline().strip()
            results = measure(arguments, ways, url)
        finally:
            server.stdin.close()
            server.wait()
    show(arguments, ways, results)


def measure(arguments, ways, url):
    results = {}
    for _ in range(arguments.rounds):
        for name, dataset, start, shape in reads(arguments.edge):
            if arguments.only not in name:
                continue
            for way in ways:
                box = [",".join(map(str, start)), ",".join(map(str, shape))]
                if way == "tensorstore":
                    command = [arguments.python, HERE / "tensorstore_read.py", url, dataset, *box]
                else:
                    command = [arguments.program, "read", way, url, dataset, *box]
                asked(url)
                result = run(command) | asked(url)
                results.setdefault((name, way), []).append(result)
                print(json.dumps({"read": name, "way": way} | result), file=sys.stderr)
    return results


def show(arguments, ways, results):
    names = [read[0] for read in reads(arguments.edge) if arguments.only in read[0]]

    def median(name, way, what):
        return statistics.median(result[what] for result in results[name, way])

    print(f"{arguments.latency} ms per request, {arguments.edge}^3 uint8 in {BLOCK}^3 blocks, "
          f"medians of {arguments.rounds} rounds; tensorstore {tensorstore_version(arguments.python)}\n")
    tables = [
        ("seconds", "seconds", lambda value: f"{value:.3f}"),
        ("CPU seconds", "cpu", lambda value: f"{value:.2f}"),
        ("requests", "requests", lambda value: f"{value:.0f}"),
        ("MB moved", "bytes", lambda value: f"{value / 1e6:.2f}"),
        ("peak memory of the process, MB", "memory", lambda value: f"{value / 1e6:.0f}"),
    ]
    for title, what, text in tables:
        print(f"| {title} | {' | '.join(ways)} |\n|---|{'---|' * len(ways)}")
        for name in names:
            print(f"| {name} | {' | '.join(text(median(name, way, what)) for way in ways)} |")
        print()
    if "tensorstore" in ways and "region" in ways:
        print("| time, tensorstore = 1 | region | lowest and highest of a round |\n|---|---|---|")
        for name in names:
            ours, theirs = results[name, "region"], results[name, "tensorstore"]
            rounds = [one["seconds"] / other["seconds"] for one, other in zip(ours, theirs)]
            ratio = median(name, "region", "seconds") / median(name, "tensorstore", "seconds")
            print(f"| {name} | {ratio:.2f} | {min(rounds):.2f} to {max(rounds):.2f} |")


def tensorstore_version(python):
    code = "from importlib.metadata import version; print(version('tensorstore'))"
    return subprocess.run([python, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
