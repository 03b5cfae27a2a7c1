"""How long the profile of a very large job takes, and how much memory: from a run directory made up here."""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from assembly.synthetic import write
from common.errors import BenchError
from common.options import positive

_ASSEMBLE = (
    "import sys; from pathlib import Path; from rankwise.profile.assemble import assemble;"
    "assemble(Path(sys.argv[1]), Path(sys.argv[2]), exit_status=0)"
)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench", description="The assembly of a very large job's profile.")
    parser.add_argument("--ranks", type=positive, default=10_000, help="(default: %(default)s)")
    parser.add_argument("--rows", type=positive, default=200, help="of each rank (default: %(default)s)")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    """Make the run directory, assemble it in a process of its own, print what that took."""
    options = parse(arguments)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        run, profile = Path(name) / "run", Path(name) / "job.rankwise"
        run.mkdir()
        write(run, options.ranks, options.rows)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        command = [sys.executable, "-c", _ASSEMBLE, str(run), str(profile)]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - start
        if answer.returncode != 0:
            raise BenchError(f"the assembly failed:\n{answer.stderr}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        files = sum(path.stat().st_size for path in run.iterdir())
        print(f"{options.ranks} ranks x {options.rows} rows, {files / 2**20:.0f} MB of counters")
        print(f"time       {seconds:6.1f} s    aim <= 30")
        print(f"CPU time   {cpu:6.1f} s")
        # (The largest child so far: whatever the other parts started is smaller.)
        print(f"memory     {after.ru_maxrss / 1024:6.0f} MB   aim <= 2048")
        print(f"profile    {profile.stat().st_size / 2**20:6.0f} MB")
