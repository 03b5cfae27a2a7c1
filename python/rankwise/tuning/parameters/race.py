"""Races parameters over whole runs: one after the other, the most promising first, then all winners together.

The values of a parameter race on top of the winners before. All winners together are then measured afresh
against the program as given, because the best of several values looks better in its race than it is.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.text.units import number_of
from rankwise.trials.plan import Aim, about
from rankwise.trials.recorded import Command
from rankwise.trials.run import Arm, Interrupted, OutOfTime, Rejected, Say, UnrunnableError, run
from rankwise.trials.saved_runs import SavedRuns
from rankwise.trials.sequential import first_pairs
from rankwise.trials.ways import Way
from rankwise.tuning.parameters.constraint import Constraint, Unknown
from rankwise.tuning.parameters.given import control_of_name, variable_of
from rankwise.tuning.parameters.known_names import unused
from rankwise.tuning.parameters.layers import Layers, is_in_force
from rankwise.tuning.parameters.outcome import Outcome, Step, Tried
from rankwise.tuning.parameters.parameter import Parameter, Setting
from rankwise.tuning.parameters.recorded_run import Limits, Run, recorded_runs
from rankwise.tuning.proof import prove

STATE = "parameters.json"
"""The file that keeps the measurements."""

Ask = Callable[[Mapping[str, str], Sequence[str]], Layers]
_FINAL, _GIVEN, _TUNED = "all together", "as given", "tuned"
_BASES = (_GIVEN, Setting("", None).label)
_RISK = 0.05  # that the best value is dropped
_LEAST_RUNS = 1  # as given, to warm up


@dataclass(frozen=True)
class Known:
    """The facts known before the race.

    Attributes:
        of_run: seconds that the program took, as in the profile.
        limits: of its runs.
        ask: runs the probe with variables and returns the values of others: Asker.ask; None: unavailable, so
            that no value is known to be in force.
        layers: as reported without variables.
    """

    of_run: float
    limits: Limits = field(default_factory=Limits)
    ask: Ask | None = None
    layers: Layers | None = None


def refuse_short(aim: Aim, of_run: float) -> None:
    """Refuse a time that can't be enough for a race of one value, before anything runs.

    Args:
        aim: of the trials.
        of_run: seconds of the last known run.

    Raises:
        RankwiseError: it is too short; the text names a sufficient one.
    """
    least = _LEAST_RUNS + 2 * (aim.first_rounds() + 1) + _final_runs(aim)
    if aim.seconds is not None and aim.seconds < least * of_run:
        raise RankwiseError(
            f"--budget: {about(aim.seconds)} are too short for a race of one value: runs of "
            f"{about(of_run)}, at least {least}: give {about(least * of_run).removeprefix('about ')} or more"
        )


def _final_runs(aim: Aim) -> int:
    return 2 * first_pairs(aim) + 1


def announcement(parameters: Sequence[Parameter], aim: Aim, of_run: float, runs_before: int = 0) -> list[str]:
    """Return sentences on how long the race will take, for the user before the first run.

    Args:
        parameters: that take part.
        aim: of the trials.
        of_run: seconds of the last known run.
        runs_before: of earlier calls.

    Raises:
        RankwiseError: the allowed time is too short.
    """
    runs = 1 + sum(
        len(parameter.values) * (aim.first_rounds(len(parameter.values) - 1) + 1) - 1
        for parameter in parameters
    )
    final = _final_runs(aim)
    values = sum(len(parameter.values) - 1 for parameter in parameters)
    said = [
        f"{number_of(len(parameters), 'parameter')} with {number_of(values, 'value')} besides the current "
        f"ones: {runs} runs, and {final} more if any helps: {about((runs + final) * of_run)} in total"
        + ("" if aim.rounds else f"; they show whether more are needed (at most {aim.most} of each)")
    ]
    if not runs_before:
        refuse_short(aim, of_run)
    if aim.seconds is not None and aim.seconds < (runs + final - runs_before) * of_run:
        said.append(f"the time limit of {about(aim.seconds)} is shorter: the most promising are raced first")
    return said


def race_parameters(
    command: Command,
    parameters: Sequence[Parameter],
    constraints: Sequence[Constraint],
    aim: Aim,
    directory: Path,
    signals: Signals,
    say: Say,
    seed: int,
    known: Known,
    runs: Run | None = None,
    *,
    force: bool = False,
) -> Outcome:
    """Race parameters, and prove the winners.

    The measurements are kept in the directory: a second call with the same arguments continues from there.

    Args:
        command: the program's.
        parameters: that are raced, in the order of expected_seconds.
        constraints: between their values.
        aim: of each race; its seconds are for all races together.
        directory: for the files of the runs; every node sees it.
        signals: that arrived here.
        say: gets a line of progress at a time.
        seed: of the order of runs.
        known: facts known before the race.
        runs: runs the program once; None: as trials run it.
        force: begin again if the directory belongs to another race.

    Raises:
        RankwiseError: the program fails as given, or the directory belongs to another race.
    """
    what = {
        "command": list(command.words),
        "variables": dict(command.variables),
        "parameters": [[parameter.variable, list(parameter.values)] for parameter in parameters],
        "aim": {key: value for key, value in asdict(aim).items() if key != "seconds"},
        "seed": seed,
    }
    saved = SavedRuns(directory / STATE, what, force=force)
    made = runs or recorded_runs(command, directory, signals, known.limits)
    return _Tuning(command, parameters, constraints, aim, saved, say, seed, known, made).outcome()


class _Tuning:
    def __init__(
        self,
        command: Command,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint],
        aim: Aim,
        saved: SavedRuns,
        say: Say,
        seed: int,
        known: Known,
        runs: Run,
    ) -> None:
        self._command = command
        self._parameters = sorted(parameters, key=lambda parameter: -parameter.expected_seconds)
        self._constraints, self._aim, self._saved, self._say = constraints, aim, saved, say
        self._seed, self._known, self._runs = seed, known, runs
        self._took = [known.of_run]
        self._end = math.inf if aim.seconds is None else time.monotonic() + aim.seconds
        self._interrupted = False
        self._key = ""
        self._made = Outcome(layers=known.layers.text if known.layers else "")

    def outcome(self) -> Outcome:
        made = self._made
        if self._saved.runs_before:
            self._say(f"continuing after {number_of(self._saved.runs_before, 'run')} of an earlier call")
        for line in announcement(self._parameters, self._aim, self._of_run, self._saved.runs_before):
            self._say(line)
        try:
            self._warm_up(_FINAL, _GIVEN, {})
            for place, parameter in enumerate(self._parameters):
                made.steps.append(step := Step(parameter))
                self._race(step, len(self._parameters) - place)
                if step.kept and step.kept.value is not None:
                    made.kept[step.kept.variable] = step.kept.value
            if made.kept:
                self._prove()
        except Interrupted:
            made.ended = "Interrupted; what was measured is kept, and the same command continues from there."
        except OutOfTime:
            made.ended = "The time is up."
        return made

    def _race(self, step: Step, remaining_steps: int) -> None:
        parameter = step.parameter
        step.skipped = self._why_not(parameter)
        if step.skipped:
            return
        base = Setting(parameter.variable, None)
        self._key = _key(parameter.name, self._made.kept)
        seconds = self._share(remaining_steps)
        step.tried = [self._ready(parameter, setting) for setting in parameter.settings[1:]]
        ready = [tried.setting for tried in step.tried if not tried.why_not]
        if not ready:
            step.skipped = "none of its values can be tried"
            return
        arms = [
            Arm(setting.label, partial(self._run, self._key, setting.label, self._with(setting)))
            for setting in (base, *ready)
        ]
        aim = replace(self._aim, seconds=seconds, risk=self._aim.risk or _RISK, give_up=True)
        if seconds is not None and seconds < 2 * len(arms) * self._of_run:
            step.skipped = "the time is too short for it"
            step.short = True
            return
        self._say(f"{parameter.name}: {', '.join(str(setting.value) for setting in ready)}")
        ran = run(arms, aim, self._seed, self._of_run, float, self._say)
        step.ended, step.short = ran.ended, ran.out_of_time
        compared = {comparison.arm: comparison for comparison in ran.race.comparisons()}
        for place, tried in enumerate(step.tried):
            comparison = compared.get(tried.setting.label)
            if comparison:
                why = comparison.dropped.why if comparison.dropped else ""
                step.tried[place] = replace(
                    tried, interval=comparison.interval, equivalent=comparison.equivalent, why_not=why
                )
        if self._interrupted:
            raise Interrupted
        if winner := ran.race.winner():
            step.kept = next(setting for setting in ready if setting.label == winner.arm)
            self._say(f"{step.kept.label} is kept")

    def _why_not(self, parameter: Parameter) -> str:
        for variable, values in parameter.needs.items():
            if (now := self._made.kept.get(variable)) not in values:
                return f"it has no meaning with {variable}={now}"
        return ""

    def _ready(self, parameter: Parameter, setting: Setting) -> Tried:
        """Check whether a value may be tried, and warm up."""
        race, label = self._key, setting.label
        # A value that fails after its warm-up takes part again up to then, so that the race is the same.
        is_warm = self._saved.run(race, label, 0) is not None
        why = None if is_warm else self._saved.out(race, label)
        seen = False
        if why is None:
            why = self._against_constraints(setting)
            if not why and self._known.ask and self._known.layers:
                seen, why = self._effect(parameter, setting)
            if not why:
                try:
                    self._warm_up(race, label, self._with(setting))
                except Rejected as rejected:
                    why = str(rejected)
            if why:
                self._saved.reject(race, label, why)
        if why:
            self._say(f"{label} is rejected: {why}")
        return Tried(setting, why_not=why, seen=seen)

    def _effect(self, parameter: Parameter, setting: Setting) -> tuple[bool, str]:
        """Return whether the library reports that a value is in force, and why it can't be."""
        assert self._known.ask and self._known.layers
        if not parameter.shows:
            return False, ""
        try:
            layers = self._known.ask(self._with(setting), [parameter.asked] if parameter.asked else [])
        except RankwiseError as error:
            return False, f"the library does not start with it: {error}"
        if without_use := unused(setting.variable, layers):
            return False, without_use
        in_force = is_in_force(parameter, setting, self._known.layers, layers)
        return in_force is True, "it has no effect: something else sets it" if in_force is False else ""

    def _against_constraints(self, setting: Setting) -> str:
        chosen = self._with(setting)
        there = self._known.layers.values if self._known.layers else {}
        for constraint in self._constraints:
            values = {
                name: chosen.get(variable_of(name), there.get(control_of_name(name), ""))
                for name in constraint.names
            }
            with suppress(Unknown):
                if not constraint.holds(values):
                    return f"violates {constraint.where or 'the constraint'}: {constraint.text}"
        return ""

    def _with(self, setting: Setting) -> dict[str, str]:
        added = {} if setting.value is None else {setting.variable: setting.value}
        return {**self._made.kept, **added}

    def _warm_up(self, race: str, arm: str, variables: Mapping[str, str]) -> None:
        # Run 0 of each arm.
        self._run(race, arm, variables, 0, self._left())

    def _run(self, race: str, arm: str, variables: Mapping[str, str], number: int, left: float) -> float:
        """Return the seconds of an arm's run, saved or new; run 0 is the warm-up."""
        if (before := self._saved.run(race, arm, number)) is not None:
            return before
        if (why := self._saved.out(race, arm)) is not None:
            raise Rejected(why)
        began = time.monotonic()
        end = began + left
        name = f"{race}.{arm}.{number:02d}".replace("/", "_").replace(" ", "-")
        try:
            seconds = self._runs(variables, name, left)
        except Interrupted:
            self._interrupted = True
            raise
        except UnrunnableError:
            raise
        except RankwiseError as error:
            if time.monotonic() >= end:
                raise OutOfTime from error
            if arm in _BASES:
                kept = "with the kept values" if variables else "as given"
                raise RankwiseError(f"the program {kept}: {error}", error.exit_status) from error
            self._saved.reject(race, arm, str(error))
            raise Rejected(str(error)) from error
        self._took.append(time.monotonic() - began)
        self._saved.add(race, arm, number, seconds)
        return seconds

    def _run_of(self, race: str, way: Way, number: int, left: float) -> float:
        return self._run(race, way.name, way.variables, number, left)

    @property
    def _of_run(self) -> float:
        """Seconds of a run, by the median: a single slow run, such as the first, says little."""
        return statistics.median_low(self._took)

    def _left(self) -> float:
        return self._end - time.monotonic()

    def _share(self, steps: int) -> float | None:
        """Return the seconds for the next of some steps; None = no limit. The proof's are set aside."""
        if math.isinf(self._end):
            return None
        proof = _final_runs(self._aim) * self._of_run
        return max(0.0, (self._left() - proof) / steps)

    def _prove(self) -> None:
        made = self._made
        self._say("all kept values, measured again together with the program as given")
        key = _key(_FINAL, made.kept)
        given = Way(_GIVEN, self._command, as_given=True)
        tuned = Way(_TUNED, self._command, made.kept)
        aim = replace(self._aim, seconds=None if math.isinf(self._end) else max(0.0, self._left()))
        runs = _Afresh(partial(self._run_of, key), self._of_run)
        pairs = self._saved.pairs(key, _GIVEN, _TUNED)
        proof = prove(given, tuned, aim, self._seed, runs, self._say, time.monotonic, pairs)
        made.before, made.after = proof.before, proof.after
        made.ended, made.short = proof.ended, proof.is_undecided
        if proof.rejected:
            made.notes.append(f"The kept values fail together: {proof.rejected}.")
        else:
            made.interval, made.equivalent = proof.interval, proof.equivalent


@dataclass
class _Afresh:
    """Runs of the proof, saved like the races' runs; see tuning.proof.Running."""

    run: Callable[[Way, int, float], float]
    of_run: float

    def seconds(self, way: Way, number: int, left: float = math.inf) -> float:
        """Run a way once, or take the run of an earlier call."""
        return self.run(way, number, left)

    def usual_seconds(self) -> float:
        """Return how long a run takes."""
        return self.of_run


def _key(race: str, kept: Mapping[str, str]) -> str:
    """Return the key of a race's saved runs: they depend on the values kept before."""
    on = ", ".join(f"{name}={value}" for name, value in kept.items())
    return f"{race} with {on}" if on else race
