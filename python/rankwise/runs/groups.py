"""The runs of one configuration among many: only these differ by noise, by time, or by the source code."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import combinations
from typing import NamedTuple

from rankwise.analysis.overview import Run
from rankwise.comparison.figures import Figures
from rankwise.errors import RankwiseError
from rankwise.records import dataclass
from rankwise.runs.configuration import Configuration, configuration
from rankwise.text.units import number_of

_NAMED = 5  # configurations in an error


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The configuration that a user asks for; empty texts and 0 exclude none.

    Attributes:
        program: its name, or its name and arguments, with * and ? as in a shell.
        ranks: number of ranks.
        nodes: number of nodes.
        library: MPI library, or the beginning of its name and version.
        tags: values by name; a run has all.
    """

    program: str = ""
    ranks: int = 0
    nodes: int = 0
    library: str = ""
    tags: Mapping[str, str]

    def __contains__(self, run: Run) -> bool:
        known = configuration(run)
        names = (known.program, program_line(known))
        return (
            (not self.program or any(fnmatchcase(name, self.program) for name in names))
            and self.ranks in (0, known.ranks)
            and self.nodes in (0, known.nodes)
            and known.mpi_library.startswith(self.library)
            and self.tags.items() <= run.tags.items()
        )


@dataclass(frozen=True, kw_only=True)
class Group:
    """The runs of a configuration.

    Attributes:
        configuration: of all its runs.
        runs: number of them.
        options: of the command line that choose it among all groups.
    """

    configuration: Configuration
    runs: int
    options: list[str]


class Chosen(NamedTuple):
    """The largest group.

    Attributes:
        configuration: of its runs.
        runs: complete, by the time of their start.
        others: the other groups that the user's options leave, the largest first.
        partial: incomplete runs of the configuration.
    """

    configuration: Configuration
    runs: list[Figures]
    others: list[Group]
    partial: list[Figures]


def program_line(configuration: Configuration) -> str:
    """Return the program with its arguments."""
    return " ".join(filter(None, (configuration.program, configuration.arguments)))


def largest_group(runs: Iterable[Figures], wanted: Wanted) -> Chosen:
    """Return the runs of the most frequent configuration; of several equal ones, the newest.

    Raises:
        RankwiseError: no run has the wanted configuration.
    """
    in_order = sorted(runs, key=lambda run: run.run.started)
    groups = _by_configuration(run for run in in_order if run.run in wanted)
    everything = _by_configuration(in_order)
    if not groups:
        raise RankwiseError(_none_left(everything))
    order = sorted(
        groups, key=lambda known: (len(_complete(groups[known])), groups[known][-1].run.started), reverse=True
    )
    first = groups[order[0]]
    others = [
        Group(configuration=other, runs=len(groups[other]), options=_options(other, everything))
        for other in order[1:]
    ]
    partial_runs = [run for run in first if not run.trust.complete]
    return Chosen(order[0], _complete(first), others, partial_runs)


def _by_configuration(runs: Iterable[Figures]) -> dict[Configuration, list[Figures]]:
    groups: dict[Configuration, list[Figures]] = {}
    for run in runs:
        groups.setdefault(configuration(run.run), []).append(run)
    return groups


def _complete(runs: Sequence[Figures]) -> list[Figures]:
    return [run for run in runs if run.trust.complete]


_Choose = Callable[[Configuration], "tuple[str, object]"]

_CHOOSE: tuple[_Choose, ...] = (
    lambda of: ("--ranks", of.ranks),
    lambda of: ("--node-count", of.nodes),
    lambda of: ("--program", of.program),
    lambda of: ("--program", program_line(of)),
    lambda of: ("--library", of.mpi_library),
)


def _options(wanted: Configuration, groups: Iterable[Configuration]) -> list[str]:
    """Return the fewest options that choose a configuration."""
    others = [group for group in groups if group != wanted]
    tags = [partial(_tag_of, name) for name, _ in wanted.tags]
    ways: list[_Choose] = [*_CHOOSE[:2], *tags, *_CHOOSE[2:]]
    for count in range(1, len(ways) + 1):
        for some in combinations(ways, count):
            if all(any(way(other) != way(wanted) for way in some) for other in others):
                return [_option(*way(wanted)) for way in some]
    return []


def _tag_of(name: str, of: Configuration) -> tuple[str, object]:
    return f"--tag {name}", dict(of.tags).get(name)


def _option(name: str, value: object) -> str:
    option, _, tag = name.partition(" ")
    text = f"{tag}={value}" if tag else str(value)
    return f"{option} {shlex.quote(text)}"


def _none_left(groups: Mapping[Configuration, list[Figures]]) -> str:
    if not groups:
        return "no run can be read"
    order = sorted(groups, key=lambda known: -len(groups[known]))
    names = [
        f"{program_line(known)} on {number_of(known.ranks, 'rank')} ({number_of(len(groups[known]), 'run')})"
        for known in order[:_NAMED]
    ]
    more = f", and {len(order) - _NAMED} more" if len(order) > _NAMED else ""
    return f"no run is left by these options: the runs are of {', '.join(names)}{more}"
