"""Assigns adapters to hosts: by their descriptions, and by GUIDs where several hosts share a name.

A description is free text. On many machines several hosts share it, such as `localhost mlx5_0`, or it begins
with the device, or the rack. Names of devices are unique within a host.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from rankwise.network.sources.infiniband.names import host_and_device, is_device, is_no_name

_MANY = 2
"""More than this many times the usual number of cards are too many for one host."""
_MOST_CARDS = 16
"""Of one host."""
_CURE = "use rdma-ndd to name the adapters"


class Adapter(NamedTuple):
    """A port of an adapter, as described by files.

    Attributes:
        node: GUID of the adapter, or of its port where only that is known.
        system: GUID that all adapters of a card have in common; 0: not known.
        number: of the port where the GUID is the port's; else 0.
        description: of the adapter.
    """

    node: int
    system: int
    number: int
    description: str

    @property
    def card(self) -> int:
        """GUID of the card, as far as it is known."""
        return self.system or self.node


class HostNames(NamedTuple):
    """Host and device of each adapter, in order; lines to beware of."""

    names: list[tuple[str, str]]
    warnings: list[str]


def host_names(adapters: Sequence[Adapter]) -> HostNames:
    """Return host and device of each adapter; hosts that share a name get their GUIDs behind it."""
    names = [host_and_device(each.description, each.node) for each in adapters]
    adapters = _with_cards(adapters)
    _name_behind(adapters, names)
    groups = _by_host(names)
    usual = median(_cards(adapters, members) for members in groups.values()) if groups else 0
    split, unsure = Counter[str](), Counter[str]()
    for name, members in groups.items():
        if not _repeats(adapters, names, members):
            continue
        devices = {names[place][1] for place in members}
        cards = _cards(adapters, members)
        if devices != {""} or is_no_name(name) or cards > _MANY * usual or len(groups) == 1:
            split[name] = len(members)
            for place in members:
                names[place] = f"{name}-0x{adapters[place].card:016x}", names[place][1]
        else:
            unsure[name] = len(members)
    return HostNames(names, [*_split_warning(split), *_unsure_warning(unsure)])


def _with_cards(adapters: Sequence[Adapter]) -> Sequence[Adapter]:
    """Leave out system GUIDs that too many adapters share: some vendors do not set unique ones."""
    if max(Counter(each.system for each in adapters).values(), default=0) <= _MOST_CARDS:
        return adapters
    nodes: dict[int, set[int]] = {}
    for each in adapters:
        nodes.setdefault(each.system, set()).add(each.node)
    return [each if len(nodes[each.system]) <= _MOST_CARDS else each._replace(system=0) for each in adapters]


def _name_behind(adapters: Sequence[Adapter], names: list[tuple[str, str]]) -> None:
    """Use last words as hosts where the first word names a rack: no host has that many cards."""
    groups = _by_host(names)
    most = _MOST_CARDS if len(groups) > 1 else 1
    for name, members in groups.items():
        if len(members) <= most:
            continue
        behind = {names[place][1].rpartition(" ")[2] for place in members}
        if _cards(adapters, members) > most and "" not in behind and not any(map(is_device, behind)):
            for place in members:
                between, _, host = names[place][1].rpartition(" ")
                names[place] = host, f"{name} {between}".strip()


def _by_host(names: Sequence[tuple[str, str]]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, (host, _) in enumerate(names):
        places.setdefault(host, []).append(place)
    return places


def _cards(adapters: Sequence[Adapter], members: Sequence[int]) -> int:
    if len(members) == 1:  # in large fabrics, most hosts have one
        return 1
    return len({adapters[place].card for place in members})


def _repeats(adapters: Sequence[Adapter], names: Sequence[tuple[str, str]], members: Sequence[int]) -> bool:
    """Return whether a device name, or its absence, occurs on several cards."""
    if len(members) == 1:
        return False
    cards: dict[tuple[str, int], int] = {}
    for place in members:
        adapter, device = adapters[place], names[place][1]
        if cards.setdefault((device, adapter.number), adapter.card) != adapter.card:
            return True
    return False


def _split_warning(split: Counter[str]) -> Iterator[str]:
    for name, ports in split.most_common(1):
        yield (
            f"host names used several times: {len(split)}, such as {name} on {ports} ports; these hosts are "
            f"distinguished by GUIDs: {_CURE}"
        )


def _unsure_warning(unsure: Counter[str]) -> Iterator[str]:
    for name, ports in unsure.most_common(1):
        yield (
            f"adapter names used several times, without a device: {len(unsure)}, such as {name} on {ports} "
            f"ports; adapters with the same name are assumed to be in one host: {_CURE}"
        )
