"""What a node has inside, in words."""

from __future__ import annotations

from collections.abc import Callable

from rankwise.analysis.nodes.binding import NodePlace, Processor
from rankwise.text.units import byte_text


def inside_text(node: NodePlace) -> str:
    """Return `2 packages, 4 NUMA domains, ...; mlx5_0 at NUMA domain 1`; '' where it is not known."""
    kinds: list[tuple[str, str, Callable[[Processor], object]]] = [
        ("package", "packages", lambda location: location.package),
        ("NUMA domain", "NUMA domains", lambda location: location.numa),
        ("L3 cache", "L3 caches", lambda location: location.l3),
        ("core", "cores", lambda location: node.core_of[location.processor]),
        ("processor", "processors", lambda location: location.processor),
    ]
    texts = []
    for name, several, part_of in kinds:
        count = len({part_of(processor) for processor in node.processors} - {None})
        sizes = {processor.l3_bytes for processor in node.processors if processor.l3_bytes}
        size = f" of {byte_text(min(sizes))}" if name == "L3 cache" and len(sizes) == 1 else ""
        if count:
            texts.append(f"{count} {name if count == 1 else several}{size}")
    near = [
        f"{device.name} at NUMA domain {device.numa}"
        for device in node.devices
        if device.numa is not None and len({processor.numa for processor in node.processors}) > 1
    ]
    return ", ".join(texts) + (f"; {', '.join(near)}" if near else "")
