"""Intel MPI's own rules: variables I_MPI_ADJUST_<COLLECTIVE> with ranges of messages and processes.

Source: Intel MPI Library Developer Reference, "I_MPI_ADJUST Family Environment Variables".
"""

from __future__ import annotations

from collections.abc import Sequence

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
        RankwiseError: there can't be such a rule, or rules contradict each other.
    """
    collectives = grouped(rules, _PROCEDURES, _WHOLE, LABEL)
    return {
        f"I_MPI_ADJUST_{procedure.removeprefix('MPI_').upper()}": ";".join(
            _condition(rule) for of_size in by_size.values() for rule in of_size
        )
        for procedure, by_size in collectives.items()
    }


def _condition(rule: Rule) -> str:
    high = _MOST if rule.high is None else rule.high
    return f"{rule.algorithm.number}:{rule.low}-{high}@{rule.processes}-{rule.processes}"


def told(settings: Settings) -> Told:
    """Return what the library is told.

    Raises:
        RankwiseError: see `adjustments`.
    """
    return Told({**adjustments(settings.rules), **settings.environment})
