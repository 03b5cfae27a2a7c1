"""A collective takes more steps, or more bytes, than another algorithm would."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankwise.analysis.collectives.steps import Steps, steps
from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import LOW, Command, Fact, Finding, NoAnswer, Rule
from rankwise.profile.join.families import with_library
from rankwise.text.names import call_name, quoted_name
from rankwise.text.units import byte_text, ratio_text

if TYPE_CHECKING:
    from rankwise.analysis.collectives.patterns import Algorithm

_SMALL, _LARGE = 1 << 10, 1 << 16  # bytes: between them neither steps nor bytes decide
_MORE_MESSAGES, _MORE_BYTES = 2.0, 1.5  # times the needed ones
_VECTOR = ("MPI_Bcast", "MPI_Reduce", "MPI_Allreduce")  # all processes have or get the same vector
_BLOCKS = (
    *("MPI_Allgather", "MPI_Alltoall", "MPI_Reduce_scatter_block"),
    *("MPI_Gather", "MPI_Scatter"),
)  # a block for, or of, each process
_IN_STEPS = (*_VECTOR, *_BLOCKS, "MPI_Barrier")


def _find(profile: Evidence) -> Sequence[Finding] | NoAnswer:
    if not any(row.procedure in _IN_STEPS for row in profile.procedures):
        return []
    known = [call_steps for call_steps in steps(profile.connection) if call_steps.procedure in _IN_STEPS]
    if not known:
        return NoAnswer(
            "no messages inside collectives were recorded, or no single call was recorded completely"
        )
    needless = {call_steps.pattern: ratio for call_steps in known if (ratio := _needless(call_steps))}
    if not needless:
        return []
    # Not earlier: recognising algorithms takes long with many shapes.
    groups: dict[tuple[str, str, str], list[tuple[Algorithm, float]]] = {}
    for row in profile.algorithms:
        if row.pattern in needless and row.algorithm is not None:
            key = (row.procedure, row.family, row.algorithm)
            groups.setdefault(key, []).append((row, needless[row.pattern]))
    return [_finding(profile, group) for group in groups.values()]


def _needless(call_steps: Steps) -> float:
    """Return the ratio of the busiest process's messages or bytes to the needed ones; 0 = not significant."""
    processes, size = call_steps.processes, call_steps.size
    if processes < 2 or size is None:
        return 0.0
    if size <= _SMALL:
        ratio = call_steps.messages / math.ceil(math.log2(processes))
        return ratio if ratio >= _MORE_MESSAGES else 0.0
    if call_steps.procedure in _VECTOR:
        least, large = 2 * size * (processes - 1) / processes, size >= _LARGE
    else:
        least, large = float(size * (processes - 1)), size * (processes - 1) >= _LARGE
    ratio = call_steps.bytes / least
    return ratio if large and ratio >= _MORE_BYTES else 0.0


def _finding(profile: Evidence, group: Sequence[tuple[Algorithm, float]]) -> Finding:
    first, ratio = max(group, key=lambda pair: pair[0].seconds)
    waiting = {
        row.communicator: 0.01 * row.percent_waiting
        for row in (profile.waiting.families if profile.waiting else ())
        if row.procedure == first.procedure
    }
    known = waiting.get(first.family, waiting.get(first.communicator))
    share = known or 0.0
    seconds = sum(row.seconds for row, _ in group) * (1 - share)
    saved = sum(row.seconds * (1 - share) * (1 - 1 / more) for row, more in group)
    name = with_library(first.communicator, first.family)
    unit = "messages" if (first.size or 0) <= _SMALL else "bytes"
    return Finding(
        rule=RULE.id,
        subject=f"{call_name(first.procedure)} by {first.algorithm} on {first.family}",
        title=f"{call_name(first.procedure)} of {byte_text(first.size or 0)} on "
        f"{quoted_name(name, first.user_name)} uses {first.algorithm}: the busiest process handles "
        f"{ratio_text(ratio)} x the {unit} that are needed",
        saved_seconds=saved,
        upper_bound=True,
        formula=RULE.formula,
        inputs=[
            Fact("time in this collective" + (" without waiting" if known is not None else ""), seconds, "s"),
            Fact(f"{unit} of the busiest process / {unit} needed", ratio, "x"),
        ],
        evidence=[
            Fact("processes", first.processes),
            Fact("calls of a rank", sum(row.calls for row, _ in group)),
            Fact(
                "share of this time that is waiting", *(("unknown",) if known is None else (100 * share, "%"))
            ),
        ],
        confidence=LOW,
        why_confidence="a model of steps and bytes, not a measurement: the current algorithm may suit "
        "shared memory and the network better",
        command=Command("tune"),
    )


RULE = Rule(
    "collective-algorithm",
    "A collective that another algorithm may speed up.",
    f"Up to {byte_text(_SMALL)}: the busiest process sends or receives at least {_MORE_MESSAGES:.0f} x "
    f"log2(processes) messages. From {byte_text(_LARGE)}: at least {_MORE_BYTES} x the bytes of the best "
    "known algorithms (2 m (p - 1) / p for Bcast, Reduce and Allreduce, m (p - 1) for blocks of m bytes).",
    "time in it without waiting x (1 - needed / sent or received by the busiest process)",
    "Let `rankwise tune` time the library's other algorithms and measure their gain.",
    _find,
    order=30,
)
