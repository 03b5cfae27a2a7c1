"""The step `map`: another place for each rank, or another rank for each process where it is."""

from __future__ import annotations

from collections.abc import Mapping as Variables
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.messages.traffic import Whereabouts, run_traffic, whereabouts
from rankwise.analysis.opened import opened_profile
from rankwise.errors import RankwiseError
from rankwise.optimization.of_findings import promised
from rankwise.optimization.step import Now, Promise, Tried, Unable, judged, whole_rounds
from rankwise.placement.mapping import Mapping, find_mapping
from rankwise.placement.new_ranks import new_ranks
from rankwise.placement.present_placement import known_hosts
from rankwise.placement.relaunch import Launch, PlacementError, understand
from rankwise.placement.verification.check_bindings import misplaced, order_kept, refuse_unfit
from rankwise.text.units import percent_text
from rankwise.topology.machine.model import Machine
from rankwise.trials.plan import Aim
from rankwise.trials.run import Rejected
from rankwise.tuning.proof import prove
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rank_order import RankOrder

_LOOK = 900  # number of the run that looks where the ranks are: no pair has it
_RULES = frozenset({"off-node-traffic", "reorder-not-done"})


class _Change(NamedTuple):
    """What puts a placement into force.

    Attributes:
        settings: places for the launcher, or an order of MPI_COMM_WORLD.
        by_order: why it is an order; '' for places.
    """

    settings: Settings
    by_order: str = ""


class Places:
    """Finds a placement from what the ranks sent each other, and proves it.

    If the launcher can't place each rank, the order of MPI_COMM_WORLD changes instead.
    """

    name = "map"

    def __init__(
        self,
        words: Sequence[str],
        environment: Variables[str, str],
        machine: Machine | None,
        *,
        no_order: str = "",
    ) -> None:
        """Begin.

        Args:
            words: of the command as given.
            environment: that it is started with.
            machine: to place the ranks on; None: the run's own, as far as its profile shows it.
            no_order: why the program's MPI_COMM_WORLD can't have another order; '' if it can.
        """
        self._machine, self._no_order = machine, no_order
        self._launch: Launch | None = None
        self._no_places = ""
        self._why_not = ""
        try:
            self._launch = understand(words, environment)
        except PlacementError as error:
            self._no_places = str(error)
            self._why_not = no_order and f"{error}; {no_order}"
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
        return Unable(self._why_not, promise) if self._why_not else promise

    def least_seconds(self, of_run: float, aim: Aim) -> float:
        """See Step: a run looks where the ranks are."""
        return (1 + whole_rounds(aim)) * of_run

    def attempt(self, now: Now) -> Tried:
        """See Step."""
        mapping, where = self._mapping(now.profile)
        added, by_order = self._change(mapping, where, now)
        what = f"{len(mapping.moved)} of {len(mapping.bindings)} ranks change places"
        if by_order:
            now.say(f"{by_order}; the order of MPI_COMM_WORLD is changed instead (`run --place`)")
            what += ", by the order of MPI_COMM_WORLD"
        after = now.combined(added)
        try:
            profile = now.runs.profile(after, _LOOK, inside=True)
        except Rejected as rejected:
            return Tried(None, None, f"{what}: {rejected}", by_order=by_order)
        if wrong := _wrong(profile, added, mapping.machine):
            return Tried(None, None, wrong, untried=True, by_order=by_order)
        now.runs.race = added.identity
        kept = now.runs.saved_pairs(now.way, after)
        proof = prove(now.way, after, now.aim, now.seed, now.runs, now.say, kept=kept)
        return judged(proof, added, what, by_order)

    def _change(self, mapping: Mapping, where: Whereabouts, now: Now) -> _Change:
        try:
            return _Change(self._in_places(mapping, where, now))
        except PlacementError as error:
            if self._no_order:
                raise RankwiseError(f"{error}; {self._no_order}") from error
            order = RankOrder.on(known_hosts(where), new_ranks(mapping))
            return _Change(Settings(now.kept.about, order=order), f"{error}")

    def _in_places(self, mapping: Mapping, where: Whereabouts, now: Now) -> Settings:
        """Return settings with places for the launcher; PlacementError if it can't take them."""
        if self._launch is None:
            raise PlacementError(self._no_places)
        bindings = tuple(self._launch.bindings(mapping.bindings))
        refuse_unfit(where, bindings, mapping.machine)
        self._launch.relaunched(bindings, now.store)
        return Settings(now.kept.about, bindings=bindings)

    def _mapping(self, profile: Path) -> tuple[Mapping, Whereabouts]:
        with opened_profile(profile) as connection:
            where = whereabouts(connection)
            return find_mapping(run_traffic(connection), where, self._machine), where


def _wrong(profile: Path, added: Settings, machine: Machine) -> str:
    """Say why a run did not have the places, or the order, that it was meant to have; '' if it had."""
    with opened_profile(profile) as connection:
        where = whereabouts(connection)
    if added.order is None:
        wrong = misplaced(where, added.bindings, machine)
        return wrong and f"{wrong}, so the launcher did not follow its file"
    if why := order_kept(profile):
        return why
    wrong = added.order.elsewhere(known_hosts(where))
    return wrong and f"{wrong}, so the launcher does not always use the same places"
