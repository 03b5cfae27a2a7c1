"""The page Place: the nodes from inside, where the ranks ran in them, and what is wrong with that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankwise.analysis.nodes.binding import NodePlace, RankPlace, faults_of_node
from rankwise.analysis.nodes.kinds import kinds
from rankwise.analysis.nodes.processors import place_faults
from rankwise.analysis.nodes.totals import nodes
from rankwise.cpulist import cpu_text
from rankwise.findings.finding import Finding
from rankwise.findings.verdict import PROCESSORS
from rankwise.render.page.contents.subject import Subject
from rankwise.text.empty import NO_RANKS
from rankwise.text.safe import safe
from rankwise.views.node_inside import inside_text

_NOT_SEEN = (
    "The inside of the nodes is unknown because /sys is hidden, as in some containers, so it is not drawn. "
    "The node of each rank is known. Record the program again where /sys is readable."
)
_NOT_KNOWN = -1


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
    kind_of = {node.host: kind for kind, alike in enumerate(kinds(places)) for node in alike}
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
        "findings": [_finding(one.finding) for one in of.findings.found if one.finding.rule in PROCESSORS],
    }


def _shape(of: Subject, node: NodePlace) -> dict[str, Any]:
    column = of.container.column

    def numbers(values: Iterable[int | None]) -> dict[str, Any]:
        return column([_NOT_KNOWN if value is None else value for value in values])

    return {
        "text": safe(inside_text(node), "utf-8"),
        "processor": column([one.processor for one in node.processors]),
        "package": numbers(one.package for one in node.processors),
        "numa": numbers(one.numa for one in node.processors),
        "l3": numbers(one.l3 for one in node.processors),
        "core": column([node.core_of[one.processor] for one in node.processors]),
        "efficiency": column([one.kind == "efficiency" for one in node.processors]),
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
    """Return columns by rank; those of ranks whose counters were not read are 0."""
    whole = of.axes.ranks
    found: dict[str, list[float]] = {
        name: [0] * whole
        for name in ("cpus", "seen", "bound", "looks", "moves", "threads", "omp", "faults", "run", "waited")
    }

    def listed(cpus: Sequence[int]) -> int:
        return lists.setdefault(cpu_text(cpus), len(lists))

    def enter(node: NodePlace, one: RankPlace) -> None:
        values = {
            "cpus": listed(one.cpus),
            "seen": listed(one.seen),
            "bound": node.is_bound(one),
            "looks": one.looks,
            "moves": one.moves,
            "threads": one.threads,
            "omp": one.omp_threads or 0,
        }
        for name, value in values.items():
            found[name][one.rank] = value

    for node in places:
        for one in node.ranks:
            enter(node, one)
        for fault in faults_of_node(node):
            for rank in fault.ranks:
                found["faults"][rank] = int(found["faults"][rank]) | 1 << faults.index(fault.kind)
    for row in of.seen.ranks:
        found["run"][row.rank] = row.run_seconds * max(row.threads, 1)
    for rank, seconds in _waited(of).items():
        found["waited"][rank] = seconds
    return {name: of.container.column(values) for name, values in found.items()}


def _waited(of: Subject) -> Mapping[int, float]:
    """Return what ranks waited for others, in collectives and for messages; nothing if that is not known."""
    found: defaultdict[int, float] = defaultdict(float)
    waiting = of.seen.waiting
    for row in waiting.ranks if waiting else ():
        found[row.rank] += row.suffered.seconds
    for wait in of.seen.messages.waiting:
        found[wait.rank] += wait.late_sender_seconds + wait.late_receiver_seconds
    return found


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "title": safe(finding.title, "utf-8"),
        "seconds": finding.saved_seconds,
        "confidence": finding.confidence,
    }
