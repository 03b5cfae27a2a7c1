"""Open MPI's own rules: a file for its component coll/tuned, in the classic grammar of versions 4 and 5.

The file has a list of communicator sizes for each collective, and a list of message sizes for each of these.
The library takes the last entry that is not above what it looks for, of both; below the first communicator
size it takes the first one, and the first message size has to be 0. An algorithm 0 leaves the choice to the
library. So what must not change is guarded by entries with algorithm 0 on both sides. Anything that the
library can't read makes it ignore the whole file, without a word.

Sources: coll_tuned_dynamic_file.c, coll_tuned_dynamic_rules.c and coll_tuned_decision_dynamic.c of Open MPI
4.1 and 5.0; all seen with 4.1.4 and 5.0.11 (tests/mpi/test_settings.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.errors import RankwiseError
from rankwise.mpi_libraries import version_of
from rankwise.tuning.settings.grouped import grouped
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Rule
from rankwise.tuning.settings.told import Told
from rankwise.tuning.settings.words import comment

LABEL = "Open MPI"
SUFFIX = ".rules"

_NUMBERS: Mapping[str, int] = {
    "MPI_Allgather": 0,
    "MPI_Allgatherv": 1,
    "MPI_Allreduce": 2,
    "MPI_Alltoall": 3,
    "MPI_Alltoallv": 4,
    "MPI_Barrier": 6,
    "MPI_Bcast": 7,
    "MPI_Exscan": 8,
    "MPI_Gather": 9,
    "MPI_Reduce": 11,
    "MPI_Reduce_scatter": 12,
    "MPI_Reduce_scatter_block": 13,
    "MPI_Scan": 14,
    "MPI_Scatter": 15,
}
"""Of collectives in the file."""

_OF_ALL_BLOCKS = {"MPI_Allgather", "MPI_Alltoall", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"}
"""The library's size is that of the blocks of all processes, where a profile has that of one."""

_WHOLE = {
    "MPI_Alltoallv",  # size 0, whatever is sent
    "MPI_Barrier",
    "MPI_Exscan",  # that of one element for each process
    "MPI_Scan",
    "MPI_Gather",  # by arguments that are not significant on all processes
    "MPI_Scatter",
}
_CHAINS = (("MPI_Bcast", 2), ("MPI_Reduce", 2))
"""Algorithms that the column after their number matters for: how many chains."""
_FANOUT = 4  # coll_tuned_init_chain_fanout: what they have where variables choose them

_DEFAULT = (0, 0, 0)


def message_size(procedure: str, size: int, processes: int) -> int:
    """Return the size of a call as the library computes it where it looks for a rule.

    Args:
        procedure: such as MPI_Allgather.
        size: bytes, as a profile has it.
        processes: of the communicator.
    """
    if procedure in _WHOLE:
        return 0
    return size * processes if procedure in _OF_ALL_BLOCKS else size


def rules_file(rules: Sequence[Rule]) -> str:
    """Return the text of a file in which these rules, and nothing else, change what the library does.

    Raises:
        RankwiseError: there can't be such a rule, or rules contradict each other.
    """
    collectives = grouped(rules, _NUMBERS, _WHOLE, LABEL)
    lines = [f"{len(collectives)}  # collectives"]
    for procedure in sorted(collectives, key=_NUMBERS.__getitem__):
        entries = _by_processes(collectives[procedure])
        lines.append(f"{_NUMBERS[procedure]} {len(entries)}  # {procedure}, sizes of communicators")
        for processes, of_size in entries.items():
            messages = _by_message(of_size)
            lines.append(f"{processes} {len(messages)}  # processes, messages from a size on")
            lines += [" ".join(map(str, (size, *choice))) for size, choice in messages.items()]
    return "".join(f"{line}\n" for line in lines)


def _by_processes(rules: Mapping[int, Sequence[Rule]]) -> dict[int, Sequence[Rule]]:
    """Return the entries of a collective: those of the rules, and guards before and behind each."""
    guards: dict[int, Sequence[Rule]] = {0: (), **{processes + 1: () for processes in rules}}
    return dict(sorted({**guards, **rules}.items()))


def _by_message(rules: Sequence[Rule]) -> dict[int, tuple[int, int, int]]:
    """Return the entries of a communicator size: algorithm, number of chains, bytes of a segment."""
    entries = {0: _DEFAULT}
    for rule in rules:
        algorithm = rule.algorithm
        fanout = _FANOUT if (rule.procedure, algorithm.number) in _CHAINS else 0
        low = message_size(rule.procedure, rule.low, rule.processes)
        entries[low] = (algorithm.number, fanout, algorithm.segment)
        if rule.high is not None:
            entries[message_size(rule.procedure, rule.high, rule.processes) + 1] = _DEFAULT
    return entries


def told(settings: Settings) -> Told:
    """Return what the library is told.

    Raises:
        RankwiseError: this version has another grammar, or see `rules_file`.
    """
    if not settings.rules:
        return Told(settings.environment)
    version = version_of(settings.about.library)
    if version.parts >= (6,):
        raise RankwiseError(
            f"rules for Open MPI {version.number}: Open MPI 6 has files of another kind, which Rankwise "
            "can't write yet; use Open MPI 4 or 5"
        )
    # Variables that force an algorithm come before the file in version 5, so there are none of these.
    variables = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", **settings.environment}
    text = "".join(f"{line}\n" for line in comment(settings)) + rules_file(settings.rules)
    return Told(variables, SUFFIX, text, "OMPI_MCA_coll_tuned_dynamic_rules_filename")
