"""The tables of links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.network.answer import Answer
from rankwise.network.cause_loads import CauseLoad
from rankwise.network.host_flows import HostPair
from rankwise.network.hot_links import HotLink
from rankwise.network.switches import SwitchLoad
from rankwise.text.units import bit_rate_text
from rankwise.views.links.rows import (
    ClassRow,
    ScenarioRow,
    cause_text,
    causes_text,
    class_rows,
    link_text,
    messages_text,
    scenario_rows,
)
from rankwise.views.view import (
    BYTES,
    COUNT,
    FIGURES,
    NAME,
    NUMBER,
    RATIO,
    SECONDS,
    TEXT,
    WORD,
    Column,
    Format,
    Table,
    label,
)

NOTHING = "No data passes over links."
_MEAN = "relative to the mean of the used links of the class"
_BOUND = "relative to the lower bound of any routing for the most loaded link of the class"
_NO_BOUND = "No x bound: messages could avoid the class."
_LEAST_SHARE = 0.01
_FEW = Format("number", lambda number: f"{number:.3g}", right=True)
_MESSAGES = Format("count", lambda number: messages_text(number), right=True)
_BITS = Format("rate", lambda rate: bit_rate_text(rate), "B/s", right=True)
_WIDTH = Format("lanes", lambda width: f"{width}x", right=True)
_CHANGE = Format("percent", lambda percent: f"{percent:+.1f}", "%", right=True)

_CLASSES: list[Column[ClassRow]] = [
    label("links", lambda row: row.link_class, "class of links", kind=WORD),
    Column("used", lambda row: f"{row.used} of {row.links}", FIGURES, "links with any load", obvious=True),
    Column("max", lambda row: row.max, BYTES, "on the most loaded link", obvious=True),
    Column("mean", lambda row: row.mean_used, BYTES, "of the used links"),
    Column("mean of all", lambda row: row.mean, BYTES, "likewise", obvious=True),
    Column("95th pct", lambda row: row.p95, BYTES, "95 % of the used links carry less"),
    Column("x mean", lambda row: row.times_mean, RATIO, f"max {_MEAN}"),
    Column("x bound", lambda row: row.excess, RATIO, f"max {_BOUND}"),
    Column(
        "Gini",
        lambda row: row.gini if row.used else None,
        RATIO,
        "imbalance of the used links, 0 = even",
    ),
]
_RAIL: Column[Any] = label("rail", lambda row: row.rail_name or str(row.rail), "subnet", kind=WORD)
_LINK: Column[HotLink] = Column(
    "link", lambda row: link_text(row.load), NAME, "from and to, with the ports", obvious=True
)
_BYTES: Column[HotLink] = Column("bytes", lambda row: row.load.bytes, BYTES, "on it", obvious=True)
_TIMES: Column[HotLink] = Column("x mean", lambda row: row.load.times_mean, RATIO, f"bytes {_MEAN}")
_CAUSED: Column[HotLink] = Column(
    "caused by", causes_text, NAME, "calls, with their share of the bytes", obvious=True
)
_PAIRS: list[Column[HotLink]] = [
    Column("pairs", lambda row: row.host_count or None, COUNT, "pairs of hosts whose messages use it"),
    Column("most from", lambda row: _hosts(row), NAME, "hosts with the most bytes on it", obvious=True),
]
_HOT: list[Column[HotLink]] = [
    _LINK,
    _BYTES,
    _TIMES,
    Column(
        "caused by",
        lambda row: causes_text(row, most=1),
        NAME,
        "calls, with their share of the bytes",
        obvious=True,
    ),
    *_PAIRS,
]
_LINKS: list[Column[HotLink]] = [
    _LINK,
    label("class", lambda row: row.load.link_class, "of the link", kind=WORD),
    _BYTES,
    Column("messages", lambda row: row.load.messages, _MESSAGES, "on it", obvious=True),
    Column("rate", lambda row: row.load.rate, _BITS, "of the link", obvious=True),
    Column("width", lambda row: row.load.width, _WIDTH, "lanes of the link"),
    Column("time", lambda row: row.load.seconds, SECONDS, "at full rate"),
    _TIMES,
    Column("x bound", lambda row: row.load.excess, RATIO, f"bytes {_BOUND}"),
    _CAUSED,
    Column("communicators", lambda row: _communicators(row), TEXT, "likewise", obvious=True),
    *_PAIRS,
    Column("ranks", lambda row: _ranks(row), TEXT, "with the most bytes on it"),
]
_CAUSES: list[Column[CauseLoad]] = [
    Column("cause", lambda row: cause_text(row.cause), TEXT, "call and communicator", obvious=True),
    Column("bytes", lambda row: row.on_links, BYTES, "that leave hosts", obvious=True),
    Column(
        "hottest link",
        lambda row: link_text(row.hottest) if row.hottest else None,
        TEXT,
        "between switches, by the bytes of this cause",
        obvious=True,
    ),
    Column("bytes on it", lambda row: row.bytes if row.hottest else None, BYTES, "from this cause"),
    Column(
        "x mean",
        lambda row: row.times_mean,
        RATIO,
        "relative to the mean of the links of the class that the cause uses",
    ),
]
_SCENARIOS: list[Column[ScenarioRow]] = [
    label("case", lambda row: row.name, "the routes or ranks that are assumed", kind=WORD),
    label(
        "slowest", lambda row: row.link_class or "-", "class of the slowest link between switches", kind=WORD
    ),
    Column("max", lambda row: row.bytes, BYTES, "bytes on it", obvious=True),
    Column("switch links", lambda row: row.fabric_seconds, SECONDS, "time of the slowest one at full rate"),
    Column("host links", lambda row: row.host_seconds, SECONDS, "time of the slowest one at full rate"),
    Column("ratio", lambda row: row.times_hosts, RATIO, "switch links / host links"),
    Column("x bound", lambda row: row.excess, RATIO, "as above", obvious=True),
    Column(
        "change",
        lambda row: row.change_percent,
        _CHANGE,
        "of the time of switch links, in %",
    ),
]
_SWITCH: Column[SwitchLoad] = label("switch", lambda row: row.name, "name")
_LEVEL: Column[SwitchLoad] = Column("level", lambda row: row.level, NUMBER, "1 = with hosts")
_PLACE: Column[SwitchLoad] = Column(
    "place", lambda row: row.place or "-", TEXT, "group of a dragonfly, or place along each dimension"
)
_SWITCHES: list[Column[SwitchLoad]] = [
    Column("used", lambda row: f"{row.used} of {row.links}", FIGURES, "outgoing links"),
    Column("bytes", lambda row: row.bytes, BYTES, "through it", obvious=True),
    Column("from hosts", lambda row: row.from_hosts, BYTES, "of the rank itself", obvious=True),
    Column("to hosts", lambda row: row.to_hosts, BYTES, "of the rank itself", obvious=True),
    Column(
        "hottest link",
        lambda row: link_text(row.hottest) if row.hottest else None,
        TEXT,
        "out of the switch",
        obvious=True,
    ),
    Column("bytes on it", lambda row: row.hottest.bytes if row.hottest else None, BYTES, "the hottest link"),
    Column(
        "x mean", lambda row: row.hottest.times_mean if row.hottest else None, RATIO, f"bytes on it {_MEAN}"
    ),
]
_FLOWS: list[Column[HostPair]] = [
    label("from", lambda row: row.source, "host"),
    label("to", lambda row: row.destination, "host"),
    Column("bytes", lambda row: row.bytes, BYTES, "that it sends there", obvious=True),
    Column("messages", lambda row: row.messages, _MESSAGES, "likewise", obvious=True),
    Column("ranks", lambda row: row.rank_pairs, COUNT, "pairs of them"),
    Column("mostly for", lambda row: cause_text(row.cause), TEXT, "call with most of the bytes"),
    Column("switches", lambda row: row.switches, _FEW, "passed by the messages"),
    Column(
        "busiest link on the way",
        lambda row: link_text(row.worst) if row.worst else None,
        TEXT,
        "between switches, by total bytes on it",
    ),
    Column("bytes on it", lambda row: row.worst.bytes if row.worst else None, BYTES, "from all flows"),
    Column("x mean", lambda row: row.worst.times_mean if row.worst else None, RATIO, f"bytes on it {_MEAN}"),
]


def classes(answer: Answer) -> Table:
    """Return what the links of each class carry."""
    rows = class_rows(answer.loads)
    notes = [_NO_BOUND] * any(row.used and row.bound is None for row in rows)
    return Table(_by_rail(answer, _CLASSES), rows, NOTHING, notes=notes, whole=True)


def hot(answer: Answer) -> Table:
    """Return the links between switches with the most to carry, and why."""
    return Table(_HOT, answer.hot, "No data passes between switches.", title="Hot links between switches")


def causes(answer: Answer) -> Table:
    """Return what causes do that send 1 % of the bytes between hosts or more; else the largest one."""
    least = _LEAST_SHARE * sum(each.on_links for each in answer.causes)
    large = tuple(each for each in answer.causes if each.on_links >= least) or answer.causes[:1]
    some = f": those with 1 % or more, {len(large)} of {len(answer.causes)}" if large != answer.causes else ""
    return Table(_CAUSES, large, NOTHING, title=f"By cause{some}")


def what_if(answer: Answer) -> Table:
    """Return the alternatives."""
    return Table(_SCENARIOS, scenario_rows(answer), NOTHING, title="Alternatives", whole=True)


def links(answer: Answer, rows: Sequence[HotLink]) -> Table:
    """Return links, also those of hosts.

    Args:
        answer: the answer.
        rows: the first ones of them.
    """
    used = sum(each.used for rail in answer.loads.rails for each in rail.classes)
    return Table(_LINKS, rows, NOTHING, title=f"{len(rows)} of the {used} links that are used")


def switches(answer: Answer, rows: Sequence[SwitchLoad]) -> Table:
    """Return switches."""
    topologies = {bool(subnet.topology) for subnet in answer.loads.fabric.subnets}
    where = [*([_LEVEL] if False in topologies else []), *([_PLACE] if True in topologies else [])]
    return Table(_by_rail(answer, [_SWITCH, *where, *_SWITCHES]), rows, NOTHING)


def flows(answer: Answer, rows: Sequence[HostPair]) -> Table:
    """Return what hosts send each other."""
    unknown = answer.loads.places.ranks > answer.loads.flows.ranks
    nothing = "Individual flows between hosts are unknown." if unknown else "No data passes between hosts."
    return Table(_by_rail(answer, _FLOWS), rows, nothing)


def _by_rail(answer: Answer, columns: Sequence[Column[Any]]) -> list[Column[Any]]:
    return [_RAIL, *columns] if len(answer.loads.rails) > 1 else list(columns)


def _hosts(row: HotLink) -> str | None:
    return next((f"{each.source} -> {each.destination}" for each in row.hosts), None)


def _ranks(row: HotLink) -> str | None:
    return next((f"{each.source} -> {each.destination}" for each in row.ranks), None)


def _communicators(row: HotLink) -> str | None:
    more = row.communicator_count - 2
    return ", ".join(row.communicators[:2]) + (f" +{more}" if more > 0 else "") or None
