"""What the user's settings cost or gain: the program as given, and without them, in paired runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rankwise.errors import RankwiseError
from rankwise.trials.plan import Aim
from rankwise.trials.recorded import Command
from rankwise.trials.ways import Runs, Way
from rankwise.tuning.libraries import by_label
from rankwise.tuning.libraries.base import Assignment
from rankwise.tuning.library_tools import defaults
from rankwise.tuning.program import Program
from rankwise.tuning.proof import Proof, Say, prove
from rankwise.tuning.settings.in_force import contradicting
from rankwise.tuning.settings.without import cures, without

_REDUCTION = re.compile(r"reduc|scan", re.IGNORECASE)
_NO_REDUCTION = re.compile(r"alltoall|gather|bcast|scatter|barrier", re.IGNORECASE)

Verdict = Literal[
    "faster without", "slower without", "no difference", "no difference shown", "rejected", "nothing"
]


@dataclass(frozen=True)
class Priced:
    """The user's settings, and their effect on the program.

    Attributes:
        theirs: the settings.
        cures: how the user removes them, a clause each.
        words: of the command without them.
        proof: that compares the two.
        digits: whether the last digits of sums may differ without them.
    """

    theirs: tuple[Assignment, ...]
    cures: tuple[str, ...]
    words: tuple[str, ...]
    proof: Proof
    digits: bool

    @property
    def verdict(self) -> Verdict:
        """The result of paired runs; no difference: smaller than the difference to be resolved."""
        proof = self.proof
        if proof.rejected:
            return "rejected"
        if proof.interval is None:
            return "nothing"
        if proof.interval.verdict == "faster":
            return "faster without"
        if proof.interval.verdict == "slower":
            return "slower without"
        return "no difference" if proof.equivalent else "no difference shown"

    @property
    def can_go(self) -> bool:
        """Whether the program loses nothing without them, within the difference to be resolved."""
        return self.verdict in ("faster without", "no difference")


def words_without(
    program: Program, theirs: Sequence[Assignment], label: str, *, bitwise: bool
) -> tuple[str, ...]:
    """Return the words of the command without the user's settings.

    Args:
        program: as given.
        theirs: the settings.
        label: of the library.
        bitwise: whether the last digits of results must not change.

    Raises:
        RankwiseError: it can't be run without them; a clause that says why.
    """
    if bitwise and any(may_change_digits(setting, label) for setting in theirs):
        raise RankwiseError("without them, sums could change in their last digits (--bitwise)")
    words = without(theirs, program.words, program.environment, defaults)
    if remaining := contradicting(label, program.environment, words):
        raise RankwiseError(f"{remaining[0].text} would stay in force")
    return words


def price(
    program: Program,
    theirs: Sequence[Assignment],
    words: Sequence[str],
    label: str,
    aim: Aim,
    seed: int,
    runs: Runs,
    say: Say,
) -> Priced:
    """Measure what the user's settings cost or gain.

    Args:
        program: as given.
        theirs: the settings.
        words: of the command without them.
        label: of the library.
        aim: of the paired runs.
        seed: of their order.
        runs: runs the program.
        say: gets a line of progress at a time.

    Raises:
        RankwiseError: the program fails as given.
    """
    say(f"the program as given and without {', '.join(dict.fromkeys(setting.shown for setting in theirs))}")
    before = Way("as given", program.command, as_given=True)
    after = Way("without your settings", Command(tuple(words), {}))
    return Priced(
        tuple(theirs),
        tuple(cures(theirs, program.words)),
        tuple(words),
        prove(before, after, aim, seed, runs, say),
        any(may_change_digits(setting, label) for setting in theirs),
    )


def may_change_digits(setting: Assignment, label: str) -> bool:
    """Return whether the last digits of sums may differ without a setting.

    Args:
        setting: of the user.
        label: of the library.
    """
    choosing = by_label(label).choosing
    if not choosing or not choosing.fullmatch(setting.name):
        return False
    return bool(_REDUCTION.search(setting.name)) or not _NO_REDUCTION.search(setting.name)
