"""What the distributions of a launcher cost the messages of a run, as launches of a probe show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rankwise.analysis.messages.traffic import RunTraffic
from rankwise.analysis.nodes.binding import SHARING
from rankwise.errors import RankwiseError
from rankwise.launchers.option import Option
from rankwise.launchers.placing import Relaunching
from rankwise.placement.certainty import Statement, launches_certainty
from rankwise.placement.mapping import find_mapping
from rankwise.placement.placement_cost import PlacementCost, placement_cost
from rankwise.placement.present_placement import find_present_placement
from rankwise.placement.prices import prices
from rankwise.placement.where.machine import machine_of
from rankwise.placement.where.places import Places
from rankwise.probes.launch import Launch
from rankwise.topology.machine.model import Machine

CLOSE = 0.05
"""Shares of the best saving that differ by less are taken as equal: then the shorter option is better."""
LEAST_SHARE = 0.1
"""Of the best saving: a distribution that saves less is not recommended."""

Look = Callable[[Launch], Places]
"""Starts a launch, and returns the places of its ranks; RankwiseError if that fails."""


@dataclass(frozen=True, kw_only=True)
class Offered:
    """A distribution that was tried.

    Attributes:
        words: options of the launcher; none: the launch as given.
        places: None if it could not be started.
        cost: of the run's messages; None if it could not be started.
        share: of the saving of the best placement, from 0 to 1; negative if it costs more than the launch as
            given; None if there is nothing to save, or it could not be started.
        problem: why it could not be started, or should not be used; ''.
    """

    words: tuple[str, ...]
    places: Places | None
    cost: PlacementCost | None
    share: float | None
    problem: str


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The distributions of a launcher, and the best placement.

    Attributes:
        unit: of costs.
        given: the launch as given.
        others: in the order in which they were tried.
        best: of the placement that `rankwise map` finds, or of a distribution that is cheaper.
        recommended: one of `others`; None: none is better than the launch as given.
        machine: that costs are of.
        certainty: how far the costs can be trusted.
    """

    unit: str
    given: Offered
    others: tuple[Offered, ...]
    best: PlacementCost
    recommended: Offered | None
    machine: Machine
    certainty: tuple[Statement, ...]


@dataclass(frozen=True, kw_only=True)
class Question:
    """A run and a launch to compare distributions for.

    Attributes:
        run: its messages.
        complete: all of them were counted.
        inside: messages inside collectives are included.
        placing: how the launcher of the launch takes bindings.
        machine: of the nodes; None: their inside as the launches show it.
        seed: of the search for the best placement.
    """

    run: RunTraffic
    complete: bool
    inside: bool
    placing: Relaunching
    machine: Machine | None
    seed: int


def compare(
    asked: Question, launch: Launch, given: Places, look: Look, say: Callable[[str], None]
) -> Compared:
    """Launch once more for each distribution of the launcher, and compare what they cost.

    Args:
        asked: the run, and the launcher.
        launch: as given.
        given: the places of its ranks.
        look: starts a launch.
        say: is called before each launch.

    Raises:
        RankwiseError: the launch and the run differ in the number of ranks, or a node is not in the machine.
    """
    if given.size != asked.run.traffic.ranks:
        raise RankwiseError(
            f"the launch starts {given.size} ranks, but the profile has {asked.run.traffic.ranks}: give a "
            "launch of as many"
        )
    tried: dict[tuple[str, ...], Places | str] = {}
    for words, changed in _offered(launch, asked.placing):
        say(f"launching with {' '.join(words)}")
        try:
            places = look(changed)
        except RankwiseError as error:
            tried[words] = str(error)
            continue
        same = places.size == given.size
        tried[words] = places if same else f"starts {places.size} ranks instead of {given.size}"
    return _compared(asked, given, tried)


def _offered(launch: Launch, placing: Relaunching) -> Iterator[tuple[tuple[str, ...], Launch]]:
    """Yield the options of each distribution of a launcher, and the launch with them, unless it has them.

    Raises:
        RankwiseError: the launch is of several programs, or can't be combined with a distribution.
    """
    if len(launch.command.contexts) > 1:
        raise RankwiseError("the command starts several programs: --for compares launches of one")
    [context] = launch.command.contexts
    launcher = launch.command.known
    assert launcher is not None
    given = [launcher.split(option) for option in context.options]
    placing.check(given)
    kept = [option for option in given if not placing.distributes(option)]
    for distribution in placing.distributions:
        options = [*kept, Option(distribution.words)]
        if sorted(map(_text, options)) == sorted(map(_text, given)):
            continue
        command = launch.command._replace(contexts=(context._replace(options=tuple(options)),))
        yield distribution.words, Launch(command, launch.environment)


def _text(option: Option) -> str:
    return f"{option.name} {option.value}"


def _compared(asked: Question, given: Places, tried: Mapping[tuple[str, ...], Places | str]) -> Compared:
    started = {words: places for words, places in tried.items() if isinstance(places, Places)}
    machine = asked.machine or machine_of([given, *started.values()])
    priced = prices(machine, "hops", machine.slots.numbers)

    def cost_of(places: Places) -> PlacementCost:
        slot = find_present_placement(places.whereabouts, machine).slot
        return placement_cost(asked.run.traffic, machine, slot, priced)

    present = cost_of(given)
    costs = {words: cost_of(places) for words, places in started.items()}
    problems = {words: _problem(given, places) for words, places in started.items()}
    placed = find_mapping(asked.run, given.whereabouts, machine, seed=asked.seed).found
    usable = [cost for words, cost in costs.items() if not problems[words]]
    best = min([placed, present, *usable], key=lambda cost: cost.cost)
    saving = present.cost - best.cost

    def offered(words: tuple[str, ...], places: Places | str) -> Offered:
        if isinstance(places, str):
            return Offered(words=words, places=None, cost=None, share=None, problem=places)
        cost = costs[words]
        share = (present.cost - cost.cost) / saving if saving > 0 else None
        return Offered(words=words, places=places, cost=cost, share=share, problem=problems[words])

    others = tuple(offered(words, places) for words, places in tried.items())
    as_given = Offered(words=(), places=given, cost=present, share=0.0 if saving > 0 else None, problem="")
    return Compared(
        unit=priced.unit,
        given=as_given,
        others=others,
        best=best,
        recommended=_recommended(others),
        machine=machine,
        certainty=tuple(launches_certainty(complete=asked.complete, inside=asked.inside)),
    )


def _problem(given: Places, places: Places) -> str:
    """Return why a distribution should not replace the launch as given, independent of its cost; ''."""
    if len(places.nodes) != len(given.nodes):
        noun = "node" if len(places.nodes) == 1 else "nodes"
        return f"uses {len(places.nodes)} {noun} instead of {len(given.nodes)}"
    had = {fault.kind for fault in given.faults()}
    new = [fault for fault in places.faults() if fault.kind in SHARING and fault.kind not in had]
    return new[0].what if new else ""


def _recommended(others: Sequence[Offered]) -> Offered | None:
    """Return the shortest option that comes close to the best distribution."""
    usable = [each for each in others if each.share is not None and not each.problem]
    most = max((each.share or 0.0 for each in usable), default=0.0)
    if most < LEAST_SHARE:
        return None
    close = [each for each in usable if (each.share or 0.0) >= most - CLOSE]
    return min(close, key=lambda each: (len(" ".join(each.words)), -(each.share or 0.0)))
