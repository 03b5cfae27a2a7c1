"""Find better algorithms for a whole machine, without an application, over several nights if necessary.

  rankwise tune machine -o machine.json -- mpirun -n 256
  rankwise tune machine -o machine.json --budget 8h --node-counts 1,2,4 --ranks-per-node 1,all -- srun -N 4
  rankwise tune machine --show machine.json
  rankwise run --with machine.json -- mpirun -n 64 ./app

All collectives, sizes, numbers of nodes and of ranks on a node are measured: the library's own choice beside
each of its algorithms, on parts of the launch. A program in the launch is not started. Each measurement is
kept at once in machine.measured.jsonl: after Ctrl-C, the end of --budget or of the job, the same command goes
on with what is missing. A rule is written only where all of the interval of its gain is above --resolve;
everywhere else the library's own choice stays. Beside FILE stand the library's own file and machine.env.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rankwise.commands import probes, trial_options
from rankwise.commands.limits import add_json, add_seed
from rankwise.commands.messages import say
from rankwise.commands.settings_files import try_to_write
from rankwise.commands.sizes import listed_sizes
from rankwise.commands.tune import options
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.tuning.machine.grid import Scope
    from rankwise.tuning.machine.measure import Request
    from rankwise.tuning.machine.results import Kept, Results
    from rankwise.tuning.machine.rules import Table
    from rankwise.tuning.machine.settings import Writable
    from rankwise.tuning.program import Program
    from rankwise.tuning.racing.racer import Racer
    from rankwise.tuning.racing.setup import Setup
    from rankwise.tuning.settings.rule import Rule

_SIZES = "8,32,128,512,2K,8K,32K,128K,512K,2M"
_MEASURED = ".measured.jsonl"
_CHECKPOINT_SECONDS = 300.0


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What the command line says; shares, not percents."""

    path: Path
    sizes: list[int]
    procedures: list[str] | None
    nodes: list[int] | None
    per_node: list[int] | None
    predicted: list[int] | None
    assumed: tuple[str, ...]
    bitwise: bool
    confidence: float
    margin: float
    seed: int
    as_json: bool

    @classmethod
    def by(cls, arguments: argparse.Namespace) -> _Asked:
        shown: Path | None = arguments.show
        path: Path = shown or arguments.output
        return cls(
            path=path,
            sizes=listed_sizes(arguments.sizes),
            procedures=None if arguments.call is None else _procedures(arguments.call),
            nodes=_numbers("--node-counts", arguments.node_counts),
            per_node=_numbers("--ranks-per-node", arguments.ranks_per_node),
            predicted=_numbers("--predicted-counts", arguments.predicted_counts, has_all=False),
            assumed=_assumed(arguments.assume),
            bitwise=bool(arguments.bitwise),
            confidence=arguments.confidence / 100,
            margin=arguments.resolve / 100,
            seed=arguments.seed,
            as_json=arguments.json,
        )

    @property
    def measured(self) -> Path:
        """The file with the measurements, next to that of the settings."""
        if self.path.name.endswith(_MEASURED):
            return self.path
        stem = self.path.with_suffix("") if self.path.suffix == ".json" else self.path
        return stem.with_name(f"{stem.name}{_MEASURED}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise tune machine`."""
    options.add_output(parser, "as far as it was measured", "machine.json")
    trial_options.add_budget(parser)
    parser.add_argument(
        "--call", metavar="NAME,...", help="collectives to measure, such as allreduce,bcast (default: all)"
    )
    parser.add_argument(
        "--sizes", default=_SIZES, metavar="LIST", help="of messages, in bytes (default: %(default)s)"
    )
    parser.add_argument(
        "--node-counts",
        metavar="LIST",
        help="numbers of nodes to measure, such as 1,2,all (default: some up to all)",
    )
    parser.add_argument(
        "--ranks-per-node",
        metavar="LIST",
        help="numbers of ranks on each node (default: 1,all; on a single node some up to all)",
    )
    parser.add_argument(
        "--predicted-counts",
        metavar="LIST",
        help="numbers of nodes to predict rules for, up to twice the largest measured number"
        " (default: those between)",
    )
    parser.add_argument(
        "--assume",
        metavar="LIST",
        help="what holds for all programs, and allows more rules: commutative operations,"
        " not-in-place Allgather and Alltoall",
    )
    options.add_bitwise(parser)
    trial_options.add_resolve(parser, "least gain of a rule, with all of its interval")
    trial_options.add_confidence(parser, "of intervals")
    add_seed(parser, "the order of calls")
    parser.add_argument(
        "--show", type=Path, metavar="FILE", help="print the rules for what was measured so far, and no more"
    )
    add_json(parser)
    probes.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure or show; 0, 128 + n if signal n ended it early, or RankwiseError."""
    if arguments.show is not None:
        return _show(arguments)
    if arguments.output is None:
        raise RankwiseError(
            "give the file for the settings, as in: rankwise tune machine -o machine.json -- mpirun -n 64"
        )
    options.check_command(arguments, "rankwise tune machine -o machine.json -- mpirun -n 64")
    return _measure(arguments)


def _show(arguments: argparse.Namespace) -> int:
    from rankwise.tuning.machine.results import Kept
    from rankwise.tuning.machine.rules import check_predicted

    if arguments.output is not None or arguments.command:
        raise RankwiseError("--show measures and writes nothing: leave -o and the launch out")
    asked = _Asked.by(arguments)
    if not asked.measured.is_file():
        raise RankwiseError(
            f"{asked.measured} is not there: `rankwise tune machine -o {asked.path} -- LAUNCH` makes it"
        )
    results = Kept(asked.measured, read_only=True).results
    if asked.predicted:
        check_predicted({point.shape for point in results.raced}, asked.predicted)
    path = Path(results.library_path)
    rules_table, made = _table_and_settings(asked, results, path if path.is_file() else None, {})
    _print(asked, rules_table, made, results, [], "", 0)
    return 0


def _measure(arguments: argparse.Namespace) -> int:
    from rankwise.launch.signals import Signals
    from rankwise.trials.run import Interrupted, OutOfTime
    from rankwise.tuning.machine.measure import measure
    from rankwise.tuning.machine.results import Kept, locked
    from rankwise.tuning.racing.start import racing
    from rankwise.tuning.settings.file import check_new

    # Everything that can be wrong is looked at first: an error must not cost a job.
    asked = _Asked.by(arguments)
    goes_on = asked.measured.exists()
    check_new(asked.path, force=bool(arguments.force) or goes_on)
    deadline = math.inf if arguments.budget is None else time.monotonic() + arguments.budget
    with (
        Signals() as signals,
        _kept_file(asked.measured),
        locked(asked.measured),
        # Beside the file: every node has to see the rules that are tried.
        TemporaryDirectory(prefix=".rankwise-", dir=asked.path.absolute().parent) as directory,
    ):
        kept = Kept(asked.measured)
        try:
            probe = probes.options_of(arguments)
            setup = probes.prepare_probe(
                probe, arguments.command, os.environ, Path(directory), signals, deadline
            )
            program = _program(setup)
            with racing(setup) as racer:
                request, left_out = _request(asked, racer, program, arguments.command, kept)
                checkpoint = _now_and_then(partial(_write, asked, kept.results, program.library))
                ended = measure(racer, request, kept, say, checkpoint)
            ended = ended or _check(asked, setup, program, request, kept)
        except Interrupted:
            return 128 + signals.last
        except OutOfTime:
            raise RankwiseError(
                "the time was over before anything was measured: give it more with --budget"
            ) from None
        rules_table, made = _table_and_settings(asked, kept.results, program.library, _in_force(kept.results))
        writing = try_to_write(made.settings, asked.path, program.library, force=True)
        _print(asked, rules_table, made, kept.results, writing.files, ended, left_out)
        writing.check(asked.measured)
    return 128 + signals.last if signals.last else 0


def _request(
    asked: _Asked, racer: Racer, program: Program, words: Sequence[str], kept: Kept
) -> tuple[Request, int]:
    """Return the points to measure, and how many are too large; notes the launch."""
    from rankwise.tuning.machine.measure import Request
    from rankwise.tuning.machine.results import Launched
    from rankwise.tuning.machine.rules import check_predicted
    from rankwise.tuning.settings.apply import untranslatable
    from rankwise.tuning.settings.model import About, Settings

    chosen, left_out = _scopes(asked, racer)
    if asked.predicted:
        planned = {point.shape for scope in chosen for point in scope.points}
        check_predicted({*planned, *(point.shape for point in kept.results.raced)}, asked.predicted)
    kept.begin(
        Launched(
            library=racer.library,
            abi=_abi(program),
            library_path=str(program.library or ""),
            assumed=asked.assumed,
            bitwise=asked.bitwise,
            command=tuple(words),
            hosts=tuple(sorted(set(racer.hosts))),
        )
    )
    about = About.of_now(racer.library, _abi(program), (), words)

    def refused(rule: Rule) -> str:
        return untranslatable(Settings(about, (rule,)), program.library)

    request = Request(
        scopes=chosen,
        untranslatable=refused,
        confidence=asked.confidence,
        margin=asked.margin,
        bitwise=asked.bitwise,
        seed=asked.seed,
    )
    return request, left_out


def _check(asked: _Asked, setup: Setup, program: Program, request: Request, kept: Kept) -> str:
    """Look whether the library takes the rules from its file; return why it ended early, '' if it did not."""
    from rankwise.tuning.machine.effect import check, to_be_checked
    from rankwise.tuning.racing.start import racing
    from rankwise.tuning.settings.apply import materialise

    rules_table, made = _table_and_settings(asked, kept.results, program.library, _in_force(kept.results))
    wanted = to_be_checked(rules_table, made.rules, kept)
    if made.settings is None or not wanted:
        return ""
    apart = setup.apart("with-the-file")
    apart.directory.mkdir()
    variables = materialise(made.settings, apart.directory, program.library)
    with racing(replace(apart, environment={**setup.environment, **variables})) as racer:
        return check(racer, wanted, request, kept, say)


def _scopes(asked: _Asked, racer: Racer) -> tuple[list[Scope], int]:
    """Return what rules may be about, and how many points are too large."""
    from rankwise.mpi_libraries import version_of
    from rankwise.tuning.libraries import by_version
    from rankwise.tuning.machine.grid import Layout, scopes
    from rankwise.tuning.machine.rules import traits_of
    from rankwise.tuning.racing.offers import PROCEDURES

    library = by_version(racer.library)
    if not library.has_rules:
        label = version_of(racer.library).label or racer.library
        raise RankwiseError(f"rules for {label} can't be written, so there is nothing to measure")
    offered = [procedure for procedure in PROCEDURES if racer.offered(procedure)]
    unknown = [procedure for procedure in asked.procedures or () if procedure not in offered]
    if unknown or not offered:
        names = ", ".join(procedure.removeprefix("MPI_").lower() for procedure in offered) or "none"
        raise RankwiseError(
            f"--call {unknown[0].removeprefix('MPI_').lower()}: the library has no choice for it; "
            f"it has one for {names}"
            if unknown
            else "the library has no choice of algorithms for any collective: there is nothing to measure"
        )
    shapes = Layout(racer.hosts).shapes(asked.nodes, asked.per_node)
    reached = [shape for shape in shapes if shape.nodes == 1 or not racer.overruled]
    if len(reached) < len(shapes):
        variables = " ".join(f"{name}={value}" for name, value in library.not_overruled.items())
        say(
            "rules do not reach communicators on several nodes, where another component of the library takes "
            f"over: only single nodes are measured; {variables} in the environment measures all without it"
        )
    if not reached:
        raise RankwiseError("no shape is left to measure: give --node-counts 1, or that variable")
    chosen, too_large = scopes(asked.procedures or offered, reached, asked.sizes, traits_of(asked.assumed))
    if too_large:
        say(f"left out for their memory: {len(too_large)} points, such as {too_large[0].text}")
    return chosen, len(too_large)


def _program(setup: Setup) -> Program:
    """Return the probe in the launch as a program; settings of the user's own are refused."""
    from rankwise.tuning.program import Program

    program = Program.of(setup.launch.words([str(setup.program)]), setup.environment)
    program.refuse_own_settings(rules=True)
    return program


def _abi(program: Program) -> str:
    return next((detection.mpi for detection in program.planned.detections), "")


def _table_and_settings(
    asked: _Asked, results: Results, library: Path | None, environment: Mapping[str, str]
) -> tuple[Table, Writable]:
    from rankwise.tuning.machine.rules import table
    from rankwise.tuning.machine.settings import writable

    rules_table = table(results, asked.confidence, asked.margin, asked.predicted)
    return rules_table, writable(rules_table, results, environment, library)


def _write(asked: _Asked, results: Results, library: Path | None) -> None:
    """Write the settings that the measurements so far support; a failure must not end the measuring."""
    from rankwise.tuning.settings.file import write_all

    _, made = _table_and_settings(asked, results, library, _in_force(results))
    if made.settings is not None:
        with suppress(RankwiseError):
            write_all(made.settings, asked.path, force=True, library_path=library)


def _in_force(results: Results) -> dict[str, str]:
    """Return the variables that were in force while it was measured, and that rules need."""
    from rankwise.tuning.libraries import by_version

    needed = by_version(results.library).not_overruled
    return {name: value for name, value in needed.items() if os.environ.get(name) == value}


def _now_and_then(write: Callable[[], object]) -> Callable[[], None]:
    """Return what writes at most every few minutes: a job that is killed leaves a file to use."""
    last = time.monotonic()

    def checkpoint() -> None:
        nonlocal last
        if time.monotonic() - last > _CHECKPOINT_SECONDS:
            write()
            last = time.monotonic()

    return checkpoint


@contextmanager
def _kept_file(path: Path) -> Iterator[None]:
    """Leave no empty file behind."""
    try:
        yield
    finally:
        if path.exists() and not path.stat().st_size:
            path.unlink()


def _print(
    asked: _Asked,
    rules_table: Table,
    made: Writable,
    results: Results,
    written: Sequence[Path],
    ended: str,
    left_out: int,
) -> None:
    if asked.as_json:
        import json

        from rankwise.analysis.to_json import to_json
        from rankwise.views.tuning import machine_as_data

        json.dump(to_json(machine_as_data(rules_table, made, results, written, ended)), sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    from rankwise.render.terminal.tuned_machine import print_tuned_machine

    print_tuned_machine(rules_table, made, results, written, ended, left_out, sys.stdout)


def _procedures(text: str) -> list[str]:
    from rankwise.tuning.racing.offers import PROCEDURES

    by_name = {procedure.removeprefix("MPI_").lower(): procedure for procedure in PROCEDURES}
    procedures = []
    for word in text.split(","):
        name = word.strip().lower().removeprefix("mpi_")
        if name not in by_name:
            raise RankwiseError(f"--call {text}: {word.strip()!r} is none of {', '.join(by_name)}")
        procedures.append(by_name[name])
    return list(dict.fromkeys(procedures))


def _numbers(option: str, text: str | None, *, has_all: bool = True) -> list[int] | None:
    """Return the numbers of a list, ascending; grid.ALL stands for `all`."""
    from rankwise.tuning.machine.grid import ALL

    if text is None:
        return None
    numbers: set[int] = set()
    for word in map(str.strip, text.split(",")):
        if word == "all" and has_all:
            numbers.add(ALL)
        elif word.isascii() and word.isdecimal() and 0 < int(word) <= 1_000_000:
            numbers.add(int(word))
        else:
            example = ", such as 1,2,all" if has_all else ", such as 3,6"
            raise RankwiseError(f"{option} {text}: {word!r} is not a number above 0{example}")
    return sorted(numbers)


def _assumed(text: str | None) -> tuple[str, ...]:
    from rankwise.tuning.machine.rules import ASSUMED

    words = sorted({word.strip() for word in (text or "").split(",") if word.strip()})
    for word in words:
        if word not in ASSUMED:
            raise RankwiseError(f"--assume {text}: {word!r} is none of {', '.join(ASSUMED)}")
    return tuple(words)
