"""The changes that would help a job on a fabric; they follow its limit."""

from __future__ import annotations

import numpy as np

from rankwise.network.answer import Answer
from rankwise.network.job.flows import Flows
from rankwise.network.what_if import AT_RANDOM, IN_ORDER, SPLIT
from rankwise.records import dataclass
from rankwise.text.units import percent_text
from rankwise.views.links.rows import ScenarioRow, scenario_rows
from rankwise.views.links.verdict import EQUAL

_WORTH = 5.0
"""Percent less on the slowest link that are worth a change."""

SPARE_LINKS, KEEP_IN_HOSTS = "bottleneck", "hops"
"""Objectives of `rankwise map` that a new placement can have."""


@dataclass(frozen=True)
class Advice:
    """The changes that would help.

    Attributes:
        sentences: what they would change.
        objective: of a new placement of the ranks, SPARE_LINKS or KEEP_IN_HOSTS; '' = none is worth it.
    """

    sentences: tuple[str, ...]
    objective: str = ""


def advice(answer: Answer, *, of_run: bool) -> Advice:
    """Return the changes that would help, from the computed alternatives.

    Args:
        answer: the answer.
        of_run: a run sent the messages, so that its ranks can be placed differently.
    """
    if answer.loads.undelivered:  # other places and routes may deliver more, or less
        return Advice(())
    if answer.bottleneck.hosts is None:
        return Advice(())
    if answer.share and not answer.share.matters:
        return Advice(("Other routes, or another order of the ranks, would not make this run much faster.",))
    times = answer.bottleneck.times
    if times is None or times < 1 - EQUAL:
        return _of_hosts(answer, of_run=of_run)
    return _of_switches(answer, of_run=of_run)


def _of_hosts(answer: Answer, *, of_run: bool) -> Advice:
    no_routing = "No other routing helps: the hosts' own links are the limit."
    places = answer.loads.places
    if of_run and len(places.hosts) < places.ranks:
        return Advice(
            (no_routing, "Send less between hosts, or place ranks so that more bytes stay within hosts."),
            KEEP_IN_HOSTS,
        )
    return Advice((no_routing, "Send less between hosts, or use more hosts."))


def _of_switches(answer: Answer, *, of_run: bool) -> Advice:
    rows = {row.name: row for row in scenario_rows(answer)[1:]}

    def gain(name: str) -> float:
        row = rows.get(name)
        return -(row.change_percent or 0.0) if row else 0.0

    said = []
    order = max((IN_ORDER, AT_RANDOM), key=gain)
    if gain(SPLIT) > _WORTH:
        said.append(
            f"Splitting routes evenly over all shortest paths would take {percent_text(gain(SPLIT))} % off "
            f"the slowest link between switches{_then(rows[SPLIT])}: try another routing engine or adaptive "
            "routing."
        )
    if gain(order) > _WORTH:
        said.append(
            f"{order.capitalize()} on the same hosts: {percent_text(gain(order))} % less on "
            f"the slowest link between switches{_then(rows[order])}."
        )
    if not of_run:
        return Advice(tuple(said))
    if _is_uniform(answer.loads.flows):
        return Advice((*said, "No other order of the ranks helps: all of them send the same to all others."))
    if not any(abs(gain(name)) > _WORTH for name in (IN_ORDER, AT_RANDOM)):
        said.append(
            "These two other orders of the ranks make little difference; a search may find a better one."
        )
    return Advice(tuple(said), SPARE_LINKS)


def _is_uniform(flows: Flows) -> bool:
    """Return whether each rank sends the same number of bytes to each other rank."""
    ranks = flows.ranks
    if len(flows) < ranks * (ranks - 1):
        return False
    pairs = np.bincount(flows.source * np.int64(ranks) + flows.destination, flows.bytes, ranks * ranks)
    apart = pairs.reshape(ranks, ranks)[~np.eye(ranks, dtype=bool)]
    return bool((apart == apart[:1]).all())


def _then(row: ScenarioRow) -> str:
    """Return that the hosts' links would be the limit, if so, to go on with a sentence."""
    if row.times_hosts is not None and row.times_hosts < 1 - EQUAL:
        return ", and the hosts' own links would then be the limit"
    return ""
