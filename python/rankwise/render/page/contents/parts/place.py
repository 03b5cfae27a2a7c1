"""The page Place: the inside of the nodes, the ranks' places in them, and problems with these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from rankwise.analysis.nodes.binding import NodePlace, RankPlace, faults_of_node
from rankwise.analysis.nodes.kinds import kinds
from rankwise.analysis.nodes.network_rates import NetworkRate
from rankwise.analysis.nodes.processors import place_faults
from rankwise.analysis.nodes.totals import nodes
from rankwise.cpulist import cpu_text
from rankwise.findings.finding import Finding
from rankwise.findings.verdict import PROCESSORS
from rankwise.render.page.contents.packed_tables import table_data
from rankwise.render.page.contents.subject import Subject
from rankwise.text.empty import NO_RANKS
from rankwise.text.network import port_fields
from rankwise.text.safe import safe
from rankwise.views.by import network
from rankwise.views.node_inside import inside_text
from rankwise.views.view import Detail

_NOT_SEEN = (
    "The inside of the nodes is unknown because /sys is hidden, as in some containers, so it is not drawn. "
    "The node of each rank is known. Record the program again where /sys is readable."
)
_NOT_KNOWN = -1
_MOST_ROWS = 4000


def place_data(of: Subject) -> dict[str, Any]:
    """Return where the ranks ran, as web/src/place/contract.ts declares it."""
    places, column = of.seen.places, of.container.column
    shapes: dict[object, int] = {}
    first: list[NodePlace] = []
    for node in places:
        if node.processors and (node.processors, node.devices) not in shapes:
            shapes[node.processors, node.devices] = len(first)
            first.append(node)
    host_of = {host: number for number, host in enumerate(of.axes.hosts)}
    kind_of = {node.host: kind for kind, same_kind in enumerate(kinds(places)) for node in same_kind}
    traffic = {row.host: row for row in nodes(of.connection)}
    lists: dict[str, int] = {"": 0}
    joined = place_faults(places, of.seen.shortages)
    names = list(dict.fromkeys(fault.kind for fault in joined))
    return {
        "missing": "" if places else NO_RANKS,
        "unseen": "" if first else _NOT_SEEN,
        "shapes": [_shape(of, node) for node in first],
        "nodes": {
            "shape": column([shapes.get((node.processors, node.devices), _NOT_KNOWN) for node in places]),
            "kind": column([kind_of[node.host] for node in places]),
            "onNode": column([traffic[node.host].bytes_on_node for node in places]),
            "offNode": column([traffic[node.host].bytes_off_node for node in places]),
            "unplaced": column([traffic[node.host].bytes_unplaced for node in places]),
        },
        "ranks": _ranks(of, places, lists, names),
        "lists": list(lists),
        "waiting": bool(_waited(of)),
        "kinds": names,
        "faults": [
            {
                "kind": fault.kind,
                "hosts": column([host_of[host] for host in fault.hosts]),
                "ranks": cpu_text(fault.ranks),
                "what": safe(fault.what, "utf-8"),
                "cure": safe(fault.cure, "utf-8"),
            }
            for fault in joined
        ],
        "findings": [
            _finding(entry.finding) for entry in of.findings.found if entry.finding.rule in PROCESSORS
        ],
        "network": _network(of),
    }


def _network(of: Subject) -> dict[str, Any] | None:
    use = of.seen.network
    if not use.ports:
        return None
    view, column = network.view(of.connection, Detail.BRIEF), of.container.column
    rates = cast("list[NetworkRate]", view.data["network_rates"])
    per_node, ports = (table_data(table, Detail.BRIEF, _MOST_ROWS) for table in view.tables)
    unobtrusive = f"None of the {len(use.ports)} network ports was blocked for long or had errors"
    return {
        "title": safe(view.title or "It is not known how much the network ports moved", "utf-8"),
        "portsTitle": safe("; ".join(port_fields(use)) or unobtrusive, "utf-8"),
        "nodes": per_node,
        "ports": ports,
        "rates": {
            "begin": rates[0].begin_seconds,
            "width": rates[0].seconds,
            "ports": column([rate.ports_sent_per_second for rate in rates]),
            "messages": column([rate.messages_sent_per_second for rate in rates]),
        }
        if rates
        else None,
    }


def _shape(of: Subject, node: NodePlace) -> dict[str, Any]:
    column = of.container.column

    def numbers(values: Iterable[int | None]) -> dict[str, Any]:
        return column([_NOT_KNOWN if value is None else value for value in values])

    return {
        "text": safe(inside_text(node), "utf-8"),
        "processor": column([processor.processor for processor in node.processors]),
        "package": numbers(processor.package for processor in node.processors),
        "numa": numbers(processor.numa for processor in node.processors),
        "l3": numbers(processor.l3 for processor in node.processors),
        "core": column([node.core_of[processor.processor] for processor in node.processors]),
        "efficiency": column([processor.kind == "efficiency" for processor in node.processors]),
        "devices": [
            {
                "kind": device.kind,
                "name": safe(device.name, "utf-8"),
                "numa": _NOT_KNOWN if device.numa is None else device.numa,
            }
            for device in node.devices
        ],
    }


def _ranks(
    of: Subject, places: Sequence[NodePlace], lists: dict[str, int], faults: Sequence[str]
) -> dict[str, Any]:
    """Return columns by rank; 0 for ranks without readable counters."""
    whole = of.axes.ranks
    columns: dict[str, list[float]] = {
        name: [0] * whole
        for name in ("cpus", "seen", "bound", "looks", "moves", "threads", "omp", "faults", "run", "waited")
    }

    def listed(cpus: Sequence[int]) -> int:
        return lists.setdefault(cpu_text(cpus), len(lists))

    def enter(node: NodePlace, place: RankPlace) -> None:
        values = {
            "cpus": listed(place.cpus),
            "seen": listed(place.seen),
            "bound": node.is_bound(place),
            "looks": place.looks,
            "moves": place.moves,
            "threads": place.threads,
            "omp": place.omp_threads or 0,
        }
        for name, value in values.items():
            columns[name][place.rank] = value

    for node in places:
        for place in node.ranks:
            enter(node, place)
        for fault in faults_of_node(node):
            for rank in fault.ranks:
                columns["faults"][rank] = int(columns["faults"][rank]) | 1 << faults.index(fault.kind)
    for row in of.seen.ranks:
        columns["run"][row.rank] = row.run_seconds * max(row.threads, 1)
    for rank, seconds in _waited(of).items():
        columns["waited"][rank] = seconds
    return {name: of.container.column(values) for name, values in columns.items()}


def _waited(of: Subject) -> Mapping[int, float]:
    """Return the waiting of ranks, in collectives and for messages; empty if unknown."""
    waited: defaultdict[int, float] = defaultdict(float)
    waiting = of.seen.waiting
    for row in waiting.ranks if waiting else ():
        waited[row.rank] += row.suffered.seconds
    for wait in of.seen.messages.waiting:
        waited[wait.rank] += wait.late_sender_seconds + wait.late_receiver_seconds
    return waited


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "title": safe(finding.title, "utf-8"),
        "seconds": finding.saved_seconds,
        "confidence": finding.confidence,
    }
