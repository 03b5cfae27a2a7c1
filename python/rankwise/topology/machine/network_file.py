"""The key `network` of machine.json, read and written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.topology.machine.fields import MOST_OBJECTS, Field
from rankwise.topology.machine.network import Dragonfly, Matrix, Network, Routes, Rows, Table, Torus

_KEYS = {
    "torus": ("kind", "dims", "wrap", "coordinates"),
    "dragonfly": ("kind", "groups", "routers", "nodes", "coordinates"),
    "matrix": ("kind", "us_per_byte", "latency_us"),
    "routes": ("kind", "routers", "at", "links", "mb_s", "tables"),
}
_MOST_AXES = 16
_MOST_LINKS = 1 << 30


def network_of(field: Field, hosts: Sequence[str]) -> Network:
    """Return the network; RankwiseError names the error.

    Args:
        field: the value of the key.
        hosts: names of the nodes, from left to right in the tree.
    """
    kind = field.keys(None, required=("kind",))["kind"]
    name = kind.text()
    if name not in _KEYS:
        raise kind.error(f"must be one of {', '.join(_KEYS)}")
    optional = ("wrap", "coordinates", "mb_s")
    keys = field.keys(_KEYS[name], required=[key for key in _KEYS[name] if key not in optional])
    if name == "matrix":
        return Matrix(*(_table(keys[key], len(hosts)) for key in ("us_per_byte", "latency_us")))
    if name == "routes":
        return _routes(keys, hosts)
    made = _torus(keys) if name == "torus" else _dragonfly(keys)
    if "coordinates" not in keys:
        if made.room() != len(hosts):
            raise field.error(
                f"has {made.room()} nodes, but the machine has {len(hosts)}: give their `coordinates`"
            )
        return made
    places = _coordinates(keys["coordinates"], hosts, made.limits())
    if isinstance(made, Torus):
        return Torus(made.dims, made.wrap, places)
    return Dragonfly(made.groups, made.routers, made.nodes, places)


def plain_network(network: Network, hosts: Sequence[str]) -> dict[str, Any]:
    """Return the network as plain data for the file."""
    if isinstance(network, Matrix):
        return {
            "kind": "matrix",
            "us_per_byte": [list(row) for row in network.us_per_byte],
            "latency_us": [list(row) for row in network.latency_us],
        }
    if isinstance(network, Routes):
        return _plain_routes(network, hosts)
    plain: dict[str, Any]
    if isinstance(network, Torus):
        plain = {"kind": "torus", "dims": list(network.dims), "wrap": list(network.wrap)}
    else:
        sizes = {"groups": network.groups, "routers": network.routers, "nodes": network.nodes}
        plain = {"kind": "dragonfly", **sizes}
    if network.coordinates:
        plain["coordinates"] = dict(zip(hosts, map(list, network.coordinates), strict=True))
    return plain


def _torus(keys: dict[str, Field]) -> Torus:
    dims = tuple(length.whole(1) for length in keys["dims"].items(least=1))
    if len(dims) > _MOST_AXES:
        raise keys["dims"].error(f"must not exceed {_MOST_AXES}")
    wrap = (True,) * len(dims)
    if "wrap" in keys:
        wrap = tuple(item.flag() for item in keys["wrap"].items())
        if len(wrap) != len(dims):
            raise keys["wrap"].error(f"must be {len(dims)}, one for each of `dims`")
    if math.prod(dims) > MOST_OBJECTS:
        raise keys["dims"].error(f"there must be at most {MOST_OBJECTS} routers")
    return Torus(dims, wrap)


def _dragonfly(keys: dict[str, Field]) -> Dragonfly:
    groups, routers, nodes = (keys[key].whole(1) for key in ("groups", "routers", "nodes"))
    made = Dragonfly(groups, routers, nodes)
    if made.groups * (made.groups + made.routers**2) > _MOST_LINKS:
        raise keys["groups"].error(f"there must be at most {_MOST_LINKS} links")
    return made


def _routes(keys: dict[str, Field], hosts: Sequence[str]) -> Routes:
    names = [router.name() for router in keys["routers"].items(least=1)]
    number = {name: place for place, name in enumerate(names)}
    if len(number) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise keys["routers"].error(f"{twice!r} is given twice")
    at = _by_host(keys["at"], hosts)
    routers = tuple(_router(router, number) for router in at)
    links = [_link(link, number) for link in keys["links"].items()]
    rates: tuple[float, ...] = ()
    if "mb_s" in keys:
        rates = tuple(_rate(rate) for rate in keys["mb_s"].items())
        if len(rates) != len(links):
            raise keys["mb_s"].error(f"must be {len(links)}, one for each of `links`")
    given = [table.keys(("share", "next"), required=("next",)) for table in keys["tables"].items(least=1)]
    tables = tuple(_next(table["next"], names, len(hosts), links) for table in given)
    for table, made in zip(given, tables, strict=True):
        lost = _lost(routers, links, made)
        if lost is not None:
            raise table["next"].error(f"does not lead from {hosts[lost[0]]} to {hosts[lost[1]]}")
    return Routes(tuple(names), routers, tuple(links), rates, _shares(keys["tables"], given), tables)


def _shares(field: Field, tables: Sequence[dict[str, Field]]) -> tuple[float, ...]:
    if not any("share" in table for table in tables):
        return (1 / len(tables),) * len(tables)
    shares = tuple(table["share"].number() if "share" in table else 0.0 for table in tables)
    if not math.isclose(sum(shares), 1, abs_tol=1e-6):
        raise field.error("their `share` must add up to 1")
    return shares


def _router(field: Field, number: dict[str, int]) -> int:
    name = field.text()
    if name not in number:
        raise field.error(f"there is no router {name!r}")
    return number[name]


def _link(field: Field, number: dict[str, int]) -> tuple[int, int]:
    ends = [_router(end, number) for end in field.items()]
    if len(ends) != 2 or ends[0] == ends[1]:
        raise field.error("must be two different routers")
    return ends[0], ends[1]


def _rate(field: Field) -> float:
    rate = field.number()
    if rate <= 0:
        raise field.error("must be a number above 0")
    return rate


def _next(field: Field, names: Sequence[str], nodes: int, links: Sequence[tuple[int, int]]) -> Rows:
    rows = field.items()
    if len(rows) != len(names):
        raise field.error(f"must be {len(names)} rows, one for each of `routers`")
    parsed_rows = []
    for router, row in enumerate(rows):
        entries = row.items()
        if len(entries) != nodes:
            raise row.error(f"must be {nodes} links, one for each node")
        taken = tuple(-1 if entry.value is None else entry.whole(0, most=len(links) - 1) for entry in entries)
        for entry, link in zip(entries, taken, strict=True):
            if link >= 0 and router not in links[link]:
                raise entry.error(f"link {link} is not at router {names[router]}")
        parsed_rows.append(taken)
    return tuple(parsed_rows)


def _lost(routers: Sequence[int], links: Sequence[tuple[int, int]], table: Rows) -> tuple[int, int] | None:
    """Return two nodes that a table does not connect; None: it connects all."""
    link = np.array(table)  # [router][node]
    ends = np.array([*links, (0, 0)])[link]
    here = np.arange(len(table))[:, None]
    to = np.where(link < 0, here, ends.sum(axis=2) - here)
    nodes = np.arange(len(routers))
    at = np.tile(np.array(routers)[:, None], len(routers))  # [from][to]
    for _ in range(len(table)):
        arrived = at == np.array(routers)
        if arrived.all():
            return None
        at = np.where(arrived, at, to[at, nodes])
    lost = np.argwhere(at != np.array(routers))
    return (int(lost[0][0]), int(lost[0][1])) if len(lost) else None


def _plain_routes(network: Routes, hosts: Sequence[str]) -> dict[str, Any]:
    names = network.routers
    tables = [
        {"share": share, "next": [[None if link < 0 else link for link in row] for row in table]}
        for share, table in zip(network.shares, network.next, strict=True)
    ]
    return {
        "kind": "routes",
        "routers": list(names),
        "at": {host: names[router] for host, router in zip(hosts, network.at, strict=True)},
        "links": [[names[end] for end in link] for link in network.links],
        **({"mb_s": list(network.mb_s)} if network.mb_s else {}),
        "tables": tables,
    }


def _by_host(field: Field, hosts: Sequence[str]) -> list[Field]:
    """Return the values of an object whose keys are all nodes, in their order."""
    given = field.keys(None, required=hosts)
    known = set(hosts)
    for host in given:
        if host not in known:
            raise field.error(f"the machine has no node {host!r}")
    return [given[host] for host in hosts]


def _coordinates(field: Field, hosts: Sequence[str], limits: tuple[int, ...]) -> Rows:
    return tuple(_row(given, limits) for given in _by_host(field, hosts))


def _row(field: Field, limits: tuple[int, ...]) -> tuple[int, ...]:
    items = field.items()
    if len(items) != len(limits):
        raise field.error(f"must be a list of {len(limits)} numbers")
    return tuple(item.whole(0, most=limit - 1) for item, limit in zip(items, limits, strict=True))


def _table(field: Field, size: int) -> Table:
    rows = tuple(tuple(value.number() for value in row.items()) for row in field.items())
    if len(rows) != size or any(len(row) != size for row in rows):
        raise field.error(f"must be {size} rows of {size} numbers, one for each node")
    return rows
