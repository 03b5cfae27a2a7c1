"""The step `map`: another place for each rank."""

from __future__ import annotations

from collections.abc import Mapping as Variables
from collections.abc import Sequence
from pathlib import Path

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.messages.traffic import Whereabouts, run_traffic, whereabouts
from rankwise.analysis.opened import opened_profile
from rankwise.errors import RankwiseError
from rankwise.optimization.of_findings import promised
from rankwise.optimization.step import Now, Promise, Tried, Unable, judged, whole_rounds
from rankwise.placement.mapping import Mapping, find_mapping
from rankwise.placement.relaunch import Launch, understand
from rankwise.placement.verification.check_bindings import misplaced, not_applicable
from rankwise.text.units import percent_text
from rankwise.topology.machine.model import Machine
from rankwise.trials.plan import Aim
from rankwise.trials.run import Rejected
from rankwise.tuning.proof import prove
from rankwise.tuning.settings.model import Settings

_LOOK = 900  # number of the run that looks where the ranks are: no pair has it
_RULES = frozenset({"off-node-traffic", "reorder-not-done"})


class Places:
    """Finds a placement from what the ranks sent each other, and proves it."""

    name = "map"

    def __init__(
        self, words: Sequence[str], environment: Variables[str, str], machine: Machine | None
    ) -> None:
        """Begin.

        Args:
            words: of the command as given.
            environment: that it is started with.
            machine: to place the ranks on; None: the run's own, as far as its profile shows it.
        """
        self._machine = machine
        self._launch: Launch | None = None
        self._why_not = ""
        try:
            self._launch = understand(words, environment)
        except RankwiseError as error:
            self._why_not = f"this launch can't take placements: {error}"

    def promise(self, profile: Path) -> Promise | Unable | str:
        """See Step."""
        try:
            search, _ = self._mapping(profile)
        except RankwiseError as error:
            return Unable(f"no placement can be computed: {error}")
        if not search.gains:
            return "no placement was found that is cheaper than the present one"
        present = search.present.cost if search.present else search.natural.cost
        spared = (present - search.found.cost) / present
        with opened_profile(profile) as connection:
            evidence = Evidence(connection)
            (mpi_seconds,) = connection.execute("SELECT SUM(mpi) FROM ranks").fetchone()
            why = f"another placement saves {percent_text(100 * spared)} % of the bytes x hops"
            promise = promised(evidence, _RULES, spared * (mpi_seconds or 0.0), why)
        return promise if self._launch else Unable(self._why_not, promise)

    def least_seconds(self, of_run: float, aim: Aim) -> float:
        """See Step: a run looks where the ranks are."""
        return (1 + whole_rounds(aim)) * of_run

    def attempt(self, now: Now) -> Tried:
        """See Step."""
        assert self._launch is not None  # or it has promised nothing
        mapping, where = self._mapping(now.profile)
        bindings = tuple(self._launch.bindings(mapping.bindings))
        what = f"{len(mapping.moved)} of {len(bindings)} ranks change places"
        if why := not_applicable(where, bindings, mapping.machine):
            return Tried(None, None, why, untried=True)
        added = Settings(now.kept.about, bindings=bindings)
        after = now.combined(added)
        try:
            profile = now.runs.profile(after, _LOOK, inside=True)
        except Rejected as rejected:
            return Tried(None, None, f"{what}: {rejected}")
        with opened_profile(profile) as connection:
            wrong = misplaced(whereabouts(connection), bindings, mapping.machine)
        if wrong:
            why = f"{wrong}, so the launcher did not follow its file"
            return Tried(None, None, why, untried=True)
        now.runs.race = added.identity
        kept = now.runs.saved_pairs(now.way, after)
        proof = prove(now.way, after, now.aim, now.seed, now.runs, now.say, kept=kept)
        return judged(proof, added, what)

    def _mapping(self, profile: Path) -> tuple[Mapping, Whereabouts]:
        with opened_profile(profile) as connection:
            where = whereabouts(connection)
            return find_mapping(run_traffic(connection), where, self._machine), where
