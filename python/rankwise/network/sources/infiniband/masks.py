"""Restores real GUIDs where ibdiagnet used substitutes because it saw a GUID twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankwise.network.sources.parts import Cables, End, Masks, Part, Tables


def unmasked(part: Part, masks: Sequence[Masks]) -> Part:
    """Return the part with real GUIDs, except where a GUID really occurs twice.

    ibdiagnet 1.5.7 sees GUIDs twice in large subnets that are there once.
    """
    real = {made_up: guid for mask in masks for made_up, guid in mask.real.items()}
    if not real or not isinstance(part, (Cables, Tables)):
        return part
    if isinstance(part, Tables):
        nodes = _needed(real, set(part.tables))
        return replace(part, tables={nodes.get(guid, guid): table for guid, table in part.tables.items()})
    ends = [end for cable in part.cables for end in (cable.near, cable.far)]
    nodes = _needed(real, {end.node for end in ends})
    ports = _needed(real, {end.guid for end in ends})

    def with_real(end: End) -> End:
        return end._replace(node=nodes.get(end.node, end.node), guid=ports.get(end.guid, end.guid))

    cables = [cable._replace(near=with_real(cable.near), far=with_real(cable.far)) for cable in part.cables]
    counts = {nodes.get(guid, guid): count for guid, count in part.port_counts.items()}
    return replace(part, cables=cables, port_counts=counts, own_guids=frozenset()) if nodes or ports else part


def _needed(real: dict[int, int], used: set[int]) -> dict[int, int]:
    real_guids = {guid: made_up for made_up, guid in real.items() if made_up in used and guid not in used}
    return {made_up: guid for guid, made_up in real_guids.items()}
