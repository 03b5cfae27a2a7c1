"""Slurm's topology.conf and topology.yaml as a fabric: a tree of switches, or blocks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import EVEN_SPLIT, MODELLED, Routing, Source
from rankwise.network.sources.generators.even import even_tables
from rankwise.network.sources.generators.plan import subnet_of
from rankwise.network.sources.generators.words import Words
from rankwise.network.sources.parts import Whole
from rankwise.network.sources.slurm.tree import dmodk_tables, plan_of, tree_of
from rankwise.network.sources.text import TextFile
from rankwise.topology.sources.slurm.topology_conf import read_conf
from rankwise.topology.sources.slurm.topology_yaml import read_yaml

KIND = "slurm"
_FULL = "as many up from each switch as come from below"
_KEYS = ("", "topology", "uplinks", "oversubscription", "gbit", "routing")
_ROUTINGS = ("dmodk", "even")
_CONF = re.compile(rb"^[ \t]*(switchname|blockname)[ \t]*=", re.IGNORECASE | re.MULTILINE)
_YAML = re.compile(rb"^[ \t-]*topology[ \t]*:", re.MULTILINE)
_YAML_KINDS = re.compile(rb"^[ \t-]*(tree|block|flat)[ \t]*:", re.MULTILINE)


def is_topology(head: bytes) -> bool:
    """Tell whether a file is one of Slurm's, by its first bytes."""
    return bool(_CONF.search(head)) or bool(_YAML.search(head) and _YAML_KINDS.search(head))


def is_slurm(text: str) -> bool:
    """Tell whether these are words with a file of Slurm's, such as `slurm:topology.conf,uplinks=9`."""
    return text.startswith(f"{KIND}:")


def read_topology(file: TextFile) -> Whole:
    """Read a file as it is, with as many cables up from each switch as links come from below."""
    return slurm_fabric(f"{KIND}:{file.path}")


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
    path = Path(words.text(""))
    is_yaml = bool(_YAML.search(_head(path)))
    if "topology" in words and not is_yaml:
        raise words.error(f"topology= is for topology.yaml: {path} has one topology")
    name = words.text("topology") if "topology" in words else None
    network = read_yaml(path, name) if is_yaml else read_conf(path)
    try:
        tree = tree_of(network, _uplinks(words))
    except RankwiseError as error:
        message = str(error)
        raise RankwiseError(message if message.startswith(str(path)) else f"{path}: {message}") from error
    plan = plan_of(tree, words.rate())
    if words.choice("routing", _ROUTINGS) == "even":
        subnet = subnet_of(plan, even_tables(plan), Routing(EVEN_SPLIT))
    else:
        subnet = subnet_of(plan, dmodk_tables(tree, plan), Routing(MODELLED, "d-mod-k"))
    known = next(
        (f"{key}={words.text(key)}" for key in ("uplinks", "oversubscription") if key in words), _FULL
    )
    warning = f"{path}: cables between switches and routes are modelled, as Slurm does not tell them: {known}"
    return Whole((subnet,), (Source(KIND, text.removeprefix(f"{KIND}:")),), (warning,))


def _uplinks(words: Words) -> Callable[[int, int], int]:
    """Return what tells the cables up from a switch, of its height and what comes from below."""
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


def _head(path: Path) -> bytes:
    """Return the beginning of a file; b'' if it can't be read: its reader says why."""
    try:
        with path.open("rb") as file:
            return file.read(1 << 16)
    except OSError:
        return b""
