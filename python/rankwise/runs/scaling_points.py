"""Runs of one program taken together by their number of ranks, and refused where they can't be."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial

from rankwise.errors import RankwiseError
from rankwise.runs.scaling_figures import ScalingRun

_SHOWN = 4


@dataclass(frozen=True)
class Point:
    """Runs of one configuration.

    Attributes:
        ranks: number of ranks.
        parameter: value of the second parameter; None = not used.
        runs: at least one.
    """

    ranks: int
    parameter: float | None
    runs: tuple[ScalingRun, ...]

    @property
    def at(self) -> tuple[float, ...]:
        """The values of the parameters of a model."""
        return (self.ranks,) if self.parameter is None else (self.ranks, self.parameter)

    def values(self, figure: Callable[[ScalingRun], float]) -> list[float]:
        """Return a figure of each run."""
        return [figure(run) for run in self.runs]


def points_of(runs: Sequence[ScalingRun], *, program: str = "", parameter: str = "") -> list[Point]:
    """Return the runs by their number of ranks, and within one number by the parameter.

    Args:
        runs: of all profiles.
        program: only runs of this one, with * and ? as in a shell; '' = there is only one.
        parameter: name of a tag with numbers; '' = none.

    Raises:
        RankwiseError: the runs have several programs or libraries, those with as many ranks have several
            numbers of nodes or tags, or all have as many ranks.
    """
    chosen = _of_program(runs, program)
    _check_same(chosen, "MPI libraries", lambda run: run.configuration.mpi_library)
    groups: dict[tuple[int, float | None], list[ScalingRun]] = {}
    for run in chosen:
        groups.setdefault((run.configuration.ranks, _number(run, parameter)), []).append(run)
    points = [
        Point(ranks, value, tuple(group))
        for (ranks, value), group in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or 0.0))
    ]
    for point in points:
        _check_alike(point)
    numbers = sorted({point.ranks for point in points})
    if parameter and len(numbers) == len(points):
        raise RankwiseError(
            f"each number of ranks has one value of {parameter}, so their effects can't be separated: "
            "add runs with other values, or leave out --parameter"
        )
    if len(numbers) < 2:
        raise RankwiseError(
            f"all runs have {numbers[0]} rank{'s' * (numbers[0] != 1)}: scaling needs runs with at least two "
            "numbers of ranks; `rankwise diff` compares runs with the same"
        )
    return points


def series_of(points: Sequence[Point]) -> list[Point]:
    """Return the points that scaling is judged by.

    If the same number of ranks has runs with several values of the parameter, these are the points with one
    value: the value with most numbers of ranks; of several, the largest.

    Raises:
        RankwiseError: no value has two numbers of ranks.
    """
    if len({point.ranks for point in points}) == len(points):
        return list(points)
    by_value: dict[float, list[Point]] = {}
    for point in points:
        by_value.setdefault(point.parameter or 0.0, []).append(point)
    series = max(by_value.items(), key=lambda item: (len(item[1]), item[0]))[1]
    if len(series) < 2:
        raise RankwiseError("no value of the parameter has runs with two numbers of ranks: add such runs")
    return series


def different_arguments(points: Sequence[Point]) -> list[int]:
    """Return the numbers of ranks whose runs have different arguments."""
    return sorted(
        {point.ranks for point in points if len({run.configuration.arguments for run in point.runs}) > 1}
    )


def _of_program(runs: Sequence[ScalingRun], program: str) -> list[ScalingRun]:
    names = sorted({run.configuration.program for run in runs})
    if program:
        runs = [run for run in runs if fnmatchcase(run.configuration.program, program)]
        if not runs:
            raise RankwiseError(f"no run is of the program {program!r}: there are {_listed(names)}")
        names = sorted({run.configuration.program for run in runs})
    if len(names) > 1:
        raise RankwiseError(
            f"the profiles are of {len(names)} programs: {_listed(names)}; choose one with "
            f"--program {shlex.quote(names[0])}"
        )
    return list(runs)


def _check_alike(point: Point) -> None:
    where = f" with {point.ranks} ranks"
    _check_same(point.runs, "numbers of nodes", lambda run: f"{run.configuration.nodes}", where)
    for name in sorted({name for run in point.runs for name, _ in run.configuration.tags}):
        _check_same(point.runs, f"values of the tag {name}", partial(_tag, name), where)


def _tag(name: str, run: ScalingRun) -> str:
    return run.run.tags.get(name, "none")


def _check_same(
    runs: Sequence[ScalingRun], what: str, value: Callable[[ScalingRun], str], where: str = ""
) -> None:
    examples: dict[str, ScalingRun] = {}
    for run in runs:
        examples.setdefault(value(run), run)
    if len(examples) > 1:
        each = [f"{name} ({run.path})" for name, run in sorted(examples.items())]
        raise RankwiseError(
            f"the runs{where} have {len(examples)} {what}: {_listed(each)}; give profiles with one of them"
        )


def _number(run: ScalingRun, parameter: str) -> float | None:
    if not parameter:
        return None
    text = run.run.tags.get(parameter)
    if text is None:
        tags = ", ".join(run.run.tags) or "none"
        raise RankwiseError(f"{run.path} has no tag {parameter!r} (its tags: {tags}): record runs with --tag")
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1 <= number < float("inf"):
        raise RankwiseError(
            f"{run.path}: the tag {parameter} is {text!r}, and a parameter is a number from 1 on"
        )
    return number


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
