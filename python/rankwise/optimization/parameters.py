"""The step `parameters`: eager limits, point-to-point layers and binding, raced over whole runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.opened import opened_profile
from rankwise.errors import RankwiseError
from rankwise.optimization.of_findings import A_PART, promised
from rankwise.optimization.step import Now, Promise, Tried, Unable, whole_rounds
from rankwise.trials.plan import Aim
from rankwise.trials.recorded import Command
from rankwise.trials.run import Interrupted, Rejected
from rankwise.tuning.parameters.asking import Asker
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.outcome import Outcome
from rankwise.tuning.parameters.parameter import Parameter
from rankwise.tuning.parameters.proposals import asked, propose
from rankwise.tuning.parameters.race import Known, race_parameters
from rankwise.tuning.program import Program
from rankwise.tuning.settings.in_force import in_force
from rankwise.tuning.settings.model import Settings

MakeAsker = Callable[[Command, Path], Asker]
_RULES = frozenset({"eager-threshold", "badly-bound"})


@dataclass
class Parameters:
    """Races parameters of the whole library, one after the other.

    Attributes:
        program: as given.
        make_asker: compiles the probe that tells what the library sends by, for a command; its runs leave
            their files in a directory.
        directory: for the probe's runs; every node sees it.
    """

    program: Program
    make_asker: MakeAsker
    directory: Path
    name: str = "parameters"
    _layers: Layers | None = None

    def promise(self, profile: Path) -> Promise | Unable | str:
        """See Step; the first time the probe runs."""
        try:
            proposed = self._proposed(profile)
        except RankwiseError as error:
            return Unable(f"the transport of the library can't be determined: {error}")
        if not proposed:
            return "no known parameter matters for such messages"
        with opened_profile(profile) as connection:
            evidence = Evidence(connection)
            reckoned = min(proposed[0].expected_seconds * evidence.run.ranks, evidence.seconds)
            return promised(evidence, _RULES, reckoned, f"{proposed[0].name}: {proposed[0].why}", A_PART)

    def least_seconds(self, of_run: float, aim: Aim) -> float:
        """See Step: a race, and the proof."""
        return 2 * whole_rounds(aim) * of_run

    def attempt(self, now: Now) -> Tried:
        """See Step."""
        parameters = self._proposed(now.profile)
        command = Command(now.way.command.words, {**now.way.command.variables, **now.way.variables})
        asker = self.make_asker(command, now.runs.directory)
        known = Known(now.runs.usual_seconds(), ask=asker.ask, layers=asker.ask({}, asked()))
        # The race goes by its own runs; the command is what a further call must have, too.
        made = race_parameters(
            self.program.command,
            parameters,
            (),
            now.aim,
            now.store,
            now.signals,
            now.say,
            now.seed,
            known,
            _Runs(now),
        )
        if now.signals.count and made.ended.startswith("Interrupted"):
            raise Interrupted
        return _judged(made, now)

    def _proposed(self, profile: Path) -> list[Parameter]:
        """Return the parameters worth a race that the user has not set already."""
        if self._layers is None:
            directory = self.directory / "layers"
            directory.mkdir(exist_ok=True)
            self._layers = self.make_asker(self.program.command, directory).ask({}, asked())
        with opened_profile(profile) as connection:
            proposed = propose(connection, self._layers)
        return [parameter for parameter in proposed if not self._is_theirs(parameter, self._layers)]

    def _is_theirs(self, parameter: Parameter, layers: Layers) -> bool:
        ours = {parameter.variable: ""}
        program = self.program
        return bool(in_force(layers.version.label, program.environment, program.words, ours, rules=False))


class _Runs:
    """Runs the program as it is now, with variables."""

    def __init__(self, now: Now) -> None:
        self._now, self._number = now, 0

    def __call__(self, variables: Mapping[str, str], name: str, left: float) -> float:
        """Return the seconds of a run; see parameters.recorded_run.Run."""
        added = Settings(self._now.kept.about, environment=variables)
        way = replace(self._now.combined(added), name=name)
        self._number += 1
        try:
            return self._now.runs.seconds(way, self._number, left)
        except Rejected as why:
            raise RankwiseError(str(why), 1) from why


def _judged(made: Outcome, now: Now) -> Tried:
    what = ", ".join(f"{name}={value}" for name, value in made.kept.items())
    if made.gains:
        return Tried(Settings(now.kept.about, environment=dict(made.kept)), made.interval, what)
    if made.short and made.interval is not None:
        return Tried(None, made.interval, made.ended.rstrip("."), unfinished=True)
    tried = [value for step in made.steps for value in step.tried]
    if not any(value.interval for value in tried) or (made.kept and made.interval is None and not made.notes):
        return Tried(None, None, _why_unfinished(made), unfinished=bool(made.ended))
    if made.kept:
        return Tried(
            None, made.interval, " ".join([f"no gain proven; tried: {what}.", *made.notes]).rstrip(".")
        )
    names = ", ".join(step.parameter.name for step in made.steps if step.tried)
    return Tried(None, None, f"no value was faster: {names}")


def _why_unfinished(made: Outcome) -> str:
    reasons: Sequence[str] = [
        f"{step.parameter.name}: {why}"
        for step in made.steps
        for why in (step.skipped, *(value.why_not for value in step.tried))
        if why
    ]
    return made.ended.rstrip(".") or "; ".join(reasons) or "no value could be tried"
