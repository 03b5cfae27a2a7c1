"""The key `network` of machine.json, read and written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rankwise.topology.machine.fields import MOST_OBJECTS, Field
from rankwise.topology.machine.network import Dragonfly, Matrix, Network, Places, Table, Torus

_KEYS = {
    "torus": ("kind", "dims", "wrap", "coordinates"),
    "dragonfly": ("kind", "groups", "routers", "nodes", "coordinates"),
    "matrix": ("kind", "us_per_byte", "latency_us"),
}
_MOST_AXES = 16
_MOST_LINKS = 1 << 30


def network_of(field: Field, hosts: Sequence[str]) -> Network:
    """Return the network; RankwiseError names what is wrong.

    Args:
        field: the value of the key.
        hosts: names of the nodes, from left to right in the tree.
    """
    kind = field.keys(None, required=("kind",))["kind"]
    name = kind.text()
    if name not in _KEYS:
        raise kind.error(f"must be one of {', '.join(_KEYS)}")
    optional = ("wrap", "coordinates")
    keys = field.keys(_KEYS[name], required=[key for key in _KEYS[name] if key not in optional])
    if name == "matrix":
        return Matrix(*(_table(keys[key], len(hosts)) for key in ("us_per_byte", "latency_us")))
    made = _torus(keys) if name == "torus" else _dragonfly(keys)
    if "coordinates" not in keys:
        if made.room() != len(hosts):
            raise field.error(f"has {made.room()} nodes, the machine {len(hosts)}: give their `coordinates`")
        return made
    places = _coordinates(keys["coordinates"], hosts, made.limits())
    if isinstance(made, Torus):
        return Torus(made.dims, made.wrap, places)
    return Dragonfly(made.groups, made.routers, made.nodes, places)


def plain_network(network: Network, hosts: Sequence[str]) -> dict[str, Any]:
    """Return what the file has of it."""
    if isinstance(network, Matrix):
        return {
            "kind": "matrix",
            "us_per_byte": [list(row) for row in network.us_per_byte],
            "latency_us": [list(row) for row in network.latency_us],
        }
    found: dict[str, Any]
    if isinstance(network, Torus):
        found = {"kind": "torus", "dims": list(network.dims), "wrap": list(network.wrap)}
    else:
        sizes = {"groups": network.groups, "routers": network.routers, "nodes": network.nodes}
        found = {"kind": "dragonfly", **sizes}
    if network.coordinates:
        found["coordinates"] = dict(zip(hosts, map(list, network.coordinates), strict=True))
    return found


def _torus(keys: dict[str, Field]) -> Torus:
    dims = tuple(length.whole(1) for length in keys["dims"].items(least=1))
    if len(dims) > _MOST_AXES:
        raise keys["dims"].error(f"must not be more than {_MOST_AXES}")
    wrap = (True,) * len(dims)
    if "wrap" in keys:
        wrap = tuple(one.flag() for one in keys["wrap"].items())
        if len(wrap) != len(dims):
            raise keys["wrap"].error(f"must be {len(dims)}, one for each of `dims`")
    if math.prod(dims) > MOST_OBJECTS:
        raise keys["dims"].error(f"there must not be more than {MOST_OBJECTS} routers")
    return Torus(dims, wrap)


def _dragonfly(keys: dict[str, Field]) -> Dragonfly:
    groups, routers, nodes = (keys[key].whole(1) for key in ("groups", "routers", "nodes"))
    made = Dragonfly(groups, routers, nodes)
    if made.groups * (made.groups + made.routers**2) > _MOST_LINKS:
        raise keys["groups"].error(f"there must not be more than {_MOST_LINKS} links")
    return made


def _coordinates(field: Field, hosts: Sequence[str], limits: tuple[int, ...]) -> Places:
    given = field.keys(None, required=hosts)
    known = set(hosts)
    for host in given:
        if host not in known:
            raise field.error(f"the machine has no node {host!r}")
    return tuple(_place(given[host], limits) for host in hosts)


def _place(field: Field, limits: tuple[int, ...]) -> tuple[int, ...]:
    items = field.items()
    if len(items) != len(limits):
        raise field.error(f"must be a list of {len(limits)} numbers")
    return tuple(item.whole(0, most=limit - 1) for item, limit in zip(items, limits, strict=True))


def _table(field: Field, size: int) -> Table:
    rows = tuple(tuple(value.number() for value in row.items()) for row in field.items())
    if len(rows) != size or any(len(row) != size for row in rows):
        raise field.error(f"must be {size} rows of {size} numbers, one for each node")
    return rows
