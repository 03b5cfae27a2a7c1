"""The time, bytes or calls on each family of communicators, by call; and how many there are of each size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rankwise.analysis.calls.communicator_calls import CommunicatorCalls
from rankwise.analysis.calls.communicators import Communicator
from rankwise.analysis.calls.families import Family
from rankwise.analysis.calls.totals import Totals
from rankwise.render.figures.heatmap.style import shown
from rankwise.render.figures.plots.canvas import IN_MPI, drawing, texts_on
from rankwise.render.figures.plots.stacks import draw_stacks
from rankwise.text.names import call_name, family_name, size_name
from rankwise.text.units import byte_text, count_text, number_of, percent_text, second_text

_MOST_BARS = 12
_LEAST_PERCENT = 0.2  # of the whole: less is invisible


class _Measure(NamedTuple):
    """What bars show.

    Attributes:
        amount: of some calls.
        text: amount → text.
        name: of the measure, in "% of the ..."; '' = the time that is given.
    """

    amount: Callable[[Totals], float]
    text: Callable[[float], str]
    name: str


MEASURES: Mapping[str, _Measure] = {
    "time": _Measure(lambda totals: totals.seconds, second_text, ""),
    "bytes": _Measure(lambda totals: totals.bytes_sent, byte_text, "bytes sent"),
    "calls": _Measure(lambda totals: totals.calls, count_text, "calls"),
}
_VERBS = {"time": "takes", "bytes": "has", "calls": "has"}


def draw_communicators(
    families: Sequence[Family],
    communicators: Sequence[Communicator],
    calls: Sequence[CommunicatorCalls],
    axes: Any = None,
    time: str = IN_MPI,
    of: str = "time",
) -> Any:
    """Draw a bar for each family, the largest first; its parts are the calls.

    Args:
        families: all.
        communicators: all.
        calls: on each of them.
        axes: to draw on; None = new ones.
        time: name of the time.
        of: one of `MEASURES`.

    Returns:
        The axes.
    """
    amount, text, name = MEASURES[of]
    measured = name or time
    used = [row for row in families if amount(row.totals)]
    used.sort(key=lambda row: -amount(row.totals))
    whole = sum(amount(row.totals) for row in used)
    bars = [row for row in used[:_MOST_BARS] if 100 * amount(row.totals) >= _LEAST_PERCENT * whole]
    names = [f"{shown(family_name(row), 40)}\n{size_name(row)}" for row in bars]
    if others := len(used) - len(bars):
        names.append(f"{others} other{'s' * (others > 1)}")
    place = {row.family: number for number, row in enumerate(bars)}
    family_of = {row.name: row.family for row in communicators}
    stacks: list[dict[str, float]] = [{} for _ in names]
    for row in calls:
        if amount(row.totals):
            stack = stacks[place.get(family_of.get(row.communicator, ""), len(bars))]
            call = call_name(row.procedure)
            stack[call] = stack.get(call, 0.0) + amount(row.totals)
    with drawing(axes, 7.2, 1.4 + 0.42 * max(len(names), 2)) as on:
        if not names:
            on.set_title("No MPI call was recorded" if of != "bytes" else "No call sent bytes")
            return on
        draw_stacks(on, stacks, across=True)
        on.set_yticks(range(len(names)), names)
        share = percent_text(100 * amount(bars[0].totals) / whole)
        on.set_title(f"{shown(family_name(bars[0]), 40)} {_VERBS[of]} {share} % of the {measured}")
        on.set_xlabel(f"{measured}, summed over ranks")
        texts_on(on.xaxis, text)
    return on


def draw_communicator_sizes(communicators: Sequence[Communicator], axes: Any = None) -> Any:
    """Draw how many communicators there are of each number of processes, by the procedure that made them.

    Args:
        communicators: all.
        axes: to draw on; None = new ones.

    Returns:
        The axes.
    """
    made = [row for row in communicators if row.type == "communicator" and row.size]
    by_size: dict[int, Counter[str]] = {}
    for row in made:
        by_size.setdefault(row.size + row.remote_size, Counter())[
            call_name(row.procedure) or "predefined"
        ] += 1
    sizes = sorted(by_size)
    with drawing(axes, 7.2, 3.6) as on:
        if not sizes:
            on.set_title("No communicator was recorded")
            return on
        draw_stacks(on, [by_size[size] for size in sizes], across=False)
        on.set_xticks(range(len(sizes)), [count_text(size) for size in sizes], rotation=45, ha="right")
        most = max(sizes, key=lambda size: by_size[size].total())
        number = by_size[most].total()
        have = f"{'have' if number > 1 else 'has'} {number_of(most, 'member')}"
        on.set_title(f"{count_text(number)} of {number_of(len(made), 'communicator')} {have}")
        on.set_xlabel("members: processes of the communicator")
        on.set_ylabel("communicators")
        on.yaxis.get_major_locator().set_params(integer=True)
    return on
