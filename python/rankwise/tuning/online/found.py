"""What src/online has found: from its files to rules, and to what each cell has come to."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.mpi_libraries import Version
from rankwise.trials.interval import ratio_interval
from rankwise.tuning.cells.cell import Cell, Grouping, Traits
from rankwise.tuning.gate import REDUCTIONS, changes_digits, refusal
from rankwise.tuning.measured import raced_of
from rankwise.tuning.online.plan import Plan
from rankwise.tuning.settings.rule import Algorithm, Evidence, Rule
from rankwise.tuning.target import Target, targets

CONFIDENCE = 1 - 0.05 / 8 / 4
"""Of the interval of a rule: it holds for eight of them together, and for all looks (src/online/race.cpp)."""

_UNFIT = {
    "no plan": "its processes can't read {directory}: give a directory that every node sees, with --keep",
    "no variables": "the MPI library has not the variables that the probe has found: "
    "does the program use the library of its launch?",
    "threads": "it asks for MPI_THREAD_MULTIPLE, where calls of several threads could meet in one choice "
    "(mpi4py does, unless `mpi4py.rc.thread_level = 'serialized'` stands before its import)",
    "differs": "its processes have read different plans in {directory}: every node must see the same one",
}


@dataclass(kw_only=True)
class Explored:
    """A target, and what came of it while the program ran.

    Attributes:
        target: that was explored.
        state: "kept", "none", or how far it was at the end: watching, trying, racing, confirming.
        rounds: of all algorithms.
        pairs: of the fresh measurement of the winner.
        algorithm: that was measured afresh; None: none was.
        evidence: what that has shown; None: there is none.
        rule: that comes of it; None: none does.
        verdict: in a few words.
        ratios: times of each algorithm as multiples of the default's, by label, as the rounds had them.
        out: why algorithms have left the race, by label.
        saved_seconds: that the program has already taken less, over the ranks.
    """

    target: Target
    state: str
    rounds: int
    pairs: int
    algorithm: Algorithm | None
    evidence: Evidence | None
    rule: Rule | None
    verdict: str
    ratios: Mapping[str, Sequence[float]]
    out: Mapping[str, str]
    saved_seconds: float


@dataclass(frozen=True)
class Found:
    """What came out.

    Attributes:
        library: that was tuned.
        explored: the one with the most time first.
        elapsed: seconds of the program, between MPI_Init and MPI_Finalize.
        spent: seconds of them for exploring.
        ranks: of the launch.
        digits: whether sums may change in their last digits.
    """

    library: Version
    explored: tuple[Explored, ...]
    elapsed: float
    spent: float
    ranks: int
    digits: bool

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All that have come of it."""
        return tuple(one.rule for one in self.explored if one.rule)


def lines_of(directory: Path) -> list[dict[str, Any]]:
    """Return what the processes have written, of each cell the last."""
    cells: dict[tuple[str, int, int], dict[str, Any]] = {}
    others = []
    for path in sorted(directory.iterdir()):
        if path.name == "plan" or not path.is_file():
            continue
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                said = json.loads(line)
            except ValueError:  # the last line of a process that was killed
                continue
            if "cell" in said:
                cells[path.name, said["communicator"], said["cell"]] = said
            else:
                others.append(said)
    return [*cells.values(), *others]


def refuse_unfit(said: Sequence[Mapping[str, Any]], directory: Path) -> None:
    """Say why nothing was tried in the whole job.

    Raises:
        RankwiseError: nothing was.
    """
    for one in said:
        if "unfit" in one:
            why = _UNFIT[one["unfit"]].format(directory=directory)
            raise RankwiseError(f"the program can't be tuned while it runs: {why}", 1)


def found(
    said: Sequence[Mapping[str, Any]],
    plan: Plan,
    library: Version,
    ranks: int,
    untold: Callable[[Sequence[Rule]], str],
) -> Found:
    """Return what came out.

    Args:
        said: see `lines_of`.
        plan: that the program ran with.
        library: that it uses.
        ranks: of the launch.
        untold: returns why the library can't be told rules; '' if it can.
    """
    cells = [_Cell.of(one, plan) for one in said if "cell" in one]
    ends = [one for one in said if "elapsed_ns" in one]
    merged = [_merged(group) for group in _alike(cells)]
    by_cell = {id(one.cell): one for one in merged}
    explored: list[Explored] = []
    for target in targets([one.cell for one in merged]):
        parts = [by_cell[id(cell)] for cell in target.cells]
        explored.append(_explored(target, parts, library, explored, untold))
    return Found(
        library,
        tuple(explored),
        1e-9 * max((one["elapsed_ns"] for one in ends), default=0),
        1e-9 * max((one["spent_ns"] for one in ends), default=0),
        ranks,
        any(changes_digits(one.target) for one in explored if one.rule),
    )


