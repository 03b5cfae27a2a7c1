"""Intel MPI's own rules: variables I_MPI_ADJUST_<COLLECTIVE>.

The manual has conditions such as 3:4096-4096@5-5: preset 3 for messages of 4096 B on 5 processes. What the
library makes of them (seen with 2021.18, tests/mpi/test_settings.py):

- Where processes are told, it forgets the sizes. So it can tell sizes apart or numbers of processes, not
  both.
- Conditions are limits, in ascending order: beyond the last one its preset holds on. So there are entries
  with preset 0 on both sides of each range.
- Preset 0 is the library's choice without the tuning file that it otherwise loads, so for messages without a
  rule the choice can be another one than without any.
- Sizes are those of a profile, those of one process's block.

Source: Intel MPI Library Developer Reference, "I_MPI_ADJUST Family Environment Variables".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rankwise.errors import RankwiseError
from rankwise.tuning.settings.grouped import grouped
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Rule
from rankwise.tuning.settings.told import Told

LABEL = "Intel MPI"

_PROCEDURES = (
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Exscan",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Reduce",
    "MPI_Reduce_scatter",
    "MPI_Reduce_scatter_block",
    "MPI_Scan",
    "MPI_Scatter",
    "MPI_Scatterv",
)
# What their processes send each other may differ, or counts nothing on some of them.
_WHOLE = {
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Barrier",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
}
_MOST = 2147483647  # bytes: the library's own largest


def adjustments(rules: Sequence[Rule]) -> dict[str, str]:
    """Return the variables for rules, a variable for each collective.

    Raises:
        RankwiseError: there can't be such a rule, or rules contradict each other, or the library can't tell
            apart what they are for.
    """
    return {
        f"I_MPI_ADJUST_{procedure.removeprefix('MPI_').upper()}": ";".join(
            _conditions(procedure, by_processes)
        )
        for procedure, by_processes in grouped(rules, _PROCEDURES, _WHOLE, LABEL).items()
    }


def _conditions(procedure: str, by_processes: Mapping[int, Sequence[Rule]]) -> Iterator[str]:
    if all(rule.high is None for rules in by_processes.values() for rule in rules):
        numbers = [(processes, processes, rules[0]) for processes, rules in by_processes.items()]
        return (f"{preset}:0-{_MOST}@{low}-{high}" for preset, low, high in _covering(numbers))
    if len(by_processes) > 1:
        raise RankwiseError(
            f"{LABEL} can tell apart sizes of messages or numbers of processes, not both: leave rules for "
            f"{procedure} on one number of processes, or rules for all sizes"
        )
    [rules] = by_processes.values()
    sizes = [(rule.low, _MOST if rule.high is None else rule.high, rule) for rule in rules]
    return (f"{preset}:{low}-{high}" for preset, low, high in _covering(sizes))


def _covering(ranges: Sequence[tuple[int, int, Rule]]) -> Iterator[tuple[int, int, int]]:
    """Return the preset of each range, and 0 between them, from 0 to the end."""
    following = 0
    for low, high, rule in ranges:
        if following < low:
            yield 0, following, low - 1
        yield rule.algorithm.number, low, high
        following = high + 1
    if following <= _MOST:
        yield 0, following, _MOST


def notes(rules: Sequence[Rule]) -> tuple[str, ...]:
    """Say what rules change beside what they are for, a line each."""
    sized = sorted({rule.procedure for rule in rules if rule.high is not None})
    found = []
    if sized:
        found.append(
            f"{LABEL} can't tell sizes of messages and numbers of processes apart at once: the rules for "
            f"{', '.join(sized)} hold on communicators of any number of processes"
        )
    if rules:
        found.append(
            f"for other calls of these collectives {LABEL} chooses without its tuning file, "
            "which can be another choice than before"
        )
    return tuple(found)


def told(settings: Settings) -> Told:
    """Return what the library is told.

    Raises:
        RankwiseError: see `adjustments`.
    """
    variables = {**adjustments(settings.rules), **settings.environment}
    return Told(variables, notes=notes(settings.rules))
