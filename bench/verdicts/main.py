"""Verdicts against programs whose problem is known: how many are named, in part, missed, and false.

Each run of the corpus (corpus.toml) is recorded, and what `rankwise explain --json` says of it is compared
with what must be said. `--rankwise` judges another installation. See ../README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from common.errors import BenchError
from common.jobs import build
from common.mpis import Mpi, environment
from common.options import mpis
from verdicts.corpus import Case, corpus
from verdicts.judge import Judged, judge

_MOST_ERROR = 0.05  # of an efficiency
_TIMEOUT = 60
_COLUMNS = ("named", "in part", "missed", "false", "clean")


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench", description="Verdicts against programs whose problem is known."
    )
    parser.add_argument(
        "--mpi",
        action="append",
        metavar="NAME=MPICC,MPIRUN",
        help="repeatable (default: mpicc.openmpi, mpicc.mpich and mpicc, as far as they are there)",
    )
    parser.add_argument("--kind", default="", help="only kinds with these words in them")
    parser.add_argument("--busy", action="store_true", help="beside a process that spins")
    parser.add_argument("--rankwise", default="", metavar="PROGRAM", help="another installation's `rankwise`")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was said of each run")
    return parser.parse_args(arguments)


@contextmanager
def _hogs(number: int) -> Iterator[None]:
    """Let so many processes spin."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


def _command(mpi: Mpi, case: Case, program: Path) -> list[str]:
    launch = mpi.launch(case.ranks, {})
    if mpi.family == "openmpi":
        launch += ["--bind-to", "none"]
    limit = ["timeout", "--kill-after=5", str(case.limit)] if case.limit else []
    return [*limit, *launch, str(program), case.mode, *case.words]


def _record(rankwise: Sequence[str], command: list[str], profile: Path, *, ends: bool) -> str:
    """Record a job; return what it printed."""
    with subprocess.Popen(
        [*rankwise, "run", "-q", "--force", "-o", str(profile), "--", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=profile.parent,
        env=environment() | {"OMPI_MCA_mpi_yield_when_idle": "1"},
        start_new_session=True,
    ) as job:
        try:
            printed, complaint = job.communicate(timeout=_TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            raise BenchError(f"no end after {_TIMEOUT} s: {' '.join(command)}") from None
    if (ends and job.returncode) or not profile.exists():
        raise BenchError(f"exit status {job.returncode}: {' '.join(command)}\n{complaint.strip()}")
    return printed


def _truth(printed: str) -> dict[str, float] | None:
    for line in printed.splitlines():
        if line.startswith('{"truth"'):
            found: dict[str, float] = json.loads(line)
            return found
    return None


def _judged(rankwise: Sequence[str], mpi: Mpi, case: Case, program: Path, *, busy: bool) -> Judged:
    profile = program.parent / "planted.rankwise"
    with _hogs(case.hogs + busy):
        printed = _record(rankwise, _command(mpi, case, program), profile, ends=not case.limit)
    explained = subprocess.run(
        [*rankwise, "explain", str(profile), "--json"], capture_output=True, text=True, check=False
    )
    if explained.returncode:
        raise BenchError(f"explain: {explained.stderr.strip()}")
    return judge(case, json.loads(explained.stdout), _truth(printed))


def _table(found: list[tuple[Mpi, Case, Judged]]) -> None:
    """Print a line for each kind, and the sums."""
    print(f"{'kind':<34}" + "".join(f"{name:>9}" for name in _COLUMNS) + f"{'error':>9}{'covered':>9}")
    kinds: dict[str, list[Judged]] = defaultdict(list)
    for _, case, one in found:
        kinds[case.kind].append(one)
    for kind, ones in [*kinds.items(), ("all", [one for _, _, one in found])]:
        counts = [sum(one.outcome == name for one in ones) for name in _COLUMNS]
        errors = [one.error for one in ones if one.error is not None]
        error = f"{statistics.mean(errors):.2f}" if errors else ""
        covered = f"{sum(bool(one.covered) for one in ones)}/{len(errors)}" if errors else ""
        print(f"{kind:<34}" + "".join(f"{count or '':>9}" for count in counts) + f"{error:>9}{covered:>9}")
    planted = [one for _, case, one in found if not case.is_control and case.rules]
    named = sum(one.outcome == "named" for one in planted)
    known = [one for _, _, one in found if one.error is not None]
    good = sum(bool(one.covered) or (one.error or 0.0) <= _MOST_ERROR for one in known)
    print(f"\nnamed: {named} of {len(planted)} planted problems (aim: 95 %)")
    print(f"false: {sum(one.outcome == 'false' for _, _, one in found)} (aim: 0)")
    print(
        f"efficiencies off by at most {_MOST_ERROR}, or within their range: {good} of {len(known)} (aim: all)"
    )


def main(arguments: list[str]) -> None:
    """Record all runs of the corpus, and print what was said of them."""
    options = _parse(arguments)
    rankwise = [options.rankwise] if options.rankwise else [sys.executable, "-m", "rankwise"]
    found: list[tuple[Mpi, Case, Judged]] = []
    for mpi in mpis(options.mpi):
        with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as place:
            program = build(mpi, "planted", Path(place), ["-D_GNU_SOURCE"])
            for case in corpus():
                if options.kind not in case.kind:
                    continue
                print(f"{mpi.name}: {case.kind}, {case.ranks} ranks: ", end="", file=sys.stderr, flush=True)
                try:
                    one = _judged(rankwise, mpi, case, program, busy=options.busy)
                except (
                    BenchError
                ) as error:  # (MPICH's ranks spin where they wait: on few processors for long)
                    print(error, file=sys.stderr)
                    continue
                found.append((mpi, case, one))
                print(one.outcome, file=sys.stderr)
    _table(found)
    if options.json:
        rows = [
            {
                "mpi": mpi.name,
                "kind": case.kind,
                "ranks": case.ranks,
                "outcome": one.outcome,
                "said": one.said,
            }
            | {"error": one.error, "covered": one.covered}
            for mpi, case, one in found
        ]
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
