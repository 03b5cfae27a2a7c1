"""Sentences on a job's traffic on a fabric."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rankwise.network.answer import Answer
from rankwise.network.fabric.model import EVEN_SPLIT, MEASURED, Fabric
from rankwise.network.job.found import PLACED
from rankwise.network.job.lids import lids_used
from rankwise.network.loads import JobLoads
from rankwise.network.quality import RailQuality
from rankwise.network.what_if import AT_RANDOM, IN_ORDER, SPLIT, Scenario
from rankwise.text.names import call_name
from rankwise.text.units import byte_text, count_text, percent_text, ratio_text, second_text
from rankwise.views.links.rows import cause_text, link_text, rail_text, scenario_rows

_ALIKE = 0.05
"""Two figures that differ by no more than this share count as equal."""
_WORTH = 5.0
"""Percent less on the slowest link that are worth a change."""
_SHARE = 0.05
"""Of the bytes between hosts: causes with less are not mentioned."""
_MOST_CAUSES = 3
_ROUNDING = 1e-9
_ENOUGH = 0.9
"""Of the bytes between hosts: the limit is reported if so many are on links."""


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
    return [
        f"Fabric: {size}{rails}; {', '.join(sources)}.",
        f"Routes: {', '.join(kinds)}.",
        *(sentence_of(gap) for gap in fabric.gaps),
        *(f"LIDs: messages {lids}." for lids in [lids_used(fabric, lid_offset)] if lids),
    ]


def _several(count: int, what: str, more: str = "s") -> str:
    return f"{count} {what}{more if count != 1 else ''}"


def _source(what: str) -> str:
    return what.partition(";")[0]


def verdict(now: Scenario, on_links: float, between_hosts: float) -> str:
    """Return what limits the traffic, a sentence without its full stop.

    Args:
        now: the present state.
        on_links: bytes between hosts that cross links.
        between_hosts: all of them.
    """
    known = as_far_as_known(on_links, between_hosts)
    limit, excess_now = now.bottleneck, now.hottest.excess if now.hottest else None
    if limit.hosts is None:
        nothing = "The bottleneck is unknown: no bytes between hosts were assigned to links"
        return nothing if between_hosts else "No data leaves the hosts"
    if few := too_few_known(on_links, between_hosts):
        return f"The bottleneck is unknown: {few}"
    if limit.fabric is None or limit.times is None:
        return f"The hosts' own links are the limit: no data passes between switches{known}"
    times = ratio_text(limit.times)
    if limit.fabric.seconds is not None and limit.hosts.seconds is not None:
        each = f"{second_text(limit.fabric.seconds)} against {second_text(limit.hosts.seconds)}"
        takes = f"takes {times} x as long as the busiest link of a host ({each} at full rate)"
    else:
        each = f"{byte_text(limit.fabric.bytes)} against {byte_text(limit.hosts.bytes)}"
        takes = f"carries {times} x as much as the busiest link of a host ({each}; rates are unknown)"
    if limit.times > 1 + _ALIKE:
        head = "The links between switches are the limit"
    elif limit.times < 1 - _ALIKE:
        head = "The hosts' own links are the limit"
    else:
        head = "The links between switches and the hosts' own links limit the traffic equally"
    excess = ""
    if excess_now is not None and excess_now > 1 + _ALIKE:
        excess = f", and carries {ratio_text(excess_now)} x the lower bound of any routing"
    elif excess_now is not None and not known:
        excess = ", which no routing could improve"
    return f"{head}: the busiest link between switches {takes}{excess}{known}"


def verdict_of(answer: Answer) -> str:
    """Return what limits a job."""
    return verdict(answer.scenarios[0], answer.loads.on_links, answer.loads.between_hosts)


def blamed(answer: Answer) -> list[str]:
    """Return which link each important cause loads, and how unevenly."""
    everything = answer.loads.on_links
    said = []
    for each in answer.causes[:_MOST_CAUSES]:
        if each.hottest is None or each.times_mean is None or each.on_links < _SHARE * everything:
            continue
        is_even = each.times_mean < 1 + _ALIKE
        said.append(
            f"{cause_text(each.cause)} loads its {each.hottest.link_class} links evenly "
            f"({byte_text(each.bytes)} each)."
            if is_even
            else f"{cause_text(each.cause)} loads {link_text(each.hottest)} with {byte_text(each.bytes)}, "
            f"{ratio_text(each.times_mean)} x the mean of the {each.hottest.link_class} links that it "
            "uses."
        )
    return said


def advice(answer: Answer, *, of_run: bool) -> list[str]:
    """Return the changes that would help, from the computed alternatives.

    Args:
        answer: the answer.
        of_run: the traffic is that of a run, so that its ranks can be placed differently.
    """
    if answer.loads.undelivered:  # other places and routes may deliver more, or less
        return []
    rows = {row.name: row for row in scenario_rows(answer)[1:]}

    def gain(name: str) -> float:
        row = rows.get(name)
        return -(row.change_percent or 0.0) if row else 0.0

    said = []
    order = max((IN_ORDER, AT_RANDOM), key=gain)
    if gain(SPLIT) > _WORTH:
        said.append(
            f"Splitting routes evenly over all shortest paths would take {percent_text(gain(SPLIT))} % off "
            "the slowest link: try another routing engine or adaptive routing."
        )
    if gain(order) > _WORTH:
        said.append(f"{order.capitalize()} on the same hosts: {percent_text(gain(order))} % less on it.")
    times = answer.bottleneck.times
    matters = any(abs(gain(name)) > _WORTH for name in (IN_ORDER, AT_RANDOM))
    if of_run and times is not None and times > 1 - _ALIKE and not matters:
        said.append("Reordering the ranks on these hosts makes little difference.")
    elif of_run and times is not None and times > 1 - _ALIKE:
        said.append(
            "To place ranks so that they spare the links of these routes: `rankwise machine from-fabric`, "
            "then `rankwise map --objective bottleneck`."
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
            yield (
                f"The forwarding tables lead {_several(lost.no_way, 'pair')} of ports nowhere and "
                f"{lost.in_circles} in loops{where}: {byte_text(lost.bytes)} are on no link."
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
