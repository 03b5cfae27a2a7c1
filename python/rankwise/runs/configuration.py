"""The configuration of a run: runs of one configuration may be taken together, and differ by noise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from rankwise.analysis.overview import Run
from rankwise.profile.collect.programs import without_interpreter
from rankwise.records import dataclass
from rankwise.text.names import library_name

OF_SOURCE = frozenset({"commit", "branch"})
"""Tags that say which version of the source code ran: runs of several versions have one configuration."""


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """What a user asks for when starting a job.

    Attributes:
        program: name of the program; for Python the name of the script. Several are joined by ` + `.
        arguments: of the programs, joined in the same way.
        mpi_library: name and version.
        ranks: number of processes in MPI_COMM_WORLD.
        nodes: number of nodes.
        tags: names and values, without `OF_SOURCE`, by name.
    """

    program: str
    arguments: str
    mpi_library: str
    ranks: int
    nodes: int
    tags: tuple[tuple[str, str], ...]


def configuration(run: Run) -> Configuration:
    """Return the configuration of a run."""
    program, arguments = program_and_arguments(run.programs, run.executable)
    return Configuration(
        program=program,
        arguments=arguments,
        mpi_library=library_name(run.mpi_library),
        ranks=run.ranks,
        nodes=run.nodes,
        tags=tuple(pair for pair in sorted(run.tags.items()) if pair[0] not in OF_SOURCE),
    )


def program_and_arguments(programs: Sequence[Sequence[str]], executable: str) -> tuple[str, str]:
    """Return name and arguments of the programs of a world.

    Args:
        programs: their command lines; empty = unknown.
        executable: path of the first.
    """
    lines = [without_interpreter(words) for words in programs if words] or [[executable]]
    names = [PurePath(words[0]).name for words in lines]
    return " + ".join(names), " + ".join(" ".join(words[1:]) for words in lines)
