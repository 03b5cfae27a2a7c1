"""Slurm's topology.yaml: several topologies, each of type tree, block, ring, torus3d or flat.

Only the requested topology is read.

https://slurm.schedmd.com/topology.yaml.html
"""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.topology.machine.fields import Field
from rankwise.topology.machine.hosts import hosts_of
from rankwise.topology.sources.slurm.groups import NO_TORUS, Group, Network, with_block_sizes
from rankwise.topology.sources.slurm.text import text_of

_TYPES = ("tree", "block", "flat", "ring", "torus3d")
_KEYS = ("topology", "cluster_default", *_TYPES)


def read_yaml(path: Path, wanted: str | None) -> Network:
    """Read one topology of the file.

    Args:
        path: the file.
        wanted: its name; None: the cluster's default, or the only topology.

    Raises:
        RankwiseError: it can't be read, or there is no such topology; names the place in the file.
    """
    document = _parsed(path)
    try:
        topologies = [(item, item.keys(None, ("topology",))) for item in document.items(1)]
        return _network(_chosen(topologies, wanted).keys(_KEYS))
    except RankwiseError as error:
        raise RankwiseError(f"{path}: {error}") from error


def _parsed(path: Path) -> Field:
    import yaml

    text = text_of(path)
    try:
        return Field(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise RankwiseError(f"{path}: line {line}: is not YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RankwiseError(f"{path}: is not YAML: {str(error).splitlines()[0]}") from error


def _chosen(topologies: list[tuple[Field, dict[str, Field]]], wanted: str | None) -> Field:
    names = [keys["topology"].text() for _, keys in topologies]
    if wanted is not None:
        if wanted not in names:
            raise RankwiseError(f"there is no topology {wanted!r}: there are {', '.join(names)}")
        return topologies[names.index(wanted)][0]
    defaults = [
        topology
        for topology in topologies
        if "cluster_default" in topology[1] and topology[1]["cluster_default"].value is True
    ]
    if len(topologies) > 1 and not defaults:
        raise RankwiseError(
            f"none is the cluster's default: choose with --topology one of {', '.join(names)}"
        )
    return (defaults or topologies)[0][0]


def _network(topology: dict[str, Field]) -> Network:
    types = [name for name in _TYPES if name in topology]
    if len(types) != 1:
        raise topology["topology"].error(f"must have exactly one of {', '.join(_TYPES)}")
    field = topology[types[0]]
    if types[0] == "flat":
        return Network("", ())
    if types[0] == "tree":
        switches = field.keys(("switches",), ("switches",))["switches"].items(1)
        return Network("switch", tuple(_group(item, "switch", "children") for item in switches))
    if types[0] == "ring":
        rings = field.keys(("rings",), ("rings",))["rings"].items(1)
        return Network("ring", tuple(_group(item, "ring") for item in rings))
    if types[0] == "torus3d":
        raise field.error(NO_TORUS)
    keys = field.keys(("block_sizes", "blocks"), ("blocks",))
    blocks = [_group(item, "block") for item in keys["blocks"].items(1)]
    sizes = [size.whole(1) for size in keys["block_sizes"].items()] if "block_sizes" in keys else []
    return with_block_sizes(blocks, sizes)


def _group(field: Field, name: str, children: str | None = None) -> Group:
    keys = field.keys([key for key in (name, children, "nodes") if key], (name,))
    groups = _hosts(keys[children]) if children in keys else ()
    nodes = _hosts(keys["nodes"]) if "nodes" in keys else ()
    return Group(keys[name].text(), groups, nodes, field.path)


def _hosts(field: Field) -> tuple[str, ...]:
    try:
        return tuple(hosts_of(field.text()))
    except RankwiseError as error:
        raise error if str(error).startswith(field.path) else field.error(str(error)) from error
