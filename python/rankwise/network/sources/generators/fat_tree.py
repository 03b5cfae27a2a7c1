"""Fat trees, and d-mod-k routing in them.

They are Zahavi's parallel ports generalized fat trees, PGFT(h; m1..mh; w1..wh; p1..ph): a
switch of level i has m_i parts below it; each of these has w_i switches above it, with p_i cables to each.

Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI global collectives",
Journal of Parallel and Distributed Computing 72 (2012).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import EVEN_SPLIT, MODELLED, Routing, Subnet
from rankwise.network.sources.generators.even import even_tables
from rankwise.network.sources.generators.plan import Numbers, Plan, check_tables, subnet_of
from rankwise.network.sources.generators.words import MOST, Words, numbered

_KEYS = (
    "leaf",
    "spine",
    "uplinks",
    "k",
    "levels",
    "pods",
    "down",
    "up",
    "parallel",
    "names",
    "gbit",
    "routing",
)
_ROUTINGS = ("dmodk", "even")
_MOST_LEVELS = 8
_NAMES = {1: ("leaf",), 2: ("leaf", "spine"), 3: ("leaf", "spine", "core")}


@dataclass(frozen=True)
class Shape:
    """A fat tree of h levels of switches; hosts have one cable.

    Attributes:
        down: parts below a switch of each level: hosts, leaves, ...
        up: switches above each part; of hosts 1.
        parallel: cables to each of them; of hosts 1.
    """

    down: tuple[int, ...]
    up: tuple[int, ...]
    parallel: tuple[int, ...]

    def hosts(self) -> int:
        """Return how many hosts there are."""
        return math.prod(self.down)

    def switches(self, level: int) -> int:
        """Return how many switches of a level there are, from 1."""
        return math.prod(self.up[:level]) * math.prod(self.down[level:])

    def uplinks(self, level: int) -> int:
        """Return the cables from a switch of a level to those above it."""
        return self.up[level] * self.parallel[level] if level < len(self.down) else 0


def fat_tree(text: str) -> Subnet:
    """Make a fat tree.

    Args:
        text: `fattree:leaf=18x18,spine=9[,uplinks=18]`: leaves x hosts at each; `fattree:k=16[,levels=3]
            [,pods=16]`: of switches with k ports; `fattree:down=18x18x8,up=18x9[,parallel=1x2]`: from leaves
            up, parts below a switch, switches above each, cables to each of these.

    Raises:
        RankwiseError: that can't be made.
    """
    words = Words(text, _KEYS)
    shape = _shape(words)
    counts = [shape.switches(level) for level in range(1, len(shape.down) + 1)]
    hosts = words.hosts(shape.hosts())
    if sum(counts) > MOST:
        raise words.error(f"would have {sum(counts)} switches; at most {MOST} are possible")
    check_tables(sum(counts), len(hosts))
    first = np.cumsum([0, *counts])
    plan = Plan(_names(counts), hosts, *_places(shape, len(hosts)), _cables(shape, first), words.rate())
    if words.choice("routing", _ROUTINGS) == "even":
        return subnet_of(plan, even_tables(plan), Routing(EVEN_SPLIT))
    return subnet_of(plan, _dmodk(shape, plan, first), Routing(MODELLED, "d-mod-k"))


def _shape(words: Words) -> Shape:
    forms = [key for key in ("leaf", "k", "down") if key in words]
    if len(forms) != 1:
        raise words.error("must have one of leaf=18x18,spine=9 or k=16 or down=18x18x8,up=18x9")
    own = {"leaf": ("spine", "uplinks"), "k": ("levels", "pods"), "down": ("up", "parallel")}
    for form, keys in own.items():
        wrong = next((key for key in keys if key in words and form != forms[0]), None)
        if wrong:
            raise words.error(f"{wrong}= goes with {form}=, not with {forms[0]}=")
    return {"leaf": _of_leaves, "k": _of_ports, "down": _of_levels}[forms[0]](words)


def _of_leaves(words: Words) -> Shape:
    leaves, hosts = words.sizes("leaf", 2)
    spines = words.sizes("spine", 1)[0]
    full = -(-hosts // spines) * spines
    uplinks = words.whole("uplinks", full)
    if uplinks % spines:
        raise words.error(f"uplinks={uplinks}: must be a multiple of the {spines} spines")
    return Shape((hosts, leaves), (1, spines), (1, uplinks // spines))


def _of_ports(words: Words) -> Shape:
    ports = words.whole("k", 0, least=2)
    levels = words.whole("levels", 3)
    pods = words.whole("pods", ports)
    if ports % 2:
        raise words.error(f"k={ports}: must be even: half of the ports lead down")
    if not 2 <= levels <= _MOST_LEVELS:
        raise words.error(f"levels={levels}: must be from 2 to {_MOST_LEVELS}")
    if pods > ports:
        raise words.error(f"pods={pods}: a switch at the top has {ports} ports")
    half = ports // 2
    return Shape((half,) * (levels - 1) + (pods,), (1,) + (half,) * (levels - 1), (1,) * levels)


def _of_levels(words: Words) -> Shape:
    down = words.sizes("down")
    if len(down) > _MOST_LEVELS:
        raise words.error(f"down=: must not exceed {_MOST_LEVELS} levels")
    upper = len(down) - 1
    up = words.sizes("up", upper) if upper else ()
    parallel = words.sizes("parallel", upper) if "parallel" in words else (1,) * upper
    return Shape(down, (1, *up), (1, *parallel))


def _names(counts: list[int]) -> tuple[str, ...]:
    kinds = _NAMES.get(len(counts), ("leaf", *(f"level{level}-" for level in range(2, len(counts) + 1))))
    return tuple(name for kind, count in zip(kinds, counts, strict=True) for name in numbered(kind, count))


def _places(shape: Shape, hosts: int) -> tuple[Numbers, Numbers]:
    """Return switch and port of each host."""
    number = np.arange(hosts)
    return number // shape.down[0], number % shape.down[0] + 1


def _switch(shape: Shape, level: int, part: Numbers, way: Numbers) -> Numbers:
    """Return the number of a switch within its level.

    Args:
        shape: of the tree.
        level: from 1.
        part: which of the parts that the switches of this level are above, from left to right.
        way: index of the switch above this part: digits b_1 ... b_level, the last is the most significant.
    """
    return part * math.prod(shape.up[:level]) + way


def _cables(shape: Shape, first: Numbers) -> Numbers:
    """Return shape (C, 4): all cables between switches, the lower end first."""
    cables = [np.empty((0, 4), np.int64)]
    for level in range(1, len(shape.down)):
        ways, parts = math.prod(shape.up[:level]), math.prod(shape.down[level:])
        axes = (parts, ways, shape.up[level], shape.parallel[level])
        part, way, above, copy = np.indices(axes).reshape(4, -1)
        child = part % shape.down[level]
        lower = first[level - 1] + _switch(shape, level, part, way)
        upper = first[level] + _switch(shape, level + 1, part // shape.down[level], way + ways * above)
        lower_port = shape.down[level - 1] * shape.parallel[level - 1] + _port(shape, level, above, copy)
        upper_port = _port(shape, level, child, copy)
        cables.append(np.stack([lower, lower_port, upper, upper_port], axis=1))
    return np.concatenate(cables)


def _port(shape: Shape, level: int, end: Numbers, copy: Numbers) -> Numbers:
    """Return the port, counted from 1, of a cable to one of the switches above, or of the parts below."""
    return end * shape.parallel[level] + copy + 1


def _dmodk(shape: Shape, plan: Plan, first: Numbers) -> NDArray[np.uint16]:
    """Return shape (S, P, 1): Zahavi's equation 1: upwards, port floor(j / (w_1 ... w_l)) mod (w_l+1 p_l+1).

    Of parallel cables downwards, a message takes the one that the same host's messages would take upwards, so
    that traffic from above is spread equally evenly.
    """
    hosts = np.arange(len(plan.hosts))
    tables = np.empty((len(plan.switches), len(hosts), 1), np.uint16)
    for level in range(1, len(shape.down) + 1):
        number = np.arange(shape.switches(level))
        part = number // math.prod(shape.up[:level])
        below = math.prod(shape.down[: level - 1])
        child = hosts // below % shape.down[level - 1]
        _, copy = _cable(shape, level - 1, hosts)
        ports = np.broadcast_to(_port(shape, level - 1, child, copy), (len(number), len(hosts)))
        if level < len(shape.down):
            above, copy = _cable(shape, level, hosts)
            lead_up = shape.down[level - 1] * shape.parallel[level - 1] + _port(shape, level, above, copy)
            is_below = hosts // (below * shape.down[level - 1]) == part[:, None]
            ports = np.where(is_below, ports, lead_up)
        tables[first[level - 1] : first[level], :, 0] = ports
    return tables


def _cable(shape: Shape, level: int, hosts: Numbers) -> tuple[Numbers, Numbers]:
    """Return the switch above, and the cable to it, on which messages for hosts leave a level."""
    place = hosts // math.prod(shape.up[:level]) % (shape.up[level] * shape.parallel[level])
    return place % shape.up[level], place // shape.up[level]
