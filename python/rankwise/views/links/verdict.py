"""The limit of a job's traffic on a fabric, in sentences that all screens and pages share."""

from __future__ import annotations

from rankwise.network.answer import Answer
from rankwise.network.bottleneck import Slowest
from rankwise.network.fabric.model import Fabric
from rankwise.network.share import NetworkShare
from rankwise.network.what_if import Scenario
from rankwise.text.units import byte_text, percent_text, ratio_text, second_text
from rankwise.views.links.rows import ends_text

EQUAL = 0.05
"""Two figures that differ by no more than this share count as equal."""
_ROUNDING = 1e-9
_ENOUGH = 0.9
"""Of the bytes between hosts: the limit is reported if so many are on links."""


def as_far_as_known(on_links: float, between_hosts: float) -> str:
    """Return which part of the bytes an answer rests on, to go on with a sentence; '' if it is all."""
    if 0 < on_links < (1 - _ROUNDING) * between_hosts:
        share = percent_text(100 * on_links / between_hosts)
        return f", based on the messages assigned to links ({share} % of the bytes between hosts)"
    return ""


def too_few_known(on_links: float, between_hosts: float) -> str:
    """Return which part of the bytes is on links, to go on with a sentence, if it is too little; else ''."""
    if on_links >= _ENOUGH * between_hosts:
        return ""
    return (
        f"only {percent_text(100 * on_links / between_hosts)} % of the bytes between hosts were "
        "assigned to links"
    )


def verdict(now: Scenario, on_links: float, between_hosts: float, share: NetworkShare | None = None) -> str:
    """Return what limits the traffic, one or more sentences without the last full stop.

    Args:
        now: the present state.
        on_links: bytes between hosts that cross links.
        between_hosts: all of them.
        share: of the network in the run; None: unknown.
    """
    if now.bottleneck.hosts is None:
        nothing = "The bottleneck is unknown: no bytes between hosts were assigned to links"
        return nothing if between_hosts else "No data leaves the hosts"
    if few := too_few_known(on_links, between_hosts):
        return f"The bottleneck is unknown: {few}"
    is_limit = share is None or share.matters
    links = _links(now, now.bottleneck.hosts, as_far_as_known(on_links, between_hosts), is_limit=is_limit)
    if share is None:
        return links
    sentence = share_sentence(share)
    return f"{links}. {sentence}" if is_limit or share.is_part else f"{sentence}. {links}"


def verdict_of(answer: Answer) -> str:
    """Return what limits a job."""
    loads = answer.loads
    return verdict(answer.scenarios[0], loads.on_links, loads.between_hosts, answer.share)


def share_sentence(share: NetworkShare) -> str:
    """Return the time of the busiest link against the time in MPI, without a full stop."""
    if share.is_part:
        return f"For these messages, the busiest link needs {_against_mpi(share)}"
    if share.matters:
        return f"The busiest link needs {_against_mpi(share)}"
    seen = "The" if share.all_seen else "As far as messages were recorded, the"
    return f"{seen} network is not the limit of this run: its busiest link needs {_against_mpi(share)}"


def busiest_phase(fabric: Fabric, share: NetworkShare | None) -> str:
    """Return for which part of its busiest phase the network is busy, without a full stop.

    '' if that is unknown, or if the network is not the limit of the run.
    """
    busiest = share.busiest_phase if share and share.matters else None
    if busiest is None:
        return ""
    phase, slowest = busiest.phase, busiest.slowest
    return (
        f"The network is busiest in phase {phase.number}, {second_text(phase.seconds)} from "
        f"{second_text(phase.begin_seconds)} on: {ends_text(fabric.subnets[slowest.rail], slowest.link)} is "
        f"busy for {percent_text(busiest.percent)} % of it at full rate"
    )


def _links(now: Scenario, hosts: Slowest, known: str, *, is_limit: bool) -> str:
    """Return which links are the limit, or else the busiest ones; a sentence without its full stop."""
    limit, excess_now = now.bottleneck, now.excess
    if limit.fabric is None or limit.times is None:
        are = "are the limit" if is_limit else "are busiest"
        return f"The hosts' own links {are}: no data passes between switches{known}"
    times = ratio_text(limit.times)
    if limit.fabric.seconds is not None and hosts.seconds is not None:
        each = f"{second_text(limit.fabric.seconds)} against {second_text(hosts.seconds)}"
        takes = f"takes {times} x as long as the busiest link of a host ({each} at full rate)"
    else:
        each = f"{byte_text(limit.fabric.bytes)} against {byte_text(hosts.bytes)}"
        takes = f"carries {times} x as much as the busiest link of a host ({each}; rates are unknown)"
    if limit.times > 1 + EQUAL:
        head = f"The links between switches are {'the limit' if is_limit else 'busiest'}"
    elif limit.times < 1 - EQUAL:
        head = f"The hosts' own links are {'the limit' if is_limit else 'busiest'}"
    elif is_limit:
        head = "The links between switches and the hosts' own links limit the traffic equally"
    else:
        head = "The links between switches and the hosts' own links are equally busy"
    excess = ""
    if excess_now is not None and excess_now > 1 + EQUAL:
        excess = f", and carries {ratio_text(excess_now)} x the lower bound of any routing"
    elif excess_now is not None and not known:
        excess = ", which no routing could improve"
    return f"{head}: the busiest link between switches {takes}{excess}{known}"


def _against_mpi(share: NetworkShare) -> str:
    """Return a time against the time in MPI: `3.89 ms at full rate, <0.1 % of the time in MPI (...)`."""
    return (
        f"{second_text(share.seconds)} at full rate, {percent_text(share.percent_of_mpi)} % of the time in "
        f"MPI ({second_text(share.mpi_seconds)}, mean of the ranks)"
    )
