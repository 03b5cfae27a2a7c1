"""The step `collectives`: other algorithms for the most expensive collectives."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.opened import opened_profile
from rankwise.optimization.of_findings import A_PART, promised
from rankwise.optimization.optimize import together
from rankwise.optimization.step import Now, Promise, Tried, judged, whole_rounds
from rankwise.trials.plan import Aim
from rankwise.trials.run import Interrupted
from rankwise.trials.ways import Way
from rankwise.tuning.as_launched import as_launched
from rankwise.tuning.profiled import profiled
from rankwise.tuning.racing.race import AIM
from rankwise.tuning.racing.racer import Racer
from rankwise.tuning.settings.apply import untranslatable
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Rule
from rankwise.tuning.settings.words import sizes
from rankwise.tuning.tune import INTERRUPTED, Request, Tuned, tune

OpenRacer = Callable[[Way, Path, float], AbstractContextManager[Racer]]
_RULES = frozenset({"collective-algorithm"})
_EFFECT_RUNS = 2
_RACES = 0.5
"""Of the least time, for races."""


class Collectives:
    """Races the library's algorithms for the cells that cost most, and proves the winners."""

    name = "collectives"

    def __init__(
        self,
        open_racer: OpenRacer,
        library: Path | None,
        *,
        cells: int,
        bitwise: bool,
        confidence: float,
    ) -> None:
        """Begin.

        Args:
            open_racer: starts what times algorithms in the place of the program of a way, with files in a
                directory, until a moment of time.monotonic().
            library: the file with the MPI library of the program; None: not known.
            cells: to race at the most.
            bitwise: whether the last digits of results have to stay as they are.
            confidence: of the races.
        """
        self._open_racer, self._cells, self._bitwise = open_racer, cells, bitwise
        self._confidence, self._library = confidence, library

    def promise(self, profile: Path) -> Promise | str:
        """See Step."""
        profiled_run = profiled(profile, self._cells)
        if not profiled_run.targets:
            return "no collective takes enough time for tuning to pay off"
        tunable = sum(target.tunable_seconds for target in profiled_run.targets)
        why = "time in blocking collectives without waiting for late ranks"
        with opened_profile(profile) as connection:
            return promised(Evidence(connection), _RULES, tunable, why, A_PART)

    def least_seconds(self, of_run: float, aim: Aim) -> float:
        """See Step: the races take their share, too."""
        return (_EFFECT_RUNS + whole_rounds(aim)) * of_run / (1 - _RACES)

    def attempt(self, now: Now) -> Tried:
        """See Step."""
        profiled_run = profiled(now.profile, self._cells)
        request = Request(
            targets=as_launched(profiled_run.targets, now.kept.order),
            run_seconds=profiled_run.wall.rank_seconds,
            wall_seconds=profiled_run.wall.wall_seconds,
            ranks=profiled_run.wall.ranks,
            way=now.way,
            open_racer=lambda deadline: self._open_racer(now.way, now.runs.directory, deadline),
            untranslatable=lambda settings: untranslatable(together(now.kept, settings), self._library),
            materialise=lambda settings: now.combined(settings).variables,
            about=now.kept.about,
            bitwise=self._bitwise,
            race_aim=replace(AIM, confidence=self._confidence),
            proof_aim=replace(now.aim, seconds=None),
            budget=now.aim.seconds,
            seed=now.seed,
            store=now.store,
        )
        # It keeps the pairs of its proof itself, and when they were looked at.
        made = tune(request, replace(now.runs, saved=None), now.say)
        if made.ended == INTERRUPTED:
            raise Interrupted
        if made.failure:
            raise made.failure
        if made.proof is not None:
            rules = made.settings.rules if made.settings else _rules(made)
            added = made.settings or Settings(now.kept.about)
            what = "; ".join([*map(_rule_text, rules), *_failed(made)]) or "no rule had an effect"
            digits = "; sums may change in their last digits" if made.digits else ""
            return judged(made.proof, replace(added, about=now.kept.about), f"{what}{digits}")
        if made.ended or made.left:
            return Tried(None, None, f"no time for all races; {_why_nothing(made)}", unfinished=True)
        return Tried(None, None, _why_nothing(made))


def _rules(made: Tuned) -> list[Rule]:
    return [tried.rule for tried in made.tried if tried.rule is not None]


def _rule_text(rule: Rule) -> str:
    call = rule.procedure.removeprefix("MPI_")
    return f"{call} of {sizes(rule)} on {rule.processes} by {rule.algorithm.label}"


def _failed(made: Tuned) -> list[str]:
    """Say which algorithms the program fails with, a clause for each collective."""
    return [
        f"{tried.target.procedure.removeprefix('MPI_')} not by {', '.join(tried.failed)}"
        for tried in made.tried
        if tried.failed
    ]


def _why_nothing(made: Tuned) -> str:
    verdicts = list(dict.fromkeys(tried.verdict for tried in made.tried if tried.verdict))
    cells = f"{len(made.tried)} cell{'s' * (len(made.tried) != 1)}"
    return f"of {cells}: {', '.join(verdicts) or 'nothing won'}"
