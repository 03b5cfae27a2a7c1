"""Run the job as given and with the placement found, in alternation, and report the gain.

  rankwise map verify F.rankwise -o placement -- mpirun -n 8 ./app

The files of -o are written only if the job gains by them.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands import trial_options
from rankwise.commands.map import options
from rankwise.commands.messages import say
from rankwise.commands.working_directory import working_directory

if TYPE_CHECKING:
    from rankwise.placement.files import Written
    from rankwise.placement.relaunch import Launch
    from rankwise.placement.verification.verify import Find, Request, Verified
    from rankwise.trials.plan import Aim

_LEAST_LIMIT = 300.0  # seconds, of the first run


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What the command line says.

    Attributes:
        profile: of the job.
        words: of the command that is run.
        machine: path of a machine.json; None: what the profile shows.
        kind: of messages that count.
        find: a placement for what a run sent.
        aim: of the runs.
        seed: of the search, and of the order of runs.
        run_limit: seconds of a run; None = it depends on the first one.
    """

    profile: Path
    words: tuple[str, ...]
    machine: Path | None
    kind: str
    find: Find
    aim: Aim
    seed: int
    run_limit: float | None

    @classmethod
    def by(cls, arguments: argparse.Namespace) -> _Asked:
        from rankwise.placement.mapping import find_mapping
        from rankwise.topology.machine.read import read_machine
        from rankwise.trials.plan import Aim

        find = partial(
            find_mapping,
            machine=read_machine(arguments.machine) if arguments.machine else None,
            objective=arguments.objective,
            extra=options.extra(arguments),
            nodes=options.nodes(arguments),
            effort=arguments.effort,
            seed=arguments.seed,
        )
        aim = Aim(
            arguments.confidence / 100,
            arguments.resolve / 100,
            arguments.pairs,
            arguments.budget,
        )
        return cls(
            profile=arguments.profile,
            words=tuple(arguments.command),
            machine=arguments.machine,
            kind=arguments.kind,
            find=find,
            aim=aim,
            seed=arguments.seed,
            run_limit=arguments.run_limit,
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise map verify`."""
    options.add_profile(parser)
    options.add_machine(parser)
    options.add_search(parser, "the search and the order of runs")
    options.add_files(parser)
    trial_options.add_budget(parser)
    trial_options.add_runs(parser)
    trial_options.add_confidence(parser, "of the interval")


def run(arguments: argparse.Namespace) -> int:
    """Verify; 0, 128 + n if signal n ended it early, or RankwiseError."""
    from rankwise.launch.signals import Signals
    from rankwise.placement.files import EVERY, check_output, write_all
    from rankwise.placement.relaunch import PlacementError, understand
    from rankwise.placement.verification.verify import Verified, verify
    from rankwise.render.terminal.verification import print_verified
    from rankwise.trials.plan import announcement
    from rankwise.trials.recorded import Command, check

    # Everything that can be wrong is looked at first: an error must not cost a job.
    options.check_files(arguments)
    if arguments.command:
        check(Command(tuple(arguments.command), {}))
    launch: Launch | str
    launchers: tuple[str, ...] = ()
    try:
        launch = understand(arguments.command, os.environ)
        wanted = arguments.launcher or launch.placing.choice
        launchers = EVERY if wanted == "all" else tuple(dict.fromkeys((launch.placing.choice, wanted)))
        if arguments.output is not None:
            check_output(arguments.output, launchers, force=arguments.force)
    except PlacementError as error:
        launch = f"{error}"
    asked = _Asked.by(arguments)
    request, wall, program = _request(asked, launch)
    signal = 0
    if request.mapping.gains:
        for line in announcement(request.aim, wall):
            say(line)
        with Signals() as signals, working_directory(arguments.keep, "verify") as directory:
            verified = verify(request, directory, signals, say)
        signal = signals.last
    else:
        verified = Verified(mapping=request.mapping, bindings=request.mapping.bindings)
    written: list[Written] = []
    command = ""
    if verified.verdict == "faster" and verified.by_order:
        machine = ("--machine", str(arguments.machine)) if arguments.machine else ()
        words = ("rankwise", "run", "--place", str(arguments.profile), *machine, "--", *arguments.command)
        command = shlex.join(words)
    elif verified.verdict == "faster" and arguments.output is not None and not isinstance(launch, str):
        written = write_all(verified.bindings, arguments.output, program, launchers, force=arguments.force)
        command = launch.relaunched(verified.bindings, arguments.output).command_line
    if arguments.json:
        _print_json(verified, written, command)
    else:
        print_verified(verified, arguments.profile, command, arguments.output, sys.stdout)
    return 128 + signal if signal else 0


def _request(asked: _Asked, launch: Launch | str) -> tuple[Request, float, list[str]]:
    """Return the request, how long the profile's run took, and its program."""
    from rankwise.analysis.messages.traffic import run_traffic, whereabouts
    from rankwise.analysis.opened import opened_profile
    from rankwise.analysis.overview import run_facts, trust
    from rankwise.placement.program import program_of
    from rankwise.placement.verification.verify import Request
    from rankwise.text.trust import partial_line
    from rankwise.trials.recorded import as_recorded

    with opened_profile(asked.profile) as connection:
        facts, trusted, where = run_facts(connection), trust(connection), whereabouts(connection)
        mapping = asked.find(run_traffic(connection, asked.kind), where)
        recording = as_recorded(connection)
    if not trusted.complete:
        say(partial_line(trusted))
    first_limit = max(10 * facts.wall_seconds + 60, _LEAST_LIMIT)
    request = Request(
        words=asked.words,
        launch=launch,
        machine=asked.machine,
        where=where,
        mapping=mapping,
        find=asked.find,
        kind=asked.kind,
        recording=recording,
        aim=asked.aim,
        seed=asked.seed,
        run_limit=asked.run_limit,
        first_limit=first_limit,
        cure="give it more with --run-limit",
    )
    return request, facts.wall_seconds, program_of(facts)


def _print_json(verified: Verified, written: list[Written], command: str) -> None:
    import json

    from rankwise.analysis.to_json import to_json

    shown = {
        "verdict": verified.verdict,
        "again": verified.again,
        "by_order": verified.by_order,
        "present": verified.mapping.present,
        "found": verified.mapping.found,
        "bindings": verified.bindings,
        "interval": verified.interval,
        "equivalent": verified.equivalent,
        "needed": verified.needed,
        "ended": verified.ended,
        "before": verified.before,
        "after": verified.after,
        "notes": verified.notes,
        "certainty": verified.certainty(),
        "command": command,
        "files": [str(file.path) for file in written],
    }
    sys.stdout.write(f"{json.dumps(to_json(shown), indent=2)}\n")
