"""Runs the job before and after, and compares."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rankwise.analysis.traffic import RunTraffic, Whereabouts
from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.launchers.seats import Seat
from rankwise.placement.files import write_all
from rankwise.placement.mapping import Mapping
from rankwise.placement.relaunch import Launch, Relaunched
from rankwise.placement.verification.places import bound_otherwise, misplaced, moved
from rankwise.trials.interval import Interval, ratio_interval
from rankwise.trials.measured import Measured, Seen, measure, unsteady
from rankwise.trials.order import Side
from rankwise.trials.plan import Aim
from rankwise.trials.recorded import Command, Interrupted, OutOfTime, Recording, record
from rankwise.trials.series import Say, about, run_series

Find = Callable[[RunTraffic, Whereabouts], Mapping]
_PLACEMENT = "placement"  # directory of the launchers' files


@dataclass(frozen=True)
class Request:
    """What is to be verified.

    Attributes:
        words: of the user's command.
        launch: the same, taken apart.
        where: the ranks were in the profile.
        mapping: that was found from it.
        find: finds another one, if the job's ranks are elsewhere now.
        only_kind: messages that count.
        recording: how the profile was recorded.
        aim: of the trials.
        seed: of the order of runs.
        run_limit: seconds that a run may take; None: ten times the first one, and a minute.
        first_limit: of the first run, if there is no run_limit.
    """

    words: tuple[str, ...]
    launch: Launch
    where: Whereabouts
    mapping: Mapping
    find: Find
    only_kind: str
    recording: Recording
    aim: Aim
    seed: int
    run_limit: float | None
    first_limit: float


@dataclass
class Verified:
    """What came out.

    Attributes:
        mapping: that was tried, or not if it gains nothing.
        seats: that the launcher was told.
        again: why the ranks were mapped again from the first run; '' if they were not.
        before: runs of the job as given, in pairs with
        after: those with the new placement.
        interval: of the times; None if there is no pair.
        needed: pairs that the first ones show to be needed.
        ended: why there are fewer; '' if there are not.
        notes: what a reader must know.
    """

    mapping: Mapping
    seats: list[Seat]
    again: str = ""
    before: list[Measured] = field(default_factory=list)
    after: list[Measured] = field(default_factory=list)
    interval: Interval | None = None
    needed: int | None = None
    ended: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """'faster', 'slower', 'no difference shown', or 'nothing to gain': it was not tried then."""
        if not self.mapping.gains:
            return "nothing to gain"
        return self.interval.verdict if self.interval else "no difference shown"


def verify(request: Request, directory: Path, signals: Signals, say: Say) -> Verified:
    """Warm up, and run pairs.

    Args:
        request: what is wanted.
        directory: empty; for what the runs leave; every node sees it.
        signals: that came to us.
        say: is told how far it is.

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
        made = Verified(request.mapping, [])
        try:
            first = self._run("before", 0)
            self._limit = request.run_limit or 10 * self._took[0] + 60
            made.again = moved(first.where, request.where)
            if made.again:
                made.mapping = self._again(first, made.again)
            self._where = first.where
            made.seats = request.launch.seats(made.mapping.seats)
            if not made.mapping.gains:
                return made
            self._mapping, self._seats = made.mapping, made.seats
            self._check_told(first.where)
            self._commands["after"] = self._relaunched()
            warm = self._run("after", 0)
        except Interrupted:
            made.ended = "Interrupted before the first pair."
            return made
        except OutOfTime:
            made.ended = "The time limit came before the first pair."
            return made
        of_run = sum(self._took) / len(self._took)
        pairs, aim = request.aim.first_pairs, request.aim.after(sum(self._took))
        self._say(f"a run takes {about(of_run)}, {pairs} pairs {about(2 * pairs * of_run)}")
        series = run_series(
            aim, request.seed, of_run, self._run, lambda seen: seen.measured.seconds, self._say
        )
        made.before, made.after = ([s.measured for s in side] for side in (series.before, series.after))
        made.needed, made.ended = series.needed, series.ended
        if made.before:
            old, new = ([run.seconds for run in side] for side in (made.before, made.after))
            made.interval = ratio_interval(old, new, request.aim.confidence)
        notes = [bound_otherwise(first.where, warm.where), unsteady(made.before, made.after)]
        made.notes = list(filter(None, notes))
        return made

    def _check_told(self, where: Whereabouts) -> None:
        """Refuse a change that the launcher is not told of: it would look like one that is worth nothing."""
        hosts_only = all(seat.core < 0 and seat.cpu < 0 for seat in self._seats)
        if hosts_only and not misplaced(where, self._seats, self._mapping.machine):
            raise RankwiseError(
                "ranks change places within their nodes alone, and the launcher is told no more than hosts: "
                "let it bind ranks to cores"
            )

    def _again(self, first: Seen, why: str) -> Mapping:
        self._say(f"{why} in the profile: the ranks are mapped again, from the first run")
        return self._request.find(first.observed, first.where)

    def _relaunched(self) -> Command:
        directory = self._directory / _PLACEMENT
        write_all(self._seats, directory, ())
        told: Relaunched = self._request.launch.relaunched(self._seats, directory)
        return Command(told.words, told.variables)

    def _run(self, side: Side, pair: int) -> Seen:
        """Run one side of a pair; pair 0 is the one to warm up."""
        name = f"{pair:02d}.{side}" if pair else f"warm-up.{side}"
        profile = self._directory / f"{name}.rankwise"
        limit = min(self._limit, self._end - time.monotonic())
        try:
            end = record(self._commands[side], self._request.recording, profile, limit, self._signals)
            seen = measure(profile, self._request.only_kind)
            wrong = self._wrong_place(side, pair, seen)
        except RankwiseError as error:
            if time.monotonic() >= self._end:
                raise OutOfTime from error
            raise RankwiseError(f"{_title(side, pair)}: {error}", error.exit_status) from error
        if wrong:
            raise RankwiseError(f"{_title(side, pair)}: {wrong}", 1)
        self._took.append(end.seconds)
        return seen

    def _wrong_place(self, side: Side, pair: int, seen: Seen) -> str:
        if side == "after":
            wrong = misplaced(seen.where, self._seats, self._mapping.machine)
            return wrong and f"{wrong}, so the launcher did not do what its file says"
        wrong = moved(seen.where, self._where) if pair else ""
        return wrong and f"{wrong} as in the first run, so the runs can't be compared"


def _title(side: Side, pair: int) -> str:
    return f"the run {side}, pair {pair}" if pair else f"the first run {side}"
