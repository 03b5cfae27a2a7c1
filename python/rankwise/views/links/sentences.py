"""Sentences on a job's traffic on a fabric."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rankwise.network.answer import Answer
from rankwise.network.fabric.model import EVEN_SPLIT, MEASURED, Fabric, Subnet
from rankwise.network.fabric.slow_cables import rate_and_width_text
from rankwise.network.job.found import PLACED
from rankwise.network.job.lids import lids_used
from rankwise.network.loads import JobLoads
from rankwise.network.quality import RailQuality
from rankwise.text.names import call_name
from rankwise.text.units import byte_text, count_text, percent_text, ratio_text
from rankwise.views.links.rows import cause_text, link_text, rail_text
from rankwise.views.links.verdict import EQUAL

_SHARE = 0.05
"""Of the bytes between hosts: causes with less are not mentioned."""
_MOST_CAUSES = 3
_MOST_RATES = 4


def sentence_of(warning: str) -> str:
    """Return a warning as a sentence; the name of a file or of a rail at its beginning stays as it is."""
    is_word = re.match("[a-z]+ ", warning)
    return f"{warning[:1].upper() if is_word else warning[:1]}{warning[1:]}."


def joined(loads: JobLoads, what: str) -> list[str]:
    """Return how the job, its messages and the fabric were brought together.

    Args:
        loads: of the job.
        what: the messages, such as `messages of Alltoall`.
    """
    places = loads.places
    there = [host for host in places.hosts if host.how]
    ways = Counter(host.how for host in there)
    by = ", ".join(
        f"{count} by {how}" if how != PLACED else f"{count} as given" for how, count in ways.items()
    )
    said = [*fabric_lines(loads.fabric, loads.lid_offset)]
    said.append(
        f"Ranks: {places.ranks} on {len(there)} host{'s' * (len(there) != 1)} of the fabric; hosts were "
        f"matched: {by or 'none'}."
    )
    if len(loads.fabric.subnets) > 1 or any(rail.ports.shape[1] > 1 for rail in places.rails):
        said.append(f"Rails: traffic is {places.policy}.")
    said.append(f"Traffic: {what}; {_amounts(loads)}.")
    return said


def _amounts(loads: JobLoads) -> str:
    """Return how much goes where, as a part of a sentence."""
    one_rail = len(loads.fabric.subnets) == 1
    nowhere = {
        "undeliverable by the tables": loads.undelivered,
        f"of ranks without a place{'' if one_rail else ' or a common rail'}": loads.lost,
    }
    parts = [f"{byte_text(size)} {why}" for why, size in nowhere.items() if size]
    text = f"{byte_text(loads.between_hosts)} between hosts"
    text += f"; on no link: {' and '.join(parts)}" if parts else ""
    within = loads.within_hosts
    return text + (f"; {byte_text(within)} within hosts, on no link" if within else "")


def fabric_lines(fabric: Fabric, lid_offset: int | None) -> list[str]:
    """Return what the fabric is, what it was read from, and what its routes rest on.

    Args:
        fabric: S subnets.
        lid_offset: which LID of a port messages are sent to (LMC); None = they are split over all.
    """
    hosts = len({host for subnet in fabric.subnets for host in subnet.ports.hosts})
    switches = sum(len(subnet.switches.names) for subnet in fabric.subnets)
    cables = sum(len(subnet.links) // 2 for subnet in fabric.subnets)
    rails = f" in {len(fabric.subnets)} subnets" if len(fabric.subnets) > 1 else ""
    sources = dict.fromkeys(_source(each.what) for each in fabric.sources)
    kinds = dict.fromkeys(str(subnet.routing) for subnet in fabric.subnets)
    size = ", ".join([_several(hosts, "host"), _several(switches, "switch", "es"), _several(cables, "cable")])
    rates = cable_rates(fabric)
    return [
        f"Fabric: {size}{rails}; {', '.join(sources)}.",
        *(f"Topology: {text}." for text in topologies(fabric)),
        *([f"Cables: {rates}."] if rates else []),
        f"Routes: {', '.join(kinds)}.",
        *(sentence_of(gap) for gap in fabric.gaps),
        *(f"LIDs: messages {lids}." for lids in [lids_used(fabric, lid_offset)] if lids),
    ]


def topologies(fabric: Fabric) -> list[str]:
    """Return what the switches form, as far as it is recognised, phrases."""
    named = [(subnet.name, subnet.topology) for subnet in fabric.subnets]
    texts = dict.fromkeys(topology.text if topology else "" for _, topology in named)
    if len(texts) == 1:
        return [text for text in texts if text]
    return [
        f"{rail_text(name, number)}: {topology.text}"
        for number, (name, topology) in enumerate(named)
        if topology
    ]


def cable_rates(fabric: Fabric) -> str:
    """Return the rates and widths of the cables, the most frequent first, a phrase; '' if none is known."""
    counts = Counter[tuple[float, int]]()
    for subnet in fabric.subnets:
        counts.update(zip(subnet.links.rates[::2].tolist(), subnet.links.widths[::2].tolist(), strict=True))
    known = {kind: count for kind, count in counts.items() if not math.isnan(kind[0])}
    order = sorted(known, key=lambda kind: (-known[kind], -kind[0]))
    parts = [f"{known[kind]} of {rate_and_width_text(*kind)}" for kind in order[:_MOST_RATES]]
    others = sum(counts.values()) - sum(known[kind] for kind in order[:_MOST_RATES])
    return ", ".join([*parts, *([f"{others} of other or unknown rates"] if parts and others else [])])


def _several(count: int, what: str, more: str = "s") -> str:
    return f"{count} {what}{more if count != 1 else ''}"


def _source(what: str) -> str:
    return what.partition(";")[0]


def blamed(answer: Answer) -> list[str]:
    """Return which link each important cause loads, and how unevenly."""
    everything = answer.loads.on_links
    said = []
    for each in answer.causes[:_MOST_CAUSES]:
        if each.hottest is None or each.times_mean is None or each.on_links < _SHARE * everything:
            continue
        is_even = each.times_mean < 1 + EQUAL
        said.append(
            f"{cause_text(each.cause)} loads its {each.hottest.link_class} links evenly "
            f"({byte_text(each.bytes)} each)."
            if is_even
            else f"{cause_text(each.cause)} loads {link_text(each.hottest)} with {byte_text(each.bytes)}, "
            f"{ratio_text(each.times_mean)} x the mean of the {each.hottest.link_class} links that it "
            "uses."
        )
    return said


def notes(loads: JobLoads, more: Sequence[str] = (), *, by_phase: bool = False) -> list[str]:
    """Return what a reader must know to trust the figures.

    Args:
        loads: of the job.
        more: sentences on the traffic.
        by_phase: loads are reported phase by phase.
    """
    return [*_missing(loads), *more, *_routes(loads.fabric), *_volumes(by_phase=by_phase)]


def _missing(loads: JobLoads) -> Iterator[str]:
    for number, rail in enumerate(loads.rails):
        lost, where = rail.undelivered, f" on {rail_text(rail.subnet.name, number)}" * (len(loads.rails) > 1)
        if lost.no_way or lost.in_circles:
            ways = [
                f"{_several(count, 'pair')} of ports {what}{_such_as(rail.subnet, example)}"
                for count, what, example in (
                    (lost.no_way, "to dead ends", lost.lost_example),
                    (lost.in_circles, "in loops", lost.looping_example),
                )
                if count
            ]
            yield (
                f"The forwarding tables lead {' and '.join(ways)}{where}: {byte_text(lost.bytes)} are on no "
                "link."
            )
    if loads.lost:
        yield (f"{byte_text(loads.lost)} are from or to ranks without a place in the fabric, and on no link.")
    for warning in (*loads.fabric.remarks, *loads.places.warnings):
        yield sentence_of(warning)
    flows = loads.flows
    if flows.unplaced_bytes:
        count, size = count_text(flows.unplaced_messages), byte_text(flows.unplaced_bytes)
        yield f"Excluded: {count} messages ({size}) from or to unknown processes."
    hidden = dict.fromkeys(
        f"{call_name(each.procedure)} of {each.communicator}: {each.visibility.text}" for each in flows.hidden
    )
    if hidden:
        first = "; ".join(list(hidden)[:_MOST_CAUSES])
        others = f"; and {len(hidden) - _MOST_CAUSES} others" if len(hidden) > _MOST_CAUSES else ""
        yield f"Not all traffic was visible: {first}{others}."


def _such_as(subnet: Subnet, example: tuple[int, int] | None) -> str:
    if example is None:
        return ""
    first, second = (subnet.ports.hosts[port] for port in example)
    return f" (such as {first} to {second})"


def _routes(fabric: Fabric) -> Iterator[str]:
    kinds = {subnet.routing.kind for subnet in fabric.subnets}
    if MEASURED in kinds:
        yield "With adaptive routing, messages also take paths that are not in the tables."
    if kinds - {MEASURED}:
        model = "all shortest paths used equally" if kinds == {EVEN_SPLIT} else "by a rule"
        yield f"The routes are a model, {model}: the real routes may differ."


def _volumes(*, by_phase: bool) -> Iterator[str]:
    yield (
        f"Loads are sums over {'each phase' if by_phase else 'the run'}: links loaded at different times do "
        "not compete, and a link may be full only briefly."
    )


def worth(quality: Sequence[RailQuality], fabric: Fabric) -> list[str]:
    """Return how good the routes are, for any traffic; a sentence for each subnet.

    Args:
        quality: of each subnet.
        fabric: they are in.
    """
    said = []
    for number, (each, subnet) in enumerate(zip(quality, fabric.subnets, strict=True)):
        on = f" on {rail_text(subnet.name, number)}" * (len(quality) > 1)
        most = round(each.forwarding_index)
        routes = "1 route takes" if most == 1 else f"{most} routes share"
        bisection = ""
        if each.bisection:
            bisection = (
                f"; effective bisection bandwidth {each.bisection.mean:.3f} of a link's"
                f" (deviation {each.bisection.deviation:.3f}, {each.bisection.bisections} bisections)"
            )
        said.append(
            f"Between these {each.ports} ports{on}, at most {routes} a link"
            f" of two switches (edge forwarding index){bisection}."
        )
    return said


def passed(loads: JobLoads) -> str:
    """Return how many switches the bytes pass; '' without bytes."""
    sums: Counter[int] = Counter()
    for rail in loads.rails:
        sums.update(rail.hops)
    everything = sum(sums.values())
    if not everything:
        return ""
    parts = [
        f"{percent_text(100 * size / everything)} % of the bytes pass {switches} "
        f"switch{'es' * (switches > 1)}"
        for switches, size in sorted(sums.items())
    ]
    return f"{', '.join(parts)}."
