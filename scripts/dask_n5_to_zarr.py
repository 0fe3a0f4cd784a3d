#!/usr/bin/env python3
"""Rewrites N5 as OME-Zarr on a Dask cluster, with n5_to_zarr on every worker.

    scripts/dask_n5_to_zarr.py [--parts N] [--scheduler ADDRESS] [--program FILE] PATH_OR_URL OUT [OPTIONS OF n5_to_zarr]

The work is cut into N parts, each of which is one run of n5_to_zarr with `--part I/N`; parts do not speak to each other. First
the metadata is written, then come the parts of phase 0 (what the source has), then those of phase 1 (the first level that
is made, with --downsample), and so on. A part whose worker is lost is given to another one, which goes on where the lost one
was; a part that fails is tried again (--retries), and then ends everything with its message and the exit code 1. A second call
with the same arguments writes what is missing.

Without --scheduler a cluster of this machine is used (--workers processes, one part at a time each). With one, from `dask
scheduler` or dask-jobqueue (Slurm, LSF, ...), the program, PATH and OUT must be at the same place on all workers, and each
worker should have one thread (`dask worker --nthreads 1`): n5_to_zarr itself uses --threads threads.

Needs Python 3.10 or newer with `distributed`, and the program n5_to_zarr (cargo install --path . --example n5_to_zarr
--features rewrite).
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time

# The worst end is a signal that the system sends to what uses too much memory.
SIGNALS = {-signal.SIGKILL: "killed, perhaps for want of memory"}


class Failed(Exception):
    """A run of n5_to_zarr ended with an error. Its message says why."""


def run_part(command):
    """Runs n5_to_zarr on the worker. Returns its report.

    If the worker ends, the program ends with it: two runs of one part do no harm, but cost twice.
    """
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent
    )
    try:
        out, errors = process.communicate()
    except BaseException:
        process.kill()
        process.wait()
        raise
    if process.returncode != 0:
        how = SIGNALS.get(process.returncode, f"exit code {process.returncode}")
        raise Failed(f"{' '.join(command)}\n  {how}: {errors.strip() or 'no message'}")
    return json.loads(out)


def die_with_parent():
    """On Linux, lets the system end this process when its parent ends, however that ends."""
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def plan_of(command):
    """What n5_to_zarr will do. Its messages go to the terminal."""
    result = subprocess.run([*command, "--dry-run", "--json"], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(result.returncode)
    return json.loads(result.stdout)


class Bar:
    """A line in the terminal, or one line a phase where there is none."""

    def __init__(self, phase, parts):
        self.phase, self.parts, self.begun = phase, parts, time.monotonic()
        self.done = self.again = self.size = 0

    def show(self, end="\r"):
        elapsed = time.monotonic() - self.begun
        left = f"{elapsed / self.done * (self.parts - self.done):.0f} s left" if self.done else "begun"
        rate = f"{self.size / max(elapsed, 1e-9) / 1e6:.0f} MB/s"
        again = f", {self.again} tried again" if self.again else ""
        text = f"phase {self.phase}: {self.done} of {self.parts} parts, {rate}, {left}{again}"
        if sys.stderr.isatty():
            print(f"\x1b[2K{text}", end=end, file=sys.stderr, flush=True)
        elif end == "\n":
            print(text, file=sys.stderr, flush=True)


def run_phase(client, commands, phase, retries, on_done=None):
    """Runs the parts of a phase on the cluster, and returns their reports."""
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    bar = Bar(phase, len(commands))
    bar.show()
    # Not pure: the same command again is to run again, whatever an earlier call has left.
    submit = lambda command: client.submit(run_part, command, pure=False)
    tries = {}
    pending = as_completed()
    for command in commands:
        future = submit(command)
        tries[future.key] = (command, 0)
        pending.add(future)
    reports = []
    for future in pending:
        command, tried = tries.pop(future.key)
        error = future.exception() if future.status != "finished" else None
        if future.status == "finished":
            report = future.result()
            reports.append(report)
            bar.done += 1
            bar.size += report["size_elements"]
            if on_done:
                on_done(len(reports))
        elif tried < retries:
            why = "its worker was lost" if isinstance(error, KilledWorker) else error
            print(f"\n{command[-1]} is tried again: {why}", file=sys.stderr)
            bar.again += 1
            future = submit(command)
            tries[future.key] = (command, tried + 1)
            pending.add(future)
        else:
            raise Failed(f"part {command[-1]} of phase {phase} failed {tried + 1} times: {error!r}\n{error}")
        bar.show()
    bar.show(end="\n")
    return reports


def rewrite(client, program, arguments, parts, retries, on_done=None):
    """Rewrites with a client of a cluster. Returns the sums of the reports."""
    plan = plan_of([program, *arguments])
    if plan["without_ome"]:
        print(f"no OME-Zarr metadata: {plan['without_ome']}", file=sys.stderr)
    for note in plan["notes"]:
        print(f"note: {note}", file=sys.stderr)
    if subprocess.run([program, *arguments, "--metadata-only"], stdout=subprocess.DEVNULL).returncode != 0:
        raise Failed("the metadata could not be written, as said above")
    total = {}
    for phase in range(plan["phases"]):
        shards = sum(level["shards"] for level in plan["levels"] if level["phase"] == phase)
        count = max(1, min(parts, shards))
        commands = [
            [program, *arguments, "--json", "--phase", str(phase), "--part", f"{index}/{count}"]
            for index in range(count)
        ]
        for report in run_phase(client, commands, phase, retries, on_done):
            for name, value in report.items():
                total[name] = added(total[name], value) if name in total else value
    return total


def added(one, other):
    """The sum of what two reports say; None if one does not know."""
    return None if one is None or other is None else one + other


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="All other arguments are those of n5_to_zarr."
    )
    parser.add_argument("--parts", type=int, default=64, help="default: 64; at most one per shard")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="default: a cluster of this machine")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="without --scheduler; default: all cores")
    parser.add_argument("--retries", type=int, default=3, help="of each part; default: 3")
    parser.add_argument("--program", default="n5_to_zarr", help="default: n5_to_zarr of the PATH")
    own, arguments = parser.parse_known_args()
    for name in ("--part", "--phase", "--json", "--dry-run", "--metadata-only"):
        if name in arguments:
            parser.error(f"{name} is set by this script")
    if own.parts < 1 or own.retries < 0:
        parser.error("--parts is at least 1, --retries at least 0")
    program = shutil.which(own.program)
    if program is None:
        parser.error(f"there is no program {own.program}: install it, or name it with --program")
    program = os.path.abspath(program)
    if own.scheduler is None and "--threads" not in arguments:
        # One worker for each core.
        arguments += ["--threads", "1"]

    import dask
    from distributed import Client, LocalCluster

    # Whatever loses workers is not the fault of the parts they had; --retries counts failures.
    dask.config.set({"distributed.scheduler.allowed-failures": 10})
    begun = time.monotonic()
    try:
        if own.scheduler:
            with Client(own.scheduler) as client:
                total = rewrite(client, program, arguments, own.parts, own.retries)
        else:
            cluster = LocalCluster(n_workers=own.workers, threads_per_worker=1, dashboard_address=None)
            with cluster, Client(cluster) as client:
                total = rewrite(client, program, arguments, own.parts, own.retries)
    except Failed as error:
        print(f"\ndask_n5_to_zarr: {error}", file=sys.stderr)
        return 1
    print(
        f"{total['written']} shards written, {total['whole']} whole before, {total['empty']} empty, "
        f"{total['corrupt_count']} corrupt blocks now 0, in {time.monotonic() - begun:.0f} s"
    )
    if total["missing_blocks"]:
        print(f"{total['missing_blocks']} blocks that the source does not have are 0")
    if total["is_corrected"]:
        print("scales or units that somebody has corrected in zarr.json are kept")
    for node_path in sorted(set(total["without_blocks"])):
        print(f"note: {node_path} has no block at all: every element of it is 0")
    for key in sorted(set(total["corrupt"])):
        print(f"  corrupt, now 0: {key}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
