"""Show what a job, or some of its collectives, sends over each link of the network, and what limits it.

  rankwise links F.rankwise --fabric /var/log/opensm-subnet.lst /var/log/opensm.fdbs
  rankwise links F.rankwise --fabric fabric/ --call alltoall --by link
  rankwise links F.rankwise --fabric fabric/ --place 'node[001-064]*2'
  rankwise links F.rankwise --fabric fabric/ --by phase
  rankwise links F.rankwise --fabric fabric/ --route 3 17
  rankwise links --fabric fabric/ --all-to-all 1M

--fabric takes files written by subnet managers and diagnostic tools, or directories of them; the
default is RANKWISE_FABRIC, or the fabric of the centre. Without a profile, only the fabric is shown,
or with --all-to-all synthetic traffic between all hosts or those of --place.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.fabric_options import add_fabric, add_places
from rankwise.commands.limits import add_json, add_limit
from rankwise.commands.selecting import add_kind
from rankwise.errors import RankwiseError

SUB_VERBS = ("save",)

_BY = ("class", "link", "switch", "flow", "phase")
_LIMIT = 20
_MOST_BYTES = 1 << 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise links`."""
    parser.add_argument("profile", nargs="?", metavar="F.rankwise", help="the profile of the job")
    add_fabric(parser)
    job = parser.add_argument_group("the job")
    add_places(job)
    job.add_argument("--call", metavar="NAME,...", help="only messages of these calls, such as alltoall")
    add_kind(job)
    job.add_argument(
        "--communicator", metavar="NAME,...", help="only messages on these communicators or families"
    )
    job.add_argument(
        "--all-to-all",
        type=_size,
        metavar="SIZE",
        help="synthetic traffic, without a profile: each rank sends SIZE to every other",
    )
    shown = parser.add_argument_group("what is shown")
    shown.add_argument("--by", choices=_BY, help="one table instead of the summary")
    shown.add_argument(
        "--route",
        nargs=2,
        metavar=("FROM", "TO"),
        help="the way of messages between two ranks, or two hosts, and back, as ibtracert prints it",
    )
    add_limit(shown, _LIMIT, "a table")
    shown.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw the fabric and the loads of its links: .svg, .pdf, .png",
    )
    shown.add_argument("--force", action="store_true", help="replace the file of --plot if it exists")
    add_json(shown)


def run(arguments: argparse.Namespace) -> int:
    """Show it; 0, or RankwiseError."""
    _check(arguments)
    from rankwise.commands.links import plot
    from rankwise.commands.links.gather import made_up, of_phases, of_run, request
    from rankwise.commands.links.show import show, show_fabric, show_phases
    from rankwise.commands.links.trace import show_traces
    from rankwise.network.sources.open import open_fabric
    from rankwise.render.terminal.progress import Activity

    plot.check(arguments)
    asked = request(arguments)
    with Activity("reading the fabric"):
        fabric = open_fabric(asked.fabric, asked.routing)
    if arguments.route is not None:
        show_traces(fabric, (arguments.route[0], arguments.route[1]), asked)
    elif arguments.profile is None and arguments.all_to_all is None:
        show_fabric(fabric, asked)
    elif arguments.by == "phase":
        with Activity("computing the loads of links by phase"):
            phases = of_phases(fabric, asked)
        show_phases(*phases, asked)
    else:
        gather = made_up if arguments.profile is None else of_run
        with Activity("computing the loads of links"):
            answer, what, more = gather(fabric, asked)
        if arguments.plot is not None:
            plot.write(arguments.plot, answer, what)
        show(answer, what, more, asked)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    if arguments.route is not None:
        others = ("by", "plot", "call", "communicator", "all_to_all")
        if wrong := [name for name in others if getattr(arguments, name) is not None]:
            raise RankwiseError(f"--route shows ways alone: remove --{wrong[0].replace('_', '-')}")
        return
    if arguments.profile is None:
        behind = (path for path in arguments.fabric or () if path.endswith(".rankwise"))
        if (profile := next(behind, None)) is not None:
            raise RankwiseError(f"{profile}: put the profile before --fabric")
        if arguments.all_to_all is None:
            needs = ("by", "place", "call", "communicator")
            if wrong := [name for name in needs if getattr(arguments, name) is not None]:
                raise RankwiseError(f"--{wrong[0]} needs a profile, or --all-to-all SIZE")
        elif arguments.by == "phase":
            raise RankwiseError("--by phase needs a profile")
        elif arguments.call or arguments.communicator or arguments.kind != "all":
            raise RankwiseError("--all-to-all has no calls and communicators to select: give a profile")
    elif arguments.all_to_all is not None:
        raise RankwiseError("--all-to-all is synthetic traffic: remove the profile or --all-to-all")


def _size(text: str) -> int:
    from rankwise.latency.sizes import size_of

    try:
        size = size_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if size > _MOST_BYTES:
        raise argparse.ArgumentTypeError(f"{text!r} is more than 1024G")
    return size
