"""Verdicts against programs whose problem is known: how many are named, in part, missed, and false.

Each run of the corpus (corpus.toml) is recorded, and what `rankwise explain --json` says of it is compared
with what must be said; all screens are compared with each other. `--rankwise` judges another installation.
See ../README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from contradictions import Screens, contradictions

from common.errors import BenchError
from common.jobs import build
from common.mpis import Mpi, environment
from common.options import mpis
from verdicts.corpus import Case, corpus
from verdicts.judge import Estimated, Judged, judge

_MOST_ERROR = 0.05  # of an efficiency
_TIMEOUT = 60
_COLUMNS = ("named", "in part", "missed", "false", "clean")


@dataclass(frozen=True)
class _Row:
    """A run and what became of it; contradictions: None = not looked for."""

    mpi: Mpi
    case: Case
    judged: Judged
    contradictions: list[str] | None


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
    parser.add_argument(
        "--kind",
        action="append",
        metavar="WORDS",
        help="repeatable: only kinds with these words in them, planted problems, controls or programs",
    )
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
        for process in running:
            process.kill()
            process.wait()


def _command(mpi: Mpi, case: Case, program: Path) -> list[str]:
    launch = mpi.launch(case.ranks, {})
    if mpi.family == "openmpi":
        launch += ["--bind-to", "none"]
    limit = ["timeout", "--kill-after=5", str(case.limit)] if case.limit else []
    own = [str(program)] if case.part != "program" else []
    return [*limit, *launch, *own, *case.command]


def _record(rankwise: Sequence[str], command: list[str], profile: Path, *, ends: bool) -> str:
    """Record a job; return what it printed."""
    with subprocess.Popen(
        [*rankwise, "run", "-q", "--force", "-o", str(profile), "--", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
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
            content: dict[str, float] = json.loads(line)
            return content
    return None


def _json_of(rankwise: Sequence[str], verb: str, profile: Path) -> dict[str, Any]:
    answer = subprocess.run(
        [*rankwise, verb, str(profile), "--json"], capture_output=True, text=True, check=False
    )
    if answer.returncode:
        raise BenchError(f"{verb}: {answer.stderr.strip()}")
    content: dict[str, Any] = json.loads(answer.stdout)
    return content


def _row(rankwise: Sequence[str], mpi: Mpi, case: Case, program: Path, options: argparse.Namespace) -> _Row:
    profile = program.parent / "planted.rankwise"
    for name in case.files:
        shutil.copy(name, program.parent)
    with _hogs(case.hogs + options.busy):
        printed = _record(rankwise, _command(mpi, case, program), profile, ends=not case.limit)
    explained, shown = _json_of(rankwise, "explain", profile), _json_of(rankwise, "show", profile)
    judged = judge(case, explained, shown, _truth(printed), busy=options.busy)
    # (Screens of another installation are not read: it may have other ones.)
    return _Row(mpi, case, judged, None if options.rankwise else contradictions(Screens(profile)))


def _missing(mpi: Mpi, case: Case) -> str:
    """Return why a real program is left out; '' = it is not."""
    if case.part != "program":
        return ""
    if case.mpi != mpi.family:
        return f"not for {mpi.name}"
    needed = [name for name in (case.command[0], *map(str, case.files)) if not _is_there(name)]
    return f"{needed[0]} is not installed" if needed else ""


def _is_there(name: str) -> bool:
    return shutil.which(name) is not None or Path(name).is_file()


def _estimates(estimates: Sequence[Estimated | None]) -> str:
    known = [estimate for estimate in estimates if estimate is not None]
    if not known:
        return " " * 18
    covered = f"{sum(estimate.covered for estimate in known)}/{len(known)}"
    return f"{statistics.mean(estimate.error for estimate in known):>9.2f}{covered:>9}"


def _line(kind: str, rows: Sequence[_Row]) -> str:
    counts = [sum(row.judged.outcome == name for row in rows) for name in _COLUMNS]
    against = sum(len(row.contradictions or ()) for row in rows)
    return (
        f"{kind:<36}"
        + "".join(f"{count or '':>8}" for count in counts)
        + f"{against or '':>8}"
        + _estimates([row.judged.efficiency for row in rows])
        + _estimates([row.judged.waiting for row in rows])
    ).rstrip()


def _table(rows_of_all: list[_Row]) -> None:
    """Print a line for each kind, and the sums."""
    header = "".join(f"{name:>8}" for name in (*_COLUMNS, "against"))
    print(f"{'kind':<36}{header}" + f"{'POP':>9}{'covered':>9}{'waiting':>9}{'covered':>9}")
    kinds: dict[str, list[_Row]] = defaultdict(list)
    for row in rows_of_all:
        kinds[row.case.kind].append(row)
    for kind, rows in [*kinds.items(), ("all", rows_of_all)]:
        print(_line(kind, rows))
    print()
    for name, part in (("planted problems", "planted"), ("real programs", "program")):
        rows = [row for row in rows_of_all if row.case.part == part and row.case.rules]
        named = sum(row.judged.outcome == "named" for row in rows)
        print(f"named: {named} of {len(rows)} {name} (aim: 95 %)")
    known = [row.judged.efficiency for row in rows_of_all if row.judged.efficiency]
    good = sum(estimate.covered or estimate.error <= _MOST_ERROR for estimate in known)
    looked = [row.contradictions for row in rows_of_all if row.contradictions is not None]
    false = sum(row.judged.outcome == "false" for row in rows_of_all)
    print(f"false: {false} of {len(rows_of_all)} runs (aim: 0)")
    print(f"contradictions: {sum(map(len, looked)) if looked else 'not looked for'} (aim: 0)")
    print(f"efficiencies off by at most {_MOST_ERROR}, or in their range: {good} of {len(known)} (aim: all)")


def _rows(rankwise: Sequence[str], mpi: Mpi, options: argparse.Namespace) -> Iterator[_Row]:
    """Record the runs of the corpus with one MPI."""
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as place:
        program = build(mpi, "planted", Path(place), ["-D_GNU_SOURCE"])
        # Ranks of Open MPI yield as they wait; those of other libraries may spin.
        for case in corpus(spins=mpi.family != "openmpi"):
            if options.kind and not any(words in f"{case.part}: {case.kind}" for words in options.kind):
                continue
            print(f"{mpi.name}: {case.kind}, {case.ranks} ranks: ", end="", file=sys.stderr, flush=True)
            if why := _missing(mpi, case):
                print(f"left out: {why}", file=sys.stderr)
                continue
            try:
                row = _row(rankwise, mpi, case, program, options)
            except BenchError as error:
                print(error, file=sys.stderr)
                continue
            said = () if row.judged.outcome in ("named", "clean") else row.judged.said
            print(row.judged.outcome, *(row.contradictions or ()), *said, sep="\n  ", file=sys.stderr)
            yield row


def main(arguments: list[str]) -> None:
    """Record all runs of the corpus, and print their findings; after Ctrl-C, those of the runs so far."""
    options = _parse(arguments)
    rankwise = [options.rankwise] if options.rankwise else [sys.executable, "-m", "rankwise"]
    rows_of_all: list[_Row] = []
    try:
        for mpi in mpis(options.mpi):
            # (Rows from before an exception stay in the list.)
            rows_of_all.extend(_rows(rankwise, mpi, options))
    except KeyboardInterrupt:
        print("\nended early", file=sys.stderr)
    _table(rows_of_all)
    if options.json:
        options.json.write_text(json.dumps([_json(row) for row in rows_of_all], indent=1) + "\n")


def _json(row: _Row) -> dict[str, Any]:
    run = {"mpi": row.mpi.name, "kind": row.case.kind, "ranks": row.case.ranks}
    return run | asdict(row.judged) | {"contradictions": row.contradictions}
