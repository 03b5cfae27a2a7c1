"""Runs the job before and after, and compares."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

from rankwise.analysis.messages.traffic import RunTraffic, Whereabouts
from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.launchers.binding import Binding
from rankwise.placement import world_order
from rankwise.placement.certainty import Statement, verified_certainty
from rankwise.placement.files import write_all
from rankwise.placement.mapping import Mapping
from rankwise.placement.relaunch import Launch, PlacementError, Relaunched
from rankwise.placement.verification.check_bindings import (
    bound_otherwise,
    misplaced,
    moved,
    order_kept,
    refuse_unfit,
)
from rankwise.placement.verification.measured import Measured, Seen, measure, unsteady
from rankwise.trials.interval import Interval
from rankwise.trials.plan import Aim, about
from rankwise.trials.recorded import Command, Limit, Recording, record
from rankwise.trials.run import Arm, Interrupted, OutOfTime, Say, run

Side = Literal["before", "after"]
SIDES: tuple[Side, Side] = ("before", "after")  # the job as given is the baseline
Find = Callable[[RunTraffic, Whereabouts], Mapping]
_PLACEMENT = "placement"  # directory of the launchers' files


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of a verification.

    Attributes:
        words: of the user's command.
        launch: the same, taken apart; or why its launcher can't give each rank a place.
        machine: that places are found on; None: what the ranks find.
        where: the ranks were in the profile.
        mapping: that was found from it.
        find: finds another one, if the job's ranks are elsewhere now.
        kind: messages that count.
        recording: how the profile was recorded.
        aim: of the trials.
        seed: of the order of runs.
        run_limit: seconds that a run may take; None: ten times the first one, and a minute.
        first_limit: of the first run, if there is no run_limit.
        cure: how the user can give a run more, for people.
    """

    words: tuple[str, ...]
    launch: Launch | str
    machine: Path | None
    where: Whereabouts
    mapping: Mapping
    find: Find
    kind: str
    recording: Recording
    aim: Aim
    seed: int
    run_limit: float | None
    first_limit: float
    cure: str


@dataclass(kw_only=True)
class Verified:
    """What came out.

    Attributes:
        mapping: that was tried, or not if it gains nothing.
        bindings: given to the launcher.
        by_order: why the order of MPI_COMM_WORLD was changed instead; '' if the launcher got bindings.
        again: why the ranks were mapped again from the first run; '' if they were not.
        before: runs of the job as given, in pairs with
        after: those with the new placement.
        interval: of the times; None without a pair.
        equivalent: whether the interval is within the change to resolve.
        needed: number of pairs that are needed, as the first ones show.
        ended: why there are fewer; '' if there are not.
        notes: what a reader must know.
    """

    mapping: Mapping
    bindings: list[Binding]
    by_order: str = ""
    again: str = ""
    before: list[Measured] = field(default_factory=list)
    after: list[Measured] = field(default_factory=list)
    interval: Interval | None = None
    equivalent: bool = False
    needed: int | None = None
    ended: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """'faster', 'slower', 'no difference shown', or 'nothing to gain': it was not tried then."""
        if not self.mapping.gains:
            return "nothing to gain"
        return self.interval.verdict if self.interval else "no difference shown"

    def certainty(self) -> list[Statement]:
        """Return what of this is certain; nothing before the first pair."""
        counted = [run.bytes_off_node for run in self.after]
        return verified_certainty(len(counted), self.mapping.found.bytes_off_node, counted)


def verify(request: Request, directory: Path, signals: Signals, say: Say) -> Verified:
    """Warm up, and run pairs.

    Args:
        request: the user's options.
        directory: empty; for what the runs leave; every node sees it.
        signals: that came to us.
        say: called with the progress.

    Raises:
        RankwiseError: a run failed, or the ranks were not where they were meant to be.
    """
    return _Trial(request, directory, signals, say).verified()


