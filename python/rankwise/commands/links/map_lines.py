"""Commands that place the ranks of a job for the routes of a fabric, ready to paste."""

from __future__ import annotations

import shlex

from rankwise.commands.links.gather import Request
from rankwise.network.loads import JobLoads
from rankwise.views.links.advice import SPARE_LINKS

_MACHINE, _OUTPUT = ("machine.json",), ("-o", "placement")


def map_lines(loads: JobLoads, asked: Request, objective: str) -> list[str]:
    """Return the command lines; none if no other placement is worth it.

    Args:
        loads: of the job.
        asked: by the command line.
        objective: of `rankwise map`; '' = none.
    """
    if not objective:
        return []
    objective_words = ("--objective", objective) if objective == SPARE_LINKS else ()
    kind = () if asked.kind == "all" else ("--kind", asked.kind)
    chosen = (*objective_words, *kind, *_OUTPUT)
    if asked.place is None:
        return [shlex.join(("rankwise", "map", asked.profile, *_fabric(asked, "--fabric"), *chosen))]
    from rankwise.topology.machine.hosts import folded

    hosts = [host for host in loads.places.hosts if host.how]
    slots = max(host.ranks for host in hosts)
    nodes = ("--node", folded([host.on_fabric for host in hosts]), "--slots", str(slots))
    made = ("rankwise", "machine", "from-fabric", *_fabric(asked), *nodes, "-o", *_MACHINE)
    predict = ("rankwise", "map", "predict", asked.profile, "--machine", *_MACHINE, *chosen)
    return [shlex.join(made), shlex.join(predict)]


def _fabric(asked: Request, option: str = "") -> tuple[str, ...]:
    """Return the options that choose the same fabric, routes and ports."""
    words = [] if option and asked.is_default else [*filter(None, [option]), *asked.fabric]
    if asked.routing is not None:
        words += ["--routing", asked.routing]
    if asked.rail != "split":
        words += ["--rail", asked.rail]
    if asked.lid != "0":
        words += ["--lid", asked.lid]
    return tuple(words)