@dataclass(frozen=True)
class _Cell:
    """What was found on a communicator."""

    cell: Cell
    state: str
    rounds: int
    pairs: tuple[tuple[float, float], ...]
    algorithm: Algorithm | None
    ratios: Mapping[str, Sequence[float]]
    out: Mapping[str, str]
    saved: float  # seconds over its members

    @classmethod
    def of(cls, said: Mapping[str, Any], plan: Plan) -> _Cell:
        candidate = said.get("candidate")
        pairs = tuple((default * 1e-9, chosen * 1e-9) for default, chosen in said["pairs"])
        default = statistics.median(pair[0] for pair in pairs) if pairs else said["default_ns"] * 1e-9
        by_default, calls = said["calls_by_default"], said["calls"]
        chosen = statistics.median(pair[1] for pair in pairs) if pairs else default
        processes, procedure = said["processes"], said["procedure"]
        traits = Traits(True, said["other_order"], procedure in REDUCTIONS, said["in_place"])
        members = tuple(said.get("members", ()))
        by_choice = calls - by_default
        seconds = processes * (default * by_default + chosen * by_choice)
        cell = Cell(
            procedure=procedure,
            processes=processes,
            low=said["low"],
            high=said["high"],
            size=said["high"],
            calls=calls,
            seconds=seconds,
            tunable_seconds=seconds,
            groupings=(Grouping((members,)),) if members else (),
            traits=traits,
        )
        labels = {one["arm"]: plan.arms[one["arm"]][1].label for one in said["arms"]}
        return cls(
            cell,
            said["state"],
            said["rounds"],
            pairs,
            None if candidate is None else plan.arms[candidate][1],
            {labels[one["arm"]]: one["ratios"] or [one["trial"]] for one in said["arms"]},
            {labels[one["arm"]]: one["out"] for one in said["arms"] if one["out"]},
            processes * (default - chosen) * by_choice,
        )


def _alike(cells: Sequence[_Cell]) -> Iterator[list[_Cell]]:
    """Return the cells that a rule can't tell apart: of one size of messages, and of communicators."""
    groups: dict[tuple[str, int, int], list[_Cell]] = {}
    for one in cells:
        cell = one.cell
        groups.setdefault((cell.procedure, cell.processes, cell.high.bit_length()), []).append(one)
    yield from groups.values()


def _merged(group: Sequence[_Cell]) -> _Cell:
    """Return cells of several communicators as one: that with the most time decides, if none objects."""
    cells = [one.cell for one in group]
    first = max(group, key=lambda one: (one.state == "kept", one.cell.tunable_seconds))
    objects = first.state == "kept" and any(
        one.algorithm != first.algorithm
        for one in group
        if one.state in ("kept", "none") and one is not first
    )
    cell = replace(
        first.cell,
        low=min(one.low for one in cells),
        high=max(one.high for one in cells),
        calls=max(one.calls for one in cells),
        seconds=sum(one.seconds for one in cells),
        tunable_seconds=sum(one.tunable_seconds for one in cells),
        traits=Traits(
            True,
            any(one.traits.not_commutative for one in cells),
            first.cell.traits.rounds,
            any(one.traits.in_place for one in cells),
        ),
    )
    return replace(
        first,
        cell=cell,
        state="other elsewhere" if objects else first.state,
        saved=sum(one.saved for one in group),
    )


_VERDICTS = {
    "none": "no gain shown",
    "watching": "too little time",
    "trying": "not finished",
    "racing": "not finished",
    "confirming": "not finished",
    "other elsewhere": "differs by communicator",
}


def _explored(
    target: Target,
    parts: Sequence[_Cell],
    library: Version,
    others: Sequence[Explored],
    untold: Callable[[Sequence[Rule]], str],
) -> Explored:
    """Return what a target has come to; its rule has to go with those of others."""
    first = parts[0]
    evidence = _evidence(first)
    rule, verdict = None, _VERDICTS.get(first.state, "")
    if first.state == "kept" and first.algorithm is not None and evidence is not None:
        made = Rule(
            target.procedure,
            target.processes,
            target.low,
            target.high,
            first.algorithm,
            evidence,
            raced_of(target.cells),
        )
        apart = [one for one in parts[1:] if one.state == "kept" and one.algorithm != first.algorithm]
        why = "sizes differ, and a rule can't" if apart else ""
        why = why or refusal(target, library, first.algorithm, bitwise=False)
        why = why or untold([*(one.rule for one in others if one.rule), made])
        rule, verdict = (None, why) if why else (made, first.algorithm.label)
    return Explored(
        target=target,
        state=first.state,
        rounds=first.rounds,
        pairs=len(first.pairs),
        algorithm=first.algorithm,
        evidence=evidence,
        rule=rule,
        verdict=verdict,
        ratios=first.ratios,
        out=first.out,
        saved_seconds=sum(part.saved for part in parts),
    )


def _evidence(one: _Cell) -> Evidence | None:
    if not one.pairs:
        return None
    before, after = zip(*one.pairs, strict=True)
    interval = ratio_interval(before, after, CONFIDENCE)
    return Evidence(
        1e6 * statistics.median(before),
        1e6 * statistics.median(after),
        interval.ratio,
        interval.low,
        interval.high,
        interval.confidence,
        interval.pairs,
    )
