"""How long the profile of a very large job takes, how large it is, and how soon each of its screens is there.

The run directory is made up here.
"""

from __future__ import annotations

import argparse
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from assembly.screens import show_all
from assembly.synthetic import write
from assembly.taken import Taken, watch
from common.errors import BenchError
from common.options import positive

_ASSEMBLE = (
    "import sys; from pathlib import Path; from rankwise.profile.assemble import assemble;"
    "from rankwise.diagnosis.kept import keep_diagnosis;"
    "assemble(Path(sys.argv[1]), Path(sys.argv[2]), exit_status=0, conclude=keep_diagnosis)"
)
_MOST_SECONDS = {10_000: 15, 100_000: 120}
_MOST_MB = 2048
_MOST_ROW_BYTES = 40


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench", description="The assembly of a very large job's profile.")
    parser.add_argument("--ranks", type=positive, default=10_000, help="(default: %(default)s)")
    parser.add_argument("--rows", type=positive, default=200, help="of each rank (default: %(default)s)")
    parser.add_argument("--nodes", type=positive, help="node files (default: one for 100 ranks)")
    parser.add_argument("--files", action="store_true", help="one file a rank in place of node files")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    """Make the run directory, assemble it in a separate process, show it, print the cost of that.

    Raises:
        BenchError: something could not run, or missed its aim.
    """
    options = parse(arguments)
    nodes = 0 if options.files else options.nodes or -(-options.ranks // 100)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        run, profile = Path(name) / "run", Path(name) / "job.rankwise"
        run.mkdir()
        write(run, options.ranks, options.rows, nodes)
        files = [path.stat().st_size for path in run.iterdir()]
        size = f"{sum(files) / 2**20:.0f} MB of counters in {len(files)} files"
        print(f"{options.ranks} ranks x {options.rows} rows, {size}")
        taken = _finished([sys.executable, "-c", _ASSEMBLE, str(run), str(profile)])
        missed = [
            *_print_figure("time", taken.seconds, "s", _MOST_SECONDS.get(options.ranks)),
            *_print_figure("CPU time", taken.cpu_seconds, "s"),
            *_print_figure("memory", taken.peak_bytes / 2**20, "MB", _MOST_MB),
            *_print_figure("profile", profile.stat().st_size / 2**20, "MB"),
            *_print_figure("a row of calls", _row_bytes(profile), "B", _MOST_ROW_BYTES),
            *show_all(profile, options.ranks, _finished),
        ]
    if missed:
        raise BenchError(f"missed: {'; '.join(missed)}")


def _finished(command: list[str]) -> Taken:
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        taken = watch(process)
        errors.seek(0)
        if process.returncode != 0:
            raise BenchError(f"{command[-1]}:\n{errors.read().decode(errors='replace')}")
    return taken


def _row_bytes(profile: Path) -> float:
    """Return how many bytes a row of calls takes, with its share of what belongs to all rows."""
    with closing(sqlite3.connect(profile)) as connection:
        (rows,) = connection.execute("SELECT COUNT(*) FROM call_counts").fetchone()
        (size,) = connection.execute(
            "SELECT SUM(pgsize) FROM dbstat WHERE name IN ('call_counts', 'call_places')"
        ).fetchone()
    return float(size / rows)


def _print_figure(what: str, value: float, unit: str, most: float | None = None) -> list[str]:
    """Print a figure; return it if it misses its aim."""
    aim = f"aim <= {most}" if most else ""
    print(f"{what:15}{value:7.1f} {unit:5}{aim}".rstrip(), flush=True)
    return [f"{what} ({value:.1f} {unit}, {aim})"] if most and value > most else []
