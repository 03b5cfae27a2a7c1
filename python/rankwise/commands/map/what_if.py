"""`rankwise map predict` with several machines: predicts the run's communication on each of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankwise.commands.map.request import Request

if TYPE_CHECKING:
    from rankwise.analysis.messages.traffic import RunTraffic
    from rankwise.placement.what_if.compare import Candidate, Comparison
    from rankwise.topology.machine.model import Machine


def compare_machines(request: Request, machines: Sequence[tuple[str, Machine]]) -> None:
    """Place the ranks on each machine, and print how they compare.

    Args:
        request: what the options ask for, of `rankwise map predict`.
        machines: each with its name.

    Raises:
        RankwiseError: they can't be placed.
    """
    from rankwise.analysis.messages.kinds import has_inside
    from rankwise.analysis.messages.traffic import run_traffic, whereabouts
    from rankwise.analysis.opened import opened_messages
    from rankwise.analysis.overview import trust
    from rankwise.placement.notes import profile_notes
    from rankwise.placement.what_if.compare import compare
    from rankwise.render.terminal.progress import ProgressBar
    from rankwise.render.terminal.what_if import print_what_if
    from rankwise.text.trust import partial_line

    with opened_messages(request.profile) as opened:
        connection = opened.connection
        trusted = trust(connection)
        run, where = run_traffic(connection, request.kind), whereabouts(connection)
        said = opened.notes() or profile_notes(connection, run, inside=has_inside(request.kind))
    with ProgressBar(f"placing the ranks on {len(machines)} machines") as bar:
        compared = compare(
            run,
            where,
            machines,
            objective=request.objective,
            extra=request.extra,
            effort=request.effort,
            seed=request.seed,
            listener=bar,
        )
    if compared.absent:
        said.insert(0, f"No present placement to compare with: {compared.absent}.")
    if not trusted.complete:
        said.insert(0, partial_line(trusted))
    if request.as_json:
        _print_json(compared, run, said, request)
    else:
        print_what_if(compared, run, said, sys.stdout)


def _print_json(of: Comparison, run: RunTraffic, said: list[str], request: Request) -> None:
    import json

    from rankwise.analysis.to_json import to_json

    shown = {
        "notes": said,
        **request.chosen(),
        "unit": of.unit,
        "kind": request.kind,
        "ranks": of.ranks,
        "messages": run.messages or None,  # a run has some, or nothing is placed
        "bytes": run.bytes,
        "unplaced_messages": run.unplaced_messages,
        "unplaced_bytes": run.unplaced_bytes,
        "present": of.present,
        "absent": of.absent,
        "machines": [_candidate(each, best=place in of.best) for place, each in enumerate(of.candidates)],
    }
    sys.stdout.write(f"{json.dumps(to_json(shown), indent=2)}\n")


def _candidate(each: Candidate, *, best: bool) -> dict[str, Any]:
    from rankwise.topology.machine.shape import Shapes

    return {
        "name": each.name,
        "shape": Shapes(each.machine).inside(each.machine.root),
        "levels": each.machine.level_names(),
        "sources": each.machine.sources,
        "nodes": len(each.machine.nodes),
        "slots": len(each.machine.slots),
        "fits": each.found is not None,
        "best": best,
        "natural": each.natural,
        "found": each.found,
        "present": each.mapping.present if each.mapping else None,
        "absent": each.mapping.absent if each.mapping else "",
        "moved": each.mapping.moved if each.mapping else [],
        "bindings": each.mapping.bindings if each.mapping else [],
    }
