"""Draws the two curves: bytes sent by the interface and by the counters file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from common.figure import pyplot

_WIRE = {"color": "#9db8d6", "linewidth": 5, "solid_capstyle": "round"}
_PROFILE = {"color": "#a62c2b", "linewidth": 1.1}


@dataclass(frozen=True)
class Curves:
    """Samples of one job: seconds, and bytes so far by the wire and by the profile."""

    title: str
    seconds: list[float]
    wire: list[int]
    profile: list[int]


def draw(all_curves: Sequence[Curves], path: Path) -> None:
    """Draw a column for each job: what each interval brought above, the sum below.

    Raises:
        BenchError: matplotlib is missing.
    """
    figure, axes = pyplot("wire").subplots(
        2, len(all_curves), figsize=(11, 5.6), squeeze=False, sharex="col", layout="constrained"
    )
    for column, curves in enumerate(all_curves):
        above, below = axes[:, column]
        for values, style, label in (
            (curves.wire, _WIRE, "network interface"),
            (curves.profile, _PROFILE, "Rankwise"),
        ):
            steps = [0, *(b - a for a, b in pairwise(values))]
            above.plot(curves.seconds, [step / 1e6 for step in steps], **style)
            below.plot(curves.seconds, [value / 1e6 for value in values], label=label, **style)
        above.set_title(curves.title)
        above.set_ylabel("MB in one interval")
        below.set_ylabel("MB so far")
        below.set_xlabel("s")
        below.legend(loc="upper left", frameon=False)
        for ax in (above, below):
            ax.spines[["top", "right"]].set_visible(False)
            ax.set_ylim(bottom=0)
            ax.set_xlim(0, curves.seconds[-1])
    figure.savefig(path, metadata={"Date": None})
