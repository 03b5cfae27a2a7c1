"""The results of src/online: from its files to rules, and to the state of each cell."""

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
"""Of a rule's interval: it holds for eight rules together, and for all looks (src/online/race.cpp)."""

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
    """A target, and its state at the end of the program.

    Attributes:
        target: that was explored.
        state: "kept", "none", or the phase at the end: watching, trying, racing, confirming.
        rounds: of all algorithms.
        pairs: of the fresh measurement of the winner.
        algorithm: that was measured afresh; None: no algorithm.
        evidence: of that measurement; None: no measurement.
        rule: that follows; None: no rule.
        verdict: in a few words.
        ratios: times of each algorithm as multiples of the default's, by label, in the order of rounds.
        out: why algorithms have left the race, by label.
        saved_seconds: that the program has already saved, summed over the ranks.
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
class Outcome:
    """The results of a run.

    Attributes:
        library: that was tuned.
        explored: by time, the most first.
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
        """All rules that follow."""
        return tuple(target.rule for target in self.explored if target.rule)


def lines_of(directory: Path) -> list[dict[str, Any]]:
    """Return the lines of the processes, for each cell the last."""
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
    """Refuse a job in which nothing could be tried.

    Raises:
        RankwiseError: nothing could be tried; the text says why.
    """
    for line in said:
        if "unfit" in line:
            why = _UNFIT[line["unfit"]].format(directory=directory)
            raise RankwiseError(f"the program can't be tuned while it runs: {why}", 1)


def outcome_of(
    said: Sequence[Mapping[str, Any]],
    plan: Plan,
    library: Version,
    ranks: int,
    untranslatable: Callable[[Sequence[Rule]], str],
) -> Outcome:
    """Return the results of a run.

    Args:
        said: see `lines_of`.
        plan: that the program ran with.
        library: that it uses.
        ranks: of the launch.
        untranslatable: returns why the library can't take rules; '' if it can.
    """
    cells = [_Cell.of(line, plan) for line in said if "cell" in line]
    ends = [line for line in said if "elapsed_ns" in line]
    merged = [_merged(group) for group in _by_rule(cells)]
    by_cell = {id(each.cell): each for each in merged}
    explored: list[Explored] = []
    for target in targets([each.cell for each in merged]):
        parts = [by_cell[id(cell)] for cell in target.cells]
        explored.append(_explored(target, parts, library, explored, untranslatable))
    return Outcome(
        library,
        tuple(explored),
        1e-9 * max((end["elapsed_ns"] for end in ends), default=0),
        1e-9 * max((end["spent_ns"] for end in ends), default=0),
        ranks,
        any(changes_digits(target.target) for target in explored if target.rule),
    )


@dataclass(frozen=True)
class _Cell:
    """The results on a communicator."""

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
        labels = {arm["arm"]: plan.arms[arm["arm"]][1].label for arm in said["arms"]}
        return cls(
            cell,
            said["state"],
            said["rounds"],
            pairs,
            None if candidate is None else plan.arms[candidate][1],
            {labels[arm["arm"]]: arm["ratios"] or [arm["trial"]] for arm in said["arms"]},
            {labels[arm["arm"]]: arm["out"] for arm in said["arms"] if arm["out"]},
            processes * (default - chosen) * by_choice,
        )


def _by_rule(cells: Sequence[_Cell]) -> Iterator[list[_Cell]]:
    """Return the cells that a rule can't distinguish: with one size of messages and of communicators."""
    groups: dict[tuple[str, int, int], list[_Cell]] = {}
    for on_communicator in cells:
        cell = on_communicator.cell
        key = cell.procedure, cell.processes, cell.high.bit_length()
        groups.setdefault(key, []).append(on_communicator)
    yield from groups.values()


def _merged(group: Sequence[_Cell]) -> _Cell:
    """Merge cells of several communicators: the cell with the most time decides, unless others differ."""
    cells = [each.cell for each in group]
    first = max(group, key=lambda each: (each.state == "kept", each.cell.tunable_seconds))
    objects = first.state == "kept" and any(
        other.algorithm != first.algorithm
        for other in group
        if other.state in ("kept", "none") and other is not first
    )
    cell = replace(
        first.cell,
        low=min(each.low for each in cells),
        high=max(each.high for each in cells),
        calls=max(each.calls for each in cells),
        seconds=sum(each.seconds for each in cells),
        tunable_seconds=sum(each.tunable_seconds for each in cells),
        traits=Traits(
            True,
            any(each.traits.not_commutative for each in cells),
            first.cell.traits.rounds,
            any(each.traits.in_place for each in cells),
        ),
    )
    return replace(
        first,
        cell=cell,
        state="other elsewhere" if objects else first.state,
        saved=sum(each.saved for each in group),
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
    untranslatable: Callable[[Sequence[Rule]], str],
) -> Explored:
    """Return the result for a target; its rule must be compatible with the others' rules."""
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
        apart = [part for part in parts[1:] if part.state == "kept" and part.algorithm != first.algorithm]
        why = "sizes differ, and a rule can't" if apart else ""
        why = why or refusal(target, library, first.algorithm, bitwise=False)
        why = why or untranslatable([*(other.rule for other in others if other.rule), made])
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


def _evidence(cell: _Cell) -> Evidence | None:
    if not cell.pairs:
        return None
    before, after = zip(*cell.pairs, strict=True)
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
