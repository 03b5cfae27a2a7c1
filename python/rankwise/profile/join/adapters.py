"""Network adapters of the nodes, and which of them the environment chose, as processes have noted it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwise.profile.collect import layout
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.text import text_of

_STATES = layout.names_of("port_state")
_MOST_MASK = 7  # of a port: it has at most 128 LIDs


def adapter_rows(world: Mapping[int, Counters]) -> Iterator[tuple[Any, ...]]:
    """Make the rows of `adapters`: for each node, from the first process that has them."""
    done: set[str] = set()
    for counters in world.values():
        host = counters.header.host
        if not len(counters.adapter_ports) or host in done:
            continue
        done.add(host)
        ports = {(text_of(row["device"]), int(row["number"])): row for row in counters.adapter_ports}
        for (device, number), row in sorted(ports.items()):
            if not device or not int(row["port_guid"]):
                continue
            mask = int(row["lid_mask_count"])
            yield (
                host,
                device,
                number,
                _hexadecimal(row["node_guid"]),
                text_of(row["description"]),
                _hexadecimal(row["port_guid"]),
                _hexadecimal(row["subnet_prefix"]),
                int(row["lid"]) or None,
                mask if mask <= _MOST_MASK else None,
                int(row["sm_lid"]) or None,
                _STATES.get(int(row["state"]), "unknown"),
                text_of(row["rate"]),
                text_of(row["link_layer"]),
            )


def rail_choice_rows(world: Mapping[int, Counters]) -> Iterator[tuple[Any, ...]]:
    """Make the rows of `rail_choices`."""
    for rank, counters in world.items():
        choices = {text_of(row["variable"]): text_of(row["value"]) for row in counters.rail_choices}
        yield from ((rank, variable, value) for variable, value in sorted(choices.items()) if variable)


def _hexadecimal(number: Any) -> str | None:
    """Write 64 bits, which are too large for a column of numbers; 0 is not known."""
    return f"0x{int(number):016x}" if int(number) else None
