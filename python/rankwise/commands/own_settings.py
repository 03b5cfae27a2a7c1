"""Settings of the user's own that are in force: what they cost is measured, as they hide what ours gain."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.commands.messages import say
from rankwise.commands.working_directory import working_directory
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.launch.signals import Signals
    from rankwise.trials.plan import Aim
    from rankwise.tuning.libraries.base import Assignment
    from rankwise.tuning.own_settings import Priced
    from rankwise.tuning.program import OwnSettingsError, Program

OF_BUDGET = 0.25
"""Share of the time for everything, where other steps follow."""


@dataclass(frozen=True, kw_only=True)
class Pricing:
    """How the cost of settings is to be measured.

    Attributes:
        aim: of the pairs of runs.
        run_limit: seconds of each run; None = by how long the first one takes.
        check: that the output of a run has to pass; None = none.
        seed: of the order of the runs.
        file: profile of the program; None = not yet recorded.
        bitwise: sums may not change in their last digits.
        keep: where the runs stay; None = nowhere.
        json: print the result as JSON.
    """

    aim: Aim
    run_limit: float | None
    check: str | None
    seed: int
    file: Path | None = None
    bitwise: bool = False
    keep: Path | None = None
    json: bool = False

    @classmethod
    def by(cls, arguments: argparse.Namespace) -> Pricing:
        """Return what the command line of `tune` asks for."""
        from rankwise.trials.plan import Aim

        confidence, resolve = arguments.confidence / 100, arguments.resolve / 100
        return cls(
            aim=Aim(confidence, resolve, arguments.pairs, arguments.budget, give_up=True),
            run_limit=arguments.run_limit,
            check=arguments.check,
            seed=arguments.seed,
            file=arguments.file,
            bitwise=getattr(arguments, "bitwise", False),
            keep=arguments.keep,
            json=arguments.json,
        )


@dataclass(frozen=True)
class OwnSettings:
    """The user's settings in force, and the command without them.

    Attributes:
        program: as given.
        theirs: the settings.
        words: of the command without them.
        label: of the library.
    """

    program: Program
    theirs: Sequence[Assignment]
    words: tuple[str, ...]
    label: str

    @classmethod
    def refused(cls, refusal: OwnSettingsError, label: str, *, bitwise: bool) -> OwnSettings:
        """Return the settings that a command was refused for.

        Raises:
            RankwiseError: they can't be left out: the refusal, and why.
        """
        from rankwise.tuning.own_settings import words_without

        program = refusal.program
        try:
            words = words_without(program, refusal.theirs, label, bitwise=bitwise)
        except RankwiseError as why:
            raise RankwiseError(f"{refusal}; their cost can't be measured: {why}") from refusal
        return cls(program, refusal.theirs, words, label)

    @classmethod
    def of(cls, program: Program, *, bitwise: bool) -> OwnSettings | None:
        """Return the program's settings that choose algorithms or are meant for speed; None without any.

        Raises:
            RankwiseError: they contradict what should be tried, and can't be left out.
        """
        from rankwise.tuning.own_settings import words_without
        from rankwise.tuning.program import OwnSettingsError

        theirs = program.own_settings()
        if not theirs:
            return None
        try:
            return cls(
                program, theirs, words_without(program, theirs, program.label, bitwise=bitwise), program.label
            )
        except RankwiseError as error:
            why = error
        try:
            program.refuse_own_settings(rules=True)
        except OwnSettingsError as refusal:
            return cls.refused(refusal, program.label, bitwise=bitwise)
        say(f"the cost of your own settings is not measured: {why}")
        return None

    def priced(self, asked: Pricing, limit: float, directory: Path, signals: Signals) -> Priced:
        """Measure what they cost.

        Args:
            asked: how.
            limit: seconds of the first run.
            directory: for the runs; every node sees it.
            signals: that came to us.

        Raises:
            RankwiseError: the program fails as given.
        """
        from rankwise.trials.ways import Runs, Way, check_words
        from rankwise.tuning.own_settings import price

        place = directory / "own-settings"
        place.mkdir()
        given = Way("as given", self.program.command, as_given=True)
        check = check_words(asked.check)
        runs = Runs(place, signals, asked.run_limit, limit, check, given=given)
        return price(self.program, self.theirs, self.words, self.label, asked.aim, asked.seed, runs, say)


def price_refused(refusal: OwnSettingsError, asked: Pricing) -> int:
    """Measure what settings cost that `tune` refuses, say it, and end: the profile was recorded with them.

    Args:
        refusal: of the command.
        asked: how.

    Returns:
        the exit status.

    Raises:
        RankwiseError: they can't be left out, or the program fails as given.
    """
    from rankwise.launch.signals import Signals
    from rankwise.mpi_libraries import version_of
    from rankwise.render.terminal import own_settings as shown
    from rankwise.tuning.gate import may_round
    from rankwise.tuning.profiled import profiled

    assert asked.file is not None  # `tune` begins with one
    known = profiled(asked.file, 1)
    bitwise = asked.bitwise and any(map(may_round, known.everything))
    own = OwnSettings.refused(refusal, version_of(known.about.library).label, bitwise=bitwise)
    with Signals() as signals, working_directory(asked.keep, "tune") as directory:
        priced = own.priced(asked, known.wall.first_limit, directory, signals)
    if asked.json:
        print_priced_json(priced)
    else:
        shown.print_priced(priced, sys.stdout, shown.RECORD_AGAIN if priced.can_go else shown.KEPT)
    return 128 + signals.last if signals.last else 0


def print_priced_json(priced: Priced) -> None:
    """Print the measured cost."""
    from rankwise.analysis.to_json import to_json
    from rankwise.views.tuning import priced_as_data

    json.dump(to_json(priced_as_data(priced)), sys.stdout, indent=2)
    sys.stdout.write("\n")
