"""Rows of the tables of links, flat as `--json` prints them."""

from __future__ import annotations

from rankwise.network.answer import Answer
from rankwise.network.causes import Cause
from rankwise.network.fabric.model import Subnet
from rankwise.network.hot_links import HotLink, LinkLoad, link_loads_of
from rankwise.network.loads import JobLoads
from rankwise.network.what_if import Scenario
from rankwise.records import dataclass
from rankwise.text.names import call_name, names_quoted
from rankwise.text.units import count_text, percent_text

_LEAST_PERCENT = 0.5
"""Of a link's load: causes with less are counted, not named."""


@dataclass(frozen=True, kw_only=True)
class ClassRow:
    """The links of one class of one subnet; figures as of `ClassLoads`, in bytes."""

    rail: int
    rail_name: str
    link_class: str
    links: int
    used: int
    bytes: float
    max: float
    mean_used: float
    mean: float
    p95: float
    times_mean: float | None
    bound: float | None
    excess: float | None
    gini: float
    hottest: str


@dataclass(frozen=True, kw_only=True)
class ScenarioRow:
    """An alternative: the slowest link between switches, and the slowest of hosts; as of `Scenario`."""

    name: str
    link_class: str | None
    bytes: float | None
    times_mean: float | None
    excess: float | None
    fabric_seconds: float | None
    host_seconds: float | None
    times_hosts: float | None
    change_percent: float | None


def class_rows(loads: JobLoads) -> list[ClassRow]:
    """Return a row for each class of each subnet."""
    return [
        ClassRow(
            rail=number,
            rail_name=rail.subnet.name,
            link_class=each.name,
            links=each.links,
            used=each.used,
            bytes=each.total,
            max=each.max,
            mean_used=each.mean_used,
            mean=each.mean,
            p95=each.p95,
            times_mean=each.times_mean,
            bound=each.bound or None,
            excess=each.excess,
            gini=each.gini,
            hottest="" if each.hottest < 0 else link_text(link_loads_of(loads, number, [each.hottest])[0]),
        )
        for number, rail in enumerate(loads.rails)
        for each in rail.classes
    ]


def scenario_rows(answer: Answer) -> list[ScenarioRow]:
    """Return a row for the traffic as it is, and for each thing else that could be."""
    return [_scenario(answer.scenarios[0], each) for each in answer.scenarios]


def _scenario(now: Scenario, each: Scenario) -> ScenarioRow:
    slowest, hosts, before = each.bottleneck.fabric, each.bottleneck.hosts, now.bottleneck.fabric
    change = None
    if slowest and before and each is not now:
        takes = slowest.seconds or slowest.bytes, before.seconds or before.bytes
        change = 100 * (takes[0] / takes[1] - 1)
    return ScenarioRow(
        name=each.name,
        link_class=each.hottest.name if each.hottest else None,
        bytes=slowest.bytes if slowest else None,
        times_mean=each.hottest.times_mean if each.hottest else None,
        excess=each.excess,
        fabric_seconds=slowest.seconds if slowest else None,
        host_seconds=hosts.seconds if hosts else None,
        times_hosts=each.bottleneck.times,
        change_percent=change,
    )


def link_text(link: LinkLoad) -> str:
    """Return both ends with their ports: `leaf3 [21] -> spine2 [3]`; in front the rail, if it has a name."""
    rail = f"{link.rail_name}: " if link.rail_name else ""
    return f"{rail}{link.source} [{link.source_port}] -> {link.destination} [{link.destination_port}]"


def ends_text(subnet: Subnet, link: int) -> str:
    """Return the same for a link of a subnet."""
    links = subnet.links
    source = f"{subnet.name_of(int(links.source[link]))} [{links.source_port[link]}]"
    destination = f"{subnet.name_of(int(links.destination[link]))} [{links.destination_port[link]}]"
    return f"{subnet.name}: {source} -> {destination}" if subnet.name else f"{source} -> {destination}"


def rail_text(name: str, number: int) -> str:
    """Return how a rail is called in a sentence: `rail 0`, `rail ib1`, of its name where it has one."""
    return name if name.lower().startswith("rail") else f"rail {name or number}"


def cause_text(cause: Cause) -> str:
    """Return `Alltoall on W_s1`; for several communicators: `Alltoall on 8 x W_s1`."""
    name = names_quoted(cause.communicator, [cause.user_name] if cause.user_name else [])
    if not cause.procedure:
        return name
    several = f"{cause.communicators} x " if cause.communicators > 1 else ""
    return f"{call_name(cause.procedure)} on {several}{name}"


def causes_text(link: HotLink, most: int = 2) -> str:
    """Return the largest causes of a link's load, with their shares: `80 % Alltoall of W, 1 more`."""
    shares = [(100 * each.bytes / link.load.bytes, each.cause) for each in link.causes[:most]]
    texts = [f"{share:.0f} % {cause_text(cause)}" for share, cause in shares if share >= _LEAST_PERCENT]
    more = len(link.causes) - len(texts)
    return ", ".join(texts) + (f", {more} more" if more else "")


def messages_text(number: float) -> str:
    """Return how many messages: `12`, and where some are split, `0.5`."""
    whole = number >= 10 or abs(number - round(number)) < 1e-6
    return count_text(number) if whole else percent_text(number)
