"""What the user's own settings cost or gain: the program as given, and without them, in pairs of runs."""

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
    """The user's own settings, and what the program is without them.

    Attributes:
        theirs: the settings.
        cures: what the user does to be rid of them, a clause each.
        words: of the command without them.
        proof: of it.
        digits: whether sums may be others in their last digits without them.
    """

    theirs: tuple[Assignment, ...]
    cures: tuple[str, ...]
    words: tuple[str, ...]
    proof: Proof
    digits: bool

    @property
    def verdict(self) -> Verdict:
        """What pairs of runs showed; no difference: it is smaller than what was to be resolved."""
        proof = self.proof
        if proof.rejected:
            return "rejected"
        if proof.interval is None:
            return "nothing"
        if proof.interval.verdict == "faster":
            return "faster without"
        if proof.interval.verdict == "slower":
            return "slower without"
        return "no difference" if proof.alike else "no difference shown"

    @property
    def can_go(self) -> bool:
        """Whether the program loses nothing without them, as far as was to be resolved."""
        return self.verdict in ("faster without", "no difference")


def words_without(
    program: Program, theirs: Sequence[Assignment], label: str, *, bitwise: bool
) -> tuple[str, ...]:
    """Return the words of the command without settings of the user's own.

    Args:
        program: as given.
        theirs: the settings.
        label: of the library.
        bitwise: whether the last digits of results have to stay as they are.

    Raises:
        RankwiseError: it can't be run without them; a clause that says why.
    """
    if bitwise and any(may_change_digits(one, label) for one in theirs):
        raise RankwiseError("without them, sums could change in their last digits (--bitwise)")
    words = without(theirs, program.words, program.environment, defaults)
    if left := contradicting(label, program.environment, words):
        raise RankwiseError(f"{left[0].text} would stay in force")
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
    """Measure what settings of the user's own are worth.

    Args:
        program: as given.
        theirs: the settings.
        words: of the command without them.
        label: of the library.
        aim: of the pairs of runs.
        seed: of their order.
        runs: runs the program.
        say: is told how far it is.

    Raises:
        RankwiseError: the program fails as given.
    """
    say(f"the program as given and without {', '.join(dict.fromkeys(one.shown for one in theirs))}")
    before = Way("as given", program.command, as_given=True)
    after = Way("without your settings", Command(tuple(words), {}))
    return Priced(
        tuple(theirs),
        tuple(cures(theirs, program.words)),
        tuple(words),
        prove(before, after, aim, seed, runs, say),
        any(may_change_digits(one, label) for one in theirs),
    )


def may_change_digits(one: Assignment, label: str) -> bool:
    """Tell whether sums may be others in their last digits without a setting.

    Args:
        one: the setting.
        label: of the library.
    """
    choosing = by_label(label).choosing
    if not choosing or not choosing.fullmatch(one.name):
        return False
    return bool(_REDUCTION.search(one.name)) or not _NO_REDUCTION.search(one.name)
