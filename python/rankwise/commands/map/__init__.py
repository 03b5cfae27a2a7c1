"""Find a better placement of the ranks from their communication, and write it as files for launchers.

  rankwise map F.rankwise
  rankwise map F.rankwise --machine machine.json -o placement
  rankwise map F.rankwise --machine other.json --predict
  rankwise map F.rankwise --shape 4x16,8x8
  rankwise map --verify F.rankwise -o placement -- mpirun -n 8 ./app

Without -o it only reports the possible gain. By default the ranks trade places with each other;
with --nodes all they can move to any slot of the machine. --predict and --shape place them on other
machines and compare several. --verify alternately runs the job as given after `--` and with the
placement found, and reports the gain.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.analysis.messages.kinds import BY_OPTION
from rankwise.commands.map import machines, plot, verify, verify_options, what_if
from rankwise.errors import RankwiseError
from rankwise.placement.options import EFFORTS, LAUNCHERS, NODES, OBJECTIVES

if TYPE_CHECKING:
    from rankwise.analysis.messages.traffic import RunTraffic
    from rankwise.placement.files import Written
    from rankwise.placement.mapping import Mapping


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise map`."""
    parser.add_argument("profile", type=Path, metavar="F.rankwise", help="the profile of the run")
    machines.add_arguments(parser)
    parser.add_argument(
        "--objective",
        choices=OBJECTIVES,
        default="hops",
        help="what to minimise: bytes x levels or hops, time by measured costs, or the load of the most"
        " loaded link (default: %(default)s)",
    )
    parser.add_argument(
        "--only-kind",
        choices=tuple(BY_OPTION),
        default="all",
        help="messages to consider: those of the program itself, or those inside collectives"
        " (default: %(default)s)",
    )
    parser.add_argument(
        "--nodes", choices=NODES, help="slots that ranks can move to: those of the job, or all (default: job)"
    )
    parser.add_argument(
        "--effort",
        type=int,
        choices=EFFORTS,
        default=1,
        help="effort of the search; 0: one pass (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=_seed, default=1, metavar="N", help="seed of the random numbers (default: 1)"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="write files for the run's launcher there"
    )
    parser.add_argument(
        "--launcher",
        choices=(*LAUNCHERS, "all"),
        help="write files for this launcher, or for all (default: that of the run, or all if unknown)",
    )
    plot.add_arguments(parser)
    parser.add_argument("--force", action="store_true", help="replace existing files")
    parser.add_argument("--json", action="store_true", help="as JSON, with everything")
    verify_options.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Place the ranks; 0, or RankwiseError."""
    from rankwise.analysis.messages.traffic import run_traffic, whereabouts
    from rankwise.analysis.opened import opened_profile
    from rankwise.analysis.overview import run_facts, trust
    from rankwise.placement.files import check_output
    from rankwise.placement.mapping import find_mapping
    from rankwise.placement.notes import notes
    from rankwise.placement.program import Relaunch
    from rankwise.render.terminal.placement import print_files, print_mapping
    from rankwise.render.terminal.progress import ProgressBar
    from rankwise.text.trust import partial_line

    predict = machines.is_prediction(arguments)
    plot.check(arguments)
    if verify_options.is_wanted(arguments, predict=predict):
        return verify.run(arguments)
    if arguments.output is None and arguments.launcher is not None:
        raise RankwiseError("--launcher is for the files of -o: give -o DIR, or remove --launcher")
    given = machines.machines(arguments)
    if len(given) > 1:
        search = what_if.Search(
            only_kind=arguments.only_kind,
            objective=arguments.objective,
            effort=arguments.effort,
            seed=arguments.seed,
        )
        return what_if.run(arguments.profile, given, search, as_json=arguments.json)
    machine = given[0][1] if given else None
    with opened_profile(arguments.profile) as connection:
        trusted, relaunch = trust(connection), Relaunch.of(run_facts(connection), arguments.launcher)
        if arguments.output is not None:
            check_output(arguments.output, relaunch.launchers, force=arguments.force)
        seen, where = run_traffic(connection, arguments.only_kind), whereabouts(connection)
        with ProgressBar(f"placing {seen.traffic.ranks} ranks") as bar:
            found = find_mapping(
                seen,
                where,
                machine,
                objective=arguments.objective,
                nodes=arguments.nodes or ("all" if predict else "job"),
                predict=predict,
                effort=arguments.effort,
                seed=arguments.seed,
                listener=bar,
            )
        inside = arguments.only_kind != "user"
        said = notes(connection, seen, found, machine_given=machine is not None, inside=inside)
    if not trusted.complete:
        said.insert(0, partial_line(trusted))
    written: list[Written] = []
    if arguments.output is not None and (found.gains or predict):
        written = relaunch.write(found.bindings, arguments.output, force=arguments.force)
    elif arguments.output is not None:
        said.append("No files are written: there is nothing to gain.")
    if arguments.plot is not None:
        plot.write(arguments.plot, found, seen)
    if arguments.json:
        chosen = {"objective": arguments.objective, "unit": found.unit, "only_kind": arguments.only_kind}
        _print_json(found, seen, said, written, chosen)
        return 0
    print_mapping(found, seen, said, sys.stdout)
    if written:
        print_files(written, arguments.output, bool(relaunch.program), sys.stdout)
    return 0


def _print_json(
    found: Mapping, seen: RunTraffic, said: list[str], written: list[Written], chosen: dict[str, str]
) -> None:
    import json

    from rankwise.analysis.to_json import to_json
    from rankwise.topology.machine.shape import Shapes

    shown = {
        "notes": said,
        "machine": {
            "shape": Shapes(found.machine).inside(found.machine.root),
            "levels": found.machine.level_names(),
            "sources": found.machine.sources,
        },
        **chosen,
        "messages": seen.messages,
        "bytes": seen.bytes,
        "unplaced_messages": seen.unplaced_messages,
        "unplaced_bytes": seen.unplaced_bytes,
        "present": found.present,
        "absent": found.absent,
        "natural": found.natural,
        "found": found.found,
        "gains": found.gains,
        "bound": found.bound,
        "moved": found.moved,
        "seats": found.bindings,
        "files": [
            {"path": str(one.path), "launcher": one.launcher, "command": one.command_line, "note": one.note}
            for one in written
        ],
    }
    sys.stdout.write(f"{json.dumps(to_json(shown), indent=2)}\n")


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text[:20]) >= 1 << 64 or len(text) > 20:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a whole number from 0 to 2^64 - 1")
    return int(text)
