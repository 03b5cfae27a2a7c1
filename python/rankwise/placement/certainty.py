"""Which facts about a placement are certain, estimated or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from rankwise.placement.mapping import Mapping
from rankwise.topology.machine.model import Source

Kind = Literal["measured", "certain", "lower bound", "estimated", "unknown"]


_RUN_TIME = "the run time: nothing was run"
_MEASURED_BY = "; `rankwise map verify` measures it"


@dataclass(frozen=True)
class Statement:
    """How far something of a placement can be trusted.

    Attributes:
        kind: how far.
        text: the thing, and why; no sentence.
    """

    kind: Kind
    text: str


def certainty(mapping: Mapping, *, complete: bool, inside: bool, predicted: bool) -> list[Statement]:
    """Judge a placement that was not run.

    Args:
        mapping: the placement.
        complete: all messages of the run were counted.
        inside: messages inside collectives are included.
        predicted: the machine may be another one than the run had.
    """
    run_time = Statement("unknown", _RUN_TIME + ("" if predicted else _MEASURED_BY))
    return [_bytes(complete=complete, inside=inside), _times(mapping), run_time]


def launches_certainty(*, complete: bool, inside: bool) -> list[Statement]:
    """Judge the costs of distributions of a launcher: each was launched, but without the program.

    Args:
        complete: all messages of the run were counted.
        inside: messages inside collectives are included.
    """
    places = Statement("measured", "the places of the ranks, in a launch of each row")
    return [places, _bytes(complete=complete, inside=inside), Statement("unknown", _RUN_TIME)]


def verified_certainty(pairs: int, predicted: int, counted: Sequence[int]) -> list[Statement]:
    """Judge a placement that was run.

    Args:
        pairs: runs with the placement, each beside one without.
        predicted: bytes off node.
        counted: the same in the runs.
    """
    if not counted:
        return []
    runs = f"{pairs} pair{'s' * (pairs != 1)} of runs"
    measured = Statement("measured", f"the run time and the bytes off node, in {runs}")
    middle = median(counted)
    if middle == predicted:
        return [measured, Statement("certain", "bytes off node: the runs had exactly those predicted")]
    if not predicted:
        return [measured, Statement("measured", "bytes off node: none were predicted, but the runs had some")]
    change = f"{100 * abs(middle / predicted - 1):.1f}"
    more = "more" if middle > predicted else "less"
    return [measured, Statement("measured", f"bytes off node: {change} % {more} than predicted")]


def _bytes(*, complete: bool, inside: bool) -> Statement:
    chosen = "; a library may choose other algorithms for collectives" if inside else ""
    if complete:
        return Statement(
            "certain", f"bytes at each level, if the program sends the same messages again{chosen}"
        )
    return Statement("lower bound", f"bytes at each level: some messages were not counted, see above{chosen}")


def _times(mapping: Mapping) -> Statement:
    if all(level.us is None for level in mapping.found.levels):
        return Statement(
            "unknown",
            "times at each level: the machine has no costs of messages; `rankwise latency` measures them",
        )
    return Statement(
        "estimated",
        f"times at each level, by costs of messages{_measured(mapping.machine.sources)}; messages overlap "
        "with each other and with computation",
    )


def _measured(sources: Sequence[Source]) -> str:
    """Return when the costs of messages were measured, as far as that is known."""
    dates = [source.date[:10] for source in sources if source.kind == "latency" and source.date]
    return f" measured on {max(dates)}" if dates else ""
