"""What `rankwise links --json` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.network.answer import Answer
from rankwise.network.fabric.model import Fabric
from rankwise.network.quality import RailQuality
from rankwise.network.share import NetworkShare
from rankwise.views.links.rows import class_rows, scenario_rows


def fabric_data(fabric: Fabric, quality: Sequence[RailQuality]) -> dict[str, Any]:
    """Return what the fabric is, and what its routes are worth.

    Args:
        fabric: S subnets.
        quality: of each.
    """
    return {
        "hosts": len({host for subnet in fabric.subnets for host in subnet.ports.hosts}),
        "sources": fabric.sources,
        "warnings": fabric.warnings,
        "rails": [
            {
                "name": subnet.name,
                "switches": len(subnet.switches.names),
                "ports": len(subnet.ports.hosts),
                "cables": len(subnet.links) // 2,
                "topology": subnet.topology.text if subnet.topology else None,
                "routing": subnet.routing.kind,
                "routed_by": subnet.routing.by,
                "job_ports": rail_quality.ports,
                "forwarding_index": rail_quality.forwarding_index,
                "effective_bisection_bandwidth": rail_quality.bisection,
            }
            for subnet, rail_quality in zip(fabric.subnets, quality, strict=True)
        ],
    }


def share_data(share: NetworkShare | None) -> dict[str, Any] | None:
    """Return the network's share of a run; None: unknown."""
    if share is None:
        return None
    return {
        "seconds": share.seconds,
        "mpi_seconds": share.mpi_seconds,
        "percent_of_mpi": share.percent_of_mpi,
        "matters": share.matters,
        "phases": [
            {
                "number": each.phase.number,
                "begin_seconds": each.phase.begin_seconds,
                "end_seconds": each.phase.end_seconds,
                "seconds": each.slowest.seconds,
                "percent_busy": each.percent,
            }
            for each in share.phases
        ],
    }


def answer_data(answer: Answer) -> dict[str, Any]:
    """Return all figures of an answer."""
    loads, places, flows = answer.loads, answer.loads.places, answer.loads.flows
    return {
        "fabric": fabric_data(loads.fabric, answer.quality),
        "job": {
            "ranks": places.ranks,
            "hosts": places.hosts,
            "rail_policy": str(places.policy),
            "lid_offset": loads.lid_offset,
            "only": flows.only,
            "kinds": flows.kinds,
            "bytes_between_hosts": loads.between_hosts,
            "bytes_on_links": loads.on_links,
            "bytes_within_hosts": loads.within_hosts,
            "bytes_lost": loads.lost,
            "unplaced_messages": flows.unplaced_messages,
            "unplaced_bytes": flows.unplaced_bytes,
            "undelivered": [rail.undelivered for rail in loads.rails],
        },
        "bottleneck": answer.bottleneck,
        "network_share": share_data(answer.share),
        "classes": class_rows(loads),
        "hops": [
            [{"switches": passed, "bytes": size} for passed, size in sorted(rail.hops.items())]
            for rail in loads.rails
        ],
        "hot_links": answer.hot,
        "causes": answer.causes,
        "what_if": scenario_rows(answer),
    }