class _Trial:
    def __init__(self, request: Request, directory: Path, signals: Signals, say: Say) -> None:
        self._request, self._directory, self._signals, self._say = request, directory, signals, say
        self._commands: dict[Side, Command] = {"before": Command(request.words, {})}
        self._limit = request.run_limit or request.first_limit
        self._took: list[float] = []
        self._end = math.inf if request.aim.seconds is None else time.monotonic() + request.aim.seconds

    def verified(self) -> Verified:
        request = self._request
        made = Verified(mapping=request.mapping, bindings=[])
        try:
            first = self._run("before", 0, self._remaining_s())
            self._limit = request.run_limit or 10 * self._took[0] + 60
            made.again = moved(first.where, request.where)
            if made.again:
                made.mapping = self._again(first, made.again)
            self._where, self._mapping = first.where, made.mapping
            if not made.mapping.gains:
                return made
            try:
                self._commands["after"] = self._relaunched()
                made.bindings = self._seats
            except PlacementError as error:
                made.by_order = f"{error}"
                self._say(f"{error}; the order of MPI_COMM_WORLD is changed instead (`run --place`)")
                self._commands["after"] = self._in_order()
            warm = self._run("after", 0, self._remaining_s())
            if made.by_order and (why := order_kept(self._profile("after", 0))):
                made.ended = f"{why}."
                return made
        except Interrupted:
            made.ended = "Interrupted before the first pair."
            return made
        except OutOfTime:
            made.ended = "The time limit came before the first pair."
            return made
        of_run = sum(self._took) / len(self._took)
        pairs = request.aim.first_rounds()
        aim = replace(request.aim, seconds=None if math.isinf(self._end) else self._remaining_s())
        self._say(f"a run takes {about(of_run)}, {pairs} pairs {about(2 * pairs * of_run)}")
        arms = [Arm(side, partial(self._run, side)) for side in SIDES]
        ran = run(arms, aim, request.seed, of_run, lambda trial: trial.measured.seconds, self._say)
        made.before, made.after = ([trial.measured for trial in ran.results[side]] for side in SIDES)
        made.needed, made.ended = ran.race.needed, ran.ended
        (compared,) = ran.race.comparisons()
        made.interval, made.equivalent = compared.interval, compared.equivalent
        notes = [bound_otherwise(first.where, warm.where), unsteady(made.before, made.after)]
        made.notes = list(filter(None, notes))
        return made

    def _again(self, first: Seen, why: str) -> Mapping:
        self._say(f"{why} in the profile: the ranks are mapped again, from the first run")
        return self._request.find(first.observed, first.where)

    def _relaunched(self) -> Command:
        launch = self._request.launch
        if isinstance(launch, str):
            raise PlacementError(launch)
        self._seats = launch.bindings(self._mapping.bindings)
        refuse_unfit(self._where, self._seats, self._mapping.machine)
        directory = self._directory / _PLACEMENT
        write_all(self._seats, directory, ())
        relaunched: Relaunched = launch.relaunched(self._seats, directory)
        return Command(relaunched.words, relaunched.variables)

    def _in_order(self) -> Command:
        self._seats = []
        order = world_order.asked(self._profile("before", 0), self._request.machine, renumber=False)
        return Command(self._request.words, {}, order)

    def _profile(self, side: Side, pair: int) -> Path:
        name = f"{pair:02d}.{side}" if pair else f"warm-up.{side}"
        return self._directory / f"{name}.rankwise"

    def _remaining_s(self) -> float:
        return self._end - time.monotonic()

    def _run(self, side: Side, pair: int, remaining_s: float) -> Seen:
        """Run one side of a pair within the remaining seconds; pair 0 is the warm-up."""
        profile = self._profile(side, pair)
        end_of_all = time.monotonic() + remaining_s
        try:
            limit = Limit(min(self._limit, remaining_s), self._request.cure)
            end = record(self._commands[side], self._request.recording, profile, limit, self._signals)
            measurement = measure(profile, self._request.kind)
            wrong = self._wrong_place(side, pair, measurement)
        except RankwiseError as error:
            if time.monotonic() >= end_of_all:
                raise OutOfTime from error
            raise RankwiseError(f"{_title(side, pair)}: {error}", error.exit_status) from error
        if wrong:
            raise RankwiseError(f"{_title(side, pair)}: {wrong}", 1)
        self._took.append(end.seconds)
        return measurement

    def _wrong_place(self, side: Side, pair: int, measurement: Seen) -> str:
        if side == "after":
            if not self._seats:
                return ""  # the processes are where the launcher has put them, with other ranks
            wrong = misplaced(measurement.where, self._seats, self._mapping.machine)
            return wrong and f"{wrong}, so the launcher did not do what its file says"
        wrong = moved(measurement.where, self._where) if pair else ""
        return wrong and f"{wrong} as in the first run, so the runs can't be compared"


def _title(side: Side, pair: int) -> str:
    return f"the run {side}, pair {pair}" if pair else f"the first run {side}"
