"""Finds the cells of a profile, and their tunable time: without the waiting for late ranks.

Times are exact by communicator, procedure and size bin. The sample of arrivals shows how they divide among
the sizes of a bin, and how much of them is waiting that no algorithm can cure.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.calls.totals import JOIN_COMMUNICATORS, JOIN_PROCEDURES
from rankwise.analysis.collectives.traits import CallTraits, traits
from rankwise.analysis.nodes.processors import shortages
from rankwise.analysis.waiting.instances import NOBODY, Instances, consistent, waits
from rankwise.analysis.waiting.procedures import CALLS
from rankwise.analysis.waiting.sample import sampled
from rankwise.profile.join.members import parse
from rankwise.tuning.cells.cell import Cell, Grouping, Traits

_MOST_GROUPINGS = 4
_MOST_GROUPS = 4096  # of a cell
_LATE_CALLS = 20
"""In units of a call: a race does not delay ranks by more, as the winner stays the same."""


@dataclass
class _Size:
    """Calls with messages of one size on one communicator, summed up over the sample."""

    seconds: float = 0.0
    waiting: float = 0.0
    instances: int = 0
    roots: list[int] = field(default_factory=list)
    late: list[NDArray[np.float64]] = field(default_factory=list)


@dataclass(kw_only=True)
class _Part:
    """The part of a cell on one communicator: its calls with messages of one size.

    Attributes:
        low: size of the smallest messages; differs from `size` where sizes are not known.
        high: of the largest.
    """

    communicator: int
    size: int
    low: int
    high: int
    seconds: float
    tunable: float
    calls: float
    root: int
    late: Mapping[int, float]
    uneven: bool


@dataclass(frozen=True)
class _Communicator:
    members: tuple[int, ...]
    family: str


def cells(connection: sqlite3.Connection) -> list[Cell]:
    """Return the cells of the blocking collectives on intracommunicators, the most tunable time first.

    Sizes between two powers of two are one cell. Calls without known arrivals are assumed to wait as much as
    those with known arrivals.

    Args:
        connection: to the profile.

    Raises:
        ValueError: the profile is damaged.
    """
    known = _communicators(connection)
    samples = {(sample.communicator, sample.procedure): sample for sample in sampled(connection)}
    inside = _sizes_inside(connection)
    groups: dict[tuple[str, int, int], list[_Part]] = defaultdict(list)
    for (communicator, procedure), bins in _exact(connection).items():
        if communicator not in known:
            continue
        sample = samples.get((communicator, procedure))
        sizes = _sizes(sample) if sample is not None else {}
        others = inside.get((communicator, procedure), {})
        for part in _parts(communicator, bins, sizes, sample, others):
            processes = len(known[communicator].members)
            groups[procedure, processes, part.size.bit_length()].append(part)
    # On oversubscribed nodes the scheduler decides which rank is late.
    crowded = any(shortage.is_of_node for shortage in shortages(connection).sharing)
    numbers = dict(connection.execute("SELECT name, id FROM procedures").fetchall())
    call_traits = traits(connection)
    made = [
        replace(
            _cell(procedure, processes, parts, known, crowded=crowded),
            traits=_traits([call_traits.get((part.communicator, numbers[procedure])) for part in parts]),
        )
        for (procedure, processes, _), parts in groups.items()
    ]
    return sorted(made, key=lambda cell: (-cell.tunable_seconds, cell.name))


def _communicators(connection: sqlite3.Connection) -> dict[int, _Communicator]:
    communicators = {}
    for identity, members, family in connection.execute(
        "SELECT id, members, family FROM communicators"
        " WHERE size > 1 AND remote_size = 0 AND type NOT IN ('window', 'file') AND id > 2"
    ):
        ranks = tuple(parse(members))
        if all(rank >= 0 for rank in ranks):  # (None of them is unknown.)
            communicators[identity] = _Communicator(ranks, family)
    return communicators


_Bins = dict[int, tuple[float, int]]  # by size bin: seconds summed over ranks, and most calls of a rank


def _exact(connection: sqlite3.Connection) -> dict[tuple[int, str], _Bins]:
    names = ", ".join(f"'{name}'" for name in sorted(CALLS))
    times: dict[tuple[int, str], _Bins] = defaultdict(dict)
    for communicator, procedure, size_bin, seconds, calls in connection.execute(
        "SELECT communicator, name, size_bin, SUM(seconds), MAX(calls) FROM"
        " (SELECT communicator, procedures.name AS name, size_bin, rank, SUM(seconds) AS seconds,"
        f" SUM(calls) AS calls FROM calls {JOIN_PROCEDURES} {JOIN_COMMUNICATORS}"
        f" WHERE procedures.name IN ({names}) AND unfinished = 0"
        " GROUP BY communicator, procedures.name, size_bin, rank) GROUP BY communicator, name, size_bin"
    ):
        times[communicator, procedure][size_bin] = seconds, calls
    return times


def _sizes_inside(connection: sqlite3.Connection) -> dict[tuple[int, str], dict[int, int]]:
    """Return the sizes of calls whose messages inside were seen, with their number."""
    sizes: dict[tuple[int, str], dict[int, int]] = defaultdict(dict)
    for communicator, procedure, size, calls in connection.execute(
        "SELECT communicator, procedures.name, patterns.size, SUM(patterns.calls) FROM patterns"
        " JOIN procedures ON procedures.id = patterns.procedure"
        " WHERE patterns.size IS NOT NULL GROUP BY 1, 2, 3"
    ):
        sizes[communicator, procedure][size] = calls
    return sizes


def _sizes(sample: Instances) -> dict[int, _Size]:
    """Sum up the sample of a collective on a communicator by message size (the members' mean)."""
    good = sample.of(consistent(sample))
    sizes: dict[int, _Size] = defaultdict(_Size)
    if not len(good.numbers):
        return sizes
    waited = waits(good).seconds
    mean = good.bytes.mean(axis=1).astype(np.int64)
    length = good.departure - good.arrival
    late = good.arrival - good.arrival.min(axis=1, keepdims=True)
    for row, size in enumerate(mean.tolist()):
        of_size = sizes[size]
        of_size.seconds += float(length[row].sum())
        of_size.waiting += float(waited[row].sum())
        of_size.instances += 1
        of_size.late.append(late[row])
        if good.roots[row] != NOBODY:
            of_size.roots.append(int(good.places[good.roots[row]]))
    return sizes


def _parts(
    communicator: int,
    bins: _Bins,
    sizes: Mapping[int, _Size],
    sample: Instances | None,
    sizes_inside: Mapping[int, int],
) -> Iterable[_Part]:
    """Distribute the exact times of a collective on a communicator among the sizes of the sample."""
    uneven = sample is not None and bool((sample.bytes != sample.bytes[:, :1]).any())
    if uneven:  # each member has its own bin
        whole = sum(seconds for seconds, _ in bins.values()), sum(calls for _, calls in bins.values())
        shared = [(whole, list(sizes.items()), 0)]
    else:
        shared = [
            (
                of_bin,
                [(size, of_size) for size, of_size in sizes.items() if size.bit_length() == number],
                (1 << number) >> 1,
            )
            for number, of_bin in bins.items()
            if number < 127  # (calls that did not end, and those without a row)
        ]
    all_seconds = sum(of_size.seconds for of_size in sizes.values())
    usual = 1 - sum(of_size.waiting for of_size in sizes.values()) / all_seconds if all_seconds else 1.0
    for (seconds, calls), inside, least in shared:
        sampled_seconds = sum(of_size.seconds for _, of_size in inside)
        instances = sum(of_size.instances for _, of_size in inside)
        if not sampled_seconds:
            size, low, high = _size_range(sizes_inside, least)
            yield _Part(
                communicator=communicator,
                size=size,
                low=low,
                high=high,
                seconds=seconds,
                tunable=seconds * usual,
                calls=calls,
                root=0,
                late={},
                uneven=uneven,
            )
            continue
        for size, of_size in inside:
            own = seconds * of_size.seconds / sampled_seconds
            share = 1 - of_size.waiting / of_size.seconds if of_size.seconds else usual
            yield _Part(
                communicator=communicator,
                size=size,
                low=size,
                high=size,
                seconds=own,
                tunable=own * share,
                calls=calls * of_size.instances / instances,
                root=max(set(of_size.roots), key=of_size.roots.count) if of_size.roots else 0,
                late=_lateness(sample, of_size) if sample is not None else {},
                uneven=uneven,
            )


def _size_range(sizes: Mapping[int, int], least: int) -> tuple[int, int, int]:
    """Return a size of the messages of a bin, and their range, where the sample has none.

    Args:
        sizes: of calls whose messages inside were seen, with their number.
        least: size in the bin.
    """
    most = max(2 * least - 1, 0)
    inside = {size: calls for size, calls in sizes.items() if least <= size <= most}
    if not inside:
        return least, least, most
    return max(inside, key=lambda size: (inside[size], size)), min(inside), max(inside)


def _lateness(sample: Instances, of_size: _Size) -> dict[int, float]:
    usual = np.median(np.stack(of_size.late), axis=0)
    return dict(zip(sample.ranks.tolist(), (usual - usual.min()).tolist(), strict=True))


def _cell(
    procedure: str,
    processes: int,
    parts: list[_Part],
    known: Mapping[int, _Communicator],
    *,
    crowded: bool,
) -> Cell:
    by_size: dict[int, float] = defaultdict(float)
    calls: dict[int, float] = defaultdict(float)
    for part in parts:
        by_size[part.size] += part.seconds
        for rank in known[part.communicator].members:
            calls[rank] += part.calls
    seconds = sum(part.seconds for part in parts)
    tunable = sum(part.tunable for part in parts)
    most = max(calls.values())
    per_call = tunable / max(sum(calls.values()), 1.0)
    return Cell(
        procedure=procedure,
        processes=processes,
        low=min(part.low for part in parts),
        high=max(part.high for part in parts),
        size=max(by_size, key=lambda size: (by_size[size], size)),
        calls=round(most),
        seconds=seconds,
        tunable_seconds=tunable,
        groupings=_groupings(parts, known, 0.0 if crowded else _LATE_CALLS * per_call),
        uneven=any(part.uneven for part in parts),
    )


def _traits(call_traits: list[CallTraits | None]) -> Traits:
    known = [call for call in call_traits if call is not None]
    if len(known) < len(call_traits):
        return Traits()
    return Traits(
        True,
        any(call.not_commutative for call in known),
        any(call.rounds for call in known),
        any(call.in_place for call in known),
    )


def _groupings(parts: list[_Part], known: Mapping[int, _Communicator], latest: float) -> tuple[Grouping, ...]:
    """Group communicators that were created the same way and share no process."""
    best: dict[tuple[tuple[int, ...], str], _Part] = {}
    seconds: dict[tuple[tuple[int, ...], str], float] = defaultdict(float)
    for part in parts:
        own = known[part.communicator]
        key = own.members, own.family
        seconds[key] += part.seconds
        if key not in best or part.seconds > best[key].seconds:
            best[key] = part
    order = sorted(best, key=lambda key: (-seconds[key], key))[:_MOST_GROUPS]
    made: list[tuple[str, set[int], list[tuple[tuple[int, ...], str]]]] = []
    for key in order:
        members, family = key
        fitting = (
            candidate for candidate in made if candidate[0] == family and candidate[1].isdisjoint(members)
        )
        place = next(fitting, None)
        if place is None:
            place = (family, set(), [])
            made.append(place)
        place[1].update(members)
        place[2].append(key)
    # Communicators that are created repeatedly with the same members count as one.
    joined: dict[tuple[tuple[int, ...], ...], tuple[float, list[_Part]]] = {}
    for _, _, keys in made:
        groups = tuple(sorted(members for members, _ in keys))
        before = joined.get(groups, (0.0, []))
        own_seconds = sum(seconds[key] for key in keys)
        joined[groups] = before[0] + own_seconds, before[1] or [best[key] for key in keys]
    kept = sorted(joined.items(), key=lambda item: (-item[1][0], item[0]))[:_MOST_GROUPINGS]
    whole = sum(own for _, (own, _) in kept) or 1.0
    return tuple(
        Grouping(
            groups,
            own / whole,
            max(own_parts, key=lambda part: part.seconds).root,
            tuple(
                sorted(
                    (rank, min(late, latest))
                    for part in own_parts
                    for rank, late in part.late.items()
                    if min(late, latest) > 0
                )
            ),
        )
        for groups, (own, own_parts) in kept
    )
