"""Plants faults in the Python package, one at a time, and tells which of them no test sees.

python tests/mutants.py            all of them; exit status 1 if one survives
python tests/mutants.py clock      those whose file has this in its name
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import rankwise

UNIT = Path(__file__).parent / "unit"
PACKAGE = Path(rankwise.__file__).parent


class Mutant(NamedTuple):
    """A fault: where, what is written there, what is planted, and the tests that should see it."""

    file: str
    right: str
    wrong: str
    tests: str


COUNTERS = "counters assemble"
MUTANTS = [
    Mutant("profile/counters.py", 'min(section["used"], section["capacity"])', 'section["used"]', COUNTERS),
    Mutant("profile/counters.py", "min(count, (self.length", "min(count + 1, (self.length", COUNTERS),
    Mutant("profile/counters.py", "kind in broken and kind in _NUMBERED", "kind in _NUMBERED", COUNTERS),
    Mutant("profile/counters.py", "budget -= len(rows) * stride", "budget -= 0", COUNTERS),
    Mutant("profile/counters.py", "if negative.any()", "if negative.all()", COUNTERS),
    Mutant("profile/rows.py", "timed = ordered", "timed = ~ordered", COUNTERS),
    Mutant("profile/rows.py", '(total["messages"] != 0) | ', "", COUNTERS),
    Mutant("profile/rows.py", 'max(kept["max_ticks"][heir], row["max_ticks"])', 'row["max_ticks"]', COUNTERS),
    Mutant("profile/rows.py", '& (total["bytes_received"] == 0)', "", COUNTERS),
    Mutant("profile/rows.py", '"bytes_read", "bytes_written"', '"bytes_read"', "counters file_tables"),
    Mutant("profile/clock.py", "distance_ns < _CLOSEST_NS", "distance_ns <= _CLOSEST_NS / 2", COUNTERS),
    Mutant("profile/clock.py", "median(known)", "max(known)", COUNTERS),
    Mutant("profile/clock.py", "max(realtime_ns, 0)", "realtime_ns", COUNTERS),
    Mutant("profile/clock.py", "max(times) - min(times) >=", "max(times) - min(times) <", COUNTERS),
    Mutant("profile/lifetime.py", "max(used, key=_monotonic)", "min(used, key=_monotonic)", COUNTERS),
    Mutant("profile/members.py", "(last - first) // stride < 0", "False", "members"),
    Mutant("profile/members.py", "end - start == 2 and stride != 1", "end - start == 2", "members"),
    Mutant("profile/text.py", 'text.replace("\\t", " ")', "text", "text safe counters"),
    Mutant("analysis/matrix.py", "0 <= start < size and 0 <= end < size", "0 <= start < size", "matrix"),
    Mutant("analysis/matrix.py", "before[0] + messages", "messages", "matrix"),
    Mutant("trials/interval.py", 'side="right")) - 1)', 'side="right")))', "trials"),
    Mutant("trials/interval.py", "self.reached and self.high < 1", "self.high < 1", "trials"),
    Mutant("trials/plan.py", "ddof=1", "ddof=0", "trials"),
    Mutant("trials/race.py", "(step + number) % count", "step % count", "race"),
    Mutant("trials/race.py", "1 - 2 * aim.risk / 2**self.looks", "1 - 12 * aim.risk / 2**self.looks", "race"),
    Mutant("trials/plan.py", "(1 - self.confidence) / challengers", "(1 - self.confidence)", "race"),
    Mutant("trials/run.py", "if not self._affordable()", "if False", "race"),
    Mutant(
        "placement/verification/measured.py",
        "spread <= _STEADY",
        "spread < 10 * _STEADY",
        "trials verify_command",
    ),
    Mutant("profile/assemble.py", "force or not path.exists()", "True", "assemble"),
    Mutant("profile/assemble.py", "force or not path.exists()", "not path.exists()", "assemble"),
    Mutant("analysis/algorithms/naming.py", "bool(exact)", "True", "algorithms algorithm_view"),
    Mutant("analysis/percent.py", "whole > 0", "whole > 1", "units"),
    Mutant("trials/process.py", "128 - code if", "127 - code if", "trials"),
]


def main(wanted: Sequence[str]) -> int:
    """1 if a mutant lives."""
    chosen = [mutant for mutant in MUTANTS if not wanted or any(word in mutant.file for word in wanted)]
    alive = [mutant for mutant in chosen if survives(mutant)]
    print(f"{len(chosen)} mutants, {len(alive)} survived")
    return 1 if alive else 0


def survives(mutant: Mutant) -> bool:
    """Run the tests on a copy of the package that has the fault."""
    with tempfile.TemporaryDirectory(prefix="rankwise-mutant-") as place:
        copy = Path(place, "rankwise")
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        text = (copy / mutant.file).read_text()
        if mutant.right not in text:
            raise LookupError(f"{mutant.file} has no {mutant.right!r}")
        (copy / mutant.file).write_text(text.replace(mutant.right, mutant.wrong, 1))
        files = [str(UNIT / f"test_{name}.py") for name in mutant.tests.split()]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": place},
        )
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout + done.stderr)
    print("survived:" if done.returncode == 0 else "killed:  ", mutant.file, mutant.right, flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
