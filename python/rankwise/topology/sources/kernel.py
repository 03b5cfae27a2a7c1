"""The inside of a node, from the numbers that a kernel gives its processors."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.latency.measurement import Host, Processor
from rankwise.topology.sources.hwloc_xml import Part

_KINDS = ("package", "numa", "l3", "core")

Key = tuple[int, ...]


def parts_of(host: Host) -> tuple[Part, ...]:
    """Return what is inside of a host; kinds that the kernel does not tell of all processors are left out."""
    known = [kind for kind in _KINDS if all(getattr(one, kind) >= 0 for one in host.processors)]
    # Memory may be inside of a cache or around it: what there is less of is outside.
    known.sort(key=lambda kind: len({_key(one, kind) for one in host.processors}))
    return _nested(host.processors, known)


def _key(processor: Processor, kind: str) -> Key:
    """Return what tells a part from the others of its kind; cores and caches are counted in each package."""
    number = getattr(processor, kind)
    return (processor.package, number) if kind in ("l3", "core") else (number,)


def _nested(processors: Sequence[Processor], kinds: Sequence[str]) -> tuple[Part, ...]:
    if not kinds:
        return tuple(Part("pu", processor.os) for processor in processors)
    groups: dict[Key, list[Processor]] = {}
    for processor in processors:
        groups.setdefault(_key(processor, kinds[0]), []).append(processor)
    return tuple(Part(kinds[0], key[-1], _nested(some, kinds[1:])) for key, some in groups.items())
