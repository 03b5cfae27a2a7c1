"""A run's ranks on several machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.analysis.messages.traffic import RunTraffic, Whereabouts
from rankwise.errors import RankwiseError
from rankwise.placement.mapping import Mapping, find_mapping
from rankwise.placement.options import BY_HOPS, EXTRA_PERCENT
from rankwise.placement.what_if.outlook import HOPS, Outlook, outlook, present_outlook
from rankwise.profile.progress import Listener, Progress
from rankwise.topology.machine.model import Machine


@dataclass(frozen=True)
class Candidate:
    """A machine.

    Attributes:
        name: as given.
        machine: itself.
        mapping: of the ranks; None if it has too few slots.
        natural: outlook of rank r in the r-th slot; None if it has too few slots.
        found: outlook of the best placement; None if it has too few slots.
    """

    name: str
    machine: Machine
    mapping: Mapping | None
    natural: Outlook | None
    found: Outlook | None


@dataclass(frozen=True)
class Comparison:
    """Several machines.

    Attributes:
        ranks: number of ranks of the run.
        unit: of the outlooks' costs, in words.
        present: outlook of the placement that the run had; None where its hosts are not known.
        absent: why it is not known, in words; '' if it is.
        candidates: the machines, as given.
        best: places in `candidates` of the cheapest, or of several that are as cheap.
    """

    ranks: int
    unit: str
    present: Outlook | None
    absent: str
    candidates: list[Candidate]
    best: list[int]


def compare(
    run: RunTraffic,
    where: Whereabouts,
    machines: Sequence[tuple[str, Machine]],
    *,
    objective: str = "hops",
    extra: float = EXTRA_PERCENT,
    effort: int = 1,
    seed: int = 1,
    listener: Listener | None = None,
) -> Comparison:
    """Place the ranks on each of the machines, anywhere.

    Args:
        run: what the ranks sent each other.
        where: they were.
        machines: each with its name; at least one.
        objective: one of options.OBJECTIVES.
        extra: percent of byte hops that the objective `both` may add.
        effort: one of options.EFFORTS.
        seed: of all that is random.
        listener: called with the fraction of the machines that is done.

    Raises:
        RankwiseError: the costs of a machine are missing, or all are too small.
    """
    ranks = run.traffic.ranks
    most = max(len(machine.slots) for _, machine in machines)
    if most < ranks:
        raise RankwiseError(
            f"{ranks} ranks do not fit into any of the machines, the largest of which has {most}"
            f" slot{'s' * (most != 1)}: give a larger one"
        )
    candidates = [
        _candidate(run, where, *each, objective, extra, effort, seed)
        for each in Progress(listener).over(machines, 1.0)
    ]
    mappings = [each.mapping for each in candidates if each.mapping]
    present, absent = present_outlook(run, where, mappings, objective)
    return Comparison(
        ranks,
        HOPS if objective in BY_HOPS else _unit(candidates),
        present,
        absent,
        candidates,
        _best(candidates),
    )


def _candidate(
    run: RunTraffic,
    where: Whereabouts,
    name: str,
    machine: Machine,
    objective: str,
    extra: float,
    effort: int,
    seed: int,
) -> Candidate:
    ranks = run.traffic.ranks
    if len(machine.slots) < ranks:
        return Candidate(name, machine, None, None, None)
    try:
        mapping = find_mapping(
            run,
            where,
            machine,
            objective=objective,
            extra=extra,
            nodes="all",
            predict=True,
            effort=effort,
            seed=seed,
        )
    except RankwiseError as error:
        raise RankwiseError(f"{name}: {error}") from error
    return Candidate(
        name,
        machine,
        mapping,
        outlook(run, machine, mapping.natural, range(ranks), objective),
        outlook(run, machine, mapping.found, mapping.slot, objective),
    )


def _unit(candidates: Sequence[Candidate]) -> str:
    """Return the unit that all machines have in common; RankwiseError if they do not."""
    units = {each.mapping.unit: each.name for each in candidates if each.mapping}
    if len(units) > 1:
        (first_unit, name), (second_unit, second) = list(units.items())[:2]
        raise RankwiseError(
            f"{name} tells the load of links in {first_unit}, {second} in {second_unit}: give link_mb_s in"
            " all machines or none, or take another --objective"
        )
    return next(iter(units))


def _best(candidates: Sequence[Candidate]) -> list[int]:
    costs = {
        place: each.found.cost
        for place, each in enumerate(candidates)
        if each.found and each.found.cost is not None
    }
    return [place for place, cost in costs.items() if cost == min(costs.values())]
