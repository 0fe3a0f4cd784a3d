#!/usr/bin/env python3
"""Times tensorstore reading whole N5 datasets, on one core, into C order and into its native order (Fortran's).

    python scripts/bench_tensorstore.py [--repeat N] [--core N] DATASET...

DATASET is the folder of a dataset, e.g. volume.n5/volumes/raw/s0. One JSON line per dataset and order goes to standard output:
the best of N reads in CPU and wall seconds, and MB/s (1e6 bytes of decoded elements per second of CPU time).
The process is pinned to one core and tensorstore's own pools are held to one thread, so that the figures compare with
ours from one pinned thread. Every read opens the dataset anew with an empty cache; a first one, not counted, brings
the files into the page cache.
"""

import argparse
import json
import os
import time
from importlib.metadata import version
from pathlib import Path

ORDERS = {"C": "C", "F": "Fortran"}


def read(path, order):
    import tensorstore  # only now, see main()

    context = {
        "data_copy_concurrency": {"limit": 1},
        "file_io_concurrency": {"limit": 1},
        "cache_pool": {"total_bytes_limit": 0},
    }
    spec = {"driver": "n5", "kvstore": f"file://{path.resolve()}/", "context": context}
    return tensorstore.open(spec, read=True, open=True).result().read(order=order).result()


def measure(path, order, repeat):
    best_cpu = best_wall = float("inf")
    for _ in range(repeat):
        cpu, wall = time.process_time(), time.perf_counter()
        array = read(path, order)
        best_cpu = min(best_cpu, time.process_time() - cpu)
        best_wall = min(best_wall, time.perf_counter() - wall)
    return {
        "reader": f"tensorstore {version('tensorstore')} ({ORDERS[order]} order)",
        "dataset": str(path),
        "shape": list(array.shape),
        "data_type": str(array.dtype),
        "repeat": repeat,
        "cpu_seconds": best_cpu,
        "wall_seconds": best_wall,
        "megabytes_per_second": array.nbytes / best_cpu / 1e6,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="+", type=Path, metavar="DATASET", help="folder of an N5 dataset")
    parser.add_argument("--repeat", type=int, default=7, help="reads of each, of which the best counts (default 7)")
    parser.add_argument("--core", type=int, help="core to run on (default: the first that this process may use)")
    arguments = parser.parse_args()

    core = min(os.sched_getaffinity(0)) if arguments.core is None else arguments.core
    # Before tensorstore is imported: it starts threads then, and they inherit the core.
    os.sched_setaffinity(0, {core})
    for path in arguments.datasets:
        for order in ORDERS:
            read(path, order)  # imports tensorstore and fills the page cache
            print(json.dumps(measure(path, order, max(arguments.repeat, 1))), flush=True)


if __name__ == "__main__":
    main()
