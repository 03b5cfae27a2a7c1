"""Intel MPI.

Its rules are variables I_MPI_ADJUST_<COLLECTIVE>, which it reads when it starts. The manual has conditions
such as 3:4096-4096@5-5: preset 3 for messages of 4096 B on 5 processes. The library reads them so (seen with
2021.18, tests/mpi/test_settings.py):

- Where a condition has processes, its sizes are ignored. So rules can distinguish sizes or numbers of
  processes, not both.
- Conditions are limits, in ascending order: the last preset also holds beyond its range. So each range has
  entries with preset 0 on both sides.
- Preset 0 is the library's choice without the tuning file that it otherwise loads. So for messages without a
  rule the choice can differ from that without any rules.
- Sizes are those of one process's block, as in a profile.

Source: Intel MPI Library Developer Reference, "I_MPI_ADJUST Family Environment Variables".
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine
from rankwise.mpi_libraries import Version
from rankwise.probes import mpicc
from rankwise.tuning.libraries.base import COMMAND_LINE, Ask, Assignment, Tool
from rankwise.tuning.libraries.mpich import OfMpich
from rankwise.tuning.parameters.parameter import Parameter
from rankwise.tuning.parameters.thresholds import Limit, Sent, raised
from rankwise.tuning.racing.offers import PROCEDURES
from rankwise.tuning.settings.grouped import grouped
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Algorithm, Rule
from rankwise.tuning.settings.translation import Translation

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
# Sizes may differ between their processes, or mean nothing on some of them.
_WHOLE = {
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Barrier",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
}
_ASKED_SECONDS = 20
_RANGE = re.compile(r"range:\s*0-(\d+)")

# For libraries without their impi_info. Source: I_MPI_ADJUST in the reference of Intel MPI 2021.
_NUMBERS = {
    "MPI_Allgather": 5,
    "MPI_Allgatherv": 4,
    "MPI_Allreduce": 12,
    "MPI_Alltoall": 5,
    "MPI_Alltoallv": 2,
    "MPI_Barrier": 9,
    "MPI_Bcast": 14,
    "MPI_Exscan": 2,
    "MPI_Gather": 3,
    "MPI_Gatherv": 3,
    "MPI_Reduce": 11,
    "MPI_Reduce_scatter": 5,
    "MPI_Reduce_scatter_block": 3,
    "MPI_Scan": 2,
    "MPI_Scatter": 3,
    "MPI_Scatterv": 3,
}

_PREFIX = "I_MPI_"
_CONTROL = "MPIR_CVAR_INTEL_"  # of I_MPI_SHM_HEAP in MPI_T: MPIR_CVAR_INTEL_SHM_HEAP
_CELL = "SHM_CELL_FWD_SIZE"
_LEAST_CELL = 16 << 10
_MOST = 2147483647  # bytes: the library's own largest


def adjustments(rules: Sequence[Rule]) -> dict[str, str]:
    """Return the variables for rules, a variable for each collective.

    Raises:
        RankwiseError: a rule is impossible, or rules contradict each other, or the library can't distinguish
            their calls.
    """
    return {
        _adjusting(procedure): ";".join(_conditions(procedure, by_processes))
        for procedure, by_processes in grouped(rules, _PROCEDURES, _WHOLE, LABEL).items()
    }


def _adjusting(procedure: str) -> str:
    return f"I_MPI_ADJUST_{procedure.removeprefix('MPI_').upper()}"


def _conditions(procedure: str, by_processes: Mapping[int, Sequence[Rule]]) -> Iterator[str]:
    if all(rule.high is None for rules in by_processes.values() for rule in rules):
        numbers = [(processes, processes, rules[0]) for processes, rules in by_processes.items()]
        return (f"{preset}:0-{_MOST}@{low}-{high}" for preset, low, high in _covering(numbers))
    if len(by_processes) > 1:
        raise RankwiseError(
            f"{LABEL} can distinguish message sizes or numbers of processes, but not both: keep rules for "
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
    """Return what rules change besides their calls, a line each."""
    sized = sorted({rule.procedure for rule in rules if rule.high is not None})
    lines = []
    if sized:
        lines.append(
            f"{LABEL} can't distinguish both message sizes and numbers of processes: the rules for "
            f"{', '.join(sized)} hold on communicators of any number of processes"
        )
    if rules:
        lines.append(
            f"for other calls of these collectives {LABEL} chooses without its tuning file, and may choose "
            "differently than before"
        )
    return tuple(lines)


class Intel(OfMpich):
    """Intel MPI 2021."""

    label = LABEL
    order = 30
    has_rules = True
    choosing = re.compile(r"I_MPI_(ADJUST|TUNING)_\w+|I_MPI_TUNING")
    for_speed = re.compile(r"I_MPI_\w*(EAGER|CELL)\w*")
    relaunches = True
    prefixes = (_PREFIX, *OfMpich.prefixes)
    tools: ClassVar = {
        _PREFIX: Tool(("impi_info", "-all", "-expert"), re.compile(r"^(I_MPI_\w+)", re.MULTILINE))
    }
    asked = (_CONTROL + _CELL,)

    def translate(self, settings: Settings, library_path: Path | None) -> Translation:  # noqa: ARG002
        """By variables. See TunableLibrary.

        Raises:
            RankwiseError: see `adjustments`.
        """
        variables = {**adjustments(settings.rules), **settings.environment}
        return Translation(variables, notes=notes(settings.rules))

    def elsewhere(
        self,
        command: CommandLine,
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> Iterator[Assignment]:
        """By its launcher's -tune."""
        for context in command.contexts:
            for option in context.options:
                if option.name == "tune":
                    shown = " ".join(option.words)
                    yield Assignment("I_MPI_TUNING", option.value or "tune", shown, COMMAND_LINE)

    def offered_at_launch(
        self, procedure: str, launcher: str, environment: Mapping[str, str]
    ) -> tuple[Algorithm, ...]:
        """By its tool. Some of these numbers may be unused, or lead to the same algorithm."""
        count = _presets(procedure, launcher, environment) if procedure in PROCEDURES else 0
        return tuple(Algorithm(str(number), number) for number in range(1, count + 1))

    def chosen_at_launch(self, procedure: str, algorithm: Algorithm) -> Mapping[str, str]:
        """By the number.

        (A variable makes it fail where it can't take an algorithm; but 2021.18 then fails with any.)
        """
        return {_adjusting(procedure): str(algorithm.number)}

    def control_of(self, variable: str) -> str:
        """See TunableLibrary."""
        return _CONTROL + variable.removeprefix(_PREFIX) if variable.startswith(_PREFIX) else ""

    def names_like(self, variable: str, names: frozenset[str], ask: Ask) -> tuple[str, frozenset[str]]:
        """MPI_T does not list all its parameters, and its tool does not list MPICH's."""
        known = frozenset() if self.control_of(variable) in names else ask(_PREFIX)
        return variable, known

    def own_limits(self, sent: Sent) -> Iterable[Parameter]:
        """Cells of shared memory; their present size is unknown."""
        control = _CONTROL + _CELL
        if control in sent.layers.names:
            name = _PREFIX + _CELL
            limit = Limit(name=name, variable=name, present=_LEAST_CELL, control=control)
            yield from raised(limit, sent, sent.within_node)

    def binding_variable(self, version: Version) -> str:  # noqa: ARG002
        """See TunableLibrary."""
        return "I_MPI_PIN_DOMAIN"


def _presets(procedure: str, launcher: str, environment: Mapping[str, str]) -> int:
    """Return how many algorithms the installed library says it has."""
    launcher_path = shutil.which(launcher, path=environment.get("PATH"))
    tool = Path(launcher_path).resolve().parent / "impi_info" if launcher_path else Path("impi_info")
    try:
        asked = mpicc.call([str(tool), "-v", _adjusting(procedure)], environment, _ASKED_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return _NUMBERS[procedure]
    match = _RANGE.search(asked.stdout)
    return int(match[1]) if match else _NUMBERS[procedure]


LIBRARIES = (Intel(),)
