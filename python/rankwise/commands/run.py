"""Run an MPI program and write a profile of its communication.

  rankwise run -- mpirun -n 4 ./app args
  rankwise run -o app.rankwise -- srun -n 64 ./app
  mpirun -n 4 rankwise run -- ./app args

The program's input, output and exit status are unchanged. The summary goes to stderr at the end,
and the profile to the current directory. After an abort, a time limit or Ctrl-C, the profile
contains everything counted until then.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankwise.commands.durations import duration
from rankwise.commands.messages import Waiting
from rankwise.commands.messages import say as _say
from rankwise.commands.world_order import AskedOrder
from rankwise.errors import RankwiseError
from rankwise.launch import clock_sync, inside_options, job, reorder
from rankwise.launch.environment import prepare, save_every
from rankwise.launch.foreign_processes import ForeignProcesses
from rankwise.launch.observer import Observer
from rankwise.launch.plan import Plan, library, look, plan
from rankwise.launch.rundirectory import KEPT_STDERR, RunDirectory
from rankwise.launch.spare import BesideIdleProcessor
from rankwise.launch.tags import tags
from rankwise.launch.wait_for_ranks import wait_for_ranks
from rankwise.launchers.base import Preload
from rankwise.launchers.membership import membership
from rankwise.mpi_libraries import LIBRARIES
from rankwise.profile.collect import node_memory
from rankwise.whole_files import refuse_existing

if TYPE_CHECKING:
    import sqlite3

    from rankwise.commands.with_settings import WithSettings
    from rankwise.profile.assemble import Assembly
    from rankwise.render.terminal.live.beside import View

_LARGE = 256
"""From this many ranks on, the profile keeps its diagnosis even without a summary."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="F.rankwise",
        type=Path,
        help="the profile (default: PROGRAM.JOB.rankwise, with the job id, or else the process id)",
    )
    parser.add_argument(
        "--mpi",
        choices=tuple(LIBRARIES),
        help="the MPI that the program uses (default: detected in each process)",
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print nothing unless something goes wrong"
    )
    parser.add_argument("--force", action="store_true", help="replace the profile and an old run directory")
    parser.add_argument(
        "--run-dir",
        metavar="DIR",
        type=Path,
        help="the run directory, which every node must see (default: F.rankwise-run, beside the profile)",
    )
    parser.add_argument(
        "--save-every",
        metavar="TIME",
        type=duration,
        help="how often the counters of a node are saved, in case the node is lost (default: 10s)",
    )
    parser.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="keep this in the profile, for `rankwise list` and `rankwise scaling`; may be given several"
        " times (commit and branch are kept in any case, if they are known)",
    )
    parser.add_argument("--keep-run-dir", action="store_true", help="keep the run directory")
    inside = parser.add_mutually_exclusive_group()
    inside.add_argument(
        "--inside",
        metavar="NAME,...",
        help="inside collectives, record the messages of these only, such as bcast,allreduce (default: all)",
    )
    inside.add_argument("--no-inside", action="store_true", help="record no messages inside collectives")
    sites = parser.add_mutually_exclusive_group()
    sites.add_argument("--no-sites", action="store_true", help="do not record call sites")
    sites.add_argument(
        "--python-sites",
        action="store_true",
        help="record the lines of Python code that call MPI through mpi4py and other extension modules",
    )
    parser.add_argument("--no-paths", action="store_true", help="do not record call paths")
    parser.add_argument(
        "--clock-sync",
        action=argparse.BooleanOptionalAction,
        help="compare the clocks of the nodes to find late ranks across nodes; every process of the job "
        "must run under Rankwise (default: on if Rankwise is sure of this)",
    )
    parser.add_argument(
        "--no-counters",
        action="store_true",
        help="do not count context switches, page faults, instructions and similar",
    )
    parser.add_argument(
        "--see-all",
        action="store_true",
        help="configure the MPI library so that all messages inside collectives can be recorded; it may then "
        "choose other algorithms",
    )
    parser.add_argument(
        "--reorder",
        action="store_true",
        help="let MPI_Cart_create, MPI_Graph_create and MPI_Dist_graph_create* with reorder = true return"
        " communicators whose ranks suit the machine",
    )
    parser.add_argument(
        "--machine",
        metavar="machine.json",
        type=Path,
        help="with --reorder or --place: the machine (default: the nodes and processors of the ranks)",
    )
    parser.add_argument(
        "--place",
        metavar="FILE",
        type=Path,
        help="change the order of MPI_COMM_WORLD in MPI_Init: to suit the messages in FILE (a profile or a "
        "matrix), or to the order in FILE (as MPICH_RANK_ORDER); every process of the job must run under "
        "Rankwise",
    )
    parser.add_argument(
        "--renumber",
        action="store_true",
        help="with an order in the file of --place or --with: variables of the launcher such as PMI_RANK"
        " have the new rank for the program",
    )
    parser.add_argument(
        "--with",
        dest="with_settings",
        metavar="FILE",
        type=Path,
        help="apply these settings of the MPI library, places of ranks and order of MPI_COMM_WORLD, found by "
        "`rankwise tune` and `rankwise optimize`",
    )
    parser.add_argument(
        "--top",
        action="store_true",
        help="show the job while it runs, as rankwise top does, on stderr; stdout must be redirected",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="write the report, too, as rankwise report does: F.html beside the profile",
    )
    parser.add_argument("bare_command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and write its profile.

    Returns:
        the command's exit status (128 + n if signal n killed it); if that is 0, 1 if no profile was written.

    Raises:
        RankwiseError: something is wrong before the launch; nothing was started.
    """
    # Everything that can be wrong is looked at first: an error must not cost a job.
    planned = plan(arguments.command, os.environ, arguments.mpi, ask_python=_asks_python(arguments))
    planned = planned._replace(tags=tags(arguments.tag, Path.cwd(), os.environ))
    preloaded = library()
    only = inside_options.only(arguments.inside) if arguments.inside is not None else []
    settings = _inside(planned, only, everything=arguments.see_all, nothing=arguments.no_inside)
    asked_order = AskedOrder.by(arguments)
    order = asked_order.of_place(planned)
    reordering = reorder.asked(arguments.reorder, None if order else arguments.machine)
    if reordering:
        settings |= reordering.settings()
    if arguments.save_every is not None:
        settings |= save_every(arguments.save_every)
    if arguments.no_counters:
        settings |= {"RANKWISE_COUNTERS": "off"}
    if arguments.no_sites or arguments.python_sites:
        settings |= {"RANKWISE_SITES": "off" if arguments.no_sites else "python"}
    if arguments.no_paths:
        settings |= {"RANKWISE_PATHS": "off"}
    settings |= clock_sync.setting(arguments.clock_sync, planned, preloaded)
    if not planned.command.launcher and (member := membership(os.environ)):
        from rankwise.commands.run_behind import Behind  # not above: the usual order does without it

        preload = Preload(preloaded, Path(), arguments.mpi or "", settings)
        given = {"--with": arguments.with_settings is not None, "--top": arguments.top, "--place": order}
        refused = next(
            (f"{name} needs the launcher behind it" for name, is_given in given.items() if is_given), ""
        )
        behind = Behind(
            member=member,
            planned=planned,
            preload=preload,
            output=arguments.output,
            live_dir=arguments.run_dir,
            force=arguments.force,
            only=only,
            reordering=reordering,
            refused=refused,
            finish=partial(_conclude, _Ending.asked(arguments), planned, only),
        )
        return behind.run()
    applied = None
    if arguments.with_settings is not None:
        applied = _applied(arguments.with_settings, planned, arguments.mpi, quiet=arguments.quiet)
        order = asked_order.of_settings(planned, applied.settings) or order
    if order:
        settings |= order.settings()
    output = (arguments.output or planned.default_output()).absolute()
    if arguments.report:
        from rankwise.commands import report  # not above: most runs have none

        refuse_existing(report.beside(output), force=arguments.force)
    node_memory.remove_leftovers()
    directory = RunDirectory.create(output, arguments.run_dir, force=arguments.force)
    prepare_end = cache(lambda: _prepare_end(directory, planned, only, quiet=arguments.quiet))
    view: View | None = None
    try:
        command, environment = planned.command, dict(os.environ)
        if applied:
            place = directory.for_settings()
            settings |= applied.variables(place)
            environment |= applied.settings.environment  # only the launcher reads some of them
            if placed := applied.command(place):
                command, environment = placed[0], {**environment, **placed[1]}
        settings |= directory.variables()
        preload = Preload(preloaded, directory.path, arguments.mpi or "", settings)
        if not arguments.quiet:
            for line in planned.to_add(preload):
                _say(f"a container without access to Rankwise is not recorded; {line}")
        launch = prepare(command, preload, environment, planned.script_mpirun)
        directory.note(planned, only)
        if reordering:
            directory.keep_machine(reordering)
        if order:
            directory.keep_order(order)
        view = _view(directory) if arguments.top else None
        observer = Observer(directory.path)
        strangers = ForeignProcesses(preload)
        end = job.run(
            launch.words,
            launch.environment,
            view.stderr if view else None,
            beside=[observer, strangers, BesideIdleProcessor(prepare_end)],
        )
    except BaseException:
        directory.remove()
        if view:
            view.end()
        raise
    wait_for_ranks(directory.path, sleep=observer.wait)
    noted = observer.note(end.interrupted_ns)
    directory.note_end(noted._replace(exit_status=end.status, interrupted=end.interrupted))
    if view:
        with Waiting("the view of --top to end", not arguments.quiet):
            view.end()
    asked = _Ending.asked(arguments)
    return _conclude(asked, planned, only, directory, output, end, strangers, preload, applied, prepare_end)


def _conclude(
    asked: _Ending,
    planned: Plan,
    only: Sequence[str],
    directory: RunDirectory,
    output: Path,
    end: job.End,
    strangers: ForeignProcesses,
    preload: Preload,
    applied: WithSettings | None = None,
    prepare_end: Callable[[], object] | None = None,
) -> int:
    """Make the profile of a job that has ended, if there is something to make it of."""
    if not directory.path.is_dir():
        directory.remove()
        _say(f"no profile: the run directory {directory.path} was removed during the run")
        return end.status or 1
    if not directory.has_counters():
        directory.remove()
        return _report_no_counters(look(planned.words, os.environ), end.status, preload, strangers.report())
    if prepare_end:
        prepare_end()
    else:
        _prepare_end(directory, planned, only, quiet=asked.quiet)
    unrecorded = strangers.report(), planned.to_add(preload)
    return _finish(asked, planned, directory, output, end, *unrecorded, applied)


def _inside(planned: Plan, only: Collection[str], *, everything: bool, nothing: bool) -> dict[str, str]:
    """Return the variables that say what of the messages inside collectives is recorded."""
    if everything and nothing:
        raise RankwiseError("--see-all and --no-inside contradict each other: remove one of them")
    if nothing:
        return inside_options.nothing()
    settings = inside_options.choosing(only) if only else {}
    return settings | _everything(planned) if everything else settings


def _everything(planned: Plan) -> dict[str, str]:
    """Return the variables with which all messages inside collectives are seen, and say what that changes."""
    libraries = [d.mpi for d in planned.detections]
    everything = inside_options.everything(libraries, planned.environment)
    if everything:
        assignments = " ".join(f"{name}={value}" for name, value in everything.items())
        _say(f"--see-all sets {assignments}: the MPI library may choose other algorithms than without it")
    else:
        _say("--see-all changes nothing here: nothing is hidden, or your own settings take precedence")
    return everything


def _asks_python(arguments: argparse.Namespace) -> bool:
    """Whether it has to be known which MPI a program of Python would use."""
    return arguments.see_all or arguments.with_settings is not None


def _applied(file: Path, planned: Plan, mpi: str | None, *, quiet: bool) -> WithSettings:
    """Return the settings of --with; report if they were found with another version of the library."""
    from rankwise.commands.with_settings import WithSettings  # not above: every other run does without it

    applied = WithSettings.of(file, planned, os.environ, mpi)
    if not quiet:
        for line in filter(None, [applied.other_version(), *applied.notes]):
            _say(line)
    return applied


def _view(directory: RunDirectory) -> View | None:
    """Start the live view, or say in one line how to get it."""
    from rankwise.render.terminal.live import beside

    if beside.possible():
        return beside.View(directory.path, directory.path / KEPT_STDERR)
    _say(
        "--top needs the program's output to be redirected; use another terminal: rankwise top "
        f"{directory.path}"
    )
    return None


def _prepare_end(directory: RunDirectory, planned: Plan, only: Sequence[str], *, quiet: bool) -> bool:
    """Do what the end needs: see what programs import, and load modules."""
    with contextlib.suppress(Exception):  # a failure shows again where it matters
        directory.note(planned, only, planned.not_covered())
        import rankwise.profile.assemble
        import rankwise.render.terminal.progress

        if not quiet:
            import rankwise.commands.default_fabric
            import rankwise.diagnosis.kept
            import rankwise.diagnosis.make
            import rankwise.findings.registry
            import rankwise.render.terminal.programs  # noqa: F401
    return True


class _Ending(NamedTuple):
    """What the command line says of the end.

    Attributes:
        named: the user has named the profile.
        force: replace it.
        keep: the run directory.
        quiet: say nothing that is no failure.
        report: write a report of each profile, too.
    """

    named: bool
    force: bool
    keep: bool
    quiet: bool
    report: bool

    @classmethod
    def asked(cls, arguments: argparse.Namespace) -> _Ending:
        return cls(
            named=arguments.output is not None,
            force=arguments.force,
            keep=arguments.keep_run_dir,
            quiet=arguments.quiet,
            report=arguments.report,
        )


def _conclude_from(profile: sqlite3.Connection) -> None:
    """Keep the diagnosis of a profile in it."""
    from rankwise.diagnosis.kept import keep_diagnosis  # not above: a quiet run does without it

    keep_diagnosis(profile)


def _conclude_large(profile: sqlite3.Connection) -> None:
    """Do the same where it takes long: a small profile is opened as quickly without."""
    (ranks,) = profile.execute("SELECT COUNT(*) FROM ranks").fetchone()
    if ranks >= _LARGE:
        _conclude_from(profile)


def _finish(
    asked: _Ending,
    planned: Plan,
    directory: RunDirectory,
    output: Path,
    end: job.End,
    strangers: str,
    to_add: Sequence[str],
    applied: WithSettings | None,
) -> int:
    """Write the profile and print the summary; nothing that goes wrong here hides the program's status.

    Args:
        asked: by the command line.
        planned: what the command is known to start.
        directory: with the counters.
        output: the profile.
        end: of the command.
        strangers: ranks that ran without the library.
        to_add: what containers of the command lack.
        applied: settings of --with.
    """
    try:
        from rankwise.profile.assemble import assemble
        from rankwise.render.terminal.progress import ProgressBar

        bar = ProgressBar("making the profile", wanted=not asked.quiet)
        with bar, Waiting(f"{output} to be written", not asked.quiet):
            made = assemble(
                directory.path,
                output,
                exit_status=end.status,
                interrupted=end.interrupted,
                force=asked.force,
                listener=bar,
                by_program=None if asked.named else lambda words, _: planned.default_output(words).absolute(),
                conclude=_conclude_large if asked.quiet else _conclude_from,
            )
    except Exception as error:  # the counters are safe
        _say(f"no profile written: {_one_line(error)}; try `rankwise recover {directory.path}`")
        return end.status or 1
    if made.others and not asked.quiet:
        _say(_several_programs([made, *made.others]))
    if made.idle and not asked.quiet:
        _say(made.idle_text())
    if unrecorded := _unrecorded(made, strangers, to_add):
        _say(unrecorded)
    profiles = [made.path, *(other.path for other in made.others)]
    if applied and not asked.quiet:
        doubts = applied.other_place(made.path), applied.other_nodes(made.path), applied.unmet(profiles)
        for doubt in filter(None, doubts):
            _say(doubt)
    if not asked.keep:
        with Waiting(f"{directory.path} to be removed", not asked.quiet):
            directory.remove()
    else:
        directory.release()
        if not asked.quiet:
            _say(f"run directory kept: {directory.path}")
    if not asked.quiet:
        try:
            from rankwise.render.terminal.programs import print_longest

            print_longest(profiles, sys.stderr)
        except Exception as error:
            _say(f"{made.path} is written, but its summary failed: {_one_line(error)}")
        _say_network(made.path)
    if asked.report and not all(list(map(partial(_reported, asked), profiles))):
        return end.status or 1
    return end.status


def _say_network(profile: Path) -> None:
    """Say what limits the traffic of a run on the default fabric, if its hosts are in it."""
    from rankwise.commands.default_fabric import default_fabric  # not above: loaded with what the end needs

    with contextlib.suppress(RankwiseError):  # it lacks these hosts, or can't be read
        if given := default_fabric():
            from rankwise.commands.links.brief import network_brief

            if limit := network_brief(profile, given.words):
                _say(f"network: {limit} `rankwise links {profile}` shows each link")


def _reported(asked: _Ending, profile: Path) -> bool:
    """Write the report of a profile, and return whether that was possible."""
    from rankwise.commands import report  # not above: most runs have none

    try:
        refuse_existing(report.beside(profile), force=asked.force)
        with Waiting(f"the report of {profile} to be written", not asked.quiet):
            written = report.write_beside(profile)
    except Exception as error:  # the profile is there
        _say(f"no report written: {_one_line(error)}; try `rankwise report {profile}`")
        return False
    if not asked.quiet:
        _say(f"report: {written}")
    return True


def _several_programs(made: list[Assembly]) -> str:
    """Report that there are several profiles, and what may be wrong if one was expected."""
    line = f"the command ran {len(made)} MPI programs; the summary shows the longest"
    if all(program.ranks_expected == 1 for program in made):
        line += (
            "; if they should be one program, the launcher belongs to another MPI: see `rankwise doctor -- "
            "COMMAND`"
        )
    return line


def _report_no_counters(planned: Plan, status: int, preload: Preload, strangers: str) -> int:
    _say(planned.why_nothing_was_seen(status, preload, strangers))
    return status or 1


def _unrecorded(made: Assembly, strangers: str, to_add: Sequence[str]) -> str:
    """Describe the ranks that the profile lacks because they ran without Rankwise, if that is known."""
    if not strangers and to_add and (lost := made.ranks_expected - made.ranks_seen) > 0:
        strangers = f"{lost} of {made.ranks_expected} ranks left no counters"
        strangers += ", and a container of the command has no access to Rankwise"
    return "; ".join([strangers, *to_add]) if strangers else ""


def _one_line(error: Exception) -> str:
    from rankwise.text.troubles import trouble  # not above: most runs end well

    text = trouble(error) if isinstance(error, OSError | MemoryError) else f"{error}"
    return " ".join(text.split()) or type(error).__name__
