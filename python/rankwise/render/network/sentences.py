"""The sentences next to the drawings: the finding, and its sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath

import numpy as np

from rankwise.network.fabric.model import CLASSES, Fabric, Subnet
from rankwise.network.job.lids import lids_used
from rankwise.network.routes.classes import between_switches
from rankwise.render.network.traffic import Traffic, as_it_is
from rankwise.text.units import byte_text, count_text, percent_text, ratio_text
from rankwise.views.links.sentences import cable_rates, topologies
from rankwise.views.links.verdict import busiest_phase, too_few_known, verdict

_TIMES = "\N{MULTIPLICATION SIGN}"
_ARROW = "\N{RIGHTWARDS ARROW}"
_MOST_WARNINGS = 8
_MOST_FILES = 2
_OF_WORDS = ("generator", "slurm")  # sources other than files
_BETWEEN_PATHS = re.compile(r"; in agreement with |, of |, | and ")  # in `Source.what`


def finding(traffic: Traffic) -> str:
    """Return the first sentence of the page: the link between switches that takes longest, and why."""
    if few := too_few_known(traffic.on_links, traffic.between_hosts):
        return f"The slowest link is unknown: {few}"
    best: tuple[float, int, int] | None = None
    known = not any(np.isnan(rail.subnet.links.rates).any() for rail in traffic.rails)
    for number, rail in enumerate(traffic.rails):
        links = between_switches(rail.subnet)
        slowness = rail.loads[0].sum(axis=0)[links] / (rail.subnet.links.rates[links] if known else 1.0)
        if len(links) and slowness.max() > (best[0] if best else 0.0):
            best = float(slowness.max()), number, int(links[slowness.argmax()])
    if best is None:
        used = sum(float(rail.loads[0].sum()) for rail in traffic.rails)
        return "No link between switches is used" if used else "No data passes over the network"
    _, number, link = best
    rail = traffic.rails[number]
    loads, classes = rail.loads[0].sum(axis=0), rail.subnet.classes
    ratio = float(loads[link] / loads[(classes == classes[link]) & (loads > 0)].mean())
    groups = traffic.groups
    causes = np.bincount(groups.cause, rail.loads[0][:, link], len(groups.causes))
    cause = int(causes.argmax())
    share = percent_text(100 * float(causes[cause] / causes.sum()), 0)
    most = "takes longest" if known else "carries most"
    return (
        f"Of the links between switches, {link_name(rail.subnet, link)} {most}: {byte_text(loads[link])},"
        f" {ratio_text(ratio)} {_TIMES} the mean of its class ({CLASSES[classes[link]]}),"
        f" {share} % of it by {groups.causes[cause]}"
    )


def lead(traffic: Traffic) -> str:
    """Return the limit of the traffic, as in `rankwise links`."""
    return verdict(as_it_is(traffic), traffic.on_links, traffic.between_hosts, traffic.share)


def link_name(subnet: Subnet, link: int) -> str:
    """Return the ends of a link between switches, with their ports: `leaf3 [21] -> spine2 [3]`."""
    links = subnet.links
    source = f"{subnet.name_of(int(links.source[link]))} [{links.source_port[link]}]"
    destination = f"{subnet.name_of(int(links.destination[link]))} [{links.destination_port[link]}]"
    return f"{source} {_ARROW} {destination}"


def captions(traffic: Traffic) -> list[str]:
    """Return the sources of the figures: routes, places of the ranks, rails, as phrases."""
    fabric, places = traffic.fabric, traffic.places
    routes = " and ".join(dict.fromkeys(str(subnet.routing) for subnet in fabric.subnets))
    phrases = [f"Routes: {routes}{_origin(fabric)}", f"Ports of hosts were matched {_how(traffic)}"]
    if any(rail.ports.shape[1] > 1 for rail in places.rails) or len(places.rails) > 1:
        phrases.append(f"Traffic goes {places.policy}")
    if lids := lids_used(fabric, traffic.lid_offset):
        phrases.append(f"Messages {lids}")
    if phase := busiest_phase(fabric, traffic.share):
        phrases.append(phase)
    within = float(traffic.flows.bytes[traffic.within_hosts].sum())
    if within:
        whole = float(traffic.flows.bytes.sum())
        phrases.append(
            f"{percent_text(100 * within / whole)} % of all bytes stay within hosts and are not shown"
        )
    return phrases


def _origin(fabric: Fabric) -> str:
    """Return the sources of a fabric: a few file names without folders, or the number of files."""
    words = [f"{each.kind} {each.what}".strip() for each in fabric.sources if each.kind in _OF_WORDS]
    paths = (path for source in fabric.sources for path in _BETWEEN_PATHS.split(source.what))
    files = list(dict.fromkeys(path.strip() for path in paths if path.strip()))
    if words:
        said = "; ".join(words)
    elif len(files) > _MOST_FILES:
        said = f"{len(files)} files"
    else:
        said = " and ".join(PurePath(path).name for path in files)
    return f", from {said}" if said else ""


def _how(traffic: Traffic) -> str:
    counts: dict[str, int] = {}
    for host in traffic.places.hosts:
        if host.how:
            counts[host.how] = counts.get(host.how, 0) + 1
    words = {"placed": "by --place"}
    return ", ".join(f"{words.get(how, f'by {how}')} ({count})" for how, count in counts.items()) or "nowhere"


def about(traffic: Traffic) -> list[str]:
    """Return the sizes of job and fabric, as phrases."""
    hosts = sum(bool(host.how) for host in traffic.places.hosts)
    switches = sum(len(subnet.switches.names) for subnet in traffic.fabric.subnets)
    routes = ", ".join(dict.fromkeys(str(subnet.routing) for subnet in traffic.fabric.subnets))
    rails = len(traffic.fabric.subnets)
    rates = cable_rates(traffic.fabric)
    return [
        f"{_several(traffic.flows.ranks, 'rank')} on {_several(hosts, 'host')}",
        f"a fabric of {_several(switches, 'switch', 'es')}" + (f" on {rails} rails" if rails > 1 else ""),
        *topologies(traffic.fabric),
        *([f"cables: {rates}"] if rates else []),
        f"routes: {routes}",
    ]


def _several(number: int, what: str, ending: str = "s") -> str:
    return f"{count_text(number)} {what}{ending * (number != 1)}"


def warnings(traffic: Traffic) -> Iterator[str]:
    """Yield warnings, as phrases: missing data first."""
    yield from traffic.fabric.gaps
    flows = traffic.flows
    if len(traffic.lost):
        share = 100 * float(flows.bytes[traffic.lost].sum()) / max(1.0, float(flows.bytes.sum()))
        yield (
            f"{percent_text(share)} % of the bytes are on no link because their ranks have no place in "
            "the fabric"
        )
    astray = sum(int((~rail.arrives).sum()) for rail in traffic.rails)
    if astray:
        yield f"{count_text(astray)} flows are undeliverable by the forwarding tables and load no link"
    if flows.unplaced_messages:
        yield f"{byte_text(flows.unplaced_bytes)} from or to other processes are not shown"
    if flows.hidden:
        yield (
            f"the messages of {len(flows.hidden)} collective{'s' * (len(flows.hidden) > 1)} are not all"
            " visible: links carry more than is shown"
        )
    yield from traffic.places.warnings
    yield from traffic.fabric.remarks


def shortened(phrases: Iterable[str]) -> list[str]:
    """Return the first phrases, and the number of further ones."""
    listed = list(phrases)
    more = len(listed) - _MOST_WARNINGS
    return listed[:_MOST_WARNINGS] + ([f"and {more} more"] if more > 0 else [])
