"""Places the ranks of a profile on one machine, writes the files and reports the placement."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rankwise.commands.map import plot
from rankwise.commands.map.request import Request
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.analysis.messages.traffic import RunTraffic
    from rankwise.commands.map.on_fabric import OnFabric
    from rankwise.placement.certainty import Statement
    from rankwise.placement.files import Written
    from rankwise.placement.mapping import Mapping
    from rankwise.placement.where.predicted import Predicted
    from rankwise.topology.machine.model import Machine

_NO_PLACES = (
    "{0} does not tell where the ranks were: place them with `rankwise map predict {0}`, and --machine or "
    "--shape"
)


def place(
    request: Request,
    machine: Machine | None,
    *,
    nodes: str,
    predict: bool = False,
    fabric: OnFabric | None = None,
) -> None:
    """Place the ranks, and print the placement.

    Args:
        request: the options of `rankwise map` or `rankwise map predict`.
        machine: of the run; None = its nodes.
        nodes: whose slots ranks can move to, one of placement.options.NODES.
        predict: the machine may differ from the one of the run.
        fabric: that the machine is a part of, if `machine` is None.

    Raises:
        RankwiseError: they can't be placed, or a file can't be written.
    """
    from rankwise.analysis.messages.kinds import has_inside
    from rankwise.analysis.messages.traffic import run_traffic, whereabouts
    from rankwise.analysis.opened import opened_messages
    from rankwise.analysis.overview import run_facts, trust
    from rankwise.placement.certainty import certainty
    from rankwise.placement.files import check_output
    from rankwise.placement.mapping import find_mapping
    from rankwise.placement.notes import is_complete, notes
    from rankwise.placement.program import Relaunch
    from rankwise.placement.where.predicted import predicted
    from rankwise.render.terminal.placement import print_files, print_mapping, print_predicted
    from rankwise.render.terminal.progress import ProgressBar
    from rankwise.render.terminal.statements import print_statements
    from rankwise.text.trust import partial_line

    with opened_messages(request.profile) as opened:
        connection = opened.connection
        if opened.matrix is not None and not predict:
            raise RankwiseError(_NO_PLACES.format(request.profile))
        trusted, relaunch = trust(connection), Relaunch.of(run_facts(connection), request.launcher)
        if request.output is not None:
            check_output(request.output, relaunch.launchers, force=request.force)
        on_fabric = ""
        if fabric is not None:
            machine, on_fabric = fabric.machine(connection)
        run, where = run_traffic(connection, request.kind), whereabouts(connection)
        with ProgressBar(f"placing {run.traffic.ranks} ranks") as bar:
            mapping = find_mapping(
                run,
                where,
                machine,
                objective=request.objective,
                extra=request.extra,
                nodes=nodes,
                predict=predict,
                effort=request.effort,
                seed=request.seed,
                listener=bar,
            )
        inside = has_inside(request.kind)
        said = notes(connection, run, mapping, machine_given=machine is not None, inside=inside)
        said = opened.notes() or [*filter(None, [on_fabric]), *said]
        complete = is_complete(connection, run, inside=inside)
    statements = certainty(mapping, complete=complete, inside=inside, predicted=predict)
    if not trusted.complete:
        said.insert(0, partial_line(trusted))
    near = predicted(mapping, relaunch.launch.placing) if relaunch.launch and not predict else None
    written: list[Written] = []
    if request.output is not None and (mapping.gains or predict):
        written = relaunch.write(mapping.bindings, request.output, force=request.force)
    elif request.output is not None:
        said.append("No files are written: there is nothing to gain.")
    if request.plot is not None:
        plot.write(request.plot, mapping, run)
    if request.as_json:
        chosen = {**request.chosen(), "unit": mapping.unit, "kind": request.kind}
        _print_json(mapping, run, said, statements, written, chosen, near)
        return
    print_mapping(mapping, run, said, sys.stdout)
    if near:
        print_predicted(near, request.profile, sys.stdout)
    print_statements(statements, sys.stdout)
    if request.output is not None and written:
        print_files(written, request.output, bool(relaunch.program), sys.stdout)


def _print_json(
    mapping: Mapping,
    run: RunTraffic,
    said: list[str],
    statements: list[Statement],
    written: list[Written],
    chosen: dict[str, str | float | None],
    near: Predicted | None,
) -> None:
    import json

    from rankwise.analysis.to_json import to_json
    from rankwise.render.terminal.placement import verdict
    from rankwise.topology.machine.shape import Shapes

    shown = {
        "notes": said,
        "certainty": statements,
        "machine": {
            "shape": Shapes(mapping.machine).inside(mapping.machine.root),
            "levels": mapping.machine.level_names(),
            "sources": mapping.machine.sources,
        },
        **chosen,
        "messages": run.messages or None,  # a run has some, or nothing is placed
        "bytes": run.bytes,
        "unplaced_messages": run.unplaced_messages,
        "unplaced_bytes": run.unplaced_bytes,
        "present": mapping.present,
        "absent": mapping.absent,
        "natural": mapping.natural,
        "cyclic": mapping.cyclic,
        "found": mapping.found,
        "gains": mapping.gains,
        "verdict": verdict(mapping),
        "distribution": near and {"options": near.distribution.words, "percent_of_saving": 100 * near.share},
        "bound": mapping.bound,
        "moved": mapping.moved,
        "bindings": mapping.bindings,
        "files": [
            {
                "path": str(file.path),
                "launcher": file.launcher,
                "command": file.command_line,
                "note": file.note,
            }
            for file in written
        ],
    }
    sys.stdout.write(f"{json.dumps(to_json(shown), indent=2)}\n")
