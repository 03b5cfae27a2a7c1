"""Whether unbound ranks should be bound to cores."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from rankwise.cpulist import cpu_list
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.parameter import Parameter

_PART_OF_RUN = 0.05
"""A rule of thumb for the possible gain, used only to order parameters."""

_OF_SLURM = "srun"


def binding(connection: sqlite3.Connection, layers: Layers, variable: str) -> Iterable[Parameter]:
    """Propose to bind each rank to a core, if none is bound and each can have one.

    Not if ranks have threads, which would all get the same core, or if the launcher is not the library's.

    Args:
        connection: the profile.
        layers: the library.
        variable: whose value `core` makes the launcher bind ranks; '': no such variable.
    """
    (launcher, seconds) = connection.execute("SELECT launcher, wall FROM run").fetchone()
    if not variable or launcher == _OF_SLURM:
        return
    (threads,) = connection.execute("SELECT MAX(threads) FROM ranks").fetchone()
    (of_openmp,) = connection.execute("SELECT MAX(omp_threads) FROM places").fetchone()
    if max(threads or 1, of_openmp or 1) > 1:
        return
    nodes: dict[str, list[frozenset[int]]] = {}
    for host, allowed in connection.execute("SELECT host, cpus_allowed FROM ranks"):
        nodes.setdefault(host, []).append(frozenset(cpu_list(allowed)))
    if all(map(_is_free, nodes.values())) and _each_has_core(connection, nodes):
        yield Parameter(
            name=variable,
            variable=variable,
            values=(None, "core"),
            why="the ranks of each node share its processors, bound to none",
            expected_seconds=_PART_OF_RUN * seconds,
            shows="processors",
            present=f"{layers.processors} processors per rank" if layers.processors else "",
        )


def _is_free(ranks: list[frozenset[int]]) -> bool:
    """Return whether all ranks of a node may use the same processors, more than one."""
    return len(set(ranks)) == 1 and len(ranks[0]) > 1


def _each_has_core(connection: sqlite3.Connection, nodes: Mapping[str, list[frozenset[int]]]) -> bool:
    cores = {
        (host, processor): core
        for host, processor, core in connection.execute(
            "SELECT host, processor, core FROM shape_processors JOIN node_shapes USING (shape)"
        )
    }
    for host, ranks in nodes.items():
        there = {core if (core := cores.get((host, cpu))) is not None else cpu for cpu in ranks[0]}
        if len(ranks) > len(there):
            return False
    return True
