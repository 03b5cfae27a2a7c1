"""The corpus of planted problems and controls: corpus.toml, one run for each size."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILE = Path(__file__).with_name("corpus.toml")


@dataclass(frozen=True, kw_only=True)
class Case:
    """One run of a program whose problem is known.

    Attributes:
        kind: of problem, in words.
        mode: of programs/planted.c.
        ranks: number of processes.
        words: that follow the mode: steps, microseconds and bytes.
        is_control: there is no problem.
        rules: of which one must be found; empty = the efficiency alone is judged.
        who: ranks that it must name; empty = none in particular.
        names: words that it must have.
        may: rules that may be found beside.
        must_not: rules that must not.
        anywhere: it need not be in the summary.
        hogs: processes that spin beside the job.
        limit: seconds after which the job is ended; 0 = it ends.
    """

    kind: str
    mode: str
    ranks: int
    words: tuple[str, ...]
    is_control: bool
    rules: frozenset[str]
    who: tuple[int, ...]
    names: tuple[str, ...]
    may: frozenset[str]
    must_not: frozenset[str]
    anywhere: bool
    hogs: int
    limit: int


def _ranks(who: str, ranks: int) -> tuple[int, ...]:
    if who == "last":
        return (ranks - 1,)
    if who == "last quarter":
        return tuple(range(ranks - ranks // 4, ranks))
    return (int(who),) if who else ()


def _cases(entry: dict[str, Any], *, is_control: bool) -> Iterator[Case]:
    for ranks, *words in entry["sizes"]:
        yield Case(
            kind=entry["kind"],
            mode=entry["mode"],
            ranks=ranks,
            words=tuple(map(str, words)),
            is_control=is_control,
            rules=frozenset(entry.get("rules", ())),
            who=_ranks(entry.get("who", ""), ranks),
            names=tuple(entry.get("names", ())),
            may=frozenset(entry.get("may", ())),
            must_not=frozenset(entry.get("must_not", ())),
            anywhere=entry.get("anywhere", False),
            hogs=entry.get("hogs", 0),
            limit=entry.get("limit", 0),
        )


def corpus() -> list[Case]:
    """Return all runs, those of a kind together."""
    content = tomllib.loads(_FILE.read_text())
    return [
        case
        for part, is_control in (("planted", False), ("control", True))
        for entry in content[part]
        for case in _cases(entry, is_control=is_control)
    ]
