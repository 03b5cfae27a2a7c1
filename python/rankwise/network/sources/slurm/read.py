"""Slurm's topology.conf and topology.yaml as a fabric: a tree of switches, or blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import EVEN_SPLIT, MODELLED, Routing, Source
from rankwise.network.sources.generators.even import even_tables
from rankwise.network.sources.generators.plan import subnet_of
from rankwise.network.sources.generators.rules import d_mod_k_tables
from rankwise.network.sources.generators.words import Words
from rankwise.network.sources.parts import Whole
from rankwise.network.sources.slurm.graph import graph_of
from rankwise.network.sources.slurm.tree import dmodk_tables, plan_of, tree_of
from rankwise.network.sources.text import TextFile
from rankwise.topology.sources.slurm.groups import Network, parents_of, usable
from rankwise.topology.sources.slurm.text import text_of
from rankwise.topology.sources.slurm.topology_conf import read_conf
from rankwise.topology.sources.slurm.topology_yaml import read_yaml

KIND = "slurm"
_FULL = "as many cables up from each switch as down"
_KEYS = ("", "topology", "uplinks", "oversubscription", "gbit", "routing")
_ROUTINGS = ("dmodk", "even")
_CONF = re.compile(rb"^[ \t]*(switchname|blockname|ringname|torusname)[ \t]*=", re.IGNORECASE | re.MULTILINE)
_YAML = re.compile(rb"^[\s{\[-]*[\"']?topology[\"']?[ \t]*:", re.MULTILINE)
_YAML_KINDS = re.compile(rb"[\s{,-][\"']?(tree|block|flat|ring|torus3d)[\"']?[ \t]*:", re.MULTILINE)


def is_topology(head: bytes) -> bool:
    """Return whether a file is one of Slurm's, by its first bytes."""
    return bool(_CONF.search(head)) or bool(_YAML.search(head) and _YAML_KINDS.search(head))


def is_slurm(text: str) -> bool:
    """Return whether these are words with a file of Slurm's, such as `slurm:topology.conf,uplinks=9`."""
    return text.startswith(f"{KIND}:")


def read_topology(file: TextFile) -> Whole:
    """Read a file as it is, with as many cables up from each switch as links come from below."""
    return _made(Path(file.path), Words(f"{KIND}:", _KEYS), file.path)


def slurm_fabric(text: str) -> Whole:
    """Make a fabric of a file of Slurm's.

    Args:
        text: `slurm:PATH[,uplinks=18x36][,oversubscription=2x1][,topology=NAME][,gbit=100][,routing=even]`:
            cables up from each switch that has nodes alone, from each above these, ...; or links from below
            for each cable up. Without them as many lead up as come from below.

    Raises:
        RankwiseError: the file is none of Slurm's, or says nothing of switches.
    """
    words = Words(text, _KEYS)
    if "" not in words:
        raise words.error("must begin with a file, such as slurm:topology.conf")
    return _made(Path(words.text("")), words, text.removeprefix(f"{KIND}:"))


def _made(path: Path, words: Words, what: str) -> Whole:
    is_yaml = bool(_YAML.search(text_of(path).encode()))
    if "topology" in words and not is_yaml:
        raise words.error(f"topology= is for topology.yaml: {path} has one topology")
    name = words.text("topology") if "topology" in words else None
    network = read_yaml(path, name) if is_yaml else read_conf(path)
    even = words.choice("routing", _ROUTINGS) == "even"
    with _of_file(path):
        network, warnings = usable(network, "each switch has a port there")
    if _is_tree(network):
        with _of_file(path):
            tree = tree_of(network, _uplinks(words))
        plan = plan_of(tree, words.rate())
        tables = even_tables(plan) if even else dmodk_tables(tree, plan)
    else:
        with _of_file(path):
            plan, heights = graph_of(network, _uplinks(words) if _cables_text(words) else None, words.rate())
        tables = even_tables(plan) if even else d_mod_k_tables(plan, heights)
    subnet = subnet_of(plan, tables, Routing(EVEN_SPLIT) if even else Routing(MODELLED, "d-mod-k"))
    said = [_modelled(network, words), *warnings]
    return Whole((subnet,), (Source(KIND, what),), tuple(f"{path}: {line}" for line in said))


@contextmanager
def _of_file(path: Path) -> Iterator[None]:
    """Put the name of the file in front of errors about its content."""
    try:
        yield
    except RankwiseError as error:
        message = str(error)
        raise RankwiseError(message if message.startswith(str(path)) else f"{path}: {message}") from error


def _is_tree(network: Network) -> bool:
    return all(len(above) == 1 for above in parents_of(network.groups).values())


def _cables_text(words: Words) -> str:
    """Return the part of the words about cables; '' without one."""
    keys = (key for key in ("uplinks", "oversubscription") if key in words)
    return next((f"{key}={words.text(key)}" for key in keys), "")


def _modelled(network: Network, words: Words) -> str:
    """Return a warning about the parts that are modelled."""
    if not _is_tree(network) and not _cables_text(words):
        return "one cable from each switch to each switch above it, as in the file; routes are modelled"
    rings = ", and a ring counts as a switch" if network.kind == "ring" else ""
    return (
        f"cables between switches and routes are modelled{rings}, because Slurm does not describe them: "
        f"{_cables_text(words) or _FULL}"
    )


def _uplinks(words: Words) -> Callable[[int, int], int]:
    """Return a function from a switch's height and the links from below to its cables up."""
    if "uplinks" in words and "oversubscription" in words:
        raise words.error("has both uplinks= and oversubscription=: give one of them")
    fixed = words.sizes("uplinks") if "uplinks" in words else ()
    ratios = words.sizes("oversubscription") if "oversubscription" in words else ()

    def uplinks(height: int, capacity: int) -> int:
        if height <= len(fixed):
            return fixed[height - 1]
        ratio = ratios[height - 1] if height <= len(ratios) else 1
        return -(-capacity // ratio)

    return uplinks
