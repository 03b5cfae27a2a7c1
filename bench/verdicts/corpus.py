"""The corpus of planted problems, controls and real programs: corpus.toml, one run for each size."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILE = Path(__file__).with_name("corpus.toml")
_ROOT = Path(__file__).parents[2]

Part = Literal["planted", "control", "program"]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One run of a program about which something is known.

    Attributes:
        part: a planted problem, a control without one, or a real program.
        kind: of problem, in words.
        command: a mode of programs/planted.c with steps, microseconds and bytes; or the real program.
        ranks: number of processes.
        rules: of them one must be found; empty = only forbidden findings and the efficiency count.
        who: ranks that it must name; empty = no particular ones.
        names: words that it must have.
        may: rules that may be found beside.
        must_not: rules that must not.
        anywhere: it need not be in the summary.
        hogs: processes that spin beside the job.
        limit: seconds after which the job is ended; 0 = it ends.
        mpi: launcher that a real program needs; '' = any.
        files: that it reads.
    """

    part: Part
    kind: str
    command: tuple[str, ...]
    ranks: int
    rules: frozenset[str] = frozenset()
    who: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    may: frozenset[str] = frozenset()
    must_not: frozenset[str] = frozenset()
    anywhere: bool = False
    hogs: int = 0
    limit: int = 0
    mpi: str = ""
    files: tuple[Path, ...] = ()


def _number(value: int | str) -> int:
    """Return a number; "2p" is twice the number of processors."""
    if isinstance(value, int):
        return value
    return int(value.removesuffix("p")) * (os.cpu_count() or 1)


def _ranks(who: str, ranks: int) -> tuple[int, ...]:
    parts = {
        "": (),
        "last": (ranks - 1,),
        "last quarter": tuple(range(ranks - ranks // 4, ranks)),
        "first half": tuple(range(ranks // 2)),
        "last half": tuple(range(ranks // 2, ranks)),
    }
    return parts[who] if who in parts else (int(who),)


def _runs(entry: dict[str, Any], part: Part, *, spins: bool) -> Iterator[Case]:
    sizes = entry.get("spinning", entry["sizes"]) if spins else entry["sizes"]
    for size, *words in sizes:
        ranks = _number(size)
        yield Case(
            part=part,
            kind=entry["kind"],
            command=(entry["mode"], *map(str, words)),
            ranks=ranks,
            rules=frozenset(entry.get("rules", ())),
            who=_ranks(entry.get("who", ""), ranks),
            names=tuple(entry.get("names", ())),
            may=frozenset(entry.get("may", ())),
            must_not=frozenset(entry.get("must_not", ())),
            anywhere=entry.get("anywhere", False),
            hogs=_number(entry.get("hogs", 0)),
            limit=entry.get("limit", 0),
        )


def _of_program(entry: dict[str, Any]) -> Iterator[Case]:
    for size in entry["ranks"]:
        yield Case(
            part="program",
            kind=entry["kind"],
            command=tuple(entry["command"]),
            ranks=_number(size),
            rules=frozenset(entry.get("must", ())),
            must_not=frozenset(entry["must_not"]),
            mpi=entry["mpi"],
            files=tuple(_ROOT / name for name in entry["files"]),
        )


def corpus(*, spins: bool = False) -> list[Case]:
    """Return all runs, grouped by kind.

    Args:
        spins: ranks of this MPI library don't give up their processors while they wait.
    """
    content = tomllib.loads(_FILE.read_text())
    planted = [case for entry in content["planted"] for case in _runs(entry, "planted", spins=spins)]
    controls = [case for entry in content["control"] for case in _runs(entry, "control", spins=spins)]
    return [*planted, *controls, *(case for entry in content["program"] for case in _of_program(entry))]
